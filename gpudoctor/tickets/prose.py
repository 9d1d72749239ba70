"""What a reporter tells in sentences: "Ubuntu 22.04 with an RTX 3090, driver 470.57, torch 2.3.0+cu121".

Believed only where nothing better states it, and where one value is told: who names two releases compares them.
"""

from collections.abc import Callable, Collection, Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Section
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.python import Frameworks, Interpreter, Package, Packages
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.knowledge.frameworks import names_and_packages
from gpudoctor.sources.no_match import REFUSED
from gpudoctor.sources.packages_names import is_relevant, normalise
from gpudoctor.tickets.forms import framework_named, named_cuda
from gpudoctor.tickets.fragment import HEARSAY, Fragment, fragment, source
from gpudoctor.tickets.machine_words import bits_of, of_os, python_version
from gpudoctor.tickets.pasted import Pasted
from gpudoctor.tickets.products import products_in_passing

FORM = "the reporter's words"

#: Other times, other machines, wishes and commands: what such a clause names is not what is there.
_ELSEWHERE = re.compile(
    r"\b(?:work(?:s|ed|ing)? (?:fine|well|on|with|in|for|if|when)|used to|previous\w*|before|earlier|older|newer"
    r"|instead|down ?grad\w*|up ?grad\w*|tr(?:y|ied|ying)|require[sd]?|needs?|support\w*|recommend\w*|latest"
    r"|tested|install(?:ing)?|should|could|would|if|than|until|since|other|another|colleague\w*|compatible|from"
    r"|built? (?:for|with|against)|example|e\.g|funktionier\w*|vorher|früher\w*|ältere\w*|neuere\w*|benötig\w*|braucht"
    r"|unterstütz\w*|empf\w+|sollte|könnte|wenn|statt|anderen|versuch\w*|aktualisier\w*)\b|->|=>|>=|<=|\?"
    r"|之前|以前|升级|降级|支持|需要|如果|建议|推荐|应该|旧版|新版|最新|尝试|试过|安装|换成|另一|正常",
    re.IGNORECASE,
)
_PINNED = re.compile(r"(?<![\w./-])(?:pytorch|torch|tensorflow(?:-gpu)?|jax|keras)={1,2}\d+\.\d+[\w.+]*", re.IGNORECASE)
#: A build as nobody writes it who has another: "the torch version says 2.0.0+cpu".
_BUILD_OF_TORCH = re.compile(
    r"(?:py)?torch\b[^\n+<>=]{0,40}?(?<![\w.=+-])(\d\.\d{1,2}\.\d\+(?:cpu|cu\d{2,3}|rocm[\d.]+))", re.I
)
#: Characters of a line that may be somebody's own.
_WIDE = 600
_CLAUSE = re.compile(r"(?<=[.;!?])\s+|(?<=:)\s+(?!v?\d)|\s+(?:but|while|whereas|although)\s+", re.IGNORECASE)
_VERSION = (
    r"v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?(?:(?:a|b|rc|\.?dev)\d+)?(?:\+(?:cu\d{2,3}|cpu|rocm[\d.]+))?)"
    r"(?![\w.]*\d)"
)
_LINK = r"(?:[\s-]*(?:version|release|is|at|ist|in|der|版本|是|为)|\s*[=:(])*\s*"
_NAMES = {"pytorch": "torch", "tf": "tensorflow", "tensorflow-gpu": "tensorflow"}
_FULL_WIDTH = str.maketrans("，。：；（）！？、", ",.:;()!?,")
_BESIDE_HAN = re.compile(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u4e00-\u9fff])|(?<=[,.:;!?])(?=\D)")
_FRAMEWORK = re.compile(
    rf"(?<![\w./-])(pytorch|torch|tensorflow(?:-gpu)?|tf|jax|keras){_LINK}{_VERSION}", re.IGNORECASE
)
_PYTHON = re.compile(rf"(?<![\w./-])python{_LINK}([23]\.\d{{1,2}}(?:\.\d{{1,2}})?)(?![\w.]*\d)", re.IGNORECASE)
_DRIVER = re.compile(
    rf"\b(?:\w*treiber|drivers?|\w{{0,8}}驱动){_LINK}v?(\d{{3}}\.\d{{2,3}}(?:\.\d{{1,3}})?)(?![\w.]*\d)", re.IGNORECASE
)
_CUDA = re.compile(
    rf"(?<![\w./-])cuda(?:[ -]?toolkit)?{_LINK}v?(\d{{1,2}}\.\d)(?:\.\d{{1,3}})?(?![\w.]*\d)", re.IGNORECASE
)
_OS = re.compile(
    r"\b(ubuntu|debian|fedora|centos|rhel|rocky(?: linux)?|alma ?linux|linux mint|opensuse(?: leap)?"
    r"|windows|win|mac ?os)"
    r"\s*(?:v|version\s*)?(\d{1,2}(?:\.\d{1,2}){0,2})\b|\b(arch linux|manjaro|pop!_os|wsl ?2?)\b"
    r"|\b(?P<mac>mac ?book(?: pro| air)?(?: \(?m[1-5])?|mac (?:mini )?\(?m[1-5]|apple (?:silicon|m[1-5]))\b",
    re.IGNORECASE,
)
#: A package and its version in a sentence: "xformers 0.0.25", "flash-attn==2.7.0.post2".
_PACKAGE = re.compile(
    r"(?<![\w./-])([A-Za-z][\w-]{2,}[A-Za-z0-9])(?: version| v|[ =:(]{1,3}| )v?"
    r"(\d{1,3}\.\d{1,3}(?:\.\d{1,3}){0,2}(?:\.?(?:post|dev|rc)\d+)?(?:\+(?:cu\d{2,3}|cpu))?)(?![\w.]*\d)"
)
#: Families that are a toolkit's and a driver's names as well: "CUDA 12.1", "nvidia-driver 535".
_NO_PACKAGE = re.compile(r"(?:cuda|nvidia|pytorch|tensorrt|cudnn)(?!.*-cu\d\d$).*")
#: A line that is a package and its version: "torch 2.3.0+cu121".
_ROW = re.compile(r"^\s*[-*]?\s*([A-Za-z][\w.-]*) (\d+\.\d[\w.]*(?:\+\w+)?)\s*$")
#: What prints one: tracebacks, logs and shells are read by others.
_PRINTED = re.compile(
    r"^\s*(?:File \"|at |\d{4}-\d\d-\d\d|[IWEF]\d{4} |\[(?![A-Za-z -]{2,20}\] )"
    r"|\$|>>>|\||\+-|#|pip3? |conda |uv |python[\d.]* |sudo |docker "
    r"|import |from \w+ import |\w*(?:Error|Warning):|(?i:error|warning|info):)"
)

