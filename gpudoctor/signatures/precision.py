"""Messages about half precision, and about data on different devices."""

from gpudoctor.signatures.catalogue import signature

_AMP = "https://docs.pytorch.org/docs/stable/amp.html"
_SEMANTICS = "https://docs.pytorch.org/docs/stable/notes/cuda.html"
_TRAINER = "https://huggingface.co/docs/transformers/main/en/perf_train_gpu_one"
_TORCH = ("torch",)
_SEES_NONE = "python -c 'import torch; print(torch.__version__, torch.cuda.is_available())'"

SIGNATURES = (
    signature(
        "half-on-cpu",
        r"\"(?!\w*(?:cuda|mps))\w+\" not implemented for '(?:half|bfloat16)'",
        needles=("not implemented for 'half'", "not implemented for 'bfloat16'"),
        meaning="A calculation in half precision runs on the processor, which has no code for it: the model or its "
        "data is not on a GPU.",
        causes={
            "half-on-cpu": 0.75,
            "torch-cpu-only": 0.4,
            "no-gpu": 0.25,
            "macos-no-cuda @ macos": 0.3,
            "driver-too-old": 0.1,
        },
        ask=_SEES_NONE,
        source=_AMP,
        frameworks=_TORCH,
    ),
    signature(
        "fp16-not-on-cpu",
        r"fp16 is not supported on cpu; using fp32",
        needles=("fp16 is not supported on cpu",),
        meaning="The program computes on the processor, because PyTorch sees no GPU that it can use.",
        causes={
            "torch-cpu-only": 0.6,
            "torch-cpu-only-conda @ by-conda": 0.3,
            "no-gpu": 0.3,
            "driver-too-old": 0.15,
            "macos-no-cuda @ macos": 0.33,
        },
        ask=f"nvidia-smi; {_SEES_NONE}",
        source="https://github.com/openai/whisper/blob/main/whisper/transcribe.py",
        frameworks=_TORCH,
    ),
    signature(
        "half-not-in-operation",
        r"\"\w*cuda\w*\" not implemented for '(?:half|bfloat16|c10::\w+)'",
        needles=("not implemented for '",),
        meaning="This operation has no half-precision form for the GPU, often because a package was compiled without.",
        causes={"half-not-in-operation": 0.85, "feature-needs-newer-gpu": 0.2},
        ask="run that part in single precision: torch.autocast('cuda', enabled=False)",
        source=_AMP,
        frameworks=_TORCH,
    ),
    signature(
        "bf16-unsupported",
        r"bfloat16 is only supported on gpus with compute capability|your setup doesn.?t support bf16"
        r"|(?:current )?cuda device does not support bfloat16|bf16 (?:is )?not supported (?:on|by) (?:this|your)"
        r"|bfloat16 is not supported on (?:this|your|the current) (?:gpu|device)",
        needles=("bfloat16 is", "support bf16", "support bfloat16", "bf16 not supported", "bf16 is not supported"),
        meaning="The program wants the number format bfloat16, which this GPU does not have; float16 works instead.",
        causes={"feature-needs-newer-gpu": 0.85, "torch-cpu-only": 0.25, "no-gpu": 0.1},
        ask="nvidia-smi --query-gpu=name,compute_cap --format=csv",
        source="https://docs.vllm.ai/en/latest/usage/troubleshooting.html",
    ),
    signature(
        "fp8-unsupported",
        r"fp8\w* (?:data type )?(?:is )?(?:only supported|not supported)|type fp8\w+ not supported in this architecture"
        r"|fp8[^\n]{0,40}requires?[^\n]{0,30}(?:compute capability|hopper|ada|h100|sm_?\d\d)",
        needles=("fp8",),
        meaning="The program wants 8-bit floating point, which this GPU does not have.",
        causes={"feature-needs-newer-gpu": 0.93},
        ask="nvidia-smi --query-gpu=name,compute_cap --format=csv",
        source="https://docs.nvidia.com/deeplearning/transformer-engine/user-guide/installation.html",
    ),
    signature(
        "fp16-needs-cuda",
        r"fp16 mixed precision[^\n]{0,160}can only be used on cuda|fp16 mixed precision requires a gpu"
        r"|can.?t use (?:fp16|amp) (?:without|on) (?:a )?(?:cuda|gpu|cpu)"
        r"|mixed precision[^\n]{0,40}requires? (?:a )?(?:cuda|gpu)"
        r"|user provided device_type of 'cuda', but cuda is not available",
        needles=("mixed precision", "use fp16", "use amp", "device_type of 'cuda'"),
        meaning="Mixed precision is asked for, and PyTorch sees no GPU that it can use.",
        causes={
            "torch-cpu-only": 0.6,
            "no-gpu": 0.35,
            "torch-cpu-only-conda": 0.35,
            "macos-no-cuda @ macos": 0.33,
            "driver-too-old": 0.2,
        },
        ask=f"nvidia-smi; {_SEES_NONE}",
        source=_TRAINER,
        frameworks=_TORCH,
    ),
    signature(
        "tf32-available",
        r"tensorfloat32 tensor cores[^\n]{0,80}not enabled|tensor cores are available but not enabled"
        r"|that has tensor cores\. to properly utilize them",
        needles=("tensor cores",),
        meaning="The GPU could multiply float32 matrices several times as fast in TF32, which PyTorch leaves off.",
        causes={"tf32-off": 0.85},
        ask="python -c 'import torch; print(torch.get_float32_matmul_precision())'",
        source="https://docs.pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html",
        frameworks=_TORCH,
    ),
    signature(
        "dtypes-mixed",
        r"expected (?:scalar type|object of scalar type|m1 and m2 to have the same dtype)[^\n]{0,40}(?:half|float"
        r"|bfloat16)"
        r"|input type \((?:torch\.)?(?:cuda\.)?(?:half|bfloat16|float)\w*\) and (?:weight|bias) type"
        r" \((?:torch\.)?(?:cuda\.)?(?:half|bfloat16|float|c10::\w+)\w*\)|mat1 and mat2 must have the same dtype"
        r"|attempting to unscale fp16 gradients|value cannot be converted to type at::half without overflow",
        needles=(
            "expected scalar type",
            "expected object of scalar",
            "to have the same dtype",
            "must have the same dtype",
            "input type (",
            "unscale fp16",
            "at::half",
        ),
        meaning="The program mixes half and single precision, or data of the GPU and of the processor, in one step.",
        causes={"mixed-precision-in-code": 0.75, "mixed-devices-in-code": 0.35},
        ask="the line of your program that the traceback names",
        source=_AMP,
        frameworks=_TORCH,
    ),
    signature(
        "devices-mixed",
        r"expected all tensors to be on the same device|expected object of device type cuda but got device type cpu"
        r"|input and (?:parameter|hidden) tensors are not at the same device"
        r"|indices should be either on cpu or on the same device|tensor for '?\w+'? is on cpu, tensor for"
        r"|module must have its parameters and buffers on device",
        needles=(
            "on the same device",
            "expected object of device type",
            "not at the same device",
            "tensor for ",
            "parameters and buffers on device",
        ),
        meaning="The program calculates with data on the GPU and data on the processor in one step.",
        causes={"mixed-devices-in-code": 0.93},
        ask="the line of your program that the traceback names",
        source=_SEMANTICS,
        frameworks=_TORCH,
    ),
)
