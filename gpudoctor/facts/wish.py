"""The user's requirements as data: `--require gpu`, `--require 'driver>=570'`."""

from gpudoctor.facts.base import Fact


class Requirement(Fact, frozen=True, kw_only=True):
    """One requirement. `subject`: gpu, driver, cuda, compute-capability, python, or a package's normalised name.

    `comparisons` are (operator, version) pairs, all to be met: ((">=", "570"),); empty: it must merely be there.
    """

    subject: str
    comparisons: tuple[tuple[str, str], ...] = ()
    text: str


class Wish(Fact, frozen=True, kw_only=True):
    """All requirements."""

    requirements: tuple[Requirement, ...] = ()

    def of(self, subject: str) -> tuple[Requirement, ...]:
        """The requirements on one subject."""
        return tuple(one for one in self.requirements if one.subject == subject)
