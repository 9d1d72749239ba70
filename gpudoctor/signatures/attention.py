"""Packages for attention: flash-attn and xformers."""

from gpudoctor.signatures.catalogue import signature

_FLASH = "https://github.com/Dao-AILab/flash-attention#installation-and-features"
_XFORMERS = "https://github.com/facebookresearch/xformers#installing-xformers"
_CAPABILITY = "nvidia-smi --query-gpu=name,compute_cap --format=csv"

SIGNATURES = (
    signature(
        "flash-attn-abi",
        r"flash_attn\w*\.[^\n]{0,80}undefined symbol|flash_attn_\w*cuda[^\n]{0,40}(?:undefined|dll load failed"
        r"|cannot open)",
        needles=("flash_attn",),
        meaning="The installed flash-attn was built for another PyTorch.",
        causes={"ext-abi-mismatch": 0.92},
        ask="pip list | grep -i -E 'flash|^torch '",
        source=_FLASH,
    ),
    signature(
        "flash-attn-gpu",
        r"flashattention only supports ampere gpus or newer|flashattention[^\n]{0,60}requires? (?:ampere|compute cap)"
        r"|flash ?attention[^\n]{0,40}only supports? gpus? with compute capability",
        needles=("flashattention", "flash attention"),
        meaning="FlashAttention does not serve a GPU this old.",
        causes={"feature-needs-newer-gpu": 0.97},
        ask=_CAPABILITY,
        source=_FLASH,
    ),
    signature(
        "flash-attn-dtype",
        r"flash ?attention[^\n]{0,40}only supports? (?:the )?(?:fp16 and bf16|torch\.float16)",
        needles=("flashattention", "flash attention"),
        meaning="FlashAttention calculates in half precision only, and the program hands it single precision.",
        causes={"mixed-precision-in-code": 0.9},
        ask="the dtype in which the program loads the model",
        source=_FLASH,
    ),
    signature(
        "flash-attn-build-cuda",
        r"flashattention is only supported on cuda \d",
        needles=("flashattention is only supported",),
        meaning="The CUDA compiler (nvcc) that was found is too old to build flash-attn.",
        causes={"nvcc-torch-mismatch": 0.8, "cuda-home-missing": 0.35, "driver-too-old": 0.05},
        ask='nvcc --version | tail -2; echo "$CUDA_HOME"; ls -d /usr/local/cuda*',
        source="https://github.com/Dao-AILab/flash-attention/blob/main/setup.py",
    ),
    signature(
        "flash-attn-missing",
        r"package flash_attn seems to be not installed|no module named '?flash_attn"
        r"|flash ?attention ?2? is not installed"
        r"|flash_attn is not (?:installed|available)|please install flash[_-]attn",
        needles=("flash_attn", "flash-attn", "flash attention", "flashattention"),
        meaning="Flash-attn is not installed in this Python, or its compiled part is not there.",
        causes={"not-installed": 0.75, "ext-abi-mismatch": 0.35, "wrong-environment": 0.2, "cuda-home-missing": 0.15},
        ask="pip list | grep -i -E 'flash|^torch '; python -c 'import flash_attn_2_cuda'",
        source=_FLASH,
    ),
    signature(
        "xformers-built-for",
        r"xformers was built for|xformers can.?t load c\+\+/cuda extensions"
        r"|no operator found for `?memory_efficient_attention|pytorch \S+ with cuda \d+ \(you have \S+\)",
        needles=("xformers", "memory_efficient_attention", "(you have "),
        meaning="The installed xformers was built for another PyTorch, or has no code for this GPU.",
        causes={"ext-abi-mismatch": 0.85, "torch-cpu-only": 0.2, "arch-too-new-for-build": 0.2},
        ask="python -m xformers.info; pip list | grep -E '^(torch|xformers) '",
        source=_XFORMERS,
    ),
    signature(
        "xformers-cpu-torch",
        r"\(you have [\d.]+\+cpu\)",
        needles=("+cpu)",),
        meaning="Xformers was built for CUDA, and the installed PyTorch is built for the processor only.",
        causes={"torch-cpu-only": 0.95},
        ask="pip list | grep -E '^(torch|xformers) '",
        source=_XFORMERS,
    ),
    signature(
        "xformers-capability",
        r"requires device with capability > \(\d+, ?\d+\) but your gpu has capability \(\d+, ?\d+\)",
        needles=("requires device with capability",),
        meaning="This way of calculating attention needs a newer GPU, or has no code for this one.",
        causes={"feature-needs-newer-gpu": 0.5, "arch-too-new-for-build": 0.4, "ext-abi-mismatch": 0.2},
        ask=_CAPABILITY,
        source="https://github.com/facebookresearch/xformers/blob/main/xformers/ops/fmha/dispatch.py",
    ),
    signature(
        "xformers-missing",
        r"no module named '?xformers|xformers is not (?:available|installed)",
        needles=("xformers",),
        meaning="Xformers is not installed in this Python; most programs do without it.",
        causes={"not-installed": 0.8, "wrong-environment": 0.3},
        ask="pip list | grep -E '^(torch|xformers) '",
        source=_XFORMERS,
    ),
    signature(
        "attention-gpu-too-old",
        r"expected is_sm8\d(?: \|\| is_sm\d+)* to be true|head dim > \d+ requires a100|requires (?:sm_?8\d|ampere)",
        needles=("expected is_sm8", "head dim > ", "requires sm", "requires ampere"),
        meaning="This way of calculating attention needs a GPU with more fast memory, or a newer one.",
        causes={"feature-needs-newer-gpu": 0.93},
        ask=_CAPABILITY,
        source=_FLASH,
    ),
    signature(
        "torch-without-flash",
        r"torch was not compiled with (?:flash|memory efficient) attention",
        needles=("torch was not compiled with flash", "torch was not compiled with memory"),
        meaning="This build of PyTorch takes a slower way to calculate attention; that is no fault.",
        causes={"harmless": 0.9},
        ask="python -c 'import torch; print(torch.__version__)'",
        source="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html",
        frameworks=("torch",),
    ),
)
