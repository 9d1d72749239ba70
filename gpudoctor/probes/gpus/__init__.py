"""GPUs as NVML, nvidia-smi, PCI and the platform show them."""
