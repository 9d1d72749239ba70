"""Which causes remain, likeliest first: what the rules found, what the messages point to, what the facts exclude."""

from collections.abc import Iterable
from typing import Literal

from gpudoctor.engine.leanings import FOR, excluded, support
from gpudoctor.engine.stated import Stated
from gpudoctor.knowledge import causes_of, words_of_cause
from gpudoctor.model.base import Fact, Gap
from gpudoctor.model.finding import Diagnosis, Finding
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.live import Live
from gpudoctor.model.python import Interpreter, Packages
from gpudoctor.model.snapshot import Snapshot
from gpudoctor.model.system import Container, System
from gpudoctor.rules._declare import Rule

#: How much a finding counts by its confidence.
_SURE = {"certain": 0.97, "likely": 0.8, "possible": 0.4}
#: Rules that say what happens, not why: what they found is looked for a cause.
EFFECTS = frozenset({"cuda-init-failed", "driver-not-answering", "gpu-unreadable", "no-framework", "gpu-required"})
_EFFECT = 0.25
#: What is left of a cause whose rule looked and found nothing. A partial snapshot may have shown it too little.
_CLEAN_WHOLE, _CLEAN_PARTIAL = 0.15, 0.7
_LEAST = 0.02
#: Causes of messages that ask for nothing; and what such a one still counts beside a cause of this weight.
BENIGN = frozenset({"harmless", "tensorrt-not-needed", "toolkit-not-needed", "tf32-off"})
_GRAVE, _BENIGN = 0.3, 0.1
#: How far a message points to a cause; and what is left of a finding that no message of a ticket points to.
_POINTED, _BESIDE = 0.5, 0.65
#: From here on a message leaves little doubt of its cause.
_CLEARLY = 0.85
#: How much a supposed finding counts.
_SUPPOSED = 0.7
#: From here on a cause is not one among several any more.
SETTLED = 0.9


class Candidate(Fact, frozen=True, kw_only=True):
    """A cause that may be behind what was seen."""

    #: The name of a rule, or a key of the causes that no rule tells.
    key: str
    #: The rule's code; None where no rule tells it.
    code: str | None = None
    #: In one sentence.
    words: str
    #: Between 0 and 1.
    weight: float
    #: found: the facts show it. open: messages or facts point to it.
    state: Literal["found", "open"] = "open"

    @property
    def is_effect(self) -> bool:
        """It names what happens, not why."""
        return self.key in EFFECTS or (self.code or "").startswith("SMK")

    @property
    def confidence(self) -> Literal["certain", "likely", "possible"]:
        """The weight in words."""
        if self.state == "found" and self.weight >= SETTLED:
            return "certain"
        return "likely" if self.weight >= 0.6 else "possible"


def candidates(
    snapshot: Snapshot,
    diagnosis: Diagnosis,
    rules: Iterable[Rule],
    *,
    around: Iterable[str] = (),
    partial: bool = False,
    supposed: Iterable[Finding] = (),
) -> tuple[Candidate, ...]:
    """The causes, likeliest first. `around` are surroundings that a text named; `partial`: not all was looked at.

    `supposed` are findings that hold if what nobody states is as it mostly is.
    """
    rules = tuple(rules)
    codes = {rule.name: rule.code for rule in rules}
    summaries = {rule.name: rule.summary for rule in rules}
    stated = Stated(snapshot)
    weights = _priors(snapshot, {*around, *surroundings_of(snapshot)})
    clean = _CLEAN_PARTIAL if partial else _CLEAN_WHOLE
    pointed = {name for name, weight in weights.items() if weight >= _CLEARLY and name not in BENIGN}
    for name in list(weights):
        if codes.get(name) in diagnosis.clean:
            weights[name] *= clean
        elif codes.get(name) in diagnosis.not_applicable:
            weights[name] *= _CLEAN_WHOLE
    settled = frozenset() if partial else {*diagnosis.clean, *diagnosis.not_applicable}
    shown = tuple(finding for finding in diagnosis.findings if not finding.told)
    told = {finding.name for finding in shown}
    for name in FOR:
        # A rule that spoke, or that saw all it needs, knows better than what speaks for its cause.
        if codes.get(name) not in settled and name not in told:
            less = _BESIDE if partial and _is_beside(name, pointed) else 1.0
            weights[name] = _either(weights.get(name, 0.0), support(name, stated) * less)
    weights = {name: weight for name, weight in weights.items() if not excluded(name, stated)}
    found = {finding.name: finding for finding in reversed(shown) if finding.severity != "info"}
    _count_findings(weights, found, partial=partial)
    summaries |= {name: finding.summary for name, finding in found.items()}
    for finding in supposed:
        if (
            not finding.told
            and finding.name not in found
            and finding.severity != "info"
            and not excluded(finding.name, stated)
        ):
            less = _BESIDE if _is_beside(finding.name, pointed.difference(finding.explains)) else 1.0
            weights[finding.name] = _either(weights.get(finding.name, 0.0), _counts(finding) * _SUPPOSED * less)
            summaries[finding.name] = finding.summary
    if any(weight >= _GRAVE for name, weight in weights.items() if name not in BENIGN):
        weights = {name: min(weight, _BENIGN) if name in BENIGN else weight for name, weight in weights.items()}
    rows = (
        Candidate(
            key=name,
            code=codes.get(name),
            words=words_of_cause(name, summaries),
            weight=round(weight, 4),
            state="found" if name in found else "open",
        )
        for name, weight in weights.items()
        if weight >= _LEAST
    )
    order = {finding.name: place for place, finding in reversed(tuple(enumerate(shown)))}
    return tuple(
        # Of equals, what was found, then the cause that its message names first.
        sorted(rows, key=lambda one: (-one.weight, one.state != "found", order.get(one.key, len(order))))
    )


