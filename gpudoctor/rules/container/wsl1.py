"""BOX012: WSL 1 cannot use a GPU; WSL 2 can."""

from gpudoctor.rules._situation import kernel_of
from gpudoctor.rules.sections import Container, Gap, System, Wish
from gpudoctor.rules.terms import Ask, Iterator, Problem, by_hand, problem, rule, seen


@rule("BOX012", name="wsl1", severity="warning")
def wsl1(container: Container, host: System | Gap, wish: Wish) -> Iterator[Problem]:
    """WSL 1 cannot use a GPU; WSL 2 can.

    What it means:
    There are two kinds of the Windows Subsystem for Linux. WSL 1 translates calls of Linux programs; it has no Linux
    kernel and no way to the GPU. WSL 2 has both.

    Why it breaks:
    The distribution was installed as, or converted to, WSL 1.

    How to fix it:
    Convert it to WSL 2 in Windows. Your files stay.

    When to ignore it:
    When you need no GPU in WSL. It is an error where a GPU is required, or nvidia-smi was tried.

    Sources:
    Microsoft, comparing WSL versions, https://learn.microsoft.com/windows/wsl/compare-versions
    """
    wsl = container.wsl
    if wsl is None or wsl.version != 1:
        return
    steps = (
        Ask(text="In Windows, list your distributions: wsl --list --verbose"),
        Ask(text="Convert this one: wsl --set-version NAME 2"),
    )
    yield problem(
        "This is WSL 1, which cannot use a GPU; WSL 2 can.",
        seen("WSL version", 1),
        seen("kernel", kernel_of(host) or "not known"),
        severity="error" if wish.of("gpu") else None,
        fix=by_hand("Convert the distribution to WSL 2", *steps, undo="wsl --set-version NAME 1"),
    )
