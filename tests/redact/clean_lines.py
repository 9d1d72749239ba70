"""Lines of healthy reports that hold nothing secret: versions, models, hashes, libraries, tables, tracebacks."""

import random
from collections.abc import Iterator

_PACKAGES = (
    "torch", "torchvision", "tensorflow", "jax", "jaxlib", "numpy", "nvidia-cublas-cu12", "nvidia-cudnn-cu12",
    "nvidia-curand-cu12", "nvidia-cufft-cu12", "nvidia-cusparse-cu12", "nvidia-nccl-cu12", "nvidia-cufile-cu12",
    "tensorrt", "tensorrt-cu12-libs", "triton", "onnxruntime-gpu", "tokenizers", "secretstorage", "keyring", "authlib",
    "pytest", "passlib", "jupyter-key", "flash-attn", "bitsandbytes", "libcurand", "cuda-nvcc", "intel-openmp", "mkl",
)  # fmt: skip
_GPUS = (
    "NVIDIA A100-SXM4-80GB", "NVIDIA H100 PCIe", "NVIDIA GeForce RTX 4090", "Tesla V100-SXM2-16GB", "NVIDIA GB10",
    "NVIDIA H200", "Quadro RTX 6000", "NVIDIA RTX 6000 Ada Generation", "Tesla K80", "NVIDIA L40S", "GeForce GTX 1080",
)  # fmt: skip
_LIBRARIES = ("cudnn", "cublasLt", "cudart", "nccl", "cusparse", "cusolver", "nvrtc", "curand", "cufft", "nvJitLink")
_NAMES = (
    "cuDNN",
    "CUDA",
    "NCCL",
    "TensorRT",
    "cuBLAS",
    "cuRAND",
    "driver",
    "Driver Version:",
    "cudnn version",
    "torch",
)
_WORDS = ("required", "found", "loaded", "but", "is needed", "was compiled against", "installed")


def clean_lines(chance: random.Random, count: int) -> Iterator[str]:
    """So many lines."""
    makers = (
        _pip_row, _conda_row, _pinned, _wheel, _library, _smi_row, _hash, _traceback, _log, _sentence, _json_row,
        _variable, _symbol, _pci, _windows,
    )  # fmt: skip
    for _ in range(count):
        yield chance.choice(makers)(chance)


def _version(chance: random.Random) -> str:
    parts = [chance.randint(0, 12), chance.randint(0, 30), chance.randint(0, 9), chance.randint(0, 200)]
    text = ".".join(map(str, parts[: chance.choice((2, 3, 3, 4, 4))]))
    return text + chance.choice(("", "", "+cu124", "rc1", ".post1", ".dev20240512"))


def _digits(chance: random.Random, count: int) -> str:
    return "".join(chance.choice("0123456789abcdef") for _ in range(count))


def _pip_row(chance: random.Random) -> str:
    return f"{chance.choice(_PACKAGES):<28} {_version(chance)}"


def _conda_row(chance: random.Random) -> str:
    build = chance.choice(("py311_0", "cuda126py312h" + _digits(chance, 7) + "_200", "0"))
    return f"{chance.choice(_PACKAGES):<25} {_version(chance):<15} {build:>20}  conda-forge"


def _pinned(chance: random.Random) -> str:
    return f"{chance.choice(_PACKAGES)}{chance.choice(('==', '>=', '~=', '<'))}{_version(chance)}"


def _wheel(chance: random.Random) -> str:
    name = chance.choice(_PACKAGES).replace("-", "_")
    return (
        f"Downloading {name}-{_version(chance)}-cp312-cp312-manylinux_2_28_x86_64.whl ({chance.randint(1, 900)}.3 MB)"
    )


def _library(chance: random.Random) -> str:
    return f"/usr/lib/x86_64-linux-gnu/lib{chance.choice(_LIBRARIES)}.so.{_version(chance).partition('+')[0]}"


def _smi_row(chance: random.Random) -> str:
    gpu = chance.choice(_GPUS)
    return f"|   {chance.randint(0, 7)}  {gpu:<28} On  | 00000000:{_digits(chance, 2).upper()}:00.0 Off |  N/A |"


def _hash(chance: random.Random) -> str:
    return chance.choice(("sha256:", "commit ", "--hash=sha256:", "md5 ", "build ")) + _digits(
        chance, chance.choice((7, 12, 40, 64))
    )


def _traceback(chance: random.Random) -> str:
    module = chance.choice(("torch/nn/modules/module.py", "jax/_src/api.py", "keras/src/backend/common/variables.py"))
    return f'  File "/opt/env/lib/python3.11/site-packages/{module}", line {chance.randint(1, 4000)}, in __init__'


def _log(chance: random.Random) -> str:
    return (
        f"2026-01-{chance.randint(10, 28)} 10:11:12.{chance.randint(100000, 999999)}: I tensorflow/core/common_runtime/"
        f"gpu/gpu_device.cc:{chance.randint(1, 3000)}] Created device with {chance.randint(1, 90000)} MB memory"
    )


def _sentence(chance: random.Random) -> str:
    return (
        f"{chance.choice(_NAMES)} {_version(chance)} {chance.choice(_WORDS)} {chance.choice(_NAMES)} {_version(chance)}"
    )


def _json_row(chance: random.Random) -> str:
    return f'{{"name": "{chance.choice(_PACKAGES)}", "version": "{_version(chance)}", "token_count": 12}}'


def _variable(chance: random.Random) -> str:
    return chance.choice((
        "CUDA_VISIBLE_DEVICES=0,1", "TF_CPP_MIN_LOG_LEVEL=2", f"CUDNN_VERSION={_version(chance)}",
        f"NVIDIA_REQUIRE_CUDA=cuda>={_version(chance)}", "XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda-12.4",
        f"LD_LIBRARY_PATH=/usr/local/cuda-{chance.randint(9, 13)}.1/lib64:/opt/{_digits(chance, 32)}/lib",
    ))  # fmt: skip


def _symbol(chance: random.Random) -> str:
    return f"undefined symbol: _ZN2at4_ops19empty_memory_format4call{_digits(chance, 8)}EN3c108ArrayRefINS2_6SymIntEEE"


def _pci(chance: random.Random) -> str:
    return f"NVRM: Xid (PCI:0000:{_digits(chance, 2)}:00): {chance.randint(1, 120)}, pid='<unknown>', name=<unknown>"


def _windows(chance: random.Random) -> str:
    windows = f"Windows 10.0.{chance.randint(19041, 26100)}.1"
    return f"DriverVersion 3{chance.randint(0, 2)}.0.15.{chance.randint(1000, 9999)}, {windows}"
