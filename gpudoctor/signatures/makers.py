"""Messages about GPUs of other makers: Apple (MPS), AMD (ROCm, HIP), Intel (XPU)."""

from gpudoctor.signatures.catalogue import signature

_MPS = "https://docs.pytorch.org/docs/stable/notes/mps.html"
_MPS_VARIABLES = "https://docs.pytorch.org/docs/stable/mps_environment_variables.html"
_ROCM = "https://rocm.docs.amd.com/projects/install-on-linux/en/latest/reference/system-requirements.html"
_XPU = "https://docs.pytorch.org/docs/stable/notes/get_start_xpu.html"
_TORCH = ("torch",)
_GFX = "rocminfo | grep gfx; python -c 'import torch; print(torch.__version__, torch.cuda.get_arch_list())'"

SIGNATURES = (
    signature(
        "mps-operation-missing",
        r"is not currently implemented for the mps device|doesn.?t support float64|not implemented for mps\b"
        r"|mps(?: backend| framework| device)? (?:doesn.?t|does not) support"
        r"|(?:conv3d|adaptive pool mps|\w+) is not supported on mps"
        r"|could not run '\S+' with arguments from the 'mps' backend",
        needles=(
            "for the mps device",
            "support float64",
            "implemented for mps",
            "mps",
        ),
        meaning="PyTorch has no form of this operation, or of this number format, for the GPU of a Mac.",
        causes={"mps-operation-missing": 0.95},
        ask="PYTORCH_ENABLE_MPS_FALLBACK=1 python your_program.py",
        source=_MPS_VARIABLES,
        frameworks=_TORCH,
    ),
    signature(
        "mps-not-built",
        r"pytorch is not (?:linked|built) with (?:support for )?mps|mps (?:backend )?(?:is )?not (?:available|built)"
        r"|macos version is not 12\.3\+|placeholder storage has not been allocated on mps",
        needles=("mps", "macos version is not"),
        meaning="PyTorch cannot use the GPU of this Mac: the build, macOS or the program's use of the device stands "
        "in the way.",
        causes={"macos-no-cuda": 0.4, "mixed-devices-in-code": 0.3, "python-32bit": 0.05, "api-changed": 0.3},
        ask="python -c 'import platform, torch; print(platform.mac_ver(), platform.machine(), torch.__version__, "
        "torch.backends.mps.is_built())'",
        source=_MPS,
        frameworks=_TORCH,
    ),
    signature(
        "mps-out-of-memory",
        r"mps backend out of memory",
        needles=("mps backend out of memory",),
        meaning="The memory that the GPU of this Mac may use is full.",
        causes={"batch-too-large": 0.85, "other-process-holds-memory": 0.2},
        ask="the size of the model and of the batch; Activity Monitor",
        source=_MPS_VARIABLES,
        frameworks=_TORCH,
    ),
    signature(
        "amd-gpu-not-in-build",
        r"hip error: (?:invalid device function|device kernel image is invalid|no kernel image)|hiperrornobinaryforgpu"
        r"|unable to find code object for all current devices|hiperrorinvaliddevicefunction"
        r"|hiperrorinvalid(?:image|kernelfile)|tensilelibrary\S* ?:? ?[^\n]{0,60}for gpu arch"
        r"|rocblas error: cannot read|no gpu code for gfx|cannot find (?:symbol|function)[^\n]{0,40}gfx",
        needles=("hip error", "hiperror", "all current devices", "tensilelibrary", "rocblas error", "gfx"),
        meaning="The installed PyTorch for AMD GPUs holds no code for this model of GPU.",
        causes={"amd-gpu-not-in-build": 0.92, "torch-backend-gpu-vendor": 0.15, "torch-rocm-build": 0.05},
        ask=_GFX,
        source=_ROCM,
        frameworks=_TORCH,
    ),
    signature(
        "amd-device-files",
        r"unable to open /dev/kfd|/dev/kfd:? (?:permission denied|no such file)|\brock module is not loaded"
        r"|no hip gpus are available"
        r"|hsa_status_error_out_of_resources|not a member of (?:the )?[\"']?(?:render|video)[\"']? group",
        needles=("/dev/kfd", "rock module", "no hip gpus", "hsa_status_error", "group"),
        meaning="PyTorch for AMD GPUs may not open the GPU, or AMD's kernel module is not loaded.",
        causes={"amd-device-files": 0.8, "torch-backend-gpu-vendor": 0.35, "amd-gpu-not-in-build": 0.2},
        ask="ls -l /dev/kfd /dev/dri; id; rocminfo | head",
        source="https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/prerequisites.html",
        frameworks=_TORCH,
    ),
    signature(
        "amd-memory-fault",
        r"memory access fault by gpu node",
        needles=("memory access fault by gpu",),
        meaning="A program on an AMD GPU used memory that is not its own; often PyTorch has no code for it.",
        causes={"amd-gpu-not-in-build": 0.5, "bug-in-gpu-code": 0.4, "overclocked-or-unstable": 0.2},
        ask=_GFX,
        source=_ROCM,
        frameworks=_TORCH,
    ),
    signature(
        "xpu-not-built",
        r"torch not compiled with xpu enabled|no xpu devices are available|xpu (?:device )?is not available"
        r"|torch\.xpu\.is_available\(\)[^\n]{0,12}false",
        needles=("xpu",),
        meaning="The installed PyTorch is not the one for Intel GPUs, or Intel's driver is not there.",
        causes={"torch-cpu-only": 0.6, "torch-backend-gpu-vendor": 0.55, "drv-absent": 0.15},
        ask="python -c 'import torch; print(torch.__version__)'; xpu-smi discovery",
        source=_XPU,
        frameworks=_TORCH,
    ),
    signature(
        "xpu-native-failed",
        r"native api failed\. native api returns|ur_result_error_\w+|pi_error_(?:out_of_resources|device_lost"
        r"|build\w*)",
        needles=("native api failed", "ur_result_error", "pi_error_"),
        meaning="Intel's GPU driver reports an error.",
        causes={"batch-too-large": 0.45, "bug-in-gpu-code": 0.3, "overclocked-or-unstable": 0.15},
        ask="xpu-smi discovery; the size of the model and of the batch",
        source=_XPU,
        frameworks=_TORCH,
    ),
)
