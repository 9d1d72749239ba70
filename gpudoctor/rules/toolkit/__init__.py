"""CUDA toolkits."""
