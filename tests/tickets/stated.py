"""What a pasted text states, looked up in what was made of it."""

import json
from pathlib import Path
from typing import Any

from gpudoctor.facts.base import Gap
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.read import Ingested, ingest

FOLDER = Path(__file__).parent / "pasted"
#: Each text: its thread, the facts it states, and the cause that the thread confirms.
STATED: dict[str, dict[str, Any]] = json.loads((FOLDER / "stated.json").read_text(encoding="utf-8"))


def read(name: str) -> Ingested:
    return ingest((FOLDER / f"{name}.txt").read_bytes(), load_matrix())


def fact(made: Ingested, path: str) -> str:
    """The fact at a path of stated.json, as text; "unseen" where its section is a Gap."""
    section, *rest = path.split(".")
    owner = {"resolution": "libraries", "kernel_log": "driver"}.get(section, section)
    found = getattr(made.snapshot, owner)
    if found is None or isinstance(found, Gap):
        return "unseen"
    return str(_of(found, section, rest))


def _of(found: Any, section: str, rest: list[str]) -> Any:  # noqa: C901, PLR0912 - one look-up a section
    if section == "frameworks":
        value = getattr(found.get(".".join(rest[:-1])), rest[-1], "no such framework")
        return " ".join(value) if isinstance(value, tuple) else value
    if section == "packages":
        return getattr(found.find(".".join(rest)), "version", "no such package")
    if section == "live":
        return getattr(found.listed_by(rest[0]), rest[1], "no such list")
    if section == "environ":
        return found.get(rest[0])
    if section == "resolution":
        return getattr(found.resolution("tensorflow", ".".join(rest)), "path", "no such library")
    if section == "libraries":
        return next((copy.version for copy in found.copies if copy.family == rest[0] and copy.version), None)
    if section == "kernel_log":
        return getattr(found.kernel_log[int(rest[0])], rest[1])
    if section == "gpus":
        gpu = found.devices[int(rest[0])]
        if rest[1] == "refusal":
            return gpu.refusals[0].name
        if rest[1] == "migs":
            return len(gpu.mig_instances)
        return gpu.power.limit if rest[1] == "power" else getattr(gpu, rest[1])
    if section == "toolkits" and rest[0].isdigit():
        one = found.found[int(rest[0])]
        return one.full_version or one.version
    if section == "driver" and rest[0] in ("nvml", "cuda_init"):
        return getattr(found, rest[0]).name
    if section == "driver" and rest[0] == "library":
        return found.libraries[0].release
    if section == "container" and rest[0] == "wsl":
        return found.wsl.version
    return getattr(found, rest[0])
