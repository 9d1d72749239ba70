"""The same facts as people write them: five layouts and sentences, three languages, drawn by a seed."""

import random
from typing import NamedTuple

from gpudoctor.tickets.merge import same_name
from gpudoctor.tickets.read import Ingested
from tests.tickets.stated import fact

LAYOUTS = ("plain", "table", "form", "yaml", "full-width", "sentences")
LANGUAGES = ("en", "de", "zh")

#: (what people write, the fact)
_SYSTEMS = (
    ("Ubuntu 22.04", "linux ubuntu 22.04"),
    ("Ubuntu 20.04.6 LTS", "linux ubuntu 20.04"),
    ("ubuntu22.04", "linux ubuntu 22.04"),
    ("CentOS 7", "linux centos 7"),
    ("Windows 11", "windows"),
    ("Win10", "windows"),
    ("Debian 12", "linux debian 12"),
    ("Rocky Linux 9.3", "linux rocky 9.3"),
)
_GPUS = (
    ("RTX 3090", "NVIDIA GeForce RTX 3090"),
    ("NVIDIA GeForce RTX 4070 Laptop GPU", "NVIDIA GeForce RTX 4070 Laptop GPU"),
    ("windows, NVIDIA GeForce RTX3050LaptopGPU", "NVIDIA GeForce RTX 3050 Laptop GPU"),
    ("V100", "NVIDIA V100"),
    ("4060 ti", "NVIDIA GeForce RTX 4060 Ti"),
    ("1080 GTX", "NVIDIA GeForce GTX 1080"),
    ("GTX1660ti", "NVIDIA GeForce GTX 1660 Ti"),
    ("A100 80GB", "NVIDIA A100"),
    ("T4", "NVIDIA T4"),
    ("rtx2080ti", "NVIDIA GeForce RTX 2080 Ti"),
    ("Tesla K80", "Tesla K80"),
    ("RTX A6000", "NVIDIA RTX A6000"),
    ("GeForce GTX 1050 (4GB)", "NVIDIA GeForce GTX 1050"),
    ("Quadro P2000", "Quadro P2000"),
    ("rx7900xt", "rx7900xt"),
)
_DRIVERS = ("535.154.05", "470.57", "550.54.14", "525.60.13", "560.94", "390.157")
_CUDAS = (("12.1", "12.1"), ("11.8", "11.8"), ("10.2", "10.2"), ("12.4.1", "12.4"), ("11.2", "11.2"))
_PYTHONS = (("3.10.12", "3.10.12"), ("3.8", "3.8"), ("3.7 (32 bit)", "3.7"), ("3.11.4", "3.11.4"), ("3.9.16", "3.9.16"))
_FRAMEWORKS = (
    ("torch", "2.1.0+cu121"),
    ("torch", "1.13.1"),
    ("torch", "2.3.0"),
    ("tensorflow", "2.13"),
    ("tensorflow", "2.10.0"),
    ("tensorflow", "1.15.5"),
    ("jax", "0.4.30"),
)
#: Labels as people write them in public threads, by language and kind of fact.
_LABELS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "os": (
            "OS",
            "Operating System",
            "OS version",
            "OS Platform and Distribution",
            "Operating system (with version)",
        ),
        "gpu": ("GPU", "GPU model", "Graphics card", "GPU model and memory", "GPU name", "Video card", "GPU type"),
        "driver": ("Driver", "NVIDIA driver", "NVIDIA Driver Version", "GPU driver version", "Nvidia driver version"),
        "cuda": ("CUDA", "CUDA version", "CUDA toolkit", "CUDA/cuDNN version", "Cuda Toolkit version"),
        "python": ("Python", "Python version", "Version of Python", "Installed Python"),
        "torch": ("PyTorch", "PyTorch version", "torch", "Torch version", "PyTorch Version (e.g., 1.0)"),
        "tensorflow": ("TensorFlow", "TensorFlow version", "TF version", "TensorFlow version (use command below)"),
        "jax": ("JAX", "JAX version"),
    },
    "de": {
        "os": ("Betriebssystem", "System", "OS", "Betriebssystem und Version"),
        "gpu": ("Grafikkarte", "GPU", "Grafikkarte (Modell)", "GPU-Modell", "Verwendete Grafikkarte"),
        "driver": ("Treiber", "Treiberversion", "NVIDIA-Treiber", "Grafiktreiber", "Treiber-Version"),
        "cuda": ("CUDA", "CUDA-Version", "Version von CUDA", "CUDA Toolkit"),
        "python": ("Python", "Python-Version", "Installierte Python-Version"),
        "torch": ("PyTorch", "PyTorch-Version", "Version von PyTorch"),
        "tensorflow": ("TensorFlow", "TensorFlow-Version", "Verwendete TensorFlow-Version"),
        "jax": ("JAX", "JAX-Version"),
    },
    "zh": {
        "os": ("操作系统", "系统", "操作系统版本", "系统版本"),
        "gpu": ("显卡", "显卡型号", "GPU型号", "GPU 型号", "GPU"),
        "driver": ("驱动", "驱动版本", "显卡驱动", "NVIDIA驱动版本", "显卡驱动版本"),
        "cuda": ("CUDA", "CUDA版本", "CUDA 版本", "cuda版本"),
        "python": ("Python", "Python版本", "Python 版本", "python版本"),
        "torch": ("PyTorch", "PyTorch版本", "pytorch 版本", "torch版本"),
        "tensorflow": ("TensorFlow", "TensorFlow版本", "tensorflow 版本"),
        "jax": ("JAX", "JAX版本"),
    },
}
_KEYS = {
    "os": ("os", "operating_system", "os_version"),
    "gpu": ("gpu", "gpu_model", "graphics_card"),
    "driver": ("driver", "driver_version", "nvidia_driver"),
    "cuda": ("cuda", "cuda_version"),
    "python": ("python", "python_version"),
    "torch": ("torch", "pytorch", "pytorch_version"),
    "tensorflow": ("tensorflow", "tensorflow_version"),
    "jax": ("jax", "jax_version"),
}
_HEADS = {"en": ("Item", "Value"), "de": ("Angabe", "Wert"), "zh": ("项目", "内容")}
_OPENINGS = {
    "en": ("This happens each time.", "Hi, training stops at once.", "It fails on my machine:"),
    "de": ("Das geschieht jedes Mal.", "Hallo, das Training bricht sofort ab.", "Auf meinem Rechner geht es nicht:"),
    "zh": ("每次都这样。", "训练一开始就报错。", "在我的机器上运行失败："),
}
_SENTENCES = {
    "en": (
        "I am on {os} with a {gpu}, driver {driver}, CUDA {cuda}, Python {python} and {framework}.",
        (
            "My machine has a {gpu} and runs {os}; the NVIDIA driver is {driver}."
            " {framework}, Python {python}, CUDA {cuda}."
        ),
        (
            "Using {framework} with CUDA {cuda} and python {python} on {os}."
            " The card is a {gpu} (driver version {driver})."
        ),
    ),
    "de": (
        "Ich nutze {os} mit einer {gpu}, Treiber {driver}, CUDA {cuda}, Python {python} und {framework}.",
        (
            "Mein Rechner hat eine {gpu} unter {os}; der NVIDIA-Treiber ist {driver}."
            " {framework}, Python {python}, CUDA {cuda}."
        ),
    ),
    "zh": (
        "我的系统是{os}，显卡是{gpu}，驱动{driver}，CUDA {cuda}，Python {python}，{framework}。",
        "环境：{os}，{gpu}，驱动版本{driver}，CUDA版本{cuda}，Python版本{python}，{framework}",
    ),
}
_MESSAGES = (
    "RuntimeError: CUDA error: no kernel image is available for execution on the device",
    "Failed to initialize NVML: Driver/library version mismatch",
    "RuntimeError: The NVIDIA driver on your system is too old (found version 10010).",
    "ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory",
    "could not select device driver \"\" with capabilities: [[gpu]].",
    "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment",
    "AssertionError: Torch not compiled with CUDA enabled",
    "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service",
)  # fmt: skip
_FRAMEWORK_NAMES = {"torch": "PyTorch", "tensorflow": "TensorFlow", "jax": "JAX"}


