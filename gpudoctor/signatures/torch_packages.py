"""Messages of PyTorch's packages that do not go together, and of builds for the processor."""

from gpudoctor.signatures.catalogue import signature

_START = "https://pytorch.org/get-started/locally/"
_COMPANIONS = "https://pytorch.org/get-started/previous-versions/"
_TORCH = ("torch",)

SIGNATURES = (
    signature(
        "torch-companion-cuda",
        r"(?:torchvision|torchaudio) were compiled with different cuda (?:major )?versions"
        r"|pytorch has cuda version ?[=\d][^\n]{0,40}torch(?:vision|audio) has cuda",
        needles=("compiled with different cuda", "pytorch has cuda version"),
        meaning="Torchvision or torchaudio is built for another CUDA than PyTorch.",
        causes={"torch-companion-cuda": 0.95, "torch-companion-version": 0.15},
        ask="pip list | grep torch",
        source=_COMPANIONS,
        frameworks=_TORCH,
    ),
    signature(
        "torchvision-operators",
        r"operator torchvision::\w+ does not exist|couldn.?t load custom c\+\+ ops"
        r"|failed to load image python extension"
        r"|no such operator torchvision::|torchvision\b[^\n]{0,60}undefined symbol",
        needles=("torchvision", "custom c++ ops", "image python extension"),
        meaning="The installed torchvision belongs to another PyTorch.",
        causes={"torch-companion-version": 0.75, "torch-companion-cuda": 0.35, "ext-abi-mismatch": 0.05},
        ask="pip list | grep torch",
        source=_COMPANIONS,
        frameworks=_TORCH,
    ),
    signature(
        "torch-cpu-version",
        r"(?<!requirement )(?<!found for )(?<!install )\btorch(?: version)?[-: =]{1,3}\d+\.\d+\.\d+\+cpu\b"
        r"|torch[^\n]{0,14}(?:版本|装)[^\n]{0,8}cpu|torch[^\n]{0,12}(?:是|为) ?cpu ?(?:版|的)",
        needles=("+cpu", "torch"),
        meaning="The installed PyTorch is built for the processor only, as its version says.",
        causes={
            "torch-cpu-only": 0.6,
            "torch-cpu-only-lock @ by-lock": 0.31,
            "jetson-generic-wheel @ jetson": 0.35,
            "torch-cpu-only-conda @ by-conda": 0.25,
        },
        ask="nvidia-smi; pip list | grep torch",
        source=_START,
        frameworks=_TORCH,
    ),
    signature(
        "torchvision-for-cpu",
        r"could not run 'torchvision::\w+' with arguments from the 'cuda' backend"
        r"|torchvision(?: is)? not compiled with (?:gpu|cuda)",
        needles=("could not run 'torchvision", "torchvision"),
        meaning="The installed torchvision is built for the processor only, and PyTorch for the GPU.",
        causes={"torch-companion-cuda": 0.85, "torch-companion-version": 0.4},
        ask="pip list | grep torch",
        source=_COMPANIONS,
        frameworks=_TORCH,
    ),
    signature(
        "conda-cpu-build",
        r"\bpytorch\b[^\n]{0,40}\bpy\d\.?\d+_(?:\w+_)?cpu(?:_\w+)?\b|\bpytorch(?:-mutex)?\b[ =]+[\d.]+[ =]+\w*cpu\w*\b"
        r"|(?:conda|command|solver)\b[^\n]{0,60}\binstall(?:s|ed"
        r"|ing)?\b[^\n]{0,30}\bcpu(?:[- ]only)?[ -](?:version|build|variant)",
        needles=("pytorch", "conda", "command", "solver"),
        meaning="Conda chose the processor build of PyTorch.",
        causes={"torch-cpu-only-conda": 0.92},
        ask="conda list | grep -i -E 'torch|cuda'",
        source="https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-virtual.html",
        frameworks=_TORCH,
    ),
    signature(
        "torchaudio-extension",
        r"(?:torchaudio|torchtext|torchvision)[^\n]{0,120}(?:could not load this library|undefined symbol|_load_lib)",
        needles=("torchaudio", "torchtext"),
        meaning="A companion package of PyTorch belongs to another PyTorch.",
        causes={"torch-companion-version": 0.7, "torch-companion-cuda": 0.4},
        ask="pip list | grep torch",
        source=_COMPANIONS,
        frameworks=_TORCH,
    ),
    signature(
        "torch-module-attribute",
        r"module 'torch[\w.]*' has no attribute|cannot import name '\w+' from (?:partially initialized module )?'torch",
        needles=("module 'torch", "from 'torch"),
        meaning="Another torch was imported than the program, or torchvision, was written for.",
        causes={
            "py-user-site-shadow": 0.4,
            "torch-companion-version": 0.35,
            "py-name-shadow": 0.35,
            "api-changed": 0.3,
            "package-half-installed": 0.2,
        },
        ask="python -c 'import torch; print(torch.__file__, getattr(torch, \"__version__\", None))'; pip list | "
        "grep torch",
        source="https://docs.pytorch.org/docs/stable/index.html",
        frameworks=_TORCH,
    ),
)
