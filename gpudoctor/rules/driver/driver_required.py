"""DRV900: the user requires a driver release."""

from gpudoctor.rules._driver_fixes import newer_driver
from gpudoctor.rules._required import unmet
from gpudoctor.rules.sections import Container, Driver, Gap, System, Wish
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen


@rule("DRV900", name="driver-required", severity="error", when="wish.requirements")
def driver_required(
    driver: Driver | None, host: System | Gap | None, container: Container | Gap | None, wish: Wish
) -> Iterator[Problem]:
    """The driver does not meet your requirement."""
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
                fixes=newer_driver(host, container, requirement.comparisons) if release else (),
            )