Told = tuple[int, str]


def parse_prose(text: Pasted, printed: Collection[int], stated: Collection[str]) -> tuple[Fragment, ...]:
    """What lines that no tool `printed` tell of what is not `stated`: names of sections, frameworks and packages."""
    lines = [(number, line) for number, line in text.filled if number not in printed]
    made = [*_packages(lines, stated)]
    clauses = list(_clauses(lines))
    for name, tell in _SECTIONS.items():
        if name not in stated:
            made += tell(clauses)
    if "gpus" not in stated and not any("gpus" in one.sections for one in made):
        # Whoever names one product only, has it: in a title, in what was tried, in what it should work with.
        made += _gpus([(number, line) for number, line in lines if len(line) <= _WIDE and not _PRINTED.match(line)])
    # A release that is pinned is meant, whatever the sentence says of it.
    pinned = [
        (number, match[0])
        for number, line in lines
        if "=" in line and " install " not in line
        for match in _PINNED.finditer(line[:_WIDE])
    ]
    # What an installer refused is not there.
    pinned = pinned if pinned and not REFUSED.search(text.text) else []
    pinned += [
        (number, f"torch {match[1]}")
        for number, line in lines
        if ("+c" in line or "+r" in line) and not _PRINTED.match(line)
        for match in _BUILD_OF_TORCH.finditer(line[:_WIDE])
        if not _ELSEWHERE.search(line[:_WIDE])
    ]
    frameworks = _frameworks([*clauses, *pinned], {*stated, *_named(made)})
    return (
        *made,
        *frameworks,
        *_beside(clauses, {*stated, *_named(made), *_NAMES.values(), *_NAMES, *names_and_packages()}),
    )


def _named(made: list[Fragment]) -> Iterator[str]:
    for one in made:
        packages = one.sections.get("packages")
        yield from (package.name for package in packages.installed) if isinstance(packages, Packages) else ()


def _clauses(lines: list[Told]) -> Iterator[Told]:
    """The parts of sentences that tell of this machine and of now."""
    for number, line in lines:
        if len(line) > _WIDE or not any(char.isdigit() for char in line) or _PRINTED.match(line):
            continue
        spaced = line if line.isascii() else _BESIDE_HAN.sub(" ", line.translate(_FULL_WIDTH))
        yield from ((number, clause) for clause in _CLAUSE.split(spaced) if not _ELSEWHERE.search(clause))


def _only(told: Iterator[Told]) -> Told | None:
    """The one value that is told, with its first line; None where two differ."""
    first: dict[str, int] = {}
    for number, value in told:
        first.setdefault(value, number)
    return next(((number, value) for value, number in first.items()), None) if len(first) == 1 else None


def _one(clauses: list[Told], pattern: re.Pattern[str]) -> Told | None:
    return _only((number, match[1]) for number, clause in clauses for match in pattern.finditer(clause))


def _host(clauses: list[Told]) -> tuple[Fragment, ...]:
    named = [(number, match) for number, clause in clauses for match in _OS.finditer(clause)]
    by_version = [(number, match[0]) for number, match in named if match["mac"] is None]
    told = _only(iter(by_version or [(number, match[0]) for number, match in named]))
    return fragment(FORM, (told[0],), HEARSAY, host=of_os(told[1])) if told else ()


