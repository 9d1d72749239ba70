"""Packages that add GPU code to PyTorch: apex, DeepSpeed, detectron2, OpenMMLab, PyTorch Geometric, GPTQ."""

from gpudoctor.signatures.catalogue import signature

_EXTENSION = "https://docs.pytorch.org/docs/stable/cpp_extension.html"
_APEX = "https://github.com/NVIDIA/apex#from-source"
_DETECTRON = "https://detectron2.readthedocs.io/en/latest/tutorials/install.html#common-installation-issues"
_VERSIONS = "nvcc --version | tail -2; python -c 'import torch; print(torch.__version__, torch.version.cuda)'"

SIGNATURES = (
    signature(
        "build-cuda-mismatch",
        r"cuda extensions are being compiled with a version of cuda that does not match"
        r"|installed cuda version [\d.]+ does not match the version torch was compiled with|cudamismatchexception"
        r"|mismatches the version that was used to compile|pytorch binaries were compiled with cuda",
        needles=(
            "does not match",
            "cudamismatchexception",
            "used to compile",
            "pytorch binaries were compiled",
        ),
        meaning="The CUDA compiler (nvcc) is of another version than the CUDA that PyTorch was built with.",
        causes={"nvcc-torch-mismatch": 0.92, "cuda-home-missing": 0.1},
        ask=_VERSIONS,
        source="https://www.deepspeed.ai/tutorials/advanced-install/",
        frameworks=("torch",),
    ),
    signature(
        "deepspeed-op-missing",
        r"object has no attribute 'ds_opt_adam'"
        r"|deepspeed[^\n]{0,60}cuda is missing or is incompatible with installed torch"
        r"|unable to jit load the \S+ op due to|\[warning\][^\n]{0,40}cuda is missing or is incompatible"
        r"|error building extension '?\w*(?:adam|aio|lamb|inference|utils)",
        needles=("ds_opt_adam", "cuda is missing or", "unable to jit load", "error building extension"),
        meaning="DeepSpeed could not compile a part of itself; the first error above says why.",
        causes={
            "nvcc-torch-mismatch": 0.55,
            "cuda-home-missing": 0.45,
            "triton-no-compiler": 0.1,
            "no-cpp-compiler": 0.25,
        },
        ask=f"ds_report; {_VERSIONS}",
        source="https://www.deepspeed.ai/tutorials/advanced-install/",
        frameworks=("torch",),
        fallback=True,
    ),
    signature(
        "apex-without-cuda",
        r"apex was installed without --c(?:uda|pp)_ext"
        r"|no module named '?(?:fused_layer_norm_cuda|fused_weight_gradient_mlp_cuda|amp_c\b|apex_c\b|syncbn\b"
        r"|scaled_\w*softmax_cuda|fast_layer_norm|xentropy_cuda|mlp_cuda|distributed_adam_cuda)",
        needles=("apex was installed without", "no module named"),
        meaning="Apex was installed without its compiled part.",
        causes={"built-without-gpu": 0.75, "cuda-home-missing": 0.35, "nvcc-torch-mismatch": 0.35},
        ask=_VERSIONS,
        source=_APEX,
        frameworks=("torch",),
    ),
    signature(
        "detectron-extension",
        r"cannot import '(?:detectron2\._c|\w+\._c)', therefore"
        r"|detectron2\._c\s+(?:not built correctly|failed to import)|detectron2 is not built correctly"
        r"|no module named '?(?:mmcv\._ext|detectron2\._c|pytorch3d\._c|torch_(?:scatter|sparse|cluster|spline_conv)"
        r"|groundingdino\._c|multiscaledeformableattention|causal_conv1d_cuda"
        r"|selective_scan_cuda|_ext)\b",
        needles=("detectron2", "no module named", "cannot import '"),
        meaning="The compiled part of a package is missing, or was built for another PyTorch than the installed one.",
        causes={
            "ext-abi-mismatch": 0.65,
            "built-without-gpu": 0.4,
            "cuda-home-missing": 0.35,
            "nvcc-torch-mismatch": 0.3,
        },
        ask="pip list | grep -i -E 'torch|detectron|mmcv'; python -c 'import torch; print(torch.__version__)'",
        source=_DETECTRON,
        frameworks=("torch",),
    ),
    signature(
        "geometric-cuda-mismatch",
        r"pytorch and (?!torchvision|torchaudio)\w+ were compiled with different cuda"
        r"|(?:torch_(?:scatter|sparse|cluster|spline_conv|geometric)|pyg_lib|spconv|cumm|mmcv|detectron2|pytorch3d"
        r"|pointnet2\w*|causal_conv1d\w*|selective_scan\w*|mamba_ssm|deform_conv\w*|natten"
        r"|tinycudann)\S*: undefined symbol",
        needles=("were compiled with different cuda", "undefined symbol"),
        meaning="A package with compiled code was built for another PyTorch or CUDA than the installed ones.",
        causes={"ext-abi-mismatch": 0.92, "torch-companion-cuda": 0.1},
        ask="pip list | grep -i torch",
        source="https://pytorch-geometric.readthedocs.io/en/latest/install/installation.html",
        frameworks=("torch",),
    ),
    signature(
        "extension-dll",
        r"(?:mmcv|detectron2|pytorch3d|torch_(?:scatter|sparse|cluster|spline_conv)|flash_attn|xformers|spconv"
        r"|natten|nms"
        r"|\b_ext\b|\b_c\b)[^\n]{0,80}dll load failed|dll load failed while importing (?:_ext|_c|\w+_(?:cuda|cpu"
        r"|ext|kernels?))\b",
        needles=("dll load failed",),
        meaning="A package with compiled code was built for another PyTorch than the installed one, or lacks a DLL.",
        causes={"ext-abi-mismatch": 0.8, "win-dll-126": 0.25},
        ask='pip list | findstr /i "torch mmcv flash xformers"',
        source=_EXTENSION,
        frameworks=("torch",),
    ),
    signature(
        "gptq-extension",
        r"\bcuda extension not installed|name 'autogptq_cuda|no module named '?(?:autogptq_cuda|exllama_kernels"
        r"|exllamav2_kernels|awq_ext|awq_inference_engine|quant_cuda)",
        needles=("cuda extension not installed", "autogptq_cuda", "exllama", "awq_", "quant_cuda"),
        meaning="The compiled part of a quantisation package is not there, so it is slow or does not work.",
        causes={"built-without-gpu": 0.65, "ext-abi-mismatch": 0.45, "cuda-home-missing": 0.35},
        ask="pip list | grep -i -E 'gptq|awq|exllama|^torch '",
        source=_EXTENSION,
        frameworks=("torch",),
    ),
    signature(
        "bnb-symbol",
        r"(?:has no attribute|function) 'cget_col_row_stats'|'nonetype' object has no attribute 'c\w+(?:_stats"
        r"|_fp16|_fp32|_bf16)'"
        r"|has no attribute 'cdequantize\w*'|no attribute 'cquantize\w*'",
        needles=("cget_col_row_stats", "has no attribute 'c"),
        meaning="Bitsandbytes took its part for the processor, because it has none for this CUDA or sees no GPU.",
        causes={"bnb-cuda-lib": 0.85, "torch-cpu-only": 0.3},
        ask="python -m bitsandbytes; pip list | grep -i -E 'bitsandbytes|^torch '",
        source="https://huggingface.co/docs/bitsandbytes/main/en/installation",
        frameworks=("torch",),
    ),
)
