"""Copies of cuDNN that open libcuda.so by its name without a version, where only libcuda.so.1 exists.

A loader knows the libraries of a driver by the name libcuda.so.1. The name without a version is a link for compilers,
which some packages leave out; in WSL all names are plain files, of which ldconfig enters only libcuda.so.1. Among the
libraries of nvidia-cudnn-cu11 8.5.0.96, libcudnn_cnn_infer.so.8 and libcudnn_adv_infer.so.8 hold the bare name; reports
of the failure end with cuDNN 8.7 (https://github.com/microsoft/WSL/issues/8587,
https://github.com/facebookresearch/nougat/issues/105).
"""

from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.system import Wsl
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.milestones import milestone

FIRST, FIRST_WITHOUT = LibraryVersion("8"), LibraryVersion(milestone("cudnn-bare-libcuda-ends"))
WSL_FOLDER = "/usr/lib/wsl/lib"


def in_vain(libraries: Libraries, wsl: Wsl | None) -> dict[str, tuple[Resolution, str]]:
    """The cuDNN files that would not find libcuda.so, with the frameworks that get them: "torch and tensorflow"."""
    found: dict[str, tuple[Resolution, str]] = {}
    for cudnn in libraries.resolutions or ():
        version = cudnn.version
        if cudnn.soname != "libcudnn.so.8" or cudnn.path is None or version is None:
            continue
        if FIRST <= version < FIRST_WITHOUT and _lacks(cudnn.framework, libraries, wsl):
            first, names = found.get(cudnn.path, (cudnn, ""))
            found[cudnn.path] = (first, f"{names} and {cudnn.framework}" if names else cudnn.framework)
    return found


def _lacks(framework: str, libraries: Libraries, wsl: Wsl | None) -> bool:
    if libraries.libcuda_of_cudnn is not None:
        return libraries.libcuda_of_cudnn.get(framework, "") is None
    is_plain_file = wsl is not None and wsl.driver_library is not False and wsl.library_is_link is False
    return is_plain_file and WSL_FOLDER not in (entry.rstrip("/") for entry in libraries.search_path)
