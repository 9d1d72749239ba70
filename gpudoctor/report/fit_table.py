"""Precomputes the answers of `matrix fit` to every choice offered on the HTML page of the matrix.

A choice is a system, a GPU, a driver, a Python and what is wanted. GPUs that no build tells apart share their answers,
and so do the drivers from one release at which something changes to the next; what the user chose is put into the texts
by the page.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from gpudoctor.facts.base import Fact
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.frameworks import planned, title_of
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import DriverBranch, DriverFloor, Os
from gpudoctor.plan.cuda_compat import is_data_centre
from gpudoctor.plan.demand import COMPANIONS, parse_demand
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.pairing import fit_with_extras
from gpudoctor.plan.solve import not_judged
from gpudoctor.report.fit_lines import Block, fit_blocks, unjudged
from gpudoctor.report.matrix_tables_stack import products

#: Systems of the page, and their names.
SYSTEMS = {
    "linux-x86_64": "Linux",
    "linux-aarch64": "Linux on Arm (aarch64)",
    "windows-x86_64": "Windows",
    "macos-arm64": "macOS on Apple silicon",
    "macos-x86_64": "macOS on Intel",
}
PYTHONS = ("3.14", "3.13", "3.12", "3.11", "3.10", "3.9", "3.8")
#: Older drivers run nothing newer than CUDA 10.
FIRST_BRANCH = 450
#: Of older GPUs no build since 2019 has code.
FIRST_GPU = Capability("3.5")
#: With an Arm processor only Jetson's GPUs are older.
FIRST_WITH_ARM = Capability("7.0")
#: A number that no release has: the driver just after one at which something changes, which is told from it in texts.
JUST_AFTER = "7777"
#: Kinds of lines, by the letter that stands for them in the table and in the page's script.
CODES = {"what": "t", "command": "c", "why": "w", "but": "b", "not": "n", "which": "t", "source": "s"}
#: No NVIDIA GPU: the processor, or a Mac's own.
CPU = "cpu"


class GpuKind(Fact, frozen=True, kw_only=True):
    """GPUs with the same answers: of one compute capability, and of data centres (cuda-compat is for those) or not."""

    key: str
    capability: Capability | None = None
    #: One of them, where the name decides.
    name: str = "GPU"
    jetson: bool = False


def wishes() -> dict[str, str]:
    """What may be wanted, as `fit` is asked for it, and its name."""
    trio = f"{title_of('torch')} with {' and '.join(COMPANIONS)}"
    return {" ".join(("torch", *COMPANIONS)): trio, **{name: title_of(name) for name in planned()}}


def gpu_names(matrix: Matrix) -> dict[str, str]:
    """The kind of each GPU that may be chosen: products whose name stands for one kind, then compute capabilities."""
    names: dict[str, str] = {}
    for name in sorted({model.name for model in matrix.table("gpus")}):
        found = products(matrix, name)
        capabilities = {model.capability for model in found if model.capability is not None}
        capability = capabilities.pop() if len(capabilities) == 1 else None
        if capability is not None and capability >= FIRST_GPU:
            is_jetson = all(model.segment == "jetson" for model in found)
            names[name] = f"{capability}{'j' if is_jetson else 'd' if _is_data_centre(name, matrix) else ''}"
    return names | {key: key for key in sorted(set(names.values())) if Capability.parse(key)}


def _is_data_centre(name: str, matrix: Matrix) -> bool:
    return is_data_centre(Machine(gpu_names=(name,)), matrix)


def kinds_of(platform: str, matrix: Matrix) -> tuple[GpuKind, ...]:
    """The kinds of GPUs of a system, and the one without."""
    with_arm = platform == "linux-aarch64"
    found = {CPU: GpuKind(key=CPU)}
    for name, key in {} if platform.startswith("macos") else gpu_names(matrix).items():
        capability, jetson = Capability(key.rstrip("jd")), key.endswith("j")
        if (jetson and not with_arm) or (with_arm and not jetson and capability < FIRST_WITH_ARM):
            continue
        kind = GpuKind(key=key, capability=capability, jetson=jetson)
        found.setdefault(key, replace(kind, name=name) if key.endswith("d") else kind)
    return tuple(found.values())


def branches_of(system: Os, matrix: Matrix) -> tuple[DriverBranch, ...]:
    """The driver branches of the page; macOS has none."""
    rows = (row for row in matrix.table("cuda_driver") if isinstance(row, DriverBranch))
    return tuple(row for row in rows if row.os == system and row.first >= FIRST_BRANCH)


def drivers_of(system: Os, branches: tuple[DriverBranch, ...], matrix: Matrix) -> tuple[DriverRelease, ...]:
    """Where something changes: the first releases of branches, and floors within branches."""
    floors = (row for row in matrix.table("cuda_driver") if isinstance(row, DriverFloor) and row.kind == "family")
    known = (
        *(row.release for row in floors if row.os == system),
        *(release for row in matrix.forward_rows() for release in row.drivers if system == "linux"),
        *(row.driver_linux for row in matrix.jax_builds()),
        *(release for row in matrix.table("elsewhere") for release in (row.driver_from, row.driver_below)),
    )
    within = {one for one in known if one is not None and any(row.first <= one.branch <= row.last for row in branches)}
    return tuple(sorted(within | {DriverRelease(str(row.first)) for row in branches}))


def machine_of(platform: str, kind: GpuKind, driver: DriverRelease | None, python: str) -> Machine:
    """The machine of a choice; a Mac has no choice of GPU and driver."""
    if kind.capability is None:
        return Machine(platform=platform, python=python, cpu_only=not platform.startswith("macos"))
    return Machine(
        platform=platform,
        python=python,
        driver=driver,
        capabilities=(kind.capability,),
        gpu_names=(kind.name,),
        tegra="as described" if kind.jetson else None,
    )


class Coded:
    """Texts, answers and rows of answers, each once."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self.answers: dict[str, int] = {}
        self.rows: dict[str, int] = {}
        self.asked: dict[tuple[str, Machine], int] = {}

    def answer(self, blocks: Iterable[Block], machine: Machine) -> int:
        """The number of an answer: kinds of lines, each with the number of its text; paragraphs."""
        coded = ";".join(
            " ".join(
                f"{CODES[line.kind]}{self.texts.setdefault(without_names(line.text, machine), len(self.texts))}"
                for line in block
            )
            for block in blocks
        )
        return self.answers.setdefault(coded, len(self.answers))

    def row(self, answers: Iterable[int]) -> int:
        """The number of a row: answers, each with how many times it stands there."""
        coded = " ".join(f"{answer}*{len(tuple(same))}" for answer, same in groupby(answers))
        return self.rows.setdefault(coded, len(self.rows))


