"""FRM008: there is no CUDA on macOS; frameworks use a Mac's GPU through Metal."""

from gpudoctor.knowledge.frameworks import descriptors
from gpudoctor.rules.sections import Frameworks, Gap, System, Wish
from gpudoctor.rules.terms import Ask, Iterator, Problem, by_hand, problem, rule, seen


@rule("FRM008", name="macos-no-cuda", severity="info")
def macos_no_cuda(host: System, frameworks: Frameworks | Gap | None, wish: Wish) -> Iterator[Problem]:
    """There is no CUDA on macOS; frameworks use a Mac's GPU through Metal.

    What it means:
    NVIDIA makes neither drivers nor CUDA for current macOS. No CUDA package can work here, and none is needed.

    Why it breaks:
    Apple's GPUs are programmed through Metal. Code that asks for "cuda" fails on a Mac although its GPU could be used.

    How to fix it:
    Ask for the Metal device instead: "mps" in PyTorch, tensorflow-metal in TensorFlow.

    When to ignore it:
    It is only a note.

    Sources:
    https://docs.pytorch.org/docs/stable/notes/mps.html
    https://developer.apple.com/metal/tensorflow-plugin/
    """
    advised = {one.name: one.on_macos for one in descriptors() if one.on_macos}
    found = [name for name in advised if isinstance(frameworks, Frameworks) and frameworks.get(name) is not None]
    asked = wish.of("gpu") or wish.of("cuda") or wish.of("compute-capability")
    if host.os != "macos" or not (found or asked):
        return
    advice = tuple(Ask(text=advised[name]) for name in found or advised)
    yield problem(
        "macOS has no CUDA; frameworks use a Mac's GPU through Metal.",
        seen("operating system", host.pretty_name or "macOS"),
        fix=by_hand("Use the GPU of the Mac through Metal", *advice),
    )
