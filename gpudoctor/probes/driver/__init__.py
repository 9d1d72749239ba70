"""The NVIDIA driver: kernel module, libraries, device nodes, packages, services."""
