"""Packages that do not fit one another, or the GPU."""

from gpudoctor.host.machine import Machine
from tests.machines import parts
from tests.machines.broken.recorded import Broken, ill
from tests.machines.healthy import cards
from tests.machines.healthy.elf import library
from tests.machines.healthy.frameworks import jax, nvidia, torch
from tests.machines.healthy.mixtures import around
from tests.machines.healthy.paths import toolkit
from tests.machines.healthy.pieces import DISPLAY, K24, NO_GPU, PERSISTENCED, numpy, ubuntu
from tests.machines.healthy.target import Target, conda, venv

OLD_SITE = "/mnt/old/envs/abc/lib/python3.12/site-packages"


def plugin_of(target: Target, version: str) -> Target:
    """JAX's CUDA plugin of another release."""
    target.dist("jax-cuda12-pjrt", version, files={"jax_plugins/xla_cuda12/__init__.py": ""})
    return target.dist(
        "jax-cuda12-plugin", version, f"jax-cuda12-pjrt=={version}", files={"jax_cuda12_plugin/__init__.py": ""}
    )


def ort(target: Target, version: str) -> Target:
    """ONNX Runtime's GPU wheel for CUDA 11: its provider is linked to CUDA's libraries and to cuDNN."""
    names = ("libcublasLt.so.11", "libcublas.so.11", "libcudnn.so.8", "libcufft.so.10", "libcudart.so.11.0")
    return target.dist(
        "onnxruntime-gpu",
        version,
        files={
            "onnxruntime/__init__.py": "",
            "onnxruntime/capi/__init__.py": "",
            "onnxruntime/capi/onnxruntime_pybind11_state.so": library("onnxruntime_pybind11_state.so"),
            "onnxruntime/capi/libonnxruntime_providers_cuda.so": library("libonnxruntime_providers_cuda.so", names),
        },
    )


def ct2(target: Target, version: str) -> Target:
    """CTranslate2's wheel, with the first part of cuDNN 8 in it."""
    return target.dist(
        "ctranslate2",
        version,
        files={
            "ctranslate2/__init__.py": "",
            "ctranslate2/_ext.cpython-312-x86_64-linux-gnu.so": library(
                "_ext.so", ("libctranslate2-f0a0a0a0.so.4.4.0",), runpath=("$ORIGIN/../ctranslate2.libs",)
            ),
            "ctranslate2.libs/libctranslate2-f0a0a0a0.so.4.4.0": library(
                "libctranslate2-f0a0a0a0.so.4.4.0", ("libcudnn-74a4c495.so.8.9.7",), runpath=("$ORIGIN",)
            ),
            "ctranslate2.libs/libcudnn-74a4c495.so.8.9.7": library("libcudnn-74a4c495.so.8.9.7"),
        },
    )


