"""GPUs in a sentence: those of one model together."""

import pytest

from gpudoctor.facts.gpus import Gpu
from gpudoctor.rules._gpu_labels import labels

H100, T4 = "NVIDIA H100 80GB HBM3", "Tesla T4"


def gpus(*named):
    return [Gpu(vendor="nvidia", index=index, name=name) for index, name in named]


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ([(0, H100)], f"GPU 0 ({H100})"),
        ([(0, H100), (1, H100)], f"GPUs 0 and 1 ({H100})"),
        ([(index, H100) for index in range(8)], f"GPUs 0 to 7 ({H100})"),
        ([(index, H100) for index in (0, 2, 4, 5, 6)], f"GPUs 0, 2 and 4 to 6 ({H100})"),
        ([(0, H100), (1, T4), (2, H100)], f"GPUs 0 and 2 ({H100}) and GPU 1 ({T4})"),
        ([(None, T4), (1, T4)], f"{T4} and GPU 1 ({T4})"),
    ],
)
def test_labels(named, said):
    assert labels(gpus(*named)) == said
