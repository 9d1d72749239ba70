"""TLK003: the C compiler is none that the CUDA compiler (nvcc) accepts: mostly it is too new."""

import re

from gpudoctor.rules._toolkit_taken import build_wanted, has_nvcc, is_for_gpus, taken_toolkit
from gpudoctor.rules.sections import Environ, Gap, Live, Matrix, Scene, Toolkits, Wish
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, problem, rule, seen

_GCC = re.compile(r"(.*/)?(gcc|cc|g\+\+|c\+\+)(-\d+)?")


@rule(
    "TLK003",
    name="nvcc-gcc-too-new",
    severity="error",
    when="toolkits.compiler_version, toolkits.found.nvcc or toolkits.nvcc_on_path or toolkits.excerpt",
)
def nvcc_gcc_too_new(
    toolkits: Toolkits, environ: Environ | Gap | None, live: Live | Gap | None, wish: Wish, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """The C compiler is none that the CUDA compiler (nvcc) accepts: mostly it is too new.

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
    if compiler is None or not is_for_gpus(scene.gpus, scene.container) or not _GCC.fullmatch(toolkits.compiler or ""):
        return
    nvcc = taken_toolkit(toolkits, environ)
    row = matrix.toolkit(nvcc.version) if nvcc is not None and has_nvcc(nvcc, toolkits) and nvcc.version else None
    if nvcc is None or row is None or row.gcc_max is None:
        return
    too_old = row.gcc_min is not None and int(compiler.group(1)) < row.gcc_min
    if not too_old and int(compiler.group(1)) <= row.gcc_max:
        return
    wanted = build_wanted(scene.packages, environ, wish, live)
    accepts = f"gcc from {row.gcc_min} on" if too_old else f"gcc up to {row.gcc_max}"
    yield problem(
        f"nvcc of CUDA {nvcc.version} accepts {accepts}; this is {toolkits.compiler_version}.",
        seen("C compiler", f"{toolkits.compiler} {toolkits.compiler_version}"),
        seen("nvcc", f"{nvcc.nvcc or nvcc.root}, CUDA {nvcc.version}", nvcc.source),
        seen("it accepts", accepts),
        subject="gcc",
        severity=None if wanted else "info",
        fix=Fix(
            f"Compile with gcc {row.gcc_max}",
            "safe",
            tuple(
                SetEnv(name=name, value=f"{program}-{row.gcc_max}")
                for name, program in (("NVCC_CCBIN", "gcc"), ("CC", "gcc"), ("CXX", "g++"))
            ),
            undo="unset NVCC_CCBIN CC CXX",
        ),
    )
