"""FRM003: the GPU is too old for the installed framework build."""

from gpudoctor.facts.finding import Severity
from gpudoctor.knowledge.matrix.pairs import oldest_gpu_of
from gpudoctor.rules._driver_state import usable
from gpudoctor.rules._gpu_labels import evidence_of, labels_with_capability
from gpudoctor.rules._situation import known
from gpudoctor.rules.builds import (
    built_for_cuda,
    device_code,
    gpu_names,
    index_code,
    is_jetson,
    is_left_out,
    possible_code,
    services,
)
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Matrix, Packages, Scene, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: Packages with kernels of their own, whose oldest GPU the matrix has. flash-attn is often only installed, and used
#: where a program asks for it.
WITH_KERNELS: dict[str, Severity | None] = {"vllm": None, "flash-attn": "warning"}


@rule("FRM003", name="arch-too-old-for-build", severity="error")
def arch_too_old_for_build(gpus: Gpus, frameworks: Frameworks, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The GPU is too old for the installed framework build.

    What it means:
    The framework's machine code begins at a newer architecture than this GPU has, or leaves it out. The GPU is found,
    but the first computation ends with "no kernel image is available for execution on the device".

    Why it breaks:
    New builds drop old architectures. CUDA 13 ended support for Maxwell, Pascal and Volta (GeForce GTX 900 and 10
    series, Titan V, Tesla P100 and V100), and PyTorch's CUDA 12.8 builds already left out Maxwell and Pascal. A plain
    `pip install torch` follows the newest CUDA, not your GPU.

    How to fix it:
    Install a build for an older CUDA version of the same release, where there is one: PyTorch's cu126 builds keep
    compute capability 5.0 to 7.0. Else install an older release. A newer driver does not help.

    When to ignore it:
    If this GPU only drives a display and the computing is done on another one.

    Sources:
    https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/ (deprecated architectures)
    https://pytorch.org/get-started/previous-versions/
    https://docs.vllm.ai/en/v0.4.0.post1/getting_started/installation.html (7.0) and v0.21.0 (7.5)
    https://github.com/Dao-AILab/flash-attention (from release 2 on: Ampere, Ada or Hopper)
    """
    torch_lacks_code = False
    for framework in built_for_cuda(frameworks):
        code = (
            device_code(framework, matrix, scene.host)
            or index_code(framework, scene.packages, matrix, scene.host)
            or possible_code(framework, matrix)
        )
        if code is None or is_jetson(scene.host):
            continue
        found = services(code, framework.cuda, gpus, matrix)
        unserved = [
            one
            for one in found
            if one.coverage == "none" and (one.capability < code.lowest or is_left_out(code, one.capability, matrix))
        ]
        if not unserved:
            continue
        # Imported here: most builds have code for the GPU.
        from gpudoctor.plan.recipes import framework_for_gpus

        names = labels_with_capability(unserved)
        below = all(one.capability < code.lowest for one in unserved)
        what = f"its code begins at {code.lowest}" if below else "it was compiled for others only"
        only_displays = len(unserved) < len(found) and all(one.gpu.display_active for one in unserved)
        yield problem(
            f"{framework.label} has no code that runs on {names}: {what}.",
            *evidence_of(unserved),
            code.evidence(framework),
            subject=framework.label,
            severity="info" if only_displays else None,
            confidence="certain" if code.of is None else "likely",
            fix=framework_for_gpus(framework.name, scene, matrix, framework.version),
        )
        torch_lacks_code |= framework.name == "torch"
    if not torch_lacks_code:
        yield from _of_extensions(gpus, known(scene.packages), scene.host, matrix)


def _of_extensions(
    gpus: Gpus, packages: Packages | None, host: System | Gap | None, matrix: Matrix
) -> Iterator[Problem]:
    """Packages with kernels of their own, whose makers name the oldest GPU."""
    if packages is None or is_jetson(host):
        return
    for name, severity in WITH_KERNELS.items():
        package = packages.find(name)
        floor = oldest_gpu_of(name, package.version, matrix) if package else None
        if package is None or floor is None:
            continue
        capable = [(gpu, matrix.capability(gpu)) for gpu in usable(gpus)]
        older = [(gpu, capability) for gpu, capability in capable if capability is not None and capability < floor]
        if not older or len(older) < len(capable):
            continue
        label = f"{name} {package.version}"
        text = f"Use a GPU of compute capability {floor} or newer, or a program that does without {name}."
        yield problem(
            f"{label} has no code for {gpu_names(gpus)}: it needs compute capability {floor} or newer.",
            *(seen(f"{gpu.label}: compute capability", capability, gpu.source) for gpu, capability in older),
            seen(f"oldest GPU of {name}", f"compute capability {floor}, as its makers say"),
            subject=label,
            severity=severity,
            confidence="likely",
            fix=by_hand(f"Do without {name} on this GPU", text),
        )
