"""What each fix changes, to find fixes that contradict each other."""

from collections.abc import Iterator
from itertools import pairwise

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.fix import Fix, Run, SetEnv, Write
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.plan.places import NEW_ENVIRONMENT

#: What is changed (a package of an environment, a variable, a file), and to what; None: taken away.
Effect = tuple[tuple[str, ...], str | None]

_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*(.*)")
#: Options of pip and uv that a value follows.
_WITH_VALUE = frozenset(
    ("--index-url", "--extra-index-url", "--default-index", "--index", "--index-strategy", "--python", "-r", "-c")
)


def contradiction(one: Fix, other: Fix) -> str | None:
    """Why two fixes cannot both be carried out, in one sentence; None: they can."""
    if one.driver is not None and other.driver is not None and (text := _drivers(one.driver, other.driver)):
        return text
    mine, theirs = effects(one), effects(other)
    for what in sorted(mine.keys() & theirs.keys()):
        if mine[what] != theirs[what]:
            return f"Both change {_named(what)}: one {_to(what, mine[what])}, the other {_to(what, theirs[what])}."
    return None


def effects(fix: Fix) -> dict[tuple[str, ...], str | None]:
    """What a fix leaves changed. A package that is uninstalled and installed again counts as installed."""
    return {what: value for step in fix.steps for what, value in _effects(step)}


def _effects(step: object) -> Iterator[Effect]:
    if isinstance(step, SetEnv):
        yield ("variable", step.name), step.value
    elif isinstance(step, Write):
        yield ("file", step.path), step.text
    elif isinstance(step, Run):
        yield from _packages(step.argv)


def _packages(argv: tuple[str, ...]) -> Iterator[Effect]:
    """The packages that a command of pip or uv installs or takes away, by the environment it works in."""
    if "pip" not in argv or not {"install", "uninstall"} & set(argv):
        return
    verb = "install" if "install" in argv else "uninstall"
    place = argv[argv.index("--python") + 1] if "--python" in argv[:-1] else argv[0]
    words = iter(argv[argv.index(verb) + 1 :])
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif not word.startswith("-") and (match := _REQUIREMENT.fullmatch(word)):
            name = re.sub(r"[-_.]+", "-", match.group(1)).lower()
            yield ("package", name, place), match.group(2) if verb == "install" else None
    # New environments get folders of their own when fixes are merged.
    if verb == "install" and not place.startswith((f"{NEW_ENVIRONMENT}/", f"{NEW_ENVIRONMENT}\\")):
        yield from ((("libraries", "NVIDIA's libraries", place), f"CUDA {one}") for one in cuda_brought(argv).values())


def cuda_brought(argv: tuple[str, ...]) -> dict[str, str]:
    """The requirements of a command of pip or uv that bring NVIDIA's libraries along, with the CUDA major of these.

    torch has them of the CUDA that its index is for; JAX and TensorFlow (CUDA 11 in 2.14, then 12) with their extra.
    """
    urls = (url for option, url in pairwise(argv) if option in ("--index-url", "--index"))
    index = next((match for url in urls if (match := re.search(r"/whl/cu(\d+)\d$", url))), None)
    found = {}
    for word in argv:
        if index is not None and re.match(r"torch(==|$)", word):
            found[word] = index.group(1)
        elif match := re.match(r"jax\[cuda(\d+)\]", word) or re.match(r"nvidia-[a-z-]+-cu(\d+)\b", word):
            found[word] = match.group(1)
        elif word.startswith("tensorflow[and-cuda]"):
            found[word] = "11" if word.startswith("tensorflow[and-cuda]==2.14.") else "12"
    return found


def _drivers(one: str, other: str) -> str | None:
    """A floor and a last branch that leave no driver between them."""
    floor = next((text for text in (one, other) if text.startswith(">=")), None)
    last = next((text for text in (one, other) if text.startswith("<=")), None)
    if floor is None or last is None:
        return None
    if DriverRelease(floor[2:]).branch <= DriverRelease(last[2:]).branch:
        return None
    return f"One needs a driver {floor}, and the other a driver of branch {last[2:]} or older, for another GPU."


def _named(what: tuple[str, ...]) -> str:
    kind, name, *_ = what
    return name if kind in ("package", "libraries") else f"the {kind} {name}"


def _to(what: tuple[str, ...], value: str | None) -> str:
    if value is None:
        return "takes it away"
    if what[0] == "package":
        return f"installs {what[1]}{value}" if value else "installs it"
    if what[0] == "libraries":
        return f"brings those of {value}"
    return "writes it" if what[0] == "file" else f"sets it to {value!r}"
