"""What each framework is called, its packages, variables and agent scripts: frameworks.toml."""

from functools import cache
from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.facts.live import Task
from gpudoctor.tables import records_of


class BuildFile(Fact, frozen=True, kw_only=True):
    """A Python file of plain assignments in which a framework states its build; the names of what it assigns."""

    #: In the import package's folder: version/__init__.py.
    path: str
    version: str
    #: Assigned False or None in a build without it.
    cuda: str | None = None
    cudnn: str | None = None
    rocm: str | None = None
    xpu: str | None = None
    #: A list of numbers, 80 for sm_80.
    archs: str | None = None
    #: Libraries with its GPU code, in the import package's folder; the first that is there and has any.
    device_code: tuple[str, ...] = ()


class Descriptor(Fact, frozen=True, kw_only=True):
    """A framework: one record of frameworks.toml."""

    #: As in the facts, in commands and in reports' evidence: torch.
    name: str
    #: As its makers write it.
    title: str
    #: What else people call it.
    aliases: tuple[str, ...] = ()
    #: What is imported.
    module: str
    #: Distributions of the package index that hold its import package, the usual first; only one can be installed.
    packages: tuple[str, ...]
    #: What conda calls them, where the name is another.
    conda_packages: tuple[str, ...] = ()
    #: What the names of distributions say of the build they hold.
    variants: dict[str, Literal["cuda", "cpu", "rocm", "xpu"]] = {}
    #: Distributions of its own without which it cannot be imported.
    parts: tuple[str, ...] = ()
    #: Packages that are made for one release of it.
    companions: tuple[str, ...] = ()
    #: The frameworks among the facts that have its GPU code, the present one first; it itself where none is named.
    gpu_code: tuple[str, ...] = ()
    #: The frameworks that compute for it, where it does not compute itself; the one it takes untold first.
    backends: tuple[str, ...] = ()
    #: Where its makers say how to install it.
    page: str
    #: Its makers' package index for a CUDA, with {tag} for cu126, where the builds for GPUs are on no other.
    index: str | None = None
    #: The table of compat/ that its builds are planned with.
    table: str | None = None
    #: Which scripts gpudoctor/agent has for it: devices_torch.py, smoke_torch.py ….
    agents: tuple[Task, ...] = ()
    #: Place in the order in which several are started: what takes longest to import begins first.
    import_order: int = 9
    #: Variables that keep it from taking a whole GPU, set while an agent runs where the user has not set them.
    modest: dict[str, str] = {}
    #: Distributions that it imports while it is imported itself.
    at_start: tuple[str, ...] = ()
    #: What it imports when it is first used, and few programs do without.
    soon: tuple[str, ...] = ()
    #: What to use on a Mac in place of CUDA.
    on_macos: str | None = None
    #: How its version and build are read. None: it has a reader of its own in probes/frameworks.
    build_file: BuildFile | None = None

    @property
    def owners(self) -> tuple[str, ...]:
        """The frameworks among the facts that have its GPU code; none for one that has no GPU code."""
        return () if self.backends else self.gpu_code or (self.name,)


@cache
def descriptors() -> tuple[Descriptor, ...]:
    """All of them, in the order of reports."""
    return records_of("knowledge/frameworks", tuple[Descriptor, ...])


def descriptor(name: str) -> Descriptor | None:
    """The framework of that name."""
    return next((one for one in descriptors() if one.name == name), None)


def title_of(name: str) -> str:
    """The framework as its makers write it; the name itself where it is none that is described."""
    known = descriptor(name)
    return known.title if known else name


def name_of(word: str) -> str:
    """The framework that a user's word means (PyTorch, tf); the word in lower case where it is none."""
    word = word.lower()
    return next((one.name for one in descriptors() if word in one.aliases), word)


@cache
def computing() -> tuple[str, ...]:
    """Those that compute themselves: torch, tensorflow, jax …; Keras leaves it to one of them."""
    return tuple(one.name for one in descriptors() if not one.backends)


@cache
def planned() -> tuple[str, ...]:
    """Those whose builds the matrix lists, so that one that fits can be chosen."""
    return tuple(one.name for one in descriptors() if one.table is not None)


@cache
def that_run(task: Task) -> tuple[str, ...]:
    """Those that can be run for it, the slowest to import first."""
    able = (one for one in descriptors() if task in one.agents)
    return tuple(one.name for one in sorted(able, key=lambda one: one.import_order))


def backends_of(name: str) -> tuple[str, ...]:
    """The frameworks that can compute for this one, the one it takes untold first; none for one that computes."""
    known = descriptor(name)
    return known.backends if known else ()


def gpu_code_of(name: str) -> str:
    """The framework among the facts that has the GPU code of this one today; empty where none is described."""
    return gpu_code_owners().get(name, ("",))[0]


@cache
def gpu_code_owners() -> dict[str, tuple[str, ...]]:
    """By framework that computes: the frameworks among the facts that have its GPU code, the present one first."""
    return {one.name: one.owners for one in descriptors() if one.owners}


@cache
def names_and_packages() -> dict[str, str]:
    """Every word for a framework that computes (name, alias, distribution, part), and its name."""
    words: dict[str, str] = {}
    for one in descriptors():
        if not one.backends:
            for word in (one.name, *one.aliases, *one.packages, *one.conda_packages, *one.parts):
                words[word] = one.name
    return words


@cache
def packages_of(name: str) -> tuple[str, ...]:
    """The distributions of the package index that hold a framework's import package; only one can be installed."""
    known = descriptor(name)
    return known.packages if known else ()


@cache
def packages_anywhere(name: str) -> tuple[str, ...]:
    """The same, and what conda calls them."""
    known = descriptor(name)
    return (*known.packages, *known.conda_packages) if known else ()


@cache
def companions() -> tuple[str, ...]:
    """Packages that are made for one release of a framework."""
    return tuple(name for one in descriptors() for name in one.companions)


@cache
def module_of(package: str) -> str:
    """The import package that a distribution holds."""
    own = (one.module for one in descriptors() if package in one.packages)
    return next(own, package.replace("-", "_"))


#: What each framework imports while it is imported itself; of what it does not declare nothing is said.
AT_START = {
    one.name: frozenset(one.at_start) for one in sorted(descriptors(), key=lambda one: one.name) if one.at_start
}
#: What is imported when it is first used, and few programs do without: tf.keras.
SOON = {one.name: frozenset(one.soon) for one in descriptors() if one.soon}
