"""Whether a command can run in the surroundings that a text names."""

from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re

#: Where a command begins, and the program that it starts: `sudo` and settings before it are looked through.
_BEGINS = re.compile(r"(?:^|&& ?|; ?|\| ?)\s*(sudo )?(?:-\w+ )*(?:[A-Z_]+=\S+ )*[\"'&(]*(?:[\w.-]*[/\\])*([\w.-]+)")
_MODULE = re.compile(r"(python)[\d.]*(?:\.exe)? -m (\w+)")
_PYTHON = re.compile(r"(?:python|pip)[\d.]*(?:\.exe)?$")


def runs_here(command: str, seen: SnapshotView) -> bool:
    """None of the programs that it starts, nor a part of one that came later, is missing where this is."""
    missing = {name for one in seen.known for name in one.without}
    if any(" " in name and name in command for name in missing):
        return False
    return not missing or missing.isdisjoint(_programs(command.partition(" # ")[0]))


def _programs(command: str) -> set[str]:
    found: set[str] = set()
    for match in _BEGINS.finditer(command):
        found |= {"sudo"} if match[1] else set()
        found.add(_PYTHON.sub(lambda one: one[0].rstrip("0123456789.").removesuffix(".exe"), match[2]))
    found |= {part for match in _MODULE.finditer(command) for part in (match[1], match[2])}
    return found
