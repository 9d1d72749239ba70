"""An overview of the matrix: its edition, and each table's age, size, sources and confidence."""

from collections import Counter

from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.tables import ALL_TABLES
from gpudoctor.knowledge.matrix.types import Grade, Row
from gpudoctor.report.matrix_tables import Line, Sheet

GRADES: tuple[Grade, ...] = ("official", "metadata", "derived", "secondhand")
#: What a table covers, in words; the newest and oldest of what it lists follow.
ABOUT = {
    "amd_families": "AMD architectures that run another one's code",
    "amd_gpus": "AMD's GPUs and their architectures",
    "builds": "builds of other frameworks: PaddlePaddle",
    "chips": "NVIDIA's chips by PCI device id",
    "companions": "torchvision and torchaudio of each torch",
    "cuda_arch": "GPU architectures; what toolkits compile for",
    "cuda_driver": "drivers and CUDA",
    "cudnn": "cuDNN minor releases",
    "containers": "NVIDIA's framework images",
    "dates": "when releases came out",
    "elsewhere": "builds that no package index has",
    "engines": "CUDA and cuDNN of ONNX Runtime and CTranslate2",
    "extensions": "packages made for a framework: xformers, cupy …",
    "faults": "known faults of releases",
    "glibc": "C libraries that Linux wheels are made for",
    "gpu_peaks": "memory and peak rates of GPUs",
    "gpu_reference": "what healthy GPUs were measured to do",
    "gpus": "GPU products",
    "images": "images to build others from",
    "jax": "JAX by CUDA extra",
    "keras": "Keras of each TensorFlow",
    "matlab": "MATLAB releases and their GPUs",
    "networks": "known networks: parameters and operations",
    "numpy": "NumPy 2 and the frameworks",
    "pairs": "packages made for one torch, TensorFlow or JAX",
    "programs": "GPUs and drivers of Ollama and llama.cpp",
    "protobuf": "protobuf of each TensorFlow",
    "recipes": "setups, command by command",
    "ready_wheels": "wheels of flash-attn, mamba-ssm … on release pages",
    "releases": "wheels on the package index",
    "rocm": "builds for AMD's GPUs",
    "runtimes": "Colab, Kaggle, JetPack, conda-forge",
    "tensorflow": "TensorFlow builds",
    "throughput": "published training rates",
    "toolkit_parts": "cuSPARSE of each CUDA toolkit's packages",
    "torch": "PyTorch builds",
    "triton": "assemblers of each Triton",
    "xids": "errors that the driver logs by number",
}
#: The field that says which release a row is about.
KEYS = {
    "builds": "version",
    "companions": "torch",
    "cudnn": "cudnn",
    "jax": "version",
    "keras": "tensorflow",
    "protobuf": "tensorflow",
    "tensorflow": "line",
    "torch": "version",
    "triton": "version",
}


def overview_sheets(matrix: Matrix) -> tuple[Sheet, ...]:
    """One line a table."""
    lines = tuple(_line(name, matrix.table(name)) for name in ALL_TABLES)
    columns = ("table", "covers", "rows", "checked", "sources", "how sure")
    return (Sheet(title=f"Compatibility matrix, edition {matrix.edition}", columns=columns, lines=lines),)


def _line(name: str, rows: tuple[Row, ...]) -> Line:
    key = KEYS.get(name)
    values = [str(getattr(row, key)) for row in rows] if key else []
    # The tables are newest first.
    covers = ABOUT.get(name, name.replace("_", " "))
    about = f"{covers}, {values[-1]} to {values[0]}" if values else covers
    dates = sorted({row.checked for row in rows})
    checked = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    grades = Counter(row.confidence for row in rows)
    sure = ", ".join(f"{grade} {grades[grade]}" for grade in GRADES if grades[grade])
    sources = str(len({row.source for row in rows}))
    return Line(cells=(name, about, str(len(rows)), checked, sources, sure))