def _priors(snapshot: Snapshot, around: set[str]) -> dict[str, float]:
    symptoms = snapshot.live.symptoms if isinstance(snapshot.live, Live) else ()
    return {cause.key: cause.prior for cause in causes_of(symptoms, around)}


def _count_findings(weights: dict[str, float], found: dict[str, Finding], *, partial: bool) -> None:
    """What the rules found makes causes surer; in a ticket less, where its messages point elsewhere."""
    pointed = {name for name, weight in weights.items() if weight >= _POINTED and name not in BENIGN}
    for name, finding in found.items():
        beside = partial and pointed and name not in pointed and pointed.isdisjoint(finding.explains)
        weights[name] = _either(weights.get(name, 0.0), _counts(finding) * (_BESIDE if beside else 1.0))


def _is_beside(name: str, pointed: set[str]) -> bool:
    """The messages leave little doubt of their cause, and it is another one."""
    return bool(pointed) and name not in pointed


def _counts(finding: Finding) -> float:
    if finding.name in EFFECTS or finding.code.startswith("SMK"):
        return _EFFECT
    sure = _SURE[finding.confidence] * (1.0 if finding.severity == "error" else 0.6)
    return sure * 0.5 if finding.because_of else sure


def _either(one: float, other: float) -> float:
    return 1.0 - (1.0 - one) * (1.0 - other)


def surroundings_of(snapshot: Snapshot) -> frozenset[str]:
    """The surroundings that matter to causes, as far as the facts tell them; words as in `gpudoctor.knowledge`."""
    found: set[str] = set()
    if isinstance(snapshot.host, System):
        found |= {snapshot.host.os} & {"windows", "macos"}  # type: ignore[arg-type]
        found |= {"jetson"} if snapshot.host.tegra else set()
    container = snapshot.container
    if isinstance(container, Container):
        found |= {"wsl"} if container.wsl else set()
        found |= {"wsl-apptainer"} if container.wsl and container.kind == "apptainer" else set()
        found |= {"notebook"} if container.notebook else set()
        found |= {"rootless"} if container.rootless else set()
        found |= {"container"} if container.kind not in (None, "none") or container.kubernetes else set()
        found |= {"slurm"} if container.slurm else set()
    if isinstance(snapshot.gpus, Gpus):
        found |= {"vgpu"} if any(gpu.virtualization == "vgpu" for gpu in snapshot.gpus.nvidia) else set()
        found |= {"several-gpus"} if len(snapshot.gpus.nvidia) > 1 else set()
        found |= {"laptop"} if any("laptop" in (gpu.name or "").lower() for gpu in snapshot.gpus.nvidia) else set()
    torch = snapshot.packages.find("torch") if isinstance(snapshot.packages, Packages) else None
    found |= {"lib64"} if torch and "/lib64/" in (torch.location or "") else set()
    if isinstance(snapshot.interpreter, Interpreter) and (snapshot.interpreter.environment or "").startswith("conda"):
        found.add("conda")
    return frozenset(found)


def is_partial(snapshot: Snapshot) -> bool:
    """Something was not looked at at all."""
    sections = (snapshot.gpus, snapshot.driver, snapshot.libraries, snapshot.packages, snapshot.host)
    return any(isinstance(section, Gap) for section in sections)
