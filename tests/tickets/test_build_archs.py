"""The options of a build against the GPU that is stated."""

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.build_archs import BY_CMAKE, BY_NVCC, BY_TORCH, LACKS, own_build
from gpudoctor.tickets.read import ingest

TEXTS = [
    ("cmake -DCMAKE_CUDA_ARCHITECTURES=86", "Tesla V100", BY_CMAKE),
    ('cmake -D CMAKE_CUDA_ARCHITECTURES="70;75;80"', "GTX 1080", BY_CMAKE),
    ("set(CMAKE_CUDA_ARCHITECTURES 60-real;61-real)", "Tesla T4", BY_CMAKE),
    ("cmake -DCUDA_ARCH_BIN=7.5", "RTX 4090", BY_CMAKE),
    ("nvcc -gencode arch=compute_90,code=sm_90 a.cu", "RTX 3090", BY_NVCC),
    ("ARCH= -gencode arch=compute_30,code=sm_30", "RTX 2060", BY_NVCC),
    ("make CUDA_DOCKER_ARCH=sm_80", "Tesla P40", BY_NVCC),
    ('I set TORCH_CUDA_ARCH_LIST="8.0;8.6"', "GTX 1080 Ti", BY_TORCH),
    # CMake makes PTX of each number, which a newer GPU's driver compiles.
    ("cmake -DCMAKE_CUDA_ARCHITECTURES=60;61", "Tesla T4", None),
    ("nvcc -arch=sm_60 a.cu", "RTX 3090", None),
    ("cmake -DCMAKE_CUDA_ARCHITECTURES=native", "RTX 3090", None),
    ('I set TORCH_CUDA_ARCH_LIST="8.0+PTX"', "RTX 4090", None),
    ("cmake -DCMAKE_CUDA_ARCHITECTURES=86", "RTX 3090", None),
    ("The wheel was only built for sm_70-sm_90", "RTX 5070", None),
    # By which of both it was built is not known.
    ("cmake -DCMAKE_CUDA_ARCHITECTURES=86; nvcc -arch=sm_70", "GTX 1080", None),
]


@pytest.mark.parametrize(("options", "gpu", "by"), TEXTS)
def test_code_that_the_gpu_does_not_run(options, gpu, by):
    made = ingest(f"It fails.\n{options}\nGPU: {gpu}\n".encode(), load_matrix())
    assert own_build(made.text, made.snapshot) == (frozenset((LACKS, by)) if by else frozenset())
