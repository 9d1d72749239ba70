"""Messages while GPU code is built: headers, compilers and linkers that are missing, and compilers that were killed."""

from gpudoctor.signatures.catalogue import signature

_EXTENSION = "https://docs.pytorch.org/docs/stable/cpp_extension.html"
_TOOLKIT = "https://docs.nvidia.com/cuda/cuda-installation-guide-linux/index.html"

SIGNATURES = (
    signature(
        "cuda-header-missing",
        r"fatal error:? '?(?:cuda\w*|cublas\w*|cusparse\w*|cusolver\w*|curand\w*|cufft\w*|nvtx\w*|thrust/[\w/]+"
        r"|cudnn\w*"
        r"|nvrtc|cub/[\w/]+)\.(?:h|hpp|cuh)'?[: ]|cannot open (?:include|source) file:? ['\"]?(?:cuda|cublas"
        r"|cusparse|cudnn)",
        needles=("fatal error", "cannot open include", "cannot open source"),
        meaning="A header of the CUDA toolkit is missing, which building GPU code needs.",
        causes={"cuda-home-missing": 0.85, "nvcc-torch-mismatch": 0.2},
        ask='nvcc --version | tail -2; echo "$CUDA_HOME"; ls "$CUDA_HOME/include" | head',
        source=_TOOLKIT,
    ),
    signature(
        "cuda-library-not-linked",
        r"cannot find -l(?:cudart|cublas\w*|cusparse|cusolver|curand|cudnn|nvrtc|c10_cuda|torch_cuda)\b"
        r"|cannot open (?:input )?file '(?:cudart|cublas|cusparse)\w*\.lib'",
        needles=("cannot find -l", "cannot open input file", "cannot open file"),
        meaning="The linker does not find a library of the CUDA toolkit or of PyTorch.",
        causes={"cuda-home-missing": 0.8, "torch-cpu-only": 0.15},
        ask='echo "$CUDA_HOME"; ls "$CUDA_HOME/lib64" | head',
        source=_TOOLKIT,
    ),
    signature(
        "msvc-missing",
        r"microsoft visual c\+\+ \d+\.\d+ (?:or greater )?is required|error checking compiler version for cl\b"
        r"|\['where', 'cl'\]|unable to find vcvarsall\.bat|cannot find compiler 'cl\.exe' in path"
        r"|no such file or directory: 'cl(?:\.exe)?'",
        needles=("microsoft visual c++", "compiler version for cl", "'where', 'cl'", "vcvarsall", "cl.exe", "'cl'"),
        meaning="A package is built from source, and Microsoft's C++ compiler is not found.",
        causes={"no-cpp-compiler": 0.9, "python-unsupported-by-framework": 0.2},
        ask="where cl; pip list",
        source="https://learn.microsoft.com/en-us/cpp/build/building-on-the-command-line",
    ),
    signature(
        "ninja-missing",
        r"ninja is required to load c\+\+ extensions",
        needles=("ninja is required",),
        meaning="PyTorch builds extensions with the program ninja, which is not installed.",
        causes={"not-installed": 0.9, "wrong-environment": 0.2},
        ask="pip install ninja; ninja --version",
        source=_EXTENSION,
    ),
    signature(
        "compiler-killed",
        r"killed signal terminated program cc1plus|(?:cc1plus|nvcc|cicc|ptxas)[^\n]{0,40}\bkilled\b"
        r"|nvcc error\s*:[^\n]{0,60}died due to signal 9"
        r"|virtual memory exhausted|compiler is out of heap space",
        needles=("killed", "signal 9", "virtual memory exhausted", "out of heap space"),
        meaning="The compiler needed more main memory than there is; build with fewer processes (MAX_JOBS).",
        causes={"host-memory-full": 0.95},
        ask="free -h; MAX_JOBS=2 pip install ...",
        source=_EXTENSION,
    ),
    signature(
        "extension-source-too-old",
        r"identifier \"?at_check\"? is undefined|'?at_check'? was not declared|thc/thc\.h: no such file"
        r"|no module named 'torch\._six'|thc_\w+[^\n]{0,30}not declared|has no member named 'type'",
        needles=("at_check", "thc/thc.h", "torch._six", "thc_", "no member named"),
        meaning="The source of the extension was written for an older PyTorch than the installed one.",
        causes={"api-changed": 0.92},
        ask="pip list | grep -E '^torch '; the release of the package",
        source="https://github.com/pytorch/pytorch/pull/36875",
    ),
    signature(
        "wheel-not-built",
        r"could not build wheels for (?:flash|xformers|apex|deepspeed|mamba|causal|pytorch3d|bitsandbytes"
        r"|detectron2|torch"
        r"|mmcv|spconv|cupy|llama|natten)\S*|nvcc(?:\.exe)?['\"]? failed with exit (?:code|status)"
        r"|precompiled wheel not found\. building from source",
        needles=("could not build wheels for", "failed with exit", "precompiled wheel not found"),
        meaning="A package with GPU code could not be compiled; the lines above say why.",
        causes={
            "cuda-home-missing": 0.45,
            "nvcc-torch-mismatch": 0.35,
            "nvcc-gcc-too-new": 0.35,
            "no-cpp-compiler": 0.15,
            "host-memory-full": 0.1,
        },
        ask="nvcc --version; gcc --version; python -c 'import torch; print(torch.version.cuda)'",
        source=_EXTENSION,
        fallback=True,
    ),
    signature(
        "compiler-too-old",
        r"version of g\+\+ \([\d.]+\) is less than the minimum|your compiler[^\n]{0,60}may be abi-incompatible"
        r"|c\+\+1[47][^\n]{0,30}(?:is required|or later compatible compiler)",
        needles=("less than the minimum", "abi-incompatible", "c++1"),
        meaning="The C++ compiler is older than what PyTorch or the CUDA compiler needs.",
        causes={"compiler-too-old": 0.9},
        ask="g++ --version | head -1; nvcc --version | tail -2",
        source=_EXTENSION,
    ),
)
