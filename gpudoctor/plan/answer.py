"""The data that goes into the solver (wishes) and comes out (environments, or why nothing fits)."""

from gpudoctor.facts.base import Fact
from gpudoctor.knowledge.matrix.types import Grade
from gpudoctor.plan.constraints import Constraint, Obstacle
from gpudoctor.plan.machine import Machine


class Wanted(Fact, frozen=True, kw_only=True):
    """One framework that is wanted. Specifiers as in a requirement (PEP 440), ">=2.6,<2.8"; empty: any."""

    framework: str
    specifier: str = ""
    #: torchvision and torchaudio, each with its specifier.
    companions: tuple[tuple[str, str], ...] = ()
    #: The CUDA it is to be built for: 12.6, or 12. Releases of TensorFlow and JAX are told apart by the major only.
    cuda: str | None = None


class Reason(Fact, frozen=True, kw_only=True):
    """A constraint that a build meets, in words."""

    constraint: Constraint
    text: str


class NotNewer(Fact, frozen=True, kw_only=True):
    """The next newer build, and what keeps it from being proposed."""

    build: str
    obstacles: tuple[Obstacle, ...]

    @property
    def words(self) -> str:
        """The build, and each reason once: two GPUs can give the same."""
        words = (f"{one.text} (would do: {one.change})" if one.change else one.text for one in self.obstacles)
        return f"not {self.build}: {'; '.join(dict.fromkeys(words))}"


class Proposal(Fact, frozen=True, kw_only=True):
    """A build that fits, with the facts it meets."""

    framework: str
    build: str
    version: str
    variant: str
    cuda: str | None = None
    #: What to ask pip for, companions and bounds on NumPy and protobuf included.
    requirements: tuple[str, ...]
    #: Below the PyTorch download site; None: the package index.
    index_url: str | None = None
    #: Links to make once it is installed, and what each leads to: both below site-packages.
    links: dict[str, str] = {}
    why: tuple[Reason, ...] = ()
    why_not_newer: NotNewer | None = None
    #: What does not work, or needs something else, although the build runs.
    limits: tuple[str, ...] = ()
    source: str = ""
    checked: str = ""
    confidence: Grade = "secondhand"
    #: This build in an environment of its own, as arguments.
    command: tuple[str, ...] = ()


class Environment(Fact, frozen=True, kw_only=True):
    """Builds that share one environment, and the command that installs them."""

    proposals: tuple[Proposal, ...]
    command: tuple[str, ...]
    #: Packages that go with the frameworks, as the command asks for them or for those after it.
    extras: tuple[str, ...] = ()
    #: Commands that come afterwards: what is compiled against the frameworks.
    after: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()


class Way(Fact, frozen=True, kw_only=True):
    """Changes that, all together, would let a build fit."""

    obstacles: tuple[Obstacle, ...]
    build: str | None = None


class Partial(Fact, frozen=True, kw_only=True):
    """A build that serves some of the GPUs only."""

    build: str
    serves: tuple[str, ...]
    leaves_out: tuple[str, ...]
    command: tuple[str, ...]


class Refusal(Fact, frozen=True, kw_only=True):
    """Nothing fits: the constraint that fails, and the nearest changes that would do, the easiest first."""

    framework: str
    constraint: Constraint
    text: str
    ways: tuple[Way, ...] = ()
    partly: tuple[Partial, ...] = ()
    #: The maker's own builds that serve this machine, in words, each with its page.
    elsewhere: tuple[str, ...] = ()


class Span(Fact, frozen=True, kw_only=True):
    """The oldest and the newest build of a framework that fit; `nearest` to what is installed, where that was named."""

    framework: str
    oldest: Proposal
    newest: Proposal
    nearest: Proposal | None = None
    #: How many releases fit.
    releases: int


class Fit(Fact, frozen=True, kw_only=True):
    """The answer: environments to make, or refusals; never neither."""

    machine: Machine
    environments: tuple[Environment, ...] = ()
    #: Why the frameworks do not share one environment.
    separate_because: str | None = None
    #: Other builds that fit, best first.
    alternatives: tuple[Proposal, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    #: From the oldest to the newest that fits, of each framework; empty where that was not asked.
    spans: tuple[Span, ...] = ()
    #: What is not known and was therefore not judged.
    not_judged: tuple[str, ...] = ()
    #: The same where a build fits, but leaves the GPU alone.
    elsewhere: tuple[str, ...] = ()
    #: The day (ISO) it is asked for, and what is to be known of it; None: today.
    as_of: str | None = None
    then: tuple[str, ...] = ()
