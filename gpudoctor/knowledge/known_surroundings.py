"""Places where usual causes and commands do not apply (TPU, no root, programs without CUDA)."""

from collections.abc import Iterable
from functools import lru_cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.tables import records_of, rows_of

_WORDS = re.IGNORECASE | re.MULTILINE | re.ASCII


class PointsTo(Fact, frozen=True, kw_only=True):
    """What a statement, or a surrounding, makes likely."""

    cause: str
    #: Words of diagnosis/place.py of which one is true of the place where it fails; empty: anywhere.
    beside: tuple[str, ...] = ()
    #: Effects of which one was met; empty: any.
    met: tuple[str, ...] = ()


class Surrounding(Fact, frozen=True, kw_only=True):
    """One of them: a record of known_surroundings.toml. Its id is a word of what a text names."""

    id: str
    #: The fact, as the end of a sentence.
    say: str
    #: Regular expressions, without regard to case; one of them matches in the text.
    pattern: tuple[str, ...]
    #: Expressions that leave it open where one is anywhere in the text.
    unless: tuple[str, ...] = ()
    #: It is meant where a product of NVIDIA is named, too.
    beside_nvidia: bool = False
    #: Nothing computes with CUDA there: what needs a GPU of NVIDIA is no cause.
    without_cuda: bool = False
    #: Programs that are not there, or that nobody may start there; with a space: a part of one (nvidia-ctk cdi list).
    without: tuple[str, ...] = ()
    #: Who does there what these programs would: said in place of a remedy that needs them.
    instead: str = ""
    #: Causes that it rules out, beside those.
    refutes: tuple[str, ...] = ()
    #: Causes of what fails there; the first that fits.
    points_to: tuple[PointsTo, ...] = ()
    #: What is asked there in place of what those programs would say.
    ask: str = ""


@lru_cache(maxsize=1)
def surroundings() -> tuple[Surrounding, ...]:
    """All of them, in the order of the file."""
    return records_of("knowledge/known_surroundings", tuple[Surrounding, ...])


def known_in(text: str, *, names_nvidia: bool) -> frozenset[str]:
    """Those that a text names."""
    may_be = (one for one in surroundings() if one.beside_nvidia or not names_nvidia)
    return frozenset(one.id for one in may_be if _any(one.pattern, text, one.unless))


def _any(ways: tuple[str, ...], text: str, unless: tuple[str, ...]) -> bool:
    met = any(re.search(way, text, _WORDS) for way in ways)
    return met and not any(re.search(way, text, _WORDS) for way in unless)


def known(around: Iterable[str]) -> tuple[Surrounding, ...]:
    """The records of these words."""
    words = frozenset(around)
    return tuple(one for one in surroundings() if one.id in words)


@lru_cache(maxsize=1)
def _rows() -> dict[str, tuple[str, str]]:
    """The tags without GPU code, and the image that has it, by the image's name."""
    return {name: (tags, other) for name, tags, other, _ in rows_of("knowledge/image_variants")}


def image_with_gpu_code(image: str) -> str | None:
    """The image to take instead of one without GPU code; None of one that has it, or that is not known."""
    name, _, tag = image.removeprefix("docker.io/").partition("@")[0].partition(":")
    tags, other = _rows().get(name, ("$", ""))
    found = re.match(tags, tag or "latest")
    return found.expand(other) if found else None


_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{2,40}")


@lru_cache(maxsize=1)
def _applications() -> dict[str, str]:
    """Framework by the name of the package: torch, tensorflow, jax; "another" has GPU code of its own."""
    return {name: framework for name, framework, _ in rows_of("knowledge/applications")}


def frameworks_of_applications(text: str) -> frozenset[str]:
    """The frameworks of the programs that a text names; - and _ are the same in a name."""
    known = _applications()
    names = {found.strip("._-").replace("_", "-") for found in _NAME.findall(text.lower())}
    return frozenset(known[name] for name in names & known.keys())
