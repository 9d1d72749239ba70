"""FRM004: the installed torchvision or torchaudio is built for a different CUDA version than torch, or CPU-only."""

from gpudoctor.facts.finding import Severity
from gpudoctor.knowledge.frameworks import companions
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.recipes import companions_of
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Matrix, Scene
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen

COMPANIONS = companions()
#: From this release on torchaudio works with any torch that is as new, a CPU build too; it still compares the
#: CUDA versions (torchaudio/_extension/utils.py of the wheel, read 2026-11-22).
FREE_TORCHAUDIO = numbers_of("torchaudio-any-torch")
#: From this release on torchaudio compares its CUDA version with torch's when it is imported (torchaudio/_extension).
STRICT_TORCHAUDIO = numbers_of("torchaudio-compares-cuda")
#: Before this release torchvision compares the minor version too (torchvision/extension.py); later ones the major only.
STRICT_TORCHVISION = numbers_of("torchvision-major-only")


@rule(
    "FRM004",
    name="torch-companion-cuda",
    severity="error",
    when="frameworks.torch.variant, frameworks.torchvision or frameworks.torchaudio",
)
def torch_companion_cuda(frameworks: Frameworks, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The installed torchvision or torchaudio is built for a different CUDA version than torch, or CPU-only.

    What it means:
    The three packages belong together: same release pair and same build. Here one of them comes from another build.

    Why it breaks:
    Their compiled parts call into torch. With a CPU build beside a CUDA build, operators are missing
    ("operator torchvision::nms does not exist", "Couldn't load custom C++ ops"); torchvision refuses another CUDA
    major version, and torchaudio any other CUDA version. It happens when they are installed from different indexes
    or one after the other.

    How to fix it:
    Remove the companion and install it again from the same index as torch.

    When to ignore it:
    If you do not use the companion, it does no harm; uninstalling it is cleaner.

    Sources:
    https://pytorch.org/get-started/previous-versions/
    https://github.com/pytorch/vision/blob/main/torchvision/extension.py
    """
    torch = frameworks.get("torch")
    if torch is None or torch.variant is None:
        return
    for name in COMPANIONS:
        companion = frameworks.get(name)
        severity = _severity(torch, companion) if companion is not None else None
        if companion is None or severity is None:
            continue
        yield problem(
            f"{companion.label} is built for {_kind(companion)}, but torch is built for {_kind(torch)}.",
            seen("torch", f"{torch.version or 'unknown version'}, built for {_kind(torch)}", torch.source),
            seen(name, f"{companion.version or 'unknown version'}, built for {_kind(companion)}", companion.source),
            subject=companion.label,
            severity=severity,
            fix=companions_of(scene, matrix, torch, (name,)),
        )


def _severity(torch: Framework, companion: Framework) -> Severity | None:
    """None where the two fit, or where too little is known."""
    if companion.variant is None or torch.variant is None:
        return None
    numbers = release_numbers(companion.version) or (0,)
    if companion.name == "torchaudio" and numbers >= FREE_TORCHAUDIO and companion.variant != torch.variant:
        return None
    if companion.variant != torch.variant:
        return "warning" if companion.name == "torchaudio" and numbers < STRICT_TORCHAUDIO else "error"
    if torch.variant != "cuda" or torch.cuda is None or companion.cuda is None or companion.cuda == torch.cuda:
        return None
    same_major = companion.cuda.major == torch.cuda.major
    is_lenient = companion.name == "torchvision" and numbers >= STRICT_TORCHVISION
    return "warning" if same_major and is_lenient else "error"


def _kind(framework: Framework) -> str:
    if framework.variant == "cuda":
        return f"CUDA {framework.cuda}" if framework.cuda else "CUDA"
    return {"cpu": "the CPU", "rocm": "AMD GPUs (ROCm)", "xpu": "Intel GPUs", "mps": "Apple GPUs"}.get(
        framework.variant or "", "an unknown device"
    )
