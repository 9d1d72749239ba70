"""BOX028: the container image is made for another release of this Jetson's system (L4T)."""

from gpudoctor.rules.sections import Container, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen
from gpudoctor.sources.system import release_of, release_of_image

#: Lines within which images are said to run: JetPack 4 by minor releases, JetPack 5 and 6 each as a whole.
BY_MINOR, WHOLE = (32,), (35, 36)


@rule("BOX028", name="l4t-image-mismatch", severity="error", when="host.tegra, container.image")
def l4t_image_mismatch(host: System, container: Container) -> Iterator[Problem]:
    """The container image is made for another release of this Jetson's system (L4T).

    What it means:
    An image for Jetson boards names in its tag the release of L4T that it is made for: r32.7.1, r35.4.1. The board runs
    another line of releases.

    Why it breaks:
    On JetPack 4 (L4T 32) CUDA, cuDNN and the driver are not in the image: the container gets those of the board, which
    are of the board's release. A library that the image needs is then missing or of another version, such as
    libcurand.so.10. Images for a later JetPack bring CUDA, which needs the driver of that JetPack.

    How to fix it:
    Take an image whose tag names the board's L4T, or bring the board to the JetPack of the image.

    When to ignore it:
    If the program in the image does not use the GPU.

    Sources:
    https://github.com/dusty-nv/jetson-containers (R32.7 images run on R32.7, R35.x on R35.x)
    https://github.com/dusty-nv/jetson-containers/issues/353 (images for R36 on R35)
    """
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