def _driver(clauses: list[Told]) -> tuple[Fragment, ...]:
    told = _one(clauses, _DRIVER)
    release = DriverRelease.parse(told[1]) if told else None
    if told is None or release is None:
        return ()
    return fragment(FORM, (told[0],), HEARSAY, driver=Driver(release=release, source=source(FORM, told[0])))


def _gpus(clauses: list[Told]) -> tuple[Fragment, ...]:
    named = [(number, *product) for number, clause in clauses for product in products_in_passing(clause)]
    told = _only((number, name) for number, _, name in named)
    if told is None:
        return ()
    gpu = Gpu(vendor=named[0][1], name=told[1], source=source(FORM, told[0]))
    return fragment(FORM, (told[0],), HEARSAY, gpus=Gpus(devices=(gpu,)))


def _toolkits(clauses: list[Told]) -> tuple[Fragment, ...]:
    told = _one(clauses, _CUDA)
    return fragment(FORM, (told[0],), HEARSAY, toolkits=named_cuda(told[1], told[0])) if told else ()


def _interpreter(clauses: list[Told]) -> tuple[Fragment, ...]:
    told = _one(clauses, _PYTHON)
    version = python_version(told[1]) if told else None
    if told is None or version is None:
        return ()
    clause = next(words for number, words in clauses if number == told[0] and told[1] in words)
    bits = bits_of(clause[clause.index(told[1]) :][:30])
    interpreter = Interpreter(executable="python", chosen_by="report", version=version, bits=bits)
    return fragment(FORM, (told[0],), HEARSAY, interpreter=interpreter)


_SECTIONS: dict[str, Callable[[list[Told]], tuple[Fragment, ...]]] = {
    "host": _host,
    "driver": _driver,
    "gpus": _gpus,
    "toolkits": _toolkits,
    "interpreter": _interpreter,
}


def _frameworks(clauses: list[Told], stated: Collection[str]) -> tuple[Fragment, ...]:
    told: dict[str, list[Told]] = {}
    of_gpu: set[str] = set()
    for number, clause in clauses:
        for match in _FRAMEWORK.finditer(clause):
            name = _NAMES.get(match[1].lower(), match[1].lower())
            told.setdefault(name, []).append((number, match[2]))
            of_gpu |= {name} if match[1].lower().endswith("-gpu") else set()
    found, lines = [], []
    for name, values in told.items():
        only = _only(iter(values))
        if only is None or name in stated:
            continue
        found.append(framework_named(name, only[1], only[0], "tensorflow-gpu" if name in of_gpu else None))
        lines.append(only[0])
    return fragment(FORM, lines, HEARSAY, frameworks=Frameworks(found=tuple(found)) if found else None)


def _beside(clauses: list[Told], stated: Collection[str]) -> tuple[Fragment, ...]:
    """Packages beside the frameworks, each of which is told with one version."""
    told: dict[str, list[Told]] = {}
    for number, clause in clauses:
        for match in _PACKAGE.finditer(clause):
            name = normalise(match[1])
            if name not in stated and is_relevant(name) and not _NO_PACKAGE.fullmatch(name):
                told.setdefault(name, []).append((number, match[2]))
    rows = {name: only for name, values in told.items() if (only := _only(iter(values)))}
    installed = tuple(Package(name=name, version=version) for name, (_, version) in rows.items())
    packages = Packages(installed=installed, excerpt=True) if installed else None
    return fragment(FORM, [number for number, _ in rows.values()], HEARSAY, packages=packages)


def _packages(lines: list[Told], stated: Collection[str]) -> tuple[Fragment, ...]:
    rows: dict[str, Told] = {}
    for number, line in lines:
        match = _ROW.match(line)
        name = normalise(match[1]) if match else ""
        if match and is_relevant(name) and name not in stated:
            rows.setdefault(name, (number, match[2]))
    installed = tuple(Package(name=name, version=version) for name, (_, version) in rows.items())
    numbers = [number for number, _ in rows.values()]
    return fragment(
        "a list of packages",
        numbers,
        HEARSAY,
        packages=Packages(installed=installed, excerpt=True) if installed else None,
    )


#: The field without which a section does not state what people tell of it.
_DECIDES = {"driver": "release", "gpus": "devices", "toolkits": "found", "interpreter": "version"}


def stated_in(fragments: tuple[Fragment, ...]) -> set[str]:
    """What needs no hearsay: the sections that are stated, and the frameworks and packages by name."""
    found: set[str] = set()
    for one in fragments:
        sections: dict[str, Section] = one.sections
        found.update(name for name, section in sections.items() if getattr(section, _DECIDES.get(name, ""), None))
        # A path tells the kind of system only; which distribution it is people say.
        if isinstance(host := sections.get("host"), System) and (host.distribution or host.os != "linux"):
            found.add("host")
        if isinstance(frameworks := sections.get("frameworks"), Frameworks):
            found.update(framework.name for framework in frameworks.found)
        if isinstance(packages := sections.get("packages"), Packages):
            found.update(package.name for package in packages.installed)
    return found
