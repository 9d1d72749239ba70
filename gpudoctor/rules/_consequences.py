"""What follows from what: names of rules whose findings a broken lower layer brings about."""

#: Nothing of CUDA starts.
NO_CUDA = (
    "cuda-init-failed",
    "gpu-required",
    "capability-required",
    "driver-required",
    "cuda-required",
)

#: A GPU cannot be reached: NVML lists fewer, or cannot tell its facts.
NO_DEVICE = (*NO_CUDA, "rm-init-failed", "gpu-unreadable", "uvm-missing")

#: The kernel module does not serve the GPU.
NO_MODULE = (
    *NO_DEVICE,
    "drv-not-loaded",
    "nvml-library-missing",
    "dev-permission",
    "laptop-gpu-off",
    "driver-not-answering",
)
