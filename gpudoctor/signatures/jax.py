"""JAX's own messages."""

from gpudoctor.signatures.catalogue import signature

_BRIDGE = "https://github.com/jax-ml/jax/blob/main/jax/_src/xla_bridge.py"
_INSTALL = "https://docs.jax.dev/en/latest/installation.html"
_JAX = ("jax",)

SIGNATURES = (
    signature(
        "jax-cpu-only",
        r"may be present on this machine, but a cuda-enabled jaxlib is not installed",
        needles=("cuda-enabled jaxlib",),
        meaning="JAX is installed without its CUDA part, so it uses the processor.",
        causes={"jax-cpu-only": 0.9, "jax-plugin-version": 0.15},
        ask="pip list | grep -i jax",
        source=_BRIDGE,
        frameworks=_JAX,
    ),
    signature(
        "jax-no-gpu-found",
        r"no gpu/tpu found, falling back to cpu",
        needles=("no gpu/tpu found",),
        meaning="JAX found no GPU that it can use and goes on with the processor.",
        causes={
            "jax-cpu-only": 0.45,
            "uvm-broken-after-suspend": 0.28,
            "cuda-init-failed": 0.25,
            "cudnn-too-old": 0.15,
            "drv-absent": 0.15,
            "cvd-invalid": 0.1,
        },
        ask="pip list | grep -i jax; nvidia-smi; JAX_PLATFORMS=cuda python -c 'import jax; jax.devices()'",
        source=_BRIDGE,
        frameworks=_JAX,
    ),
    signature(
        "jax-pjrt-mismatch",
        r"mismatched pjrt plugin pjrt api version|is not compatible with the installed jaxlib version"
        r"|xla_extension version|jax plugin configuration error",
        needles=(
            "mismatched pjrt",
            "installed jaxlib version",
            "xla_extension version",
            "plugin configuration error",
        ),
        meaning="The packages that make up JAX are of different versions.",
        causes={"jax-plugin-version": 0.9, "files-overwritten": 0.05},
        ask="pip list | grep -i jax",
        source=_BRIDGE,
        frameworks=_JAX,
    ),
    signature(
        "jax-jaxlib-mismatch",
        r"jaxlib is version [\d.]+, but this version of jax"
        r"|jaxlib version [\d.]+ is newer than and incompatible with jax",
        needles=("this version of jax", "incompatible with jax"),
        meaning="The installed jaxlib does not belong to the installed jax.",
        causes={"jax-plugin-version": 0.95},
        ask="pip list | grep -i jax",
        source="https://github.com/jax-ml/jax/blob/main/jax/_src/lib/__init__.py",
        frameworks=_JAX,
    ),
    signature(
        "jax-backend-failed",
        r"unable to initialize backend '(?:cuda|gpu)'|cuda backend failed to initialize"
        r"|jax backend initialization failed"
        r"|jax_plugins\.xla_cuda\d+[^\n]{0,60}(?:error|fail)|failed to initialize backend 'cuda'",
        needles=(
            "initialize backend",
            "backend failed to initialize",
            "backend initialization failed",
            "jax_plugins.xla_cuda",
        ),
        meaning="JAX's CUDA part is installed and could not be started.",
        causes={
            "cudnn-too-old": 0.4,
            "ld-path-shadows-nvidia-wheels": 0.35,
            "driver-too-old": 0.3,
            "jax-plugin-version": 0.25,
            "cuda-init-failed": 0.2,
            "torch-nvidia-deps-missing": 0.15,
        },
        ask="JAX_PLATFORMS=cuda python -c 'import jax; jax.devices()' 2>&1 | head",
        source=_BRIDGE,
        frameworks=_JAX,
        fallback=True,
    ),
    signature(
        "jax-unknown-backend",
        r"unknown backend:? '?(?:gpu|cuda)'?|requested platform\S* '?(?:gpu|cuda)'?[^\n]{0,40}no \w+ (?:devices"
        r"|plugin)",
        needles=("unknown backend", "requested platform"),
        meaning="JAX is told to use a GPU and has no part that can.",
        causes={"jax-cpu-only": 0.75, "jax-plugin-version": 0.2, "drv-absent": 0.15},
        ask="pip list | grep -i jax",
        source=_BRIDGE,
        frameworks=_JAX,
    ),
    signature(
        "jax-cudnn-outdated",
        r"outdated cudnn installation found",
        needles=("outdated cudnn",),
        meaning="The cuDNN that was loaded is older than what this JAX accepts.",
        causes={"cudnn-too-old": 0.8, "ld-path-shadows-cudnn": 0.35, "torch-nvidia-deps-missing": 0.2},
        ask='pip list | grep -i -E "jax|cudnn"; echo "$LD_LIBRARY_PATH"',
        source="https://github.com/jax-ml/jax/blob/main/jax_plugins/cuda/__init__.py",
        frameworks=_JAX,
    ),
    signature(
        "jax-library-outdated",
        r"outdated (?!cudnn)\w+ installation found|unable to load cu\w+\. is it installed",
        needles=("installation found", "is it installed"),
        meaning="A CUDA library that JAX needs is not found, or is older than what this JAX accepts.",
        causes={
            "torch-nvidia-deps-missing": 0.6,
            "ld-path-shadows-nvidia-wheels": 0.4,
            "tf-soname-missing": 0.35,
            "cudnn-too-old": 0.2,
        },
        ask='pip list | grep -i -E "jax|nvidia"; echo "$LD_LIBRARY_PATH"',
        source="https://github.com/jax-ml/jax/blob/main/jax_plugins/cuda/__init__.py",
        frameworks=_JAX,
    ),
    signature(
        "jax-no-devices",
        r"no supported devices found for platform (?:cuda|rocm)",
        needles=("no supported devices found",),
        meaning="CUDA could be opened, but no GPU could be started in it, mostly because its memory is full.",
        causes={
            "other-process-holds-memory": 0.5,
            "gpu-mem-orphan": 0.25,
            "cvd-invalid": 0.25,
            "compute-mode-exclusive": 0.2,
            "cuda-init-failed": 0.15,
        },
        ask='nvidia-smi; echo "$CUDA_VISIBLE_DEVICES"',
        source="https://docs.jax.dev/en/latest/gpu_memory_allocation.html",
        frameworks=_JAX,
    ),
    signature(
        "jax-library-handle",
        r"gpusolverdncreate|cusolver internal error|gpublascreate|getblasgemmalgorithms|gemm_algorithm_picker",
        needles=("gpusolverdncreate", "cusolver internal error", "gpublascreate", "gemmalgorithms", "gemm_algorithm"),
        meaning="A library of CUDA could not be started, often because JAX had taken all of the GPU's memory.",
        causes={
            "other-process-holds-memory": 0.5,
            "ld-path-shadows-nvidia-wheels": 0.35,
            "batch-too-large": 0.25,
            "cuda-major-mix": 0.15,
        },
        ask="XLA_PYTHON_CLIENT_PREALLOCATE=false once; nvidia-smi",
        source="https://docs.jax.dev/en/latest/gpu_memory_allocation.html",
        frameworks=_JAX,
    ),
)
