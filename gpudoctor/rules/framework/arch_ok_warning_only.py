"""FRM026: PyTorch prints a harmless warning about this GPU."""

from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules._gpu_labels import evidence_of, labels_with_capability
from gpudoctor.rules.builds import capability_of, device_code, release_numbers, services
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Matrix, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule

#: From here on PyTorch asks what its code runs on, not which number is higher.
FIRST_QUIET = numbers_of("torch-compares-code")


@rule("FRM026", name="arch-ok-warning-only", severity="info", when="frameworks.torch.variant=cuda, gpus.nvidia")
def arch_ok_warning_only(
    gpus: Gpus, frameworks: Frameworks, host: System | Gap | None, matrix: Matrix
) -> Iterator[Problem]:
    """PyTorch prints a harmless warning about this GPU.

    What it means:
    PyTorch compares the GPU's compute capability with the newest one it was compiled for, and warns when the GPU's is
    higher: 12.1 (GB10 of a DGX Spark) against 12.0. Code for 12.0 runs on 12.1 all the same. PyTorch 2.11 and newer
    know that and do not warn.

    Why it breaks:
    It does not. Machine code serves GPUs of the same first number with an equal or higher second number.

    How to fix it:
    Nothing is to be done.

    When to ignore it:
    Always, unless a computation fails.

    Sources:
    https://docs.nvidia.com/cuda/cuda-c-programming-guide/#application-compatibility
    https://github.com/pytorch/pytorch/blob/v2.11.0/torch/cuda/__init__.py (_check_capability)
    """
    torch = frameworks.get("torch")
    code = device_code(torch, matrix, host) if torch is not None and torch.variant == "cuda" else None
    if torch is None or code is None or (release_numbers(torch.version) or ()) >= FIRST_QUIET:
        return
    newest = max(capability_of(arch) for arch in code.archs)
    served = [
        one
        for one in services(code, torch.cuda, gpus, matrix)
        if one.coverage == "native" and one.capability > newest and one.capability.major == newest.major
    ]
    if not served:
        return
    names = labels_with_capability(served)
    text = f"PyTorch's warning about compute capability {served[0].capability} can be ignored."
    yield problem(
        f"{torch.label} warns about {names}, but runs on it with its code for {newest}.",
        *evidence_of(served),
        code.evidence(torch),
        subject=torch.label,
        fix=by_hand("Nothing to do", text),
    )
