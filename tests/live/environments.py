"""Real environments with real frameworks, made by `scripts/make_environments`; where one is absent its test is skipped.

cpu: the CPU builds of torch, TensorFlow, Keras and JAX. tf24: TensorFlow 2.4 on Python 3.6. tf115: TensorFlow 1.15 on
Python 3.7. paddle: the CPU build of PaddlePaddle. tf220: TensorFlow 2.20 with CUDA. torchcuda: torch with CUDA.
"""

import os

import pytest

FOLDER = "GPUDOCTOR_LIVE_ENVS"


def environment(name: str) -> str:
    """The path of the interpreter of that environment; skips the test where it was not made."""
    folder = os.environ.get(FOLDER)
    if folder is None:
        pytest.skip(f"{FOLDER} is not set: scripts/make_environments makes the environments")
    python = os.path.join(folder, name, "bin", "python")
    if not os.path.exists(python):
        pytest.skip(f"there is no environment {name} in {FOLDER}")
    return python
