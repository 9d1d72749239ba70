"""What the loader of Windows says of DLLs, and of its memory."""

from gpudoctor.signatures.catalogue import signature

_DLL = "https://learn.microsoft.com/en-us/windows/win32/dlls/dynamic-link-library-search-order"
_TORCH_WINDOWS = "https://docs.pytorch.org/docs/stable/notes/windows.html"

SIGNATURES = (
    signature(
        "win-fbgemm",
        r"fbgemm\.dll",
        needles=("fbgemm.dll",),
        meaning="PyTorch's library fbgemm.dll needs another DLL, libomp140, which Windows did not find.",
        causes={"win-libomp140-missing": 0.9, "win-dll-126": 0.2},
        ask="pip list | findstr /i torch; where libomp140.x86_64.dll",
        source="https://github.com/pytorch/pytorch/issues/131662",
        frameworks=("torch",),
    ),
    signature(
        "win-paging-file",
        r"winerror 1455|paging file is too small",
        needles=("winerror 1455", "paging file is too small"),
        meaning="Windows has too little memory, with its paging file, to load the libraries of all processes.",
        causes={"host-memory-full": 0.93},
        ask="the size of the paging file; num_workers of the data loader",
        source=_TORCH_WINDOWS,
    ),
    signature(
        "win-cudnn-dll",
        r"could not locate cudnn\w*\.dll|could not load library cudnn\w*\.dll|cudnn\w*64_\d+\.dll[^\n]{0,40}not found",
        needles=("cudnn",),
        meaning="A program does not find cuDNN's DLLs, or finds ones that do not belong together.",
        causes={
            "win-cudart-not-found": 0.5,
            "tf-soname-missing": 0.4,
            "cudnn-two-copies": 0.3,
            "win-zlibwapi-missing": 0.3,
            "cudnn-too-old": 0.25,
        },
        ask="where cudnn64_*.dll cudnn_ops*.dll zlibwapi.dll",
        source="https://docs.nvidia.com/deeplearning/cudnn/installation/latest/windows.html",
    ),
    signature(
        "win-cudart-required",
        r"could not find '(?:cud|cub|cus|cuf|cur|nvcuda)\w*\.dll'",
        needles=("could not find '",),
        meaning="TensorFlow does not find a DLL of CUDA or cuDNN.",
        causes={"win-cudart-not-found": 0.7, "tf-cuda-version-unsupported": 0.6, "drv-absent": 0.1},
        ask="where cudart64_*.dll cudnn64_*.dll",
        source="https://www.tensorflow.org/install/source_windows#tested_build_configurations",
        frameworks=("tensorflow",),
    ),
    signature(
        "win-module-126",
        r"winerror 126|error loading [^\n]{0,200}(?:\.dll)[^\n]{0,60}dependencies",
        needles=("winerror 126", "error loading"),
        meaning="Windows did not find a DLL that the framework needs.",
        causes={
            "win-dll-126": 0.6,
            "win-libomp140-missing": 0.3,
            "files-damaged": 0.15,
            "torch-nvidia-deps-missing": 0.1,
            "drv-absent": 0.1,
        },
        ask="where vcruntime140.dll vcruntime140_1.dll msvcp140.dll nvcuda.dll",
        source=_DLL,
    ),
    signature(
        "win-dll-load-failed",
        r"dll load failed|winerror (?:127|182|1114|193)\b",
        needles=("dll load failed", "winerror 127", "winerror 182", "winerror 1114", "winerror 193"),
        meaning="Windows could not load a compiled part of a package.",
        causes={
            "win-dll-126": 0.5,
            "cpu-no-avx": 0.2,
            "win-libomp140-missing": 0.15,
            "files-damaged": 0.2,
            "python-32bit": 0.1,
            "numpy2-abi": 0.1,
        },
        ask="where msvcp140.dll vcruntime140_1.dll; echo %PROCESSOR_ARCHITECTURE% %PROCESSOR_IDENTIFIER%",
        source=_DLL,
    ),
    signature(
        "win-zlibwapi",
        r"could not locate zlibwapi\.dll|zlibwapi\.dll",
        needles=("zlibwapi",),
        meaning="CuDNN 8 on Windows needs the file zlibwapi.dll, which is not found.",
        causes={"win-zlibwapi-missing": 0.95},
        ask="where zlibwapi.dll",
        source="https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-890/install-guide/index.html",
    ),
)
