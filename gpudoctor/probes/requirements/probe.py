"""Which requirements of installed packages are not met, by their own metadata."""

from collections.abc import Collection, Iterable, Mapping

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.python import Unmet
from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.frameworks import descriptors
from gpudoctor.probes.requirements.markers import Environment, applies
from gpudoctor.sources.package_names import normalise

_LINE = re.compile(
    r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?\s*"
    r"(?:\(([^)]*)\)|@[^;]*?(?:\s+(?=;)|$)|([^;@(\[]*))\s*(?:;\s*(.*?))?\s*"
)
#: What lists its CUDA libraries as extras, which nobody records to have asked for. JAX compares their versions itself.
_OWNERS_OF_EXTRAS = re.compile(r"jax|jax-cuda\d+-(?:plugin|pjrt)")
_EXTRA = re.compile(r"""\bextra\s*==\s*['"]([^'"]+)['"]""")


class Requirement(Fact, frozen=True, kw_only=True):
    """One Requires-Dist line. Names are normalised."""

    name: str
    extras: frozenset[str] = frozenset()
    specifier: str = ""
    marker: str = ""


def parse_requirement(line: str) -> Requirement | None:
    """The parts of a requirement; None where it is not one."""
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    name, extras, bracketed, plain, marker = match.groups()
    return Requirement(
        name=normalise(name),
        extras=frozenset(normalise(extra.strip()) for extra in (extras or "").split(",") if extra.strip()),
        specifier=(bracketed or plain or "").strip(),
        marker=(marker or "").strip(),
    )


def find_unmet(
    requires: Mapping[str, Iterable[str]], installed: Mapping[str, str], environment: Environment
) -> tuple[Unmet, ...]:
    """What the distributions in `requires` (name to Requires-Dist lines) need and `installed` (name to version) lacks.

    Extras count where another of them asks for them: torch needs cuda-toolkit[cublas], and that needs nvidia-cublas.
    """
    lines = {
        name: [parsed for line in texts if (parsed := parse_requirement(line))] for name, texts in requires.items()
    }
    found: dict[tuple[str, str, str], Unmet] = {}
    todo: list[tuple[str, frozenset[str]]] = [(name, frozenset()) for name in lines]
    done: set[tuple[str, frozenset[str]]] = set()
    while todo:
        package, extras = todo.pop(0)
        if (package, extras) in done:
            continue
        done.add((package, extras))
        for needed in _needed(lines[package], environment, extras):
            version = installed.get(needed.name)
            if version is None or not is_met(needed.specifier, version):
                unmet = Unmet(package=package, requirement=needed.name, wanted=needed.specifier, found=version)
                found[package, needed.name, needed.specifier] = unmet
            elif needed.extras and needed.name in lines:
                todo.append((needed.name, needed.extras))
    for one in _of_extras(lines, installed, environment):
        found.setdefault((one.package, one.requirement, one.wanted), one)
    return tuple(found.values())


def asked_by_all(
    requires: Mapping[str, Iterable[str]], wanted: Collection[str], environment: Environment
) -> dict[str, tuple[tuple[str, str], ...]]:
    """Who asks for each distribution of `wanted`, and by which specifier; those who take any release are left out."""
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in wanted}
    for package, texts in requires.items() if wanted else ():
        for line in filter(None, map(parse_requirement, texts)):
            if line.name in found and line.specifier and applies(line.marker, environment):
                found[line.name].append((package, line.specifier))
    return {name: tuple(pairs) for name, pairs in found.items()}


def _of_extras(
    lines: Mapping[str, Iterable[Requirement]], installed: Mapping[str, str], environment: Environment
) -> Iterable[Unmet]:
    """What extras ask for that is there in another version: JAX's CUDA libraries, and a framework that is too old."""
    frameworks = {one.name for one in descriptors()}
    for package, line in ((package, line) for package, of_it in lines.items() for line in of_it):
        version = installed.get(line.name) if "extra" in line.marker else None
        if version is None or is_met(line.specifier, version):
            continue
        extras = {normalise(extra) for extra in _EXTRA.findall(line.marker)}
        is_used = bool(line.name.startswith("nvidia-") and _OWNERS_OF_EXTRAS.fullmatch(package))
        # transformers[torch] needs torch>=2.2: with an older one it does without, and says so on import.
        is_used = is_used or (line.name in extras & frameworks and not _is_new_enough(line.specifier, version))
        if is_used and any(applies(line.marker, environment, frozenset({extra})) for extra in extras):
            yield Unmet(package=package, requirement=line.name, wanted=line.specifier, found=version)


def _is_new_enough(specifier: str, version: str) -> bool:
    floors = (part for part in specifier.split(",") if part.strip().startswith(">"))
    return all(is_met(floor, version) for floor in floors)


def _needed(lines: Iterable[Requirement], environment: Environment, extras: frozenset[str]) -> Iterable[Requirement]:
    """Those that hold; with extras only what they add, since the rest was looked at without."""
    for line in lines:
        if bool(extras) == ("extra" in line.marker) and applies(line.marker, environment, extras):
            yield line
