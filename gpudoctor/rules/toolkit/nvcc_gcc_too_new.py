"""TLK003: the C compiler is newer, or older, than the CUDA compiler (nvcc) accepts."""

import re

from gpudoctor.facts.versions import CudaVersion
from gpudoctor.rules._building import build_wanted
from gpudoctor.rules._toolkit_taken import has_nvcc, is_for_gpus, taken_toolkit
from gpudoctor.rules.sections import Container, Environ, Gap, Gpus, Live, Matrix, Packages, Toolkits, Wish
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, rule, seen

_GCC = re.compile(r"(.*/)?(gcc|cc|g\+\+|c\+\+)(-\d+)?")
#: The oldest gcc from a CUDA version on: CUDA_GCC_VERSIONS in torch/utils/cpp_extension.py of PyTorch 2.13.
_OLDEST = (("11.4", 6), ("11.0", 5))


@rule("TLK003", name="nvcc-gcc-too-new", severity="error")
def nvcc_gcc_too_new(
    gpus: Gpus | Gap | None,
    container: Container | Gap | None,
    toolkits: Toolkits,
    packages: Packages | Gap | None,
    environ: Environ | Gap | None,
    live: Live | Gap | None,
    wish: Wish,
    matrix: Matrix,
) -> Iterator[Problem]:
    """The C compiler is newer, or older, than the CUDA compiler (nvcc) accepts.

    What it means:
    nvcc hands part of its work to gcc, and each CUDA version accepts gcc from one version up to another.

    Why it breaks:
    nvcc stops with "unsupported GNU version! gcc versions later than N are not supported". With one that is too old
    PyTorch stops: "The current installed version of g++ is less than the minimum required version by CUDA".

    How to fix it:
    Install a gcc that it accepts beside the other one and name it in NVCC_CCBIN, CC and CXX. On a cluster, load its
    module. Or, where gcc is too new, use a newer CUDA toolkit.

    When to ignore it:
    If you do not compile GPU code. Without a sign that you do, this is only a note.

    Sources:
    https://docs.nvidia.com/cuda/cuda-installation-guide-linux/ (host compiler support)
    crt/host_config.h of each toolkit
    """
    compiler = re.match(r"(\d+)", toolkits.compiler_version or "")
    if compiler is None or not is_for_gpus(gpus, container) or not _GCC.fullmatch(toolkits.compiler or ""):
        return
    nvcc = taken_toolkit(toolkits, environ)
    row = matrix.toolkit(nvcc.version) if nvcc is not None and has_nvcc(nvcc, toolkits) and nvcc.version else None
    if nvcc is None or row is None or row.gcc_max is None:
        return
    too_old = int(compiler.group(1)) < _oldest(row.cuda)
    if not too_old and int(compiler.group(1)) <= row.gcc_max:
        return
    wanted = build_wanted(packages, environ, wish, live)
    accepts = f"gcc from {_oldest(row.cuda)} on" if too_old else f"gcc up to {row.gcc_max}"
    yield Problem(
        summary=f"nvcc of CUDA {nvcc.version} accepts {accepts}; this is {toolkits.compiler_version}.",
        subject="gcc",
        severity=None if wanted else "info",
        evidence=(
            seen("C compiler", f"{toolkits.compiler} {toolkits.compiler_version}"),
            seen("nvcc", f"{nvcc.nvcc or nvcc.root}, CUDA {nvcc.version}", nvcc.source),
            seen("it accepts", accepts),
        ),
        fixes=(
            Fix(
                title=f"Compile with gcc {row.gcc_max}",
                safety="safe",
                steps=tuple(
                    SetEnv(name=name, value=f"{program}-{row.gcc_max}")
                    for name, program in (("NVCC_CCBIN", "gcc"), ("CC", "gcc"), ("CXX", "g++"))
                ),
                undo="unset NVCC_CCBIN CC CXX",
            ),
        ),
    )


def _oldest(cuda: CudaVersion) -> int:
    return next((gcc for first, gcc in _OLDEST if cuda >= CudaVersion(first)), 0)
