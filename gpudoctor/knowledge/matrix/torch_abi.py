"""Which C++ ABI the wheels of PyTorch for Linux have.

Source: names in torch's libraries (2.4 has the old one, 2.7 the new one); https://pytorch.org/blog/pytorch2-6
"""

from gpudoctor.facts.versions import CudaVersion, package_version
from gpudoctor.knowledge.matrix.types import TorchBuild
from gpudoctor.knowledge.milestones import milestone, numbers_of

#: The first release whose wheels for Linux all have the new C++ ABI; and the first with it, of builds for that CUDA on.
ALL_NEW, SOME_NEW = numbers_of("torch-new-abi"), numbers_of("torch-new-abi-some")
NEW_CUDA = CudaVersion(milestone("torch-new-abi-cuda"))


def has_new_abi(row: TorchBuild) -> bool:
    """Whether the wheels of a build for Linux name std::string as C++11 does."""
    version = package_version(row.version)
    line = version.release[:2] if version is not None else ALL_NEW
    return line >= ALL_NEW or (line == SOME_NEW and row.cuda is not None and row.cuda >= NEW_CUDA)
