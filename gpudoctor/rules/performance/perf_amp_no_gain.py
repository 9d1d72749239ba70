"""PRF002: mixed precision with NVIDIA's apex gains less than PyTorch's own, or nothing on this GPU."""

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Frameworks, Gpus, Matrix, Packages
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: torch.cuda.amp came with PyTorch 1.6 and took the place of apex.amp.
BUILT_IN = numbers_of("torch-mixed-precision")
#: The first GPUs with units for 16-bit matrix products.
VOLTA = Capability("7.0")


@rule("PRF002", name="perf-amp-no-gain", severity="info", when="frameworks.torch, packages.apex, gpus.nvidia")
def perf_amp_no_gain(gpus: Gpus, packages: Packages, frameworks: Frameworks, matrix: Matrix) -> Iterator[Problem]:
    """Mixed precision with NVIDIA's apex gains less than PyTorch's own, or nothing on this GPU.

    What it means:
    Mixed precision calculates in 16 bits where that is safe. It is faster only on GPUs with units for it (Volta and
    later). PyTorch has it built in since 1.6; the package apex, which did it before, is no longer developed.

    Why it breaks:
    On older GPUs there is nothing to gain but memory. Apex, installed without its compiled parts, can even be slower.

    How to fix it:
    Use torch.amp instead of apex.amp. On a GPU before Volta leave mixed precision off.

    When to ignore it:
    When you use other parts of apex, or a measurement shows a gain: gpudoctor has not measured here.

    Sources:
    https://github.com/NVIDIA/apex (apex.amp is deprecated); PyTorch, automatic mixed precision,
    https://pytorch.org/docs/stable/amp.html
    """
    torch, apex = frameworks.get("torch"), packages.find("apex")
    numbers = release_numbers(torch.version) if torch else None
    capabilities = [capability for gpu in gpus.nvidia if (capability := matrix.capability(gpu))]
    if torch is None or apex is None or numbers is None or not capabilities:
        return
    old_gpu = max(capabilities) < VOLTA
    if not old_gpu and numbers[:2] < BUILT_IN:
        return
    why = "this GPU has no units for 16-bit matrix products" if old_gpu else "PyTorch's own has taken its place"
    text = "Leave mixed precision off on this GPU." if old_gpu else "Use torch.amp.autocast instead of apex.amp."
    yield problem(
        f"Mixed precision with apex gains little here: {why}.",
        seen("apex", apex.version),
        seen("PyTorch", torch.version),
        seen("highest compute capability", max(capabilities)),
        confidence="possible",
        fix=by_hand("Use what PyTorch brings", text),
    )
