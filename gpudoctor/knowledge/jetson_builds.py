"""Framework builds for Jetson boards by L4T and JetPack release."""

from functools import lru_cache

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.offer_types import Runtime
from gpudoctor.tables import rows_of


@lru_cache(maxsize=1)
def rows() -> list[list[str]]:
    """Framework, the beginning of L4T, Python, command, source."""
    return rows_of("knowledge/jetson_builds")


def jetson_command(framework: str, l4t: str, python: str | None = None) -> str | None:
    """What brings the framework on a Jetson with that L4T; None where none is known, or it is for another Python."""
    own, command = jetson_build(framework, l4t) or (None, None)
    # An image has a Python of its own.
    return command if command and (python in (None, own) or command.startswith("docker ")) else None


def jetson_build(framework: str, l4t: str) -> tuple[str, str] | None:
    """The Python that the framework's build for that L4T is made for, and the command; None where none is known."""
    found = (row for row in rows() if row[0] == framework and f"{l4t}.".startswith(f"{row[1]}."))
    return next(((python, command) for _, _, python, command, _ in found), None)


@lru_cache(maxsize=1)
def l4t_of_jetpacks() -> dict[str, str]:
    """32.7.1 of 4.6.1."""
    table: tuple[Runtime, ...] = load_matrix().table("runtimes")
    return {one.release: one.versions["l4t"] for one in table if one.runtime == "jetpack" and "l4t" in one.versions}
