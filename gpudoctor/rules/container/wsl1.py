"""BOX012: WSL 1 has no GPU."""

from gpudoctor.rules._situation import kernel_of
from gpudoctor.rules.sections import Container, Gap, System, Wish
from gpudoctor.rules.terms import Ask, Iterator, Problem, by_hand, problem, rule, seen


@rule("BOX012", name="wsl1", severity="warning")
def wsl1(container: Container, host: System | Gap, wish: Wish) -> Iterator[Problem]:
    """WSL 1 cannot use a GPU; WSL 2 can."""
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
