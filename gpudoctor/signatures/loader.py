"""What the loader of shared libraries says on Linux; and programs ended by a signal."""

from gpudoctor.signatures.catalogue import signature

_LD = "https://man7.org/linux/man-pages/man8/ld.so.8.html"
#: CUDA's libraries, as their file names begin.
_CUDA_LIBRARY = r"(?:cublas|cudart|cufft|curand|cusolver|cusparse|cupti|nvrtc|nvjitlink|nvtoolsext|nccl|nvshmem|cufile)"
#: Cut off where a line is.
_MISSING = r"cannot open shared object(?: file)?"

SIGNATURES = (
    signature(
        "cudnn-file-missing",
        rf"libcudnn[\w.-]*: {_MISSING}|could not load (?:library|dynamic library) '?libcudnn"
        r"(?![^\n]*undefined symbol)|unable to load any of "
        r"\{libcudnn",
        needles=("libcudnn",),
        meaning="The library cuDNN is not found.",
        causes={
            "torch-nvidia-deps-missing": 0.45,
            "tf-soname-missing": 0.4,
            "tf216-nvidia-libs-not-found": 0.25,
            "files-damaged": 0.2,
            "venv-lib64-split @ lib64": 0.75,
            "ld-path-shadows-cudnn": 0.1,
        },
        ask="pip list | grep -i cudnn; find / -name 'libcudnn*.so*' 2>/dev/null | head",
        source=_LD,
    ),
    signature(
        "libcuda-missing",
        rf"libcuda\.so[\w.]*: {_MISSING}|could not (?:find|load)[^\n]{{0,30}}libcuda\.so|libcuda\.so cannot be found"
        r"|(?:unable|failed|not able) to (?:find|load|open|dynamically load)[^\n]{0,40}"
        r"[\"'](?:libcuda|nvcuda|cuda)[\"']"
        r"|function [\"']cu(?:init|deviceget\w*|driverget\w*)[\"'] not found",
        needles=("libcuda", '"cuda"', "'cuda'", "nvcuda", 'function "cu', "function 'cu"),
        meaning="The driver's library libcuda is not found.",
        causes={
            "drv-absent": 0.35,
            "container-no-gpu-flag @ container": 0.3,
            "container-no-compute-cap @ container": 0.2,
            "nvml-library-missing": 0.25,
            "wsl-libcuda-path @ wsl": 0.3,
            "wsl-driver-libs-missing @ wsl": 0.27,
            "no-gpu": 0.2,
            "cudnn-bare-libcuda": 0.15,
            "triton-libcuda-link": 0.15,
        },
        ask="ldconfig -p | grep libcuda; nvidia-smi",
        source=_LD,
    ),
    signature(
        "libcuda-file-absent",
        r"cannot access '?/usr/lib/wsl/lib(?:/libcuda\S*)?'?:"
        r"|\blibcuda(?:\.so[\w.]*)?['\"`]? (?:file )?(?:does(?: not|n.t) exist|is (?:not there|missing|gone|absent))"
        r"|\blibcuda\b[^\n]{0,60} disappear|\bmissing [`'\"]?libcuda\b"
        r"|\bno [`'\"]?libcuda(?:\.so[\w.]*)?[`'\"]? (?:in|at|under)\b",
        needles=("libcuda", "/usr/lib/wsl/lib"),
        meaning="The driver's library libcuda is not on this system.",
        causes={
            "wsl-driver-libs-missing @ wsl": 0.31,
            "drv-absent": 0.35,
            "container-no-gpu-flag @ container": 0.3,
            "wsl-linux-driver-installed @ wsl": 0.1,
        },
        ask="ls /usr/lib/wsl/lib; ldconfig -p | grep libcuda; nvidia-smi",
        source="https://docs.nvidia.com/cuda/wsl-user-guide/index.html",
    ),
    signature(
        "nvjitlink-needed",
        r"libnvjitlink\.so[\w.]*: cannot open shared object",
        needles=("libnvjitlink.so",),
        meaning="A CUDA library of one release needs a part (nvJitLink) of the same release, which is not found.",
        causes={
            "cuda-major-mix": 0.5,
            "torch-nvidia-deps-missing": 0.4,
            "ld-path-shadows-nvidia-wheels": 0.3,
            "nvidia-wheels-skew": 0.25,
        },
        ask='pip list | grep nvidia; echo "$LD_LIBRARY_PATH"',
        source=_LD,
    ),
    signature(
        "nvjitlink-symbol",
        r"undefined symbol: _*nvjitlink",
        needles=("undefined symbol: _",),
        meaning="A CUDA library found an older nvJitLink than the one it belongs to.",
        causes={"ld-path-shadows-nvidia-wheels": 0.6, "nvidia-wheels-skew": 0.45, "files-overwritten": 0.1},
        ask="echo \"$LD_LIBRARY_PATH\"; pip list | grep -E 'nvjitlink|cusparse'",
        source="https://github.com/pytorch/pytorch/issues/111469",
    ),
    signature(
        "cuda-library-symbol",
        rf"undefined symbol: [^\n]*version lib{_CUDA_LIBRARY}|lib{_CUDA_LIBRARY}[\w.]*: (?:undefined symbol|version )"
        r"|undefined symbol: (?:cupti|nccl|cublas|cudnn|cusparse|cusolver|cufft|curand|nvtx|cufile)\w*"
        rf"|symbol \w+,? version lib{_CUDA_LIBRARY}[\w.]* not defined in file",
        needles=("undefined symbol", "not found (required by", "not defined in file"),
        meaning="A CUDA library of another release was loaded than the one that the framework was built with.",
        causes={
            "ld-path-shadows-nvidia-wheels": 0.65,
            "nvidia-wheels-skew": 0.3,
            "files-overwritten": 0.25,
            "torch-nvidia-deps-missing": 0.1,
        },
        ask='echo "$LD_LIBRARY_PATH"; pip list | grep nvidia',
        source=_LD,
    ),
    signature(
        "torch-symbol",
        r"undefined symbol: _zn?k?(?:[a-z0-9]*)(?:c10|at\d|torch|caffe2|3c10|2at|5torch)|undefined symbol: \S*torch"
        r"|undefined symbol: \S*(?:c10|aten)",
        needles=("undefined symbol",),
        meaning="A compiled extension was built for another PyTorch than the installed one.",
        causes={"ext-abi-mismatch": 0.8, "torch-companion-version": 0.4, "torch-companion-cuda": 0.2},
        ask="pip list | grep -i -E 'torch|flash|xformers'; python -c 'import torch; print(torch.__version__)'",
        source="https://docs.pytorch.org/docs/stable/cpp_extension.html",
    ),
    signature(
        "torch-library-missing",
        rf"lib(?:c10|torch\w*|shm|caffe2\w*)\.so: {_MISSING}",
        needles=("libc10", "libtorch", "libshm", "libcaffe2"),
        meaning="A compiled extension looks for a library of PyTorch that is not there.",
        causes={"ext-abi-mismatch": 0.6, "files-damaged": 0.4, "torch-companion-cuda": 0.15, "wrong-environment": 0.2},
        ask="python -c 'import torch; print(torch.__version__, torch.__file__)'; pip list | grep -i torch",
        source="https://docs.pytorch.org/docs/stable/cpp_extension.html",
    ),
    signature(
        "cuda-library-missing",
        rf"lib{_CUDA_LIBRARY}[\w.-]*: {_MISSING}",
        needles=("cannot open shared object",),
        meaning="A CUDA library that the program needs is not found.",
        causes={
            "torch-nvidia-deps-missing": 0.45,
            "ext-abi-mismatch": 0.35,
            "tf-soname-missing": 0.3,
            "venv-lib64-split @ lib64": 0.75,
            "cuda-major-mix": 0.2,
            "files-damaged": 0.15,
            "bnb-cuda-lib": 0.1,
        },
        ask="pip list | grep nvidia; which program asks for it (the name before the colon)",
        source=_LD,
    ),
    signature(
        "library-missing",
        rf"[\w.+-]+\.so[\w.]*: {_MISSING}",
        needles=("cannot open shared object",),
        meaning="A shared library that the program needs is not found.",
        causes={
            "files-damaged": 0.4,
            "not-installed": 0.4,
            "torch-nvidia-deps-missing": 0.2,
            "package-half-installed": 0.2,
        },
        ask="ldd on the file that asks for it",
        source=_LD,
        fallback=True,
    ),
    signature(
        "library-damaged",
        r"(?:file too short|invalid elf header|elf file os abi invalid|cannot apply additional memory protection"
        r"|elf load command past end of file)",
        needles=("file too short", "invalid elf header", "os abi invalid", "past end of file", "memory protection"),
        meaning="A shared library is damaged or cut short.",
        causes={"files-damaged": 0.9, "disk-full": 0.25, "wsl-ldconfig-warning @ wsl": 0.05},
        ask="pip install --force-reinstall of the package that owns the file",
        source=_LD,
    ),
    signature(
        "symbol-undefined",
        r"undefined symbol: \S+|symbol lookup error|not defined in file \S+ with link time reference",
        needles=("undefined symbol", "symbol lookup error", "link time reference"),
        meaning="Two compiled parts that were loaded together do not belong together.",
        causes={
            "ext-abi-mismatch": 0.45,
            "ld-path-shadows-nvidia-wheels": 0.3,
            "files-overwritten": 0.2,
            "libstdcxx-too-old": 0.1,
        },
        ask='pip list; echo "$LD_LIBRARY_PATH"',
        source=_LD,
        fallback=True,
    ),
    signature(
        "glibcxx-too-old",
        r"version `?(?:glibcxx|cxxabi)_[\d.]+'? not found",
        needles=("glibcxx_", "cxxabi_"),
        meaning="A compiled part needs a newer C++ library (libstdc++) than the one that is loaded.",
        causes={"libstdcxx-too-old": 0.9, "glibc-too-old": 0.15},
        ask="strings $(ldconfig -p | grep -o '/.*libstdc++.so.6$' | head -1) | grep GLIBCXX | tail -1",
        source="https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html",
    ),
    signature(
        "glibc-too-old",
        r"glibc_[\d.]+\W? not found",
        needles=("glibc_",),
        meaning="A compiled part needs a newer C library (glibc) than this system has.",
        causes={"glibc-too-old": 0.95, "libstdcxx-too-old": 0.05},
        ask="ldd --version | head -1",
        source="https://peps.python.org/pep-0600/",
    ),
    signature(
        "illegal-instruction",
        r"\billegal instruction\b(?! was)|\bsigill\b",
        needles=("illegal instruction", "sigill"),
        meaning="The program holds an instruction that this processor does not know.",
        causes={
            "cpu-no-avx": 0.7,
            "cpu-no-avx2": 0.5,
            "jetson-generic-wheel @ jetson": 0.3,
            "overclocked-or-unstable": 0.05,
        },
        ask="grep -o -w -E 'avx|avx2|fma' /proc/cpuinfo | sort -u",
        source="https://www.tensorflow.org/install/pip#hardware_requirements",
    ),
    signature(
        "cpu-instructions-missing",
        r"was compiled to use (?:avx|sse|fma|avx2|avx512\w*) instructions, but these aren.?t available"
        r"|requires? (?:the )?avx (?:instruction|support)",
        needles=("was compiled to use", "avx"),
        meaning="The framework's ready-made package needs instructions that this processor does not have.",
        causes={"cpu-no-avx": 0.85, "cpu-no-avx2": 0.4},
        ask="grep -o -w -E 'avx|avx2|fma' /proc/cpuinfo | sort -u",
        source="https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/platform/cpu_feature_guard.cc",
    ),
    signature(
        "segmentation-fault",
        r"segmentation fault|\bsigsegv\b|fatal python error: segmentation",
        needles=("segmentation fault", "sigsegv"),
        meaning="A compiled part of the program crashed.",
        causes={
            "jax-plugin-version": 0.3,
            "ext-abi-mismatch": 0.3,
            "numpy2-abi": 0.25,
            "ld-path-shadows-nvidia-wheels": 0.2,
            "files-overwritten": 0.15,
            "cuda-major-mix": 0.15,
        },
        ask="python -X faulthandler your_program.py, and the package that the last line names",
        source="https://docs.python.org/3/library/faulthandler.html",
    ),
    signature(
        "cudnn-parts-mixed",
        r"could not load library libcudnn\w*\.so[\w.]*\. error: [^\n]*libcudnn[^\n]*undefined symbol"
        r"|libcudnn\w*\.so[\w.]*: undefined symbol|version `?libcudnn\.so\.\d+'? not found",
        needles=("libcudnn",),
        meaning="Parts of cuDNN of different releases were loaded together.",
        causes={"ld-path-shadows-cudnn": 0.7, "cudnn-two-copies": 0.5, "files-overwritten": 0.15},
        ask='echo "$LD_LIBRARY_PATH"; pip list | grep -i cudnn; ldconfig -p | grep cudnn',
        source=_LD,
    ),
    signature(
        "rocm-library-missing",
        rf"lib(?:amdhip64|c10_hip|torch_hip|rocblas|hipblas\w*|miopen|rocm_smi64|rccl)[\w.-]*: {_MISSING}",
        needles=("libamdhip", "_hip.so", "librocblas", "libhipblas", "libmiopen", "librocm", "librccl"),
        meaning="A library of AMD's ROCm is not found: the program, or a package it uses, is built for AMD GPUs.",
        causes={"torch-rocm-build": 0.6, "ext-abi-mismatch": 0.4, "torch-backend-gpu-vendor": 0.3},
        ask="python -c 'import torch; print(torch.__version__, torch.version.hip)'; ls /opt | grep rocm",
        source=_LD,
    ),
    signature(
        "static-tls",
        r"cannot allocate memory in static tls block",
        needles=("static tls block",),
        meaning="A library was loaded too late: the place for such libraries was taken by others before it.",
        causes={"import-order": 0.9},
        ask="LD_PRELOAD=<the library that the message names> python your_program.py",
        source="https://man7.org/linux/man-pages/man3/dlopen.3.html",
    ),
)
