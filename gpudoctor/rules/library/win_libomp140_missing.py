"""LIB021: a file that PyTorch 2.4.0 for Windows needs, and that comes only with Microsoft's compiler, is missing."""

from gpudoctor.knowledge.milestones import milestone, numbers_of
from gpudoctor.plan.places import install, safety, wheel_platform
from gpudoctor.plan.recipes import COMPANIONS, companion_pins
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Frameworks, Libraries, Matrix, Scene, System
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, seen

NAME = "libomp140.x86_64.dll"
AFFECTED, MENDED = numbers_of("torch-windows-libomp"), milestone("torch-windows-libomp-mended")


@rule("LIB021", name="win-libomp140-missing", severity="error")
def win_libomp140_missing(
    libraries: Libraries, frameworks: Frameworks, host: System, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """A file that PyTorch 2.4.0 for Windows needs, and that comes only with Microsoft's compiler, is missing.

    What it means:
    The Windows wheel of PyTorch 2.4.0 needs libomp140.x86_64.dll and does not bring it.

    Why it breaks:
    `import torch` ends with "[WinError 126] ... Error loading fbgemm.dll or one of its dependencies".

    How to fix it:
    Install PyTorch 2.4.1 or newer.

    When to ignore it:
    Never: the import fails.

    Sources:
    https://github.com/pytorch/pytorch/issues/131662 (release 2.4.0; fixed in 2.4.1 by pull request 130697)
    """
    torch = frameworks.get("torch")
    if host.os != "windows" or torch is None or release_numbers(torch.version) != AFFECTED or libraries.dlls is None:
        return
    if NAME not in libraries.dlls or libraries.dlls[NAME] is not None:
        return
    tag = f"+{torch.version.partition('+')[2]}" if torch.version and "+" in torch.version else ""
    index = f"https://download.pytorch.org/whl/{tag[1:]}" if tag else None
    build = matrix.torch_build(f"{MENDED}{tag or '+cpu'}")
    present = tuple(name for name in COMPANIONS if scene.find(name) is not None)
    pins = companion_pins(build, present, wheel_platform(host) if tag else None) if build is not None else ()
    yield problem(
        f"{torch.label} needs {NAME}, which is not on this machine.",
        seen(NAME, "not found"),
        seen("torch", torch.version, torch.source),
        subject=torch.label,
        fix=Fix(
            f"Install PyTorch {MENDED}", safety(scene), install(scene, f"torch=={MENDED}{tag}", *pins, index=index)
        ),
    )
