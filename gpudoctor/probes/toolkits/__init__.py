"""CUDA toolkits on disk, and their compilers."""