class Report(NamedTuple):
    """What a report states: by kind, the words that state it."""

    seed: int
    said: dict[str, str]
    #: Path of a fact, and what it must be.
    facts: dict[str, str]
    message: str


def report(seed: int) -> Report:
    """The facts of that number."""
    draw = random.Random(f"report{seed}")
    system, gpu, cuda, python = (draw.choice(kind) for kind in (_SYSTEMS, _GPUS, _CUDAS, _PYTHONS))
    framework, version = draw.choice(_FRAMEWORKS)
    driver = draw.choice(_DRIVERS)
    said = {"os": system[0], "gpu": gpu[0], "driver": driver, "cuda": cuda[0], "python": python[0], framework: version}
    names = dict(zip(("host.os", "host.distribution", "host.distribution_version"), system[1].split(), strict=False))
    facts = {
        **names,
        "gpus.0.name": gpu[1],
        "driver.release": driver,
        "toolkits.0.version": cuda[1],
        "interpreter.version": python[1],
        f"frameworks.{framework}.version": version,
    }
    return Report(seed, said, facts, draw.choice(_MESSAGES))


def worded(one: Report, layout: str, language: str) -> str:
    """The report in that layout and language."""
    draw = random.Random(f"{one.seed}{layout}{language}")
    opening = draw.choice(_OPENINGS[language])
    if layout == "sentences":
        framework = next(name for name in _FRAMEWORK_NAMES if name in one.said)
        words = f"{draw.choice((_FRAMEWORK_NAMES[framework], framework))} {one.said[framework]}"
        told = [draw.choice(_SENTENCES[language]).format(framework=words, **one.said)]
    else:
        labels = _KEYS if layout == "yaml" and language == "en" else _LABELS[language]
        rows = [(draw.choice(labels[kind]), value) for kind, value in one.said.items()]
        draw.shuffle(rows)
        told = _laid_out(rows, layout, draw, _HEADS[language])
    return "\n".join((opening, "", *told, "", one.message, ""))


