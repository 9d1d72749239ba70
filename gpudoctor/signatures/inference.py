"""Programs that run trained models: ONNX Runtime, CTranslate2, vLLM, llama.cpp; and CuPy."""

from gpudoctor.signatures.catalogue import signature

_ORT = "https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html#requirements"
_ORT_ASK = "pip list | grep -i -E 'onnxruntime|nvidia|^torch '; nvcc --version | tail -2"
_VLLM = "https://docs.vllm.ai/en/latest/usage/troubleshooting.html"
_CT2 = "https://opennmt.net/CTranslate2/installation.html"

SIGNATURES = (
    signature(
        "onnxruntime-provider",
        r"onnxruntime_providers_(?:cuda|tensorrt|shared)|failed to create cudaexecutionprovider"
        r"|cudaexecutionprovider[^\n]{0,80}(?:failed|unavailable|require cud)|trygetproviderinfo_cuda",
        needles=("onnxruntime_providers_", "cudaexecutionprovider", "trygetproviderinfo"),
        meaning="ONNX Runtime could not load its CUDA part, because a library of CUDA or cuDNN that it was built for "
        "is not found.",
        causes={
            "tf-soname-missing": 0.7,
            "cudnn-too-old": 0.45,
            "cuda-major-mix": 0.35,
            "win-zlibwapi-missing @ windows": 0.05,
            "win-dll-126 @ windows": 0.05,
        },
        ask=_ORT_ASK,
        source=_ORT,
    ),
    signature(
        "onnxruntime-cpu-package",
        r"specified provider '(?:cuda|tensorrt)executionprovider' is not in available provider names"
        r"|available providers: ?\[?'?(?:azureexecutionprovider'?, ?'?)?cpuexecutionprovider",
        needles=("in available provider names", "available providers"),
        meaning="The ONNX Runtime that is imported has no CUDA part: it is the package onnxruntime, or both packages "
        "are installed.",
        causes={"built-without-gpu": 0.85, "files-overwritten": 0.4, "jetson-generic-wheel @ jetson": 0.25},
        ask=_ORT_ASK,
        source=_ORT,
    ),
    signature(
        "onnxruntime-cuda-failure",
        r"\bcudnn failure \d+|\bcublas failure \d+",
        needles=("cudnn failure", "cublas failure"),
        meaning="ONNX Runtime got an error from a library of CUDA.",
        causes={"cudnn-too-old": 0.4, "batch-too-large": 0.3, "cuda-major-mix": 0.3, "driver-too-old": 0.2},
        ask=_ORT_ASK,
        source=_ORT,
    ),
    signature(
        "cupy-not-correct",
        r"cupy is not correctly installed",
        needles=("cupy is not correctly",),
        meaning="CuPy's compiled part could not be loaded; the lines below say which library was not found.",
        causes={"tf-soname-missing": 0.6, "cuda-major-mix": 0.5, "drv-absent": 0.15, "numpy2-abi": 0.1},
        ask="pip list | grep -i -E 'cupy|numpy|nvidia'; python -c 'import cupy; cupy.show_config()'",
        source="https://docs.cupy.dev/en/stable/install.html#faq",
    ),
    signature(
        "cupy-library",
        r"cupy failed to load lib\w+",
        needles=("cupy failed to load",),
        meaning="CuPy does not find a library of the CUDA that it was built for.",
        causes={"tf-soname-missing": 0.75, "cuda-major-mix": 0.45, "torch-nvidia-deps-missing": 0.3},
        ask="pip list | grep -i -E 'cupy|nvidia'; python -c 'import cupy; cupy.show_config()'",
        source="https://docs.cupy.dev/en/stable/install.html#faq",
    ),
    signature(
        "cupy-two-packages",
        r"multiple cupy packages are installed",
        needles=("multiple cupy packages",),
        meaning="Several CuPy packages own the same files, and one has overwritten the others'.",
        causes={"files-overwritten": 0.9},
        ask="pip list | grep -i cupy",
        source="https://docs.cupy.dev/en/stable/install.html#faq",
    ),
    signature(
        "library-not-found-or-loaded",
        r"library (?:lib)?(?:cublas|cudnn|cudart)\S* is not found or cannot be loaded",
        needles=("is not found or cannot be loaded",),
        meaning="CTranslate2 does not find the CUDA library that it was built for.",
        causes={"tf-soname-missing": 0.75, "cuda-major-mix": 0.4, "torch-nvidia-deps-missing": 0.2},
        ask="pip list | grep -i -E 'ctranslate2|nvidia|^torch '",
        source=_CT2,
    ),
    signature(
        "built-without-gpu",
        r"was not compiled with cuda support|not compiled with (?:gpu|cuda) support|compiled without (?:gpu"
        r"|cuda) support"
        r"|device api cuda is not enabled|gpu tree learner was not enabled|without cuda support\b"
        r"|implementation for device cuda(?::\d+)? not found|requires cuda extensions?"
        r"|not implemented on the cpu|no usable gpu found, --gpu-layers",
        needles=(
            "compiled with",
            "compiled without",
            "not enabled",
            "without cuda support",
            "implementation for device",
            "requires cuda extension",
            "no usable gpu found",
            "not implemented on the cpu",
        ),
        meaning="A package was installed or built without its GPU part.",
        causes={"built-without-gpu": 0.85, "cuda-home-missing": 0.35, "torch-cpu-only": 0.15, "bnb-cuda-lib": 0.05},
        ask="pip list; how the package was installed",
        source="https://docs.pytorch.org/docs/stable/cpp_extension.html",
    ),
    signature(
        "vllm-extension-missing",
        r"no module named '?(?:vllm\._\w+|sgl_kernel|flashinfer\w*|lmdeploy\._\w*|_turbomind)"
        r"|failed to import from vllm\._c",
        needles=("vllm._", "sgl_kernel", "flashinfer", "lmdeploy._", "_turbomind"),
        meaning="The compiled part of the inference program is not there or does not fit the installed PyTorch.",
        causes={"ext-abi-mismatch": 0.6, "package-half-installed": 0.45, "built-without-gpu": 0.3},
        ask="pip list | grep -i -E 'vllm|^torch |sglang|flashinfer'; python -c 'import vllm._C'",
        source=_VLLM,
    ),
    signature(
        "vllm-no-device",
        r"failed to infer device type|no platform detected, vllm is running on unspecifiedplatform",
        needles=("failed to infer device", "unspecifiedplatform"),
        meaning="VLLM found no GPU that it can use.",
        causes={
            "torch-cpu-only": 0.4,
            "container-no-gpu-flag @ container": 0.3,
            "drv-absent": 0.3,
            "driver-too-old": 0.25,
            "macos-no-cuda @ macos": 0.3,
            "wsl-libcuda-path @ wsl": 0.2,
        },
        ask="nvidia-smi; python -c 'import torch; print(torch.__version__, torch.cuda.is_available())'",
        source=_VLLM,
    ),
    signature(
        "vllm-memory-taken",
        r"free memory on device[^\n]{0,60}is less than desired gpu memory utilization",
        needles=("free memory on device",),
        meaning="Less of the GPU's memory is free than the inference program was told to take.",
        causes={"other-process-holds-memory": 0.85, "gpu-mem-orphan": 0.35, "batch-too-large": 0.15},
        ask="nvidia-smi",
        source=_VLLM,
    ),
    signature(
        "vllm-cache-too-small",
        r"no available memory for the cache blocks"
        r"|larger than the maximum number of tokens that can be stored in kv cache"
        r"|to serve at least one request with the models?'s max seq len",
        needles=("cache blocks", "stored in kv cache", "max seq len"),
        meaning="The model leaves too little of the GPU's memory for what it works on.",
        causes={"batch-too-large": 0.85, "other-process-holds-memory": 0.3, "gpu-mem-orphan": 0.1},
        ask="nvidia-smi; the options with which the program was started",
        source=_VLLM,
    ),
    signature(
        "model-does-not-fit",
        r"some modules are dispatched on the cpu or the disk",
        needles=("dispatched on the cpu",),
        meaning="The model does not fit into the memory of the GPU.",
        causes={"batch-too-large": 0.85, "other-process-holds-memory": 0.3, "torch-cpu-only": 0.1},
        ask="nvidia-smi",
        source="https://huggingface.co/docs/transformers/main/en/quantization/bitsandbytes",
    ),
    signature(
        "no-gpu-for-quantisation",
        r"no gpu found\. a gpu is needed for quantization|requires (?:a )?gpus? (?:to run|for)"
        r"|cuda is required but not available",
        needles=("no gpu found", "requires a gpu", "requires gpu", "cuda is required but"),
        meaning="The program needs a GPU, and PyTorch sees none that it can use.",
        causes={
            "torch-cpu-only": 0.5,
            "no-gpu": 0.35,
            "torch-cpu-only-conda": 0.3,
            "macos-no-cuda @ macos": 0.33,
            "container-no-gpu-flag @ container": 0.25,
        },
        ask="nvidia-smi; python -c 'import torch; print(torch.__version__, torch.version.cuda)'",
        source="https://huggingface.co/docs/transformers/main/en/quantization/bitsandbytes",
    ),
    signature(
        "ggml-cuda-init",
        r"ggml_cuda_init: failed to initialize",
        needles=("ggml_cuda_init",),
        meaning="Llama.cpp found no GPU that it can use through CUDA.",
        causes={
            "driver-too-old": 0.35,
            "cuda-init-failed": 0.3,
            "container-no-gpu-flag @ container": 0.3,
            "drv-absent": 0.2,
            "cvd-invalid": 0.15,
        },
        ask='nvidia-smi; echo "$CUDA_VISIBLE_DEVICES"',
        source="https://github.com/ggml-org/llama.cpp/blob/master/docs/build.md#cuda",
        fallback=True,
    ),
)
