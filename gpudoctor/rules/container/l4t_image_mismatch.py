"""BOX028: the image is made for another release of a Jetson's system."""

from gpudoctor.rules.sections import Container, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen
from gpudoctor.sources.l4t import release_of, release_of_image

#: Lines within which images are said to run: JetPack 4 by minor releases, JetPack 5 and 6 each as a whole.
BY_MINOR, WHOLE = (32,), (35, 36)


@rule("BOX028", name="l4t-image-mismatch", severity="error", when="host.tegra, container.image")
def l4t_image_mismatch(host: System, container: Container) -> Iterator[Problem]:
    """The container image is made for another release of this Jetson's system (L4T)."""
    board, image = release_of(host.tegra or ""), release_of_image(container.image or "")
    if board is None or image is None or _line(board) is None or _line(image) is None or _line(board) == _line(image):
        return
    yield problem(
        f"The image is made for L4T {image}, and this Jetson runs L4T {board}.",
        seen("Jetson", host.tegra),
        seen("image", container.image),
        subject=container.image,
        confidence="likely",
        fix=by_hand(
            "Use an image for this board's release",
            f"Take a tag of the image for L4T {_line(board)} (r{board}), or bring the board to the JetPack with L4T "
            f"{_line(image)}.",
        ),
    )


def _line(release: str) -> str | None:
    """The releases that share their images; None is not known."""
    major, _, rest = release.partition(".")
    if int(major) in BY_MINOR:
        return f"{major}.{rest.partition('.')[0]}"
    return major if int(major) in WHOLE else None
