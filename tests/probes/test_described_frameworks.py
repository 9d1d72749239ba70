"""Frameworks read as their descriptors say: PaddlePaddle's version file, as its wheels 3.3.1 and 2.6.2 have it."""

import pytest

from tests.probes.site_tree import write
from tests.probes.test_frameworks import WITH_KERNELS, look, one

CPU = (
    "full_version     = '3.3.1'\ncuda_version     = 'False'\ncudnn_version    = 'False'\nhip_version      = None\n"
    "compiled_cuda_archs     = []\n"
)
OLD_CPU = "full_version    = '2.2.1'\ncuda_version    = 'False'\ncudnn_version   = 'False'\nistaged         = True\n"
GPU = "full_version     = '2.6.2'\ncuda_version     = '11.8'\ncudnn_version    = '8.6.0'\nxpu_version      = 'False'\n"
LISTED = GPU + "compiled_cuda_archs     = [80, 90]\n"
BOTH = ("paddlepaddle==3.3.1", "paddlepaddle-gpu==2.6.2")
VERSION = "paddle/version/__init__.py"


@pytest.mark.parametrize(
    ("said", "packages", "expected"),
    [
        (CPU, ("paddlepaddle==3.3.1",), ("paddlepaddle", "3.3.1", "cpu", None, None)),
        (OLD_CPU, ("paddlepaddle==2.2.1",), ("paddlepaddle", "2.2.1", "cpu", None, None)),
        (GPU, ("paddlepaddle-gpu==2.6.2.post118",), ("paddlepaddle-gpu", "2.6.2", "cuda", "11.8", "8.6.0")),
        (
            GPU,
            ("paddlepaddle==3.3.1", "paddlepaddle-gpu==2.6.2"),
            ("paddlepaddle-gpu", "2.6.2", "cuda", "11.8", "8.6.0"),
        ),
        (CPU, BOTH, ("paddlepaddle", "3.3.1", "cpu", None, None)),
        (CPU, (), (None, "3.3.1", "cpu", None, None)),
        (None, ("paddlepaddle-gpu==2.6.2",), ("paddlepaddle-gpu", "2.6.2", "cuda", None, None)),
        ("garbage = (", ("paddlepaddle==3.3.1",), ("paddlepaddle", "3.3.1", "cpu", None, None)),
        ("garbage = (", (), (None, None, None, None, None)),
    ],
)
def test_what_its_version_file_says(tmp_path, said, packages, expected):
    if said is not None:
        write(tmp_path, {VERSION: said})
    found = one(look(tmp_path, *packages), "paddle")
    cuda = str(found.cuda) if found.cuda else None
    assert (found.dist, found.version, found.variant, cuda, found.cudnn) == expected


def test_its_gpu_code_is_what_the_file_lists_else_what_the_library_has(tmp_path):
    write(tmp_path, {VERSION: LISTED})
    listed = one(look(tmp_path, "paddlepaddle-gpu==2.6.2"), "paddle")
    assert (listed.archs, listed.code_files) == (("sm_80", "sm_90"), False)
    write(tmp_path, {VERSION: GPU})
    assert one(look(tmp_path, "paddlepaddle-gpu==2.6.2"), "paddle").archs is None
    library = tmp_path / "paddle/libs/libphi.so"
    library.parent.mkdir()
    library.write_bytes(WITH_KERNELS)
    read = one(look(tmp_path, "paddlepaddle-gpu==2.6.2"), "paddle")
    assert (read.archs, read.code_files) == (("sm_80", "sm_90", "compute_90"), True)
    assert read.archs_source is not None and read.archs_source.where.endswith("libphi.so")


def test_neither_package_nor_folder_is_none(tmp_path):
    assert look(tmp_path, "requests==2.31") is None