MACHINES: dict[str, Broken] = {
    "conda-nvjitlink-older": ill(
        "an nvJitLink of 12.1 that was there before beside the cuSPARSE of a torch for 12.4",
        "https://github.com/psifx/psifx/issues/16",
        "nvidia-wheels-skew",
        r"nvidia-nvjitlink-cu12",
        ubuntu("20.04", "5.15.0-127-generic", "2.31"),
        cards.installed("550.120", cards.RTX_3090, **DISPLAY),
        nvidia(numpy(torch(conda("3.9.21"), "2.5.1+cu124")), "nvidia-nvjitlink-cu12", "12.1.105").machine,
        also="requirement-unmet",
    ),
    "perlmutter-jax-plugin": ill(
        "pip took the newest CUDA plugin beside a pinned JAX, on a cluster's GPU node",
        "https://github.com/PlasmaControl/DESC/issues/1534",
        "jax-plugin-version",
        r"jax-cuda12-(plugin|pjrt)\S*==0\.4\.38|jax\[cuda12\S*\]==0\.4\.38",
        parts.linux("sles", "15-SP5", "5.14.21-150500.55.65_13.0.73-cray_shasta_c", like="suse", glibc="2.31"),
        PERSISTENCED,
        cards.installed("535.216.01", *[cards.A100_40] * 4, folder="/usr/lib64"),
        Machine(
            env={"SLURM_JOB_ID": "34", "SLURM_STEP_ID": "0", "SLURM_GPUS_ON_NODE": "4", "SLURM_STEP_GPUS": "0,1,2,3"}
        ),
        plugin_of(jax(conda("3.12.8"), "0.4.38", variant=None), "0.5.0").machine,
    ),
    "causal-conv1d-of-torch23": ill(
        "a compiled extension for torch 2.3 beside torch 2.1",
        "https://github.com/wangtz19/NetMamba/issues/26",
        "ext-abi-mismatch",
        r"causal.conv1d",
        ubuntu("22.04", "6.5.0-41-generic"),
        cards.installed("535.183.01", cards.RTX_3090, **DISPLAY),
        numpy(torch(conda("3.10.14"), "2.1.1+cu121"))
        .dist("causal-conv1d", "1.4.0+cu122torch2.3cxx11abiFALSE", files={"causal_conv1d/__init__.py": ""})
        .machine,
    ),
    "sles-torchvision-of-torch16": ill(
        "pip replaced conda's torch 1.6 with 1.9 and left its torchvision 0.7",
        "https://github.com/facebookresearch/detectron2/issues/3351",
        "torch-companion-version",
        r"torchvision==0\.10|torchvision",
        NO_GPU,
        parts.linux("sles", "12.1", "3.12.53-60.30-default", like="suse", glibc="2.19"),
        torch(conda("3.7.10"), "1.9.0+cu102", companions=False)
        .dist(
            "torchvision",
            "0.7.0",
            "torch==1.6.0",
            files={"torchvision/version.py": "__version__ = '0.7.0'\ncuda = '10.1'\n", "torchvision/__init__.py": ""},
        )
        .machine,
        also="requirement-unmet",
    ),
    "onnxruntime-cuda11-with-torch-cu128": ill(
        "a pinned onnxruntime-gpu for CUDA 11 beside a torch that brings CUDA 12",
        "https://github.com/stepfun-ai/Step-Audio-EditX/issues/3",
        "tf-soname-missing",
        r"onnxruntime-gpu",
        ubuntu("22.04", "6.8.0-60-generic"),
        cards.installed("570.172.08", cards.RTX_4090, **DISPLAY),
        ort(numpy(torch(conda("3.10.18"), "2.9.0+cu128")), "1.17.0").machine,
        also="numpy2-abi",
    ),
    "ctranslate2-without-cudnn8": ill(
        "faster-whisper with the engine for CUDA 12 and cuDNN 8, and only a toolkit 11.8 there",
        "https://github.com/ufal/whisper_streaming/issues/119",
        "tf-soname-missing",
        r"nvidia-cublas-cu12|nvidia-cudnn-cu12|ctranslate2",
        ubuntu("24.04", K24, "2.39"),
        cards.installed("560.35.03", cards.RTX_4090, **DISPLAY),
        toolkit("11.8", "libcudart.so.11.0", "libcublas.so.11", default=True),
        around(ct2(venv("3.12.3"), "4.4.0"), faster_whisper="1.0.3").machine,
    ),
    "k80-torch27": ill(
        "a K80 with its last driver; the build of torch has code for it, and the cuDNN it brings has none",
        "https://github.com/nelson-liu/pytorch-manylinux-binaries/issues/13",
        "cudnn-no-gpu-code",
        r"torch==2\.[0-3]",
        ubuntu("22.04"),
        cards.installed("470.256.02", cards.K80, cards.K80),
        numpy(torch(venv("3.12.3"), "2.7.1+cu118")).machine,
    ),
    "pythonpath-of-another-environment": ill(
        "PYTHONPATH puts an older environment's torch before the one that was just installed",
        "https://github.com/pytorch/vision/issues/9174",
        "py-name-shadow",
        r"PYTHONPATH",
        ubuntu("24.04", K24, "2.39"),
        cards.installed("570.153.02", cards.RTX_3090, flavour="open", **DISPLAY),
        numpy(torch(conda("3.12.11"), "2.8.0+cu128")).machine,
        Machine(
            env={"PYTHONPATH": OLD_SITE},
            files={
                f"{OLD_SITE}/torch/__init__.py": "",
                f"{OLD_SITE}/torch/version.py": "__version__ = '2.6.0+cu126'\ncuda = '12.6'\nhip = None\n",
                f"{OLD_SITE}/torch-2.6.0.dist-info/METADATA": "Name: torch\nVersion: 2.6.0\n\nx\n",
                f"{OLD_SITE}/torch-2.6.0.dist-info/RECORD": "torch/__init__.py,sha256=x,0\n",
            },
        ),
        also="torch-companion-version",
    ),
    "xformers-took-cpu-torch": ill(
        "a development build of xformers beside the CPU build of its torch",
        "https://github.com/facebookresearch/xformers/issues/982",
        "torch-cpu-only",
        r"cu1\d\d",
        ubuntu("20.04", "5.15.0-92-generic", "2.31"),
        cards.installed("535.154.05", cards.T4),
        numpy(torch(venv("3.11.0"), "2.2.0+cpu"))
        .dist("xformers", "0.0.25.dev741", "torch==2.2.0", files={"xformers/__init__.py": ""})
        .machine,
        also="ext-abi-mismatch",
    ),
    "xformers-for-cu121": ill(
        "PyPI's xformers for CUDA 12.1 beside a torch for 11.8",
        "https://github.com/facebookresearch/xformers/issues/800",
        "ext-abi-mismatch",
        r"xformers",
        ubuntu("20.04", "5.4.0-164-generic", "2.31"),
        cards.installed("525.125.06", cards.A100_40),
        numpy(torch(conda("3.8.5"), "2.1.0+cu118"))
        .dist(
            "xformers",
            "0.0.22.post4",
            "torch==2.1.0",
            files={
                "xformers/__init__.py": "",
                "xformers/cpp_lib.json": '{"version": {"cuda": 1201, "torch": "2.1.0+cu121", "python": "3.8.18"}}',
                "xformers/_C.so": library("_C.so", ("libc10_cuda.so", "libcudart.so.12")),
            },
        )
        .machine,
    ),
    "bitsandbytes-041-torch-cu124": ill(
        "an old bitsandbytes beside a newer torch: no part for its CUDA, and an import that its Triton no longer has",
        "https://github.com/bitsandbytes-foundation/bitsandbytes/issues/1614",
        "dependency-version",
        r"bitsandbytes",
        ubuntu("20.04", "5.4.0-150-generic", "2.31"),
        PERSISTENCED,
        cards.installed("550.54.15", cards.A100_40, cards.A100_40),
        toolkit("12.2", "libcudart.so.12", default=True),
        numpy(torch(conda("3.11.11", "/data/conda/envs/comfyui"), "2.6.0+cu124"))
        .dist(
            "bitsandbytes",
            "0.41.3",
            files={
                "bitsandbytes/__init__.py": "",
                "bitsandbytes/cuda_setup/main.py": "",
                **{
                    f"bitsandbytes/libbitsandbytes_cuda{one}.so": library("x.so")
                    for one in (110, 111, 114, 115, 117, 118, 120, 121, 122)
                },
                "bitsandbytes/libbitsandbytes_cpu.so": library("x.so"),
            },
        )
        .machine,
    ),
}
