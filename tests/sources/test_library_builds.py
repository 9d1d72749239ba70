"""Which CUDA and cuDNN a file's name stands for, in the form of each time."""

import pytest

from gpudoctor.facts.versions import CudaVersion
from gpudoctor.sources.library_builds import cuda_of, cudnn_of
from gpudoctor.sources.library_names import family_of

#: By name: the CUDA as it is told, one that has it and one that has not.
CUDAS = {
    "libcublas.so.8.0": ("8.0", "8.0", "9.0"),
    "libcublas.so.9.0": ("9.0", "9.0", "9.2"),
    "libcublas.so.10.0": ("10.0", "10.0", "10.1"),
    "libcublas.so.10": ("10.1 to 10.2", "10.2", "10.0"),
    "libcublasLt.so.12": ("12", "12.4", "13.1"),
    "libcudart.so.10.2": ("10.2", "10.2", "12.0"),
    "libcudart.so.11.0": ("11", "11.8", "12.2"),
    "libcusolver.so.10": ("10.1 to 11.0", "11.0", "11.2"),
    "libcusolver.so.11": ("11.1 to 12.x", "12.4", "11.0"),
    "libcusparse.so.11": ("11", "11.3", "12.0"),
    "libcufft.so.10": ("10.1 to 11.x", "11.8", "12.0"),
    "libcurand.so.10": ("10.1 or newer", "13.0", "10.0"),
    "libnvrtc.so.11.2": ("11.2 to 11.x", "11.8", "11.1"),
    "libcudnn.so.7": ("8.0 to 10.2", "9.0", "11.0"),
    "libnvJitLink.so.12": ("12", "12.9", "11.8"),
    "cudart64_101.dll": ("10.1", "10.1", "11.2"),
    "cudart64_110.dll": ("11", "11.2", "10.1"),
    "cudart64_12.dll": ("12", "12.6", "11.8"),
    "cublas64_100.dll": ("10.0", "10.0", "10.1"),
    "cublas64_11.dll": ("11", "11.6", "12.6"),
    "nvrtc64_70.dll": ("7.0", "7.0", "10.0"),
    "nvrtc64_112_0.dll": ("11.2 to 11.x", "11.4", "11.0"),
    "nvrtc64_120_0.dll": ("12", "12.1", "11.8"),
}
CUDNNS = {
    "libcudnn.so.7": 7,
    "cudnn64_8.dll": 8,
    "libcudnn_ops_infer.so.8": 8,
    "cudnn_ops_infer64_8.dll": 8,
    "cudnn_ops64_9.dll": 9,
    "libcudnn_ops.so.9.1.0": 9,
    "libcublas.so.11": None,
}


@pytest.mark.parametrize(("name", "told", "has", "has_not"), [(name, *row) for name, row in CUDAS.items()], ids=CUDAS)
def test_the_cuda_of_a_name(name, told, has, has_not):
    span = cuda_of(name)
    assert str(span) == told
    assert span.holds(CudaVersion(has))
    assert not span.holds(CudaVersion(has_not))
    assert span.holds(CudaVersion(has.partition(".")[0])), "a major alone may be any of its minors"


@pytest.mark.parametrize("name", ["libcuda.so.1", "libnvinfer.so.7", "libcudnn.so.8", "libcublas.so", "libfoo.so.9.0"])
def test_names_that_stand_for_no_cuda(name):
    assert cuda_of(name) is None


@pytest.mark.parametrize(("name", "major"), CUDNNS.items(), ids=CUDNNS)
def test_the_cudnn_of_a_name(name, major):
    assert cudnn_of(name) == major
    assert (family_of(name) == "cudnn") is (major is not None)
