"""FRM027: a CPU-only build of PaddlePaddle is installed, which uses no GPU."""

from gpudoctor.knowledge.frameworks import computing, descriptors
from gpudoctor.plan.recipes import from_its_makers
from gpudoctor.rules.builds import gpu_names, is_jetson
from gpudoctor.rules.sections import Frameworks, Gpus, Matrix, Scene, System
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen


@rule("FRM027", name="framework-cpu-only", severity="error", when="frameworks.found.variant=cpu, gpus.nvidia")
def framework_cpu_only(
    gpus: Gpus, frameworks: Frameworks, host: System, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """A CPU-only build of PaddlePaddle is installed, which uses no GPU.

    What it means:
    The framework in this environment contains no CUDA code, so it lists no GPU. Its own version file says so.

    Why it breaks:
    PaddlePaddle has one package for the processor, paddlepaddle, and another for NVIDIA GPUs, paddlepaddle-gpu. Both
    own the same files: where both are installed, those of the one installed last are on the disk.

    How to fix it:
    Uninstall both packages, then install the one for GPUs from its makers' index, for a CUDA that your driver serves.

    When to ignore it:
    If the framework is meant to stay on the processor. That is likely where another framework already uses the GPU, so
    this is then only a note.

    Sources:
    https://www.paddlepaddle.org.cn/documentation/docs/en/install/pip/linux-pip_en.html
    """
    if not gpus.nvidia or host.os not in ("linux", "windows") or is_jetson(host):
        return
    others = [name for name in computing() if (one := frameworks.get(name)) and one.variant == "cuda"]
    # The frameworks with a reader of their own have a rule of their own, too.
    for known in (one for one in descriptors() if one.build_file is not None):
        found = frameworks.get(known.name)
        if found is None or found.variant != "cpu":
            continue
        hidden = [name for name, kind in known.variants.items() if kind == "cuda" and scene.find(name) is not None]
        yield problem(
            f"{found.label} is a CPU-only build, so it cannot use {gpu_names(gpus)}.",
            seen(f"{known.title} build", f"{found.dist or known.packages[0]}, no CUDA", found.source),
            *(seen("GPU", gpu.label, gpu.source) for gpu in gpus.nvidia),
            *(seen("installed too, and overwritten by it", name) for name in hidden),
            *(seen("GPU build of another framework", name) for name in others),
            subject=found.label,
            severity="info" if others else None,
            fix=from_its_makers(known.name, scene, matrix),
        )
