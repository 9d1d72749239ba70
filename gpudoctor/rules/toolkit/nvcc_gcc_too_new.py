"""TLK003: the C compiler is newer than the CUDA compiler (nvcc) accepts."""

import re

from gpudoctor.rules._building import build_wanted
from gpudoctor.rules.sections import Environ, Gap, Gpus, Live, Matrix, Packages, Toolkits, Wish
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, rule, seen


@rule("TLK003", name="nvcc-gcc-too-new", severity="error", since="0.1")
def nvcc_gcc_too_new(
    gpus: Gpus,
    toolkits: Toolkits,
    packages: Packages | Gap | None,
    environ: Environ | Gap | None,
    live: Live | Gap | None,
    wish: Wish,
    matrix: Matrix,
) -> Iterator[Problem]:
    """The C compiler is newer than the CUDA compiler (nvcc) accepts.

    What it means:
    nvcc hands part of its work to gcc, and each CUDA version accepts gcc up to a certain one.

    Why it breaks:
    nvcc stops with "unsupported GNU version! gcc versions later than N are not supported".

    How to fix it:
    Install an older gcc beside the new one and name it in NVCC_CCBIN, CC and CXX. Or use a newer CUDA toolkit.

    When to ignore it:
    If you do not compile GPU code. Without a sign that you do, this is only a note.

    Sources:
    https://docs.nvidia.com/cuda/cuda-installation-guide-linux/ (host compiler support)
    crt/host_config.h of each toolkit
    """
    if not gpus.nvidia or not re.fullmatch(r"(.*/)?(gcc|cc|g\+\+|c\+\+)(-\d+)?", toolkits.compiler or ""):
        return
    compiler = re.match(r"(\d+)", toolkits.compiler_version or "")
    nvcc = next((one for one in toolkits.found if one.nvcc is not None and one.nvcc == toolkits.nvcc_on_path), None)
    row = matrix.toolkit(nvcc.version) if nvcc is not None and nvcc.version is not None else None
    if compiler is None or nvcc is None or row is None or row.gcc_max is None or int(compiler.group(1)) <= row.gcc_max:
        return
    wanted = build_wanted(packages, environ, wish, live)
    yield Problem(
        summary=f"nvcc of CUDA {nvcc.version} accepts gcc up to {row.gcc_max}; this is {toolkits.compiler_version}.",
        subject="gcc",
        severity=None if wanted else "info",
        evidence=(
            seen("C compiler", f"{toolkits.compiler} {toolkits.compiler_version}"),
            seen("nvcc", f"{nvcc.nvcc}, CUDA {nvcc.version}", nvcc.source),
            seen("newest gcc it accepts", row.gcc_max),
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
