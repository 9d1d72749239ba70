"""Cases whose verdict is not yet the expected one, and why. The test is strict: one that passes must leave."""

#: Expected finding not first, something false beside it, or the fix that helped not among the fixes.
MISSES: dict[str, str] = {
    "265-p100-first-session-minutes": "a slow start is a warning here; the case expects a note",
    "269-tf220-mint-rtx5000-ngc-works": "the PTX of this build starts on that GPU; the report says that it fails",
    "510-wsl-cudnn8-libcuda-so": "no rule looks at what cuDNN itself opens in WSL",
}

#: Told rightly, with another severity than the case expects.
SEVERITIES: dict[str, str] = {
    "182-nccl-intel-iommu-1080ti": "copies may also just be slow; the catalogue has it as a warning",
    "184-nccl-p2p-disable-freeze-4gpu": "copies may also just be slow; the catalogue has it as a warning",
    "249-slurm-srun-vs-batch-shell": "in the batch shell no GPU can be used",
    "257-optimus-bumblebee-cuda-unknown": "CUDA does not start",
    "265-p100-first-session-minutes": "the first start takes minutes",
}
