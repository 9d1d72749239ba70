"""Rewrites the commands of fixes for other package indexes: the user's own, or without PyTorch's."""

from collections.abc import Iterator
from itertools import pairwise

from msgspec.structs import replace

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.fix import Run
from gpudoctor.facts.plan import Manager, Plan, Step
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.builds import Build
from gpudoctor.plan.demand import COMPANIONS
from gpudoctor.plan.fit import ranked
from gpudoctor.plan.indexes import TORCH_SITE, Indexes, index_options
from gpudoctor.plan.installed_companions import admits, staying
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.proposals import companion_versions
from gpudoctor.plan.this_machine import machine_here

#: Options of pip and uv that name an index, and those that only go with one.
_INDEX_OPTIONS = ("--index-url", "--extra-index-url", "--index", "--default-index", "--index-strategy")
_PIN = re.compile(rf"(torch|{'|'.join(COMPANIONS)})={{2,3}}([^+]+)(?:\+(.+))?")
#: They hold an installer to the build that is there.
_SAME_BUILD = ("--force-reinstall", "--no-deps")


class WithoutTorchIndex(Fact, frozen=True, kw_only=True):
    """Steps that need the package index only, and what they install otherwise than was meant, in words."""

    steps: tuple[Step, ...]
    differs: tuple[str, ...]


def with_indexes(plan: Plan, indexes: Indexes) -> Plan:
    """The plan with the user's indexes in its commands."""
    if indexes == Indexes():
        return plan

    def changed(step: Step) -> Step:
        return _with_indexes(step, indexes) if isinstance(step, Run) and _installs(step.argv) else step

    fixes = (replace(one, fix=replace(one.fix, steps=tuple(map(changed, one.fix.steps)))) for one in plan.fixes)
    return replace(plan, fixes=tuple(fixes))


def without_torch_index(steps: tuple[Step, ...], scene: Scene, matrix: Matrix) -> WithoutTorchIndex | None:
    """The same steps where PyTorch's own index does not answer; None: they need none of it, or nothing else would do.

    The same release where the package index has it in a build that fits, else the newest that fits.
    """
    machine = replace(machine_here(scene, matrix), package_index_only=True)
    changed: list[Step] = []
    differs: list[str] = []
    for step in steps:
        if not isinstance(step, Run) or not _torch_indexes(step.argv):
            changed.append(step)
            continue
        found = _from_package_index(step, scene, machine, matrix)
        if found is None:
            return None
        changed.append(found[0])
        differs.append(found[1])
    return WithoutTorchIndex(steps=tuple(changed), differs=tuple(differs)) if differs else None


def _from_package_index(step: Run, scene: Scene, machine: Machine, matrix: Matrix) -> tuple[Run, str] | None:
    pins = {match[1]: match for word in step.argv if (match := _PIN.fullmatch(word))}
    installed = scene.find("torch")
    meant = pins["torch"][2] if "torch" in pins else installed.version.partition("+")[0] if installed else None
    build = _nearest(meant, scene, machine, matrix)
    if build is None:
        return None
    made = {name: companion_versions(build, name, matrix)[:1] for name in pins if name in COMPANIONS}
    if not all(made.values()):
        return None
    # An installed build of PyTorch's index would meet ==, and stay beside the torchvision of another build.
    is_tagged = installed is not None and "+" in installed.version
    exact = "===" if machine.uses_cuda or is_tagged else "=="
    wanted = [f"torch{exact}{build.version}", *(f"{name}{exact}{versions[0]}" for name, versions in made.items())]
    named = [match[0] for match in pins.values()]
    leaves = [f"torch=={installed.version}"] if installed is not None and is_tagged and "torch" not in pins else []
    is_same = all(match[3] == build.variant for match in pins.values())
    others = [word for word in _without_indexes(step.argv) if word not in named]
    kept = [word for word in others if is_same or word not in _SAME_BUILD]
    how = "the same build" if is_same and "torch" in pins else f"in place of {' and '.join((*leaves, *named))}"
    at = next((number for number, word in enumerate(step.argv) if word in named), len(kept))
    at -= len(others) - len(kept)
    return replace(step, argv=(*kept[:at], *wanted, *kept[at:])), f"{build.label} ({how})"


def _nearest(release: str | None, scene: Scene, machine: Machine, matrix: Matrix) -> Build | None:
    there = staying(scene, machine, matrix, "torch")
    builds = [one for one in ranked("torch", machine, matrix) if admits(one, there, machine, matrix)]
    wanted = package_version(release) if release else None
    same = [one for one in builds if wanted is not None and package_version(one.version) == wanted]
    return next(iter((*same, *builds)), None)


def _installs(argv: tuple[str, ...]) -> bool:
    return "pip" in argv and "install" in argv


def _torch_indexes(argv: tuple[str, ...]) -> list[str]:
    """The addresses of PyTorch's indexes, or of a mirror of them, in an install command."""
    found = [url for option, url in _pairs(argv) if option in _INDEX_OPTIONS[:4] and re.search(r"/(cu\d+|cpu)/?$", url)]
    return found if _installs(argv) and any(_PIN.fullmatch(word) for word in argv) else []


def _pairs(argv: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    return pairwise(argv)


def _without_indexes(argv: tuple[str, ...]) -> tuple[str, ...]:
    words = iter(argv)
    return tuple(word for word in words if word not in _INDEX_OPTIONS or next(words, None) is None)


def _with_indexes(step: Run, indexes: Indexes) -> Run:
    of_torch = [url for _, url in _pairs(step.argv) if url.startswith(TORCH_SITE)]
    beside = tuple(moved for url in of_torch if (moved := indexes.of_build(url)))
    manager: Manager = "uv" if step.argv[0] == "uv" else "pip"
    if indexes.main is not None:
        options = index_options(manager, indexes.main, beside)
    elif beside:
        options = index_options(manager, beside[0], beside[1:], first=True)
    else:
        return step
    return replace(step, argv=(*_without_indexes(step.argv), *options))
