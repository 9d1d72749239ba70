"""CUDA libraries and the loader."""
