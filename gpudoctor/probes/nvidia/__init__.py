"""NVML and the CUDA driver, asked in child processes."""
