"""LIB014: JAX or TensorFlow would use a ptxas that is too old, because it comes first on PATH."""

from gpudoctor.facts.finding import Severity
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.milestones import milestone, numbers_of
from gpudoctor.rules._xla import Ptxas, calls_ptxas_of_path, jax_kernels, ptxas_of_packages, ptxas_on_path
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Gpus, Matrix, Packages, Toolkits
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: XLA itself warns of older ones: they are known to compile wrongly.
FIRST_SOUND = CudaVersion(milestone("ptxas-sound"))

#: TensorFlow takes the ptxas of PATH first; from 2.14 on its extra brings one along, and it is not known which is used.
FIRST_TF, LAST_TF = numbers_of("tensorflow-ptxas-of-path"), numbers_of("tensorflow-cuda-extra")


@rule("LIB014", name="xla-ptxas-old", severity="error")
def xla_ptxas_old(
    gpus: Gpus, toolkits: Toolkits, frameworks: Frameworks, packages: Packages | Gap | None, matrix: Matrix
) -> Iterator[Problem]:
    """JAX or TensorFlow would use a ptxas that is too old, because it comes first on PATH.

    What it means:
    XLA, the compiler in JAX and TensorFlow, writes PTX and calls the program ptxas to turn it into machine code. It
    takes the one of PATH before the one of its own packages, and that one belongs to an older CUDA toolkit.

    Why it breaks:
    An older ptxas does not read newer PTX ("Unsupported .version 8.4; current version is '8.2'") or does not know the
    GPU. One older than 11.1 is known to compile wrongly, and XLA warns of it.

    How to fix it:
    Take that toolkit's bin folder out of PATH for this program, or put a newer ptxas before it: that of
    a newer toolkit, or of the package nvidia-cuda-nvcc (CUDA 13) or nvidia-cuda-nvcc-cu12 (CUDA 12).

    When to ignore it:
    If this JAX is a newer build that brings its compiler along and you see no such message.

    Sources:
    https://github.com/openxla/xla (tsl/platform/cuda_root_path.h: PreferPtxasFromPath)
    https://docs.nvidia.com/cuda/parallel-thread-execution/#release-notes
    """
    caller, first = _caller(frameworks), ptxas_on_path(toolkits)
    if not gpus.nvidia or caller is None or first is None:
        return
    own = ptxas_of_packages(packages)
    who, judged = "JAX", _judge(caller, first, own, gpus, matrix)
    if caller.name == "tensorflow":
        # It needs ptxas for what XLA compiles, and from 2.5 on lets the driver compile what ptxas does not know.
        who, judged = "TensorFlow", _judge_for_any(first, gpus, matrix)
        judged = judged and ("warning", judged[1])
    if judged is None:
        return
    severity, reason = judged
    folder = first.where.replace("\\", "/").rpartition("/")[0]
    yield problem(
        f"{who} would call ptxas {first.version} of {first.where}, {reason}.",
        seen("first ptxas on PATH", f"{first.where}, {first.version}"),
        seen("ptxas of the environment", f"{own.version} of {own.where}" if own else "none found"),
        seen(who, caller.label, caller.source),
        subject=first.where,
        severity=severity,
        confidence="likely",
        fix=by_hand(
            "Let a newer ptxas come first on PATH",
            f"Take {folder} out of PATH where it is set (~/.bashrc, a module), then start again.",
        ),
    )


def _caller(frameworks: Frameworks) -> Framework | None:
    """What would call the ptxas of PATH."""
    jax, tensorflow = jax_kernels(frameworks), frameworks.get("tensorflow")
    if jax is not None and calls_ptxas_of_path(jax):
        return jax
    if tensorflow is None or tensorflow.variant != "cuda":
        return None
    return tensorflow if FIRST_TF <= (release_numbers(tensorflow.version) or (0,)) < LAST_TF else None


def _judge(
    jax: Framework, first: Ptxas, own: Ptxas | None, gpus: Gpus, matrix: Matrix
) -> tuple[Severity | None, str] | None:
    if (judged := _judge_for_any(first, gpus, matrix)) is not None:
        return judged
    if own is not None and first.cuda < own.cuda:
        return None, f"older than the {own.version} of the environment, and cannot read the PTX made for that one"
    if jax.cuda is not None and first.cuda.major < jax.cuda.major:
        return None, f"while JAX is built for CUDA {jax.cuda}"
    return None


def _judge_for_any(first: Ptxas, gpus: Gpus, matrix: Matrix) -> tuple[Severity | None, str] | None:
    """What holds of it for whoever calls it."""
    row = matrix.toolkit(first.cuda)
    newest = max(row.capabilities, default=None) if row is not None else None
    for gpu in gpus.nvidia:
        capability = matrix.capability(gpu)
        if newest is not None and capability is not None and capability > newest:
            return None, f"which does not know {gpu.label} (compute capability {capability})"
    if first.cuda < FIRST_SOUND:
        return "warning", "and versions before 11.1 are known to miscompile"
    return None
