"""Packages whose compiled code is linked to PyTorch."""

#: They are linked to the CUDA libraries that torch brings, whether a tag states their torch or not.
LINKED = (
    *("flash-attn", "xformers", "torch-scatter", "torch-sparse", "torch-cluster", "mmcv", "detectron2", "pytorch3d"),
    *("torch-spline-conv", "pyg-lib", "mamba-ssm", "causal-conv1d", "auto-gptq"),
)
