"""FRM030: the macOS here is too old for the GPU support of the installed PyTorch."""

from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.metal import floor_missed
from gpudoctor.rules.sections import Frameworks, Matrix, Scene, System
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen


@rule("FRM030", name="macos-too-old-for-mps", severity="warning", when="frameworks.torch.version")
def macos_too_old_for_mps(host: System, frameworks: Frameworks, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The macOS here is too old for the GPU support of the installed PyTorch.

    What it means:
    PyTorch uses a Mac's GPU through Metal (the device "mps"): from 1.12 on with macOS 12.3, from 2.5 on with macOS 13,
    from 2.9 on with macOS 14. Its packages install on older systems, too.

    Why it breaks:
    `torch.backends.mps.is_built()` is True and `is_available()` is False. The message names the floor of an earlier
    release at times: 2.5 still said "12.3+", and 2.10's previews said "13.0+".

    How to fix it:
    Update macOS. Or install a release of PyTorch that uses the GPU on this one.

    When to ignore it:
    If PyTorch is meant to run on the processor.

    Sources:
    https://github.com/pytorch/pytorch/pull/133141
    https://github.com/pytorch/pytorch/pull/162921
    https://github.com/pytorch/pytorch/issues/164943
    """
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
