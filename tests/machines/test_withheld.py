"""What was not seen is never called well: each healthy machine, less a section or a fact that a verdict rests on."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.libraries import Libraries
from gpudoctor.facts.python import Framework, Frameworks, Packages
from gpudoctor.facts.snapshot import SECTIONS, Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from tests.machines.healthy import HEALTHY
from tests.machines.healthy.look import look

GAP = Gap(reason="not seen")
WELL = [name for name in HEALTHY if HEALTHY[name].verdict == "healthy"]
#: Not needed for a verdict: live is not run in a static look.
WITHHELD = [name for name in SECTIONS if name != "live"]


def verdict(snapshot: Snapshot) -> str:
    matrix = load_matrix()
    return report_of(snapshot, diagnose(snapshot, matrix, load_rules()), matrix=matrix).verdict


@pytest.mark.parametrize("section", WITHHELD)
def test_no_machine_is_well_without_a_section(section: str) -> None:
    """Every machine on which all is well, with this section not seen."""
    assert [name for name in WELL if verdict(replace(look(name).snapshot, **{section: GAP})) == "healthy"] == []


def _frameworks(**changes: object) -> Callable[[Snapshot], Snapshot | None]:
    def withheld(snapshot: Snapshot) -> Snapshot | None:
        found = snapshot.frameworks.found if isinstance(snapshot.frameworks, Frameworks) else ()
        if not any(_is_played(one) for one in found):
            return None
        less = tuple(replace(one, **changes) if _is_played(one) else one for one in found)
        return replace(snapshot, frameworks=Frameworks(found=less))

    return withheld


def _is_played(one: Framework) -> bool:
    return one.variant == "cuda" and one.name in ("torch", "tensorflow")


def _part(section: str, kind: type, **changes: object) -> Callable[[Snapshot], Snapshot | None]:
    def withheld(snapshot: Snapshot) -> Snapshot | None:
        value: Any = getattr(snapshot, section)
        return replace(snapshot, **{section: replace(value, **changes)}) if isinstance(value, kind) else None

    return withheld


def _without_resolutions(snapshot: Snapshot) -> Snapshot | None:
    """Of a Linux machine with a framework built for CUDA."""
    less = _part("libraries", Libraries, resolutions=None)(snapshot)
    on_linux = getattr(snapshot.host, "os", None) == "linux"
    return less if on_linux and _frameworks()(snapshot) is not None else None


def _without_binaries(snapshot: Snapshot) -> Snapshot | None:
    """Neither its files nor the loader's way from them."""
    less = _frameworks(code_files=None)(snapshot)
    return _part("libraries", Libraries, resolutions=())(less) if less is not None else None


def _without_capability(snapshot: Snapshot) -> Snapshot | None:
    if not isinstance(snapshot.gpus, Gpus):
        return None
    return replace(snapshot, gpus=replace(snapshot.gpus, devices=tuple(
        replace(gpu, capability=None) for gpu in snapshot.gpus.devices
    )))  # fmt: skip


def _without_nvml(snapshot: Snapshot) -> Snapshot | None:
    """A Jetson has none before JetPack 6, and CUDA tells of it what NVML would."""
    return None if getattr(snapshot.host, "tegra", None) else _part("driver", Driver, nvml=None)(snapshot)


FACTS: dict[str, Callable[[Snapshot], Snapshot | None]] = {
    "what NVML answers": _without_nvml,
    "what CUDA answers": _part("driver", Driver, cuda_init=None),
    "the driver's release": _part("driver", Driver, release=None, cuda=None),
    "the compute capability": _without_capability,
    "which libraries are loaded": _without_resolutions,
    "the binaries of a framework": _without_binaries,
    "the release of a framework": _frameworks(version=None),
    "what a framework was built for": _frameworks(variant=None, cuda=None),
    "files that packages share": _part("packages", Packages, overlaps=GAP),
    "damaged files": _part("packages", Packages, damaged=GAP),
}


@pytest.mark.parametrize("fact", FACTS)
def test_no_machine_is_well_without_a_fact(fact: str) -> None:
    wrong = []
    tried = 0
    for name in WELL:
        less = FACTS[fact](look(name).snapshot)
        tried += less is not None
        if less is not None and verdict(less) == "healthy":
            wrong.append(name)
    assert wrong == []
    assert tried > len(WELL) / 3
