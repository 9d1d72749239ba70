"""The snapshot: all facts of one examination. Its JSON form is public and versioned."""

from gpudoctor.facts.base import NOT_RECORDED, Fact, Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.libraries import Libraries, Toolkits
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Frameworks, Interpreter, Packages
from gpudoctor.facts.system import Container, Environ, System

SNAPSHOT_SCHEMA = 1

#: A snapshot of facts that were only looked at.
NOT_RUN = Gap(reason="nothing was run")


class Doctor(Fact, frozen=True, kw_only=True):
    """Who looked. `crashes` are our own bugs: probes that raised, with their traceback."""

    version: str
    crashes: tuple[str, ...] = ()


class Snapshot(Fact, frozen=True, kw_only=True, omit_defaults=False):
    """What was seen. Every section is present, absent (None) or not seen (a Gap)."""

    schema: int = SNAPSHOT_SCHEMA
    #: UTC, ISO 8601.
    taken_at: str | None = None
    doctor: Doctor | None = None
    host: System | Gap | None = NOT_RECORDED
    container: Container | Gap | None = NOT_RECORDED
    gpus: Gpus | Gap | None = NOT_RECORDED
    driver: Driver | Gap | None = NOT_RECORDED
    toolkits: Toolkits | Gap | None = NOT_RECORDED
    libraries: Libraries | Gap | None = NOT_RECORDED
    environ: Environ | Gap | None = NOT_RECORDED
    interpreter: Interpreter | Gap | None = NOT_RECORDED
    packages: Packages | Gap | None = NOT_RECORDED
    frameworks: Frameworks | Gap | None = NOT_RECORDED
    live: Live | Gap | None = NOT_RUN


SECTIONS: tuple[str, ...] = (
    "host",
    "container",
    "gpus",
    "driver",
    "toolkits",
    "libraries",
    "environ",
    "interpreter",
    "packages",
    "frameworks",
    "live",
)
