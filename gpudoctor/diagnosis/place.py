"""The place that commands are for: operating system, package tool, what the text is about."""

from collections.abc import Iterable
from typing import NamedTuple

from gpudoctor.diagnosis.circumstances import circumstances_of
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.diagnosis.surroundings import surroundings_of
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Interpreter, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System
from gpudoctor.knowledge.eras import with_stated
from gpudoctor.knowledge.frameworks import planned

#: Systems that are nobody's hosted notebook.
_OWN = frozenset(("windows", "macos", "wsl"))
_ANOTHER = "another"
#: The Python in the folder of a program for Windows.
_IN_FOLDER = re.compile(
    r"(?<=\\)(?:\.?venv\\Scripts|python_embed(?:d?ed)|installer_files\\env)\\python\.exe$", re.IGNORECASE
)


class Place(NamedTuple):
    """Where a command is typed."""

    system: str | None = None
    #: Words of `gpudoctor.knowledge.places` and of the surroundings: at-uv, at-hosted, jetson, conda, about-torch.
    words: frozenset[str] = frozenset()
    #: The frameworks it is about; "another" alone: a program with GPU code of its own. Empty: not known.
    frameworks: frozenset[str] = frozenset()
    #: Who made the GPUs that are stated.
    makers: frozenset[str] = frozenset()
    #: The processor's: x86_64, aarch64.
    arch: str | None = None
    #: Its own Python, as it is called.
    python: str | None = None

    def has(self, *words: str) -> bool:
        """All of these words are true of it."""
        return self.words.issuperset(words)


def place_of(snapshot: Snapshot, around: Iterable[str] = (), system: str | None = None) -> Place:
    """The place that a snapshot states, and that the words `around` of a text name."""
    named = frozenset(around)
    seen = SnapshotView(snapshot, named)
    words = {*named, *surroundings_of(snapshot)}
    container, host = seen.section(Container, "container"), seen.section(System, "host")
    if system in _OWN:
        words.discard("at-hosted")
    elif container is not None and container.notebook in ("colab", "kaggle"):
        words.add("at-hosted")
    words.discard("at-cell" if "at-hosted" in words else "")
    about = seen.about
    words = {one for one in words if not one.startswith("about-")} | {f"about-{one}" for one in about}
    own = about & set(planned())
    if seen.on_jetson:
        words.add("jetson")
    makers = seen.makers
    words |= makers
    words |= {system} if system else set()
    words |= circumstances_of(seen) | ({"of-a-text"} if named else set())
    packages = seen.section(Packages, "packages")
    words |= {f"conda-{one.name}" for one in packages.installed if one.installer == "conda"} if packages else set()
    return Place(
        system=system,
        words=with_stated(frozenset(words), seen.releases),
        frameworks=own or (frozenset((_ANOTHER,)) if _ANOTHER in about or "at-another" in words else frozenset()),
        makers=makers,
        arch=host.arch if host else None,
        python=_own_python(seen.section(Interpreter, "interpreter")),
    )


def _own_python(target: Interpreter | None) -> str | None:
    """Its path, where that is one and needs no quotes; else, of a program's own Python, from the program's folder."""
    path = target.executable if target is not None else ""
    if " " in path:
        own = _IN_FOLDER.search(path)
        return rf".\{own[0]}" if own else None
    return path if "\\" in path or "/" in path else None
