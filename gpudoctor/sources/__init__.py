"""Texts and names that both the probes and pasted reports have: nvidia-smi, the kernel log, versions in names."""
