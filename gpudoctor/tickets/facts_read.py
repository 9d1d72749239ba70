"""The facts read from a text, each with its line, for a person to check."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from gpudoctor.facts.base import Section
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.libraries import Libraries, Toolkits
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Frameworks, Interpreter, Packages
from gpudoctor.facts.snapshot import SECTIONS
from gpudoctor.facts.system import Container, System
from gpudoctor.sources.system import release_of
from gpudoctor.tickets.fragment import Fragment
from gpudoctor.tickets.read import Ingested
from gpudoctor.tickets.statements import statements_in

#: (what it is about, the fact in words)
Rows = Iterator[tuple[str, str]]


def facts_read(made: Ingested) -> Iterator[tuple[str, int | None]]:
    """(fact, line) of each fact that a piece of the text states; what was only inferred is left out."""
    ranked = sorted(made.fragments, key=lambda one: one.rank)
    stated = [(about, text, one) for one in ranked for about, text in _rows(one.sections.values())]
    for about, text in dict.fromkeys(_rows(getattr(made.snapshot, name) for name in SECTIONS)):
        same = [one for what, words, one in stated if what == about and words == text]
        near = same or [one for what, _, one in stated if what == about]
        if near:
            yield text, _line_of(text, near[0], made.text.lines)
    if isinstance(made.snapshot.container, Container) and made.snapshot.container.wsl:
        yield from _around_wsl(ranked)
    yield from ((one.statement.say, one.line) for one in statements_in(made.text))


def _around_wsl(fragments: Iterable[Fragment]) -> Iterator[tuple[str, int | None]]:
    """The Windows around WSL, which is not the system that is judged."""
    for one in fragments:
        host = one.sections.get("host")
        if isinstance(host, System) and host.os == "windows" and host.pretty_name:
            yield f"{host.pretty_name} around WSL", next(iter(one.lines), None)
            return


def _line_of(text: str, piece: Fragment, lines: Sequence[str]) -> int | None:
    """The line of a piece that shows the fact's last word, a number mostly; else the first one."""
    word = text.rsplit(maxsplit=1)[-1].lower()
    here = (number for number in piece.lines if number <= len(lines) and word in lines[number - 1].lower())
    return next(here, next(iter(piece.lines), None))


def _rows(sections: Iterable[Section | None]) -> Rows:
    held = [one for one in sections if one is not None]
    for kind, rows in _KINDS:
        for section in held:
            if isinstance(section, kind):
                yield from ((about, text) for about, text in rows(section) if text.strip())


def _gpus(gpus: Gpus) -> Rows:
    names = (
        gpu.name or gpu.architecture or (f"{gpu.vendor.upper()} GPU" if gpu.vendor else "") for gpu in gpus.devices
    )
    for name, count in Counter(names).items():
        if name:
            yield "gpu", f"{count} x {name}" if count > 1 else name


def _system(host: System) -> Rows:
    system = host.pretty_name or " ".join(filter(None, (host.distribution, host.distribution_version)))
    # Which WSL it is, the container's row says.
    if (system or host.os) and system != "WSL":
        yield "system", system or _SYSTEMS[host.os or "other"]
    if host.tegra:
        release = release_of(host.tegra)
        yield "tegra", f"Jetson (L4T {release})" if release else "Jetson"
    if host.kernel:
        yield "kernel", f"kernel {host.kernel}"


_SYSTEMS = {"linux": "Linux", "windows": "Windows", "macos": "macOS", "other": "another system"}


def _container(container: Container) -> Rows:
    if container.wsl:
        yield "wsl", f"WSL {container.wsl.version or ''}".rstrip()
    if container.kind not in (None, "none"):
        yield "container", f"in a container ({container.kind})"
    if container.image:
        yield "image", f"image {container.image}"
    if container.slurm:
        yield "slurm", "Slurm"
    if container.notebook:
        yield "notebook", container.notebook.capitalize()


def _driver(driver: Driver) -> Rows:
    if driver.release:
        yield "driver", f"driver {driver.release}"
    if driver.module_flavour == "open":
        yield "flavour", "open kernel modules"
    if driver.cuda:
        yield "driver's cuda", f"driver offers CUDA {driver.cuda}"


def _toolkits(toolkits: Toolkits) -> Rows:
    for one in toolkits.found:
        if one.version:
            yield "toolkit", f"CUDA toolkit {one.version}"


def _libraries(libraries: Libraries) -> Rows:
    for one in libraries.copies:
        if one.version and one.family == "cudnn":
            yield "cudnn", f"cuDNN {one.version}"


def _interpreter(python: Interpreter) -> Rows:
    if python.version:
        yield "python", f"Python {python.version}"


def _frameworks(frameworks: Frameworks) -> Rows:
    for one in frameworks.found:
        version = one.version or ("for the CPU" if one.variant == "cpu" else "")
        yield one.name, f"{one.name} {version}".rstrip()


def _packages(packages: Packages) -> Rows:
    if packages.installed:
        yield "packages", "1 package" if len(packages.installed) == 1 else f"{len(packages.installed)} packages"


def _live(live: Live) -> Rows:
    for one in live.models:
        context = f" with a context of {one.context}" if one.context else ""
        yield one.name, f"{one.name} takes {one.size / 10**9:.0f} GB{context}"


_KINDS: tuple[tuple[type[Section], Callable[[Any], Rows]], ...] = (
    (Gpus, _gpus),
    (System, _system),
    (Container, _container),
    (Driver, _driver),
    (Toolkits, _toolkits),
    (Libraries, _libraries),
    (Interpreter, _interpreter),
    (Frameworks, _frameworks),
    (Packages, _packages),
    (Live, _live),
)
