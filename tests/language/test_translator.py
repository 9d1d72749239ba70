"""A text is found as it stands, as a template, or as made of such; what is no word of ours stays."""

import pytest

from gpudoctor.language.template import parse_template
from gpudoctor.language.translator import Translator

TOLD = {
    "Install what {names} need": "安装{names}所需的包",
    "Give {files} to the loader": "把{files}交给加载器",
    "{who} was asked to start but ended.": "要求{who}启动但已结束。",
    "It must be installed beside it.{more}": "它必须另行安装。{more}",
    "No NVIDIA driver is installed.": "未安装 NVIDIA 驱动。",
    "The driver is too old": "驱动过旧",
    "{label} has no code that runs on {names}: it was compiled for {what}.": (
        "{label} 没有能在 {names} 上运行的代码：{what}。"
    ),
    "older GPUs only": "只面向旧 GPU",
    "The NVIDIA kernel module is not loaded{place}.": "NVIDIA 内核模块{place}未加载。",
    "in this container": "在此容器中",
    "{number_} errors": "{number_} 个错误",
    "1 warning": "1 个警告",
    "driver": "驱动",
    "Check": "检查",
    "{title} (needs root)": "{title}（需要 root）",
    "{path} not found": "找不到 {path}",
    "The driver's management library (NVML)": "驱动的管理库（NVML）",
    "did not respond in time": "未及时应答",
    "GPU at {bus}": "{bus} 处的 GPU",
    "{{x}} is a brace": "{{x}} 是括号",
}


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("No NVIDIA driver is installed.", "未安装 NVIDIA 驱动。"),
        ("No NVIDIA driver is installed", "未安装 NVIDIA 驱动"),
        ("the driver is too old.", "驱动过旧。"),
        ("  The driver is too old", "  驱动过旧"),
        (
            "torch 2.6.0 has no code that runs on GPU 0 and GPU 1: it was compiled for older GPUs only.",
            "torch 2.6.0 没有能在 GPU 0 和 GPU 1 上运行的代码：只面向旧 GPU。",
        ),
        ("The NVIDIA kernel module is not loaded.", "NVIDIA 内核模块未加载。"),
        ("The NVIDIA kernel module is not loaded in this container.", "NVIDIA 内核模块在此容器中未加载。"),
        ("2 errors and 1 warning", "2 个错误和 1 个警告"),
        ("driver: 580.65.06 (/lib/nvidia.ko)", "驱动：580.65.06 (/lib/nvidia.ko)"),
        ("The driver is too old (needs root)", "驱动过旧（需要 root）"),
        ("The driver is too old. No NVIDIA driver is installed.", "驱动过旧。未安装 NVIDIA 驱动。"),
        ("The driver's management library (NVML) did not respond in time.", "驱动的管理库（NVML）未及时应答。"),
        ("{x} is a brace", "{x} 是括号"),
        ("GPU at 01:00.0: The driver is too old.", "01:00.0 处的 GPU：驱动过旧。"),
        ("Install what jax, numpy and torch need", "安装 jax、numpy 和 torch 所需的包"),
        ("Give 1.so and other_files to the loader.", "把 1.so 和 other_files 交给加载器。"),
        ("torch 2.6.0 was asked to start but ended.", "要求 torch 2.6.0 启动但已结束。"),
        ("It must be installed beside it.", "它必须另行安装。"),
    ],
)
def test_what_is_known_is_translated(english: str, chinese: str) -> None:
    assert Translator(TOLD).text(english) == chinese


@pytest.mark.parametrize(
    "text",
    [
        "",
        "torch 2.6.0+cu124",
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
        "ImportError: libcudnn.so.9: driver: cannot open shared object file: No such file or directory",
        "ImportError: libcudnn.so.9 not found",
        "Could not load dynamic library 'cudart64_101.dll'; dlerror: cudart64_101.dll not found",
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        "NVRM: GPU 0000:01:00.0: rm_init_adapter failed, device minor number 0",
        '"The driver is too old"',
        "the snapshot that somebody sent not found",
        "driver_and_more",
        "x" * 100_000,
        "a and b, " * 2_000,
        "driver: " * 400,
    ],
)
def test_what_programs_print_and_what_is_not_known_stays(text: str) -> None:
    assert Translator(TOLD).text(text) == text


@pytest.mark.parametrize(
    "command",
    [
        "pip list | grep -i -E 'driver|torch'; python -c 'import torch, os; print(torch.version.cuda, os.environ)'",
        'echo "$LD_LIBRARY_PATH"; ldconfig -p | grep libcuda.so',
    ],
)
def test_a_command_behind_a_label_stays(command: str) -> None:
    assert Translator(TOLD).text(f"Check: {command}") == f"检查：{command}"


@pytest.mark.parametrize(
    ("template", "text", "values"),
    [
        ("a {x} b", "a 1 b", ("1",)),
        ("a {x} b", "a  b", ("",)),
        ("{x} b {y}", "1 b 2 b 3", ("1", "2 b 3")),
        ("a{x}", "apple", None),
        ("{number_} of {number2_}", "3 of 4", ("3", "4")),
        ("{number_} of {number2_}", "some of 4", None),
        ("note {code_}", "note FRM002", ("FRM002",)),
        ("note {code_}", "note that", None),
        ("{n} image{s}", "3 images", ("3", "s")),
        ("no {x}{y} is known", "no a>=2 is known", ("a>=2", "")),
        ("no {x}{y} is known", "no a, of b is known", ("a", ", of b")),
    ],
)
def test_a_template_is_found_in_a_text(template: str, text: str, values: tuple[str, ...] | None) -> None:
    assert parse_template(template).values(text) == values