def without_names(text: str, machine: Machine) -> str:
    """The text with places for what the user chooses."""
    for name in machine.gpu_names:
        text = text.replace(f"{name} (compute", "{gpu} (compute")
    if machine.driver is not None:
        text = text.replace(machine.driver.text, "{driver}")
        text = text.replace(f"driver branch {machine.driver.branch}", "driver branch {branch}")
    for word in ("Python ", "python"):
        text = text.replace(f"{word}{machine.python}", f"{word}{{python}}")
    return text


def fit_table(matrix: Matrix, platforms: Iterable[str] = SYSTEMS) -> dict[str, Any]:
    """The table of some systems, for JSON.

    `rows` of a system: by kind of GPU, then by wish, the number of a row of answers for each Python.
    An answer stands for each driver: first for one that is not known, then from each of `drivers` on.
    """
    coded = Coded()
    systems = [_system(platform, matrix, coded) for platform in platforms]
    return {
        "wishes": wishes(),
        "gpus": gpu_names(matrix),
        "pythons": PYTHONS,
        "systems": systems,
        "rows": list(coded.rows),
        "answers": list(coded.answers),
        "texts": list(coded.texts),
    }


def _system(platform: str, matrix: Matrix, coded: Coded) -> dict[str, Any]:
    system = Machine(platform=platform).os
    branches = branches_of(system, matrix)
    drivers = drivers_of(system, branches, matrix)
    kinds = kinds_of(platform, matrix)
    rows = {
        kind.key: [
            [coded.row(_answers(platform, kind, wish, python, drivers, matrix, coded)) for python in PYTHONS]
            for wish in wishes()
        ]
        for kind in kinds
    }
    return {
        "platform": platform,
        "branches": [(row.first, row.last) for row in branches],
        "drivers": [one.text for one in drivers],
        "rows": rows,
        "unjudged": _unjudged(platform, kinds, drivers, matrix),
    }


def _answers(
    platform: str,
    kind: GpuKind,
    wish: str,
    python: str,
    drivers: tuple[DriverRelease, ...],
    matrix: Matrix,
    coded: Coded,
) -> Iterator[int]:
    demand = parse_demand(tuple(wish.split()))
    with_compat = {one.branch for row in matrix.forward_rows() for one in row.drivers}
    for driver in (None,) if kind.capability is None else (None, *drivers):
        by_name = driver is not None and driver.branch in with_compat
        asked = kind if by_name else replace(kind, name="GPU")
        machine = machine_of(platform, asked, just_after(driver) if driver else None, python)
        if (wish, machine) not in coded.asked:
            found = replace(fit_with_extras(machine, demand, matrix), not_judged=())
            coded.asked[wish, machine] = coded.answer(fit_blocks(found), machine)
        yield coded.asked[wish, machine]


def just_after(driver: DriverRelease) -> DriverRelease:
    """A release that no text can be mistaken for."""
    return DriverRelease(".".join([*map(str, driver.numbers[:3]), JUST_AFTER]))


def _unjudged(
    platform: str, kinds: Iterable[GpuKind], drivers: tuple[DriverRelease, ...], matrix: Matrix
) -> dict[str, str]:
    """What the answers leave open: without a GPU; with one, by what is known of the driver."""
    first, *others = kinds
    asked: dict[str, tuple[GpuKind, DriverRelease | None]] = {"cpu": (first, None)}
    for one in others[:1]:
        asked |= {
            "none": (one, None),
            "branch": (one, DriverRelease(str(drivers[0].branch))),
            "release": (one, just_after(drivers[0])),
        }
    found = {}
    for name, (kind, driver) in asked.items():
        machine = machine_of(platform, kind, driver, PYTHONS[0])
        found[name] = " ".join(without_names(line.text, machine) for line in unjudged(not_judged(machine, matrix)))
    return found
