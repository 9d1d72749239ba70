"""FRM030: this macOS is older than what the installed PyTorch needs to use the Mac's GPU."""

from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.metal import floor_missed
from gpudoctor.rules.sections import Frameworks, Matrix, Scene, System
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen


@rule("FRM030", name="macos-too-old-for-mps", severity="warning", when="frameworks.torch.version")
def macos_too_old_for_mps(host: System, frameworks: Frameworks, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The macOS here is too old for the GPU support of the installed PyTorch."""
    torch, release = frameworks.get("torch"), LibraryVersion.parse(host.distribution_version)
    floor = floor_missed(torch.version, release) if torch is not None and torch.version else None
    if host.os != "macos" or host.arch == "x86_64" or torch is None or floor is None:
        return
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.metal_fix import torch_for_mac

    yield problem(
        f"{torch.label} uses a Mac's GPU from macOS {floor} on, and this is {release}.",
        seen("operating system", host.pretty_name or f"macOS {release}"),
        seen("PyTorch", torch.version or ""),
        fix=torch_for_mac(floor, scene, matrix),
    )