def _laid_out(rows: list[tuple[str, str]], layout: str, draw: random.Random, head: tuple[str, str]) -> list[str]:
    if layout == "table":
        bold = draw.choice(("", "**", "`"))
        if draw.random() < 0.3:
            cells = (" | ".join(row[index] for row in rows) for index in (0, 1))
            names, values = (f"| {line} |" for line in cells)
            return [names, "|" + "---|" * len(rows), values]
        made = [f"| {bold}{label}{bold} | {value} |" for label, value in rows]
        return [f"| {head[0]} | {head[1]} |", draw.choice(("|---|---|", "| :--- | ---: |")), *made]
    if layout == "form":
        mark = draw.choice(("### ", "## ", "#### ", "**"))
        gap = draw.choice(([""], []))
        return [
            line for label, value in rows for line in (f"{mark}{label}{'**' if mark == '**' else ''}", *gap, value, "")
        ]
    if layout == "yaml":
        quote = draw.choice(("", '"', "'"))
        indent = draw.choice(("  ", "    "))
        return [
            *draw.choice((["environment:"], ["system_info:"], ["env:"])),
            *(f"{indent}{label}: {quote}{value}{quote}" for label, value in rows),
        ]
    mark = "：" if layout == "full-width" else draw.choice((": ", " : ", " = ", ": "))
    begin = draw.choice(("", "- ", "* ", "• ", "1. "))
    bold = draw.choice(("", "", "**"))
    return [f"{begin}{bold}{label}{bold}{mark}{value}" for label, value in rows]


def is_read(made: Ingested, path: str, value: str) -> bool:
    """The fact arrived: as it was written, or more precisely."""
    try:
        found = fact(made, path)
    except (IndexError, AttributeError):
        return False
    if path.startswith("gpus"):
        return found.lower().replace(" ", "") == value.lower().replace(" ", "") or same_name(found, value)
    return found == value or found.startswith((f"{value}.", f"{value}+", f"{value} "))
