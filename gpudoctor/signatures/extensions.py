"""Packages with GPU code of their own: bitsandbytes, numba; and building such packages."""

from gpudoctor.signatures.catalogue import signature

_BNB = "https://huggingface.co/docs/bitsandbytes/main/en/installation"

SIGNATURES = (
    signature(
        "bnb-no-libcuda",
        r"cuda_?\s?setup: warning! libcuda\.so not found",
        needles=("libcuda.so not found",),
        meaning="Bitsandbytes looked for the driver's library libcuda in the folders it knows, and did not find it.",
        causes={
            "bnb-cuda-lib": 0.3,
            "drv-absent": 0.2,
            "container-no-gpu-flag @ container": 0.3,
            "wsl-libcuda-path @ wsl": 0.75,
        },
        ask='ldconfig -p | grep libcuda; echo "$LD_LIBRARY_PATH"; nvidia-smi',
        source=_BNB,
    ),
    signature(
        "bnb-cuda-binary",
        r"bitsandbytes[^\n]{0,80}(?:compiled without|cuda binary|cuda setup failed)"
        r"|could not find the bitsandbytes cuda binary"
        r"|cuda_setup: warning|cuda setup: (?:pytorch settings|loading binary|cuda setup failed)|bnb_cuda_version"
        r"|libbitsandbytes_\w+|required library version not found|cuda setup failed despite (?:gpu"
        r"|cuda) being available"
        r"|argument of type 'windowspath' is not iterable",
        needles=(
            "bitsandbytes",
            "cuda_setup",
            "cuda setup",
            "bnb_cuda_version",
            "library version not found",
            "'windowspath'",
        ),
        meaning="Bitsandbytes has no compiled part for the CUDA that it is to use.",
        causes={"bnb-cuda-lib": 0.93, "torch-cpu-only": 0.15},
        ask='python -m bitsandbytes; echo "$BNB_CUDA_VERSION"',
        source=_BNB,
    ),
    signature(
        "build-requirements-failed",
        r"getting requirements to build (?:wheel|editable) did not run successfully|failed to build `?\S+`?"
        r"[^\n]{0,40}build backend returned an error|call to `?\S+`? failed \(exit",
        needles=("getting requirements to build", "build backend returned", "call to `"),
        meaning="A package could not be prepared for being built; the lines around say why.",
        causes={
            "ext-build-isolation": 0.6,
            "cuda-home-missing": 0.35,
            "python-unsupported-by-framework": 0.3,
            "import-missing": 0.2,
        },
        ask="the line that begins with ModuleNotFoundError, OSError or RuntimeError",
        source="https://pip.pypa.io/en/stable/reference/build-system/#disabling-build-isolation",
        fallback=True,
    ),
    signature(
        "extension-needs-torch-to-build",
        r"no module named 'torch'[^\n]{0,80}\b(?:build|wheel|setup\.py)"
        r"|\b(?:build|wheel|setup\.py)\b[^\n]{0,80}no module named 'torch'"
        r"|depends on `?torch`?, but doesn.?t declare it as a build dependency",
        needles=("no module named 'torch'", "as a build dependency"),
        meaning="A package needs torch while it is built, and the installer builds it apart from the installed torch.",
        causes={"ext-build-isolation": 0.9, "import-missing": 0.15, "cuda-home-missing": 0.15},
        ask="pip install --no-build-isolation PACKAGE (uv: --no-build-isolation-package PACKAGE)",
        source="https://docs.astral.sh/uv/concepts/projects/config/#build-isolation",
    ),
    signature(
        "extension-build-failed",
        r"failed (?:to build|building wheel for) (?:flash|xformers|apex|deepspeed|mamba|causal|pytorch3d"
        r"|transformer|bitsandbytes|"
        r"detectron2)\S*|error compiling objects for extension|ninja: build stopped: subcommand failed",
        needles=("failed to build", "failed building wheel", "error compiling objects", "ninja: build stopped"),
        meaning="A package with GPU code could not be compiled; the lines above say why.",
        causes={
            "cuda-home-missing": 0.45,
            "nvcc-torch-mismatch": 0.35,
            "nvcc-gcc-too-new": 0.35,
            "host-memory-full": 0.1,
        },
        ask="nvcc --version; gcc --version; python -c 'import torch; print(torch.version.cuda)'",
        source="https://docs.pytorch.org/docs/stable/cpp_extension.html",
        fallback=True,
    ),
    signature(
        "numba-cuda-unsupported",
        r"cudasupporterror|numba\.cuda\.cudadrv\.error\.\w+|nvvm_error|no supported gpu runtime detected",
        needles=("cudasupporterror", "numba.cuda", "nvvm_error", "supported gpu runtime"),
        meaning="Numba cannot use CUDA.",
        causes={"libcuda-stub": 0.3, "drv-absent": 0.3, "cuda-init-failed": 0.25, "cuda-home-missing": 0.25},
        ask="python -m numba -s | grep -A20 CUDA",
        source="https://numba.readthedocs.io/en/stable/cuda/overview.html",
        fallback=True,
    ),
    signature(
        "libnvrtc-failed",
        r"(?:failed to (?:open|find|load)|could not load|unable to load)[^\n]{0,20}libnvrtc|libnvrtc[^\n]{0,20}error"
        r"|nvrtc: error",
        needles=("nvrtc",),
        meaning="CUDA's compiler at run time (NVRTC) could not be loaded or refused the GPU.",
        causes={"cuda-major-mix": 0.45, "torch-nvidia-deps-missing": 0.4, "arch-too-new-for-build": 0.3},
        ask="pip list | grep nvrtc",
        source="https://docs.nvidia.com/cuda/nvrtc/index.html",
    ),
    signature(
        "preload-wrong-cudart",
        r"_preload_cuda_deps",
        needles=("_preload_cuda_deps",),
        meaning="PyTorch looks for CUDA's libraries in the installed packages, and takes or finds the wrong ones.",
        causes={"cuda-major-mix": 0.6, "torch-nvidia-deps-missing": 0.5},
        ask="pip list | grep nvidia",
        source="https://github.com/pytorch/pytorch/blob/main/torch/__init__.py",
        frameworks=("torch",),
    ),
)
