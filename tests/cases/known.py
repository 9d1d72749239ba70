"""Cases whose verdict is not yet the expected one, and why. The test is strict: one that passes must leave."""

#: Expected finding not first, something false beside it, or the fix that helped not among the fixes.
MISSES: dict[str, str] = {
    "265-p100-first-session-minutes": "a slow start is a warning here; the case expects a note",
    "269-tf220-mint-rtx5000-ngc-works": "the PTX of this build starts on that GPU; the report says that it fails",
    "443-bnb-039-cuda122": "releases before 0.40 looked at the toolkit; the rule looks at torch",
    "500-conda-cudatoolkit-has-no-nvcc": "nothing shows that something is to be compiled",
    "510-wsl-cudnn8-libcuda-so": "no rule looks at what cuDNN itself opens in WSL",
}

#: Told rightly, with another severity than the case expects.
SEVERITIES: dict[str, str] = {
    "089-ubuntu2004-detected-cuda101-torch113": "nothing shows that something is to be compiled",
    "090-gcc13-with-distro-cuda-headers": "nothing shows that something is to be compiled",
    "141-docker-gpus-toolkit-missing": "nothing shows that containers are to use the GPU",
    "142-docker-snap-no-gpu": "nothing shows that containers are to use the GPU",
    "182-nccl-intel-iommu-1080ti": "copies may also just be slow; the catalogue has it as a warning",
    "184-nccl-p2p-disable-freeze-4gpu": "copies may also just be slow; the catalogue has it as a warning",
    "249-slurm-srun-vs-batch-shell": "in the batch shell no GPU can be used",
    "257-optimus-bumblebee-cuda-unknown": "CUDA does not start",
    "265-p100-first-session-minutes": "the first start takes minutes",
    "283-kserve-pod-shm-nccl": "it fails only once more is needed",
    "291-wsl1-no-gpu": "nothing shows that a GPU is wanted",
    "490-torchsig-no-container-toolkit": "nothing shows that containers are to use the GPU",
    "501-cuda-home-101-torch-cu117": "nothing shows that something is to be compiled",
    "502-triton-python-h-missing": "only some programs compile",
    "315-triton-no-c-compiler-wsl": "only some programs compile",
    "117-libdevice-windows-tf291": "before 2.11 only what asks for XLA fails",
    "314-triton-cannot-find-lcuda": "only some programs compile",
    "316-triton-gcc-lcuda-conda-container": "only some programs compile",
}
