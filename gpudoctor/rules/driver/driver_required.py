"""DRV900: the driver does not meet your requirement."""

from gpudoctor.rules._driver_fixes import newer_driver
from gpudoctor.rules._situation import unmet
from gpudoctor.rules.sections import Driver, Scene, Wish
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen


@rule("DRV900", name="driver-required", severity="error", when="wish.requirements")
def driver_required(driver: Driver | None, wish: Wish, scene: Scene) -> Iterator[Problem]:
    """The driver does not meet your requirement.

    What it means:
    The option --require 'driver>=570' was given, and the NVIDIA driver in use is another one, or there is none.

    Why it breaks:
    The driver's release is not the version of CUDA: 580.65.06 is a driver, 13.0 is a CUDA version.

    How to fix it:
    Install a driver that meets the requirement. When there is no driver at all, another finding says what to do.

    When to ignore it:
    Leave the requirement out.

    Sources:
    The requirement on the command line or in pyproject.toml
    """
    release = driver.release if driver else None
    for requirement in wish.of("driver"):
        if unmet(str(release) if release else None, requirement.comparisons):
            has = (
                f"the NVIDIA driver in use is {release}"
                if release
                else "no NVIDIA driver is in use here that could be read"
            )
            yield problem(
                f"{requirement.text} is required, but {has}.",
                seen("driver in use", release or "none, or not known"),
                subject=requirement.text,
                fixes=newer_driver(scene, requirement.comparisons) if release else (),
            )
