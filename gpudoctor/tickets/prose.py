"""Facts in a reporter's sentences: "Ubuntu 22.04 with an RTX 3090, driver 470.57, torch 2.3.0+cu121".

Believed only where nothing better states it, and where one value is told: who names two releases compares them.
"""

from collections.abc import Callable, Collection, Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.python import Frameworks, Interpreter, Package, Packages
from gpudoctor.facts.system import Container, System
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from gpudoctor.knowledge.frameworks import names_and_packages
from gpudoctor.sources.no_match import REFUSED
from gpudoctor.sources.package_names import is_relevant, normalise
from gpudoctor.tickets.clauses import ELSEWHERE, PRINTED, WIDE, Told, own_lines
from gpudoctor.tickets.clauses import clauses as clauses_of
from gpudoctor.tickets.forms import CUDNN_NUMBER, KERNEL, framework_named, is_cuda_of_torch, named_cuda, named_cudnn
from gpudoctor.tickets.fragment import HEARSAY, Fragment, fragment, source
from gpudoctor.tickets.machine_words import bits_of, of_os, python_version
from gpudoctor.tickets.mentions import (
    ALONE,
    KERNEL_BY_SUFFIX,
    LINK,
    PYTHON,
    driver_branches,
    drivers,
    offered,
    supported,
    toolkits,
)
from gpudoctor.tickets.os_named import in_wsl, system_of, wsl_of
from gpudoctor.tickets.other_machines import without_others
from gpudoctor.tickets.pasted import Pasted
from gpudoctor.tickets.products import are_of_one_kind, count_in, products_in_passing
from gpudoctor.tickets.same_modules import parse_same_modules
from gpudoctor.tickets.steps import removed_by_steps, told_by_steps

FORM = "the reporter's words"

_PINNED = re.compile(
    r"(?<![\w./-])(?:pytorch|torch|tensorflow(?:-gpu)?|jax|keras|onnxruntime(?:-gpu)?)={1,2}\d+\.\d+[\w.+]*", re.I
)
#: A command that installs; a line of what was asked for.
_ASKED_FOR = re.compile(
    r"\b(?:pip3?|conda|mamba|uv|poetry)\b[^\n]{0,40}\b(?:install|create|add)\b"
    r"|^[\W_]*[A-Za-z][\w.-]*[=<>~]{1,2}\d[\w.*]*\W*$"
)
#: A build as nobody writes it who has another: "the torch version says 2.0.0+cpu".
_BUILD_OF_TORCH = re.compile(
    r"(?:py)?torch\b[^\n+<>=]{0,40}?(?<![\w.=+-])(\d\.\d{1,2}\.\d\+(?:cpu|cu\d{2,3}|rocm[\d.]+))", re.I
)
_VERSION = (
    r"v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?(?:(?:a|b|rc|\.?dev)\d+)?(?:\+(?:cu\d{2,3}|cpu|rocm[\d.]+))?)"
    r"(?![\w.]*\d)"
)
_BETWEEN = re.compile(r"[-. ]")
_NAMES = {"pytorch": "torch", "tf": "tensorflow", "ort": "onnxruntime"}
_FRAMEWORK = re.compile(
    rf"{ALONE}(pytorch|torch|tensor ?flow(?:[- ]gpu)?|tf(?:-gpu)?|jax(?:\[[\w,-]+\])?|keras|(?-i:ORT)"
    rf"|(?:microsoft\.ml\.)?onnx ?runtime(?:[-. ]gpu)?){LINK}{_VERSION}",
    re.IGNORECASE,
)
_CUDNN = re.compile(rf"{ALONE}cudnn(?:-\d+\.\d-(?:windows|linux)-x64-v)?{CUDNN_NUMBER}", re.IGNORECASE)
_KERNEL = re.compile(rf"(?:\bkernel|内核|\buname -r|\blinux(?= [3-7]\.)){LINK}{KERNEL}", re.IGNORECASE)
_OPEN_MODULES = re.compile(
    r"\bnvidia-(?:driver|dkms|kernel)-\d{3}(?:-server)?-open\b|\bnvidia-open\b(?! ?source)", re.I
)
#: A driver's package with its release: akmod-nvidia-570.133.07-1.fc42, "nvidia-driver-470   470.199.02-0ubuntu0".
_DRIVER_PACKAGE = re.compile(
    r"^(?!\s*(?:rc|un|pn|pi) ).*?\b(?:nvidia-(?:driver|kmod|dkms|open|utils|compute-utils|kernel-\w+)"
    r"|(?:akmod|kmod|dkms)-nvidia|xorg-x11-drv-nvidia|cuda-drivers)(?:-[a-z\d]+)*?[- =:]\s*(?:\d:)?"
    r"(\d{3}\.\d{2,3}(?:\.\d{2})?)-\d[\w.~+]*",
)
#: The driver's library as programs name the file that they loaded: libcuda.so.550.107.02.
_BY_FILE = re.compile(
    r"\blib(?:cuda|nvidia-ml)\.so\.(\d{3}\.\d{2,3}(?:\.\d{2})?)"
    r"(?![.\d]*\d|[^\n]{0,60}\b(?:no such|cannot open|not found))",
    re.I,
)
#: A package and its version in a sentence: "xformers 0.0.25", "flash-attn==2.7.0.post2".
_PACKAGE = re.compile(
    r"(?<![\w./-])([A-Za-z][\w-]{2,}[A-Za-z0-9])(?: version:?| version is| is| v|[ =:(]{1,3}) ?v?"
    r"(\d{1,3}\.\d{1,3}(?:\.\d{1,3}){0,2}(?:\.?(?:post|dev|rc)\d+)?(?:\+(?:cu\d{2,3}|cpu|cuda\d+(?:\.cudnn\d+)?))?)"
    r"(?![\w.]*\d)"
)
#: Parts of a framework that have a release and a build of their own; what a better source states wins.
_TOLD_BESIDE = {"jaxlib"}
#: Families that are a toolkit's and a driver's names as well: "CUDA 12.1", "nvidia-driver 535".
_NO_PACKAGE = re.compile(r"(?:cuda|nvidia|pytorch|tensorrt|cudnn)(?!.*-cu\d\d$).*")
#: A line that is a package and its version: "torch 2.3.0+cu121".
_ROW = re.compile(r"^\s*[-*]?\s*([A-Za-z][\w.-]*) (\d+\.\d[\w.]*(?:\+\w+)?)\s*$")


def parse_prose(text: Pasted, printed: Collection[int], stated: Collection[str]) -> tuple[Fragment, ...]:
    """What lines that no tool `printed` tell of what is not `stated`: names of sections, frameworks and packages."""
    lines = [
        (number, line) for number, line in text.filled if number not in printed and not is_cuda_of_torch(text, number)
    ]
    if REFUSED.search(text.text):
        # What an installer refused is not there.
        lines = [(number, line) for number, line in lines if not _ASKED_FOR.search(line)]
    made = [*_packages(lines, stated), *(() if "packages" in stated else parse_same_modules(lines))]
    clauses = list(clauses_of(lines))
    removed = removed_by_steps(text)
    if not REFUSED.search(text.text):
        clauses += [(number, told) for number, told in told_by_steps(text) if told.split()[0] not in removed]
    if wsl_of(clauses) is None:
        clauses += in_wsl((number, without_others(line)) for number, line in own_lines(lines))
    for name, tell in _SECTIONS.items():
        if name not in stated:
            made += tell(clauses)
    if "host" in stated and "container" not in stated:
        # A form asks for the system; that it is in WSL stands beside it.
        made += _wsl(clauses)
    if "offered" not in stated:
        made += _offered([*((number, f"nvidia-smi {cuda}") for number, cuda in supported(lines)), *clauses])
    if "gpus" not in stated and not any("gpus" in one.sections for one in made):
        # Whoever names one product only, has it: in a title, in what was tried, in what it should work with.
        made += _gpus([(number, without_others(line)) for number, line in own_lines(lines)])
    # A release that is pinned is meant, whatever the sentence says of it.
    pinned = [
        (number, match[0])
        for number, line in lines
        if "=" in line and " install " not in line
        for match in _PINNED.finditer(line[:WIDE])
    ]
    pinned = pinned if pinned and not REFUSED.search(text.text) else []
    pinned += [
        (number, f"torch {match[1]}")
        for number, line in lines
        if ("+c" in line or "+r" in line) and not PRINTED.match(line)
        for match in _BUILD_OF_TORCH.finditer(line[:WIDE])
        if not ELSEWHERE.search(line[:WIDE])
    ]
    frameworks_by_name = {*_NAMES.values(), *_NAMES, *names_and_packages()}
    frameworks = _frameworks([*clauses, *pinned], {*stated, *_named(made)})
    return (
        *made,
        *frameworks,
        *_beside(clauses, {*stated, *_named(made), *frameworks_by_name, *removed} - _TOLD_BESIDE),
    )


def _named(made: list[Fragment]) -> Iterator[str]:
    for one in made:
        packages = one.sections.get("packages")
        yield from (package.name for package in packages.installed) if isinstance(packages, Packages) else ()


def _only(told: Iterator[Told]) -> Told | None:
    """The one value that is told, with its first line; None where two differ."""
    first: dict[str, int] = {}
    for number, value in told:
        first.setdefault(value, number)
    return next(((number, value) for value, number in first.items()), None) if len(first) == 1 else None


def _one(clauses: list[Told], named: re.Pattern[str] | Callable[[str], Iterator[str]]) -> Told | None:
    if callable(named):
        return _only((number, value) for number, clause in clauses for value in named(clause))
    return _only((number, match[1]) for number, clause in clauses for match in named.finditer(clause))


def _host(clauses: list[Told]) -> tuple[Fragment, ...]:
    wsl = wsl_of(clauses)
    told = system_of(clauses, within_wsl=wsl is not None) or (wsl and (wsl[0], of_os("WSL")))
    if told is None:
        return ()
    container = Container(wsl=wsl[1]) if wsl else None
    return fragment(FORM, {told[0], *(wsl[:1] if wsl else ())}, HEARSAY, host=told[1], container=container)


def _wsl(clauses: list[Told]) -> tuple[Fragment, ...]:
    told = wsl_of(clauses)
    return fragment(FORM, (told[0],), HEARSAY, container=Container(wsl=told[1])) if told else ()


def _kernel(clauses: list[Told]) -> tuple[Fragment, ...]:
    told = _one(clauses, _KERNEL) or _one(clauses, KERNEL_BY_SUFFIX)
    return fragment(FORM, (told[0],), HEARSAY, host=System(os="linux", kernel=told[1])) if told else ()


def _cudnn(clauses: list[Told]) -> tuple[Fragment, ...]:
    told = _one(clauses, _CUDNN)
    return fragment(FORM, (told[0],), HEARSAY, libraries=named_cudnn(told[1], told[0])) if told else ()


def _driver(clauses: list[Told]) -> tuple[Fragment, ...]:
    told = _one(clauses, drivers) or _one(clauses, _DRIVER_PACKAGE) or _one(clauses, _BY_FILE)
    if told is None and not any(any(drivers(clause)) for _, clause in clauses):
        told = _one(clauses, driver_branches)
    is_open = next((number for number, clause in clauses if _OPEN_MODULES.search(clause)), None)
    line = told[0] if told else is_open
    if line is None:
        return ()
    release = DriverRelease.parse(told[1]) if told else None
    driver = Driver(release=release, module_flavour="open" if is_open else None, source=source(FORM, line))
    return fragment(FORM, (line,), HEARSAY, driver=driver)


def _gpus(clauses: list[Told]) -> tuple[Fragment, ...]:
    named = [(number, *product) for number, clause in clauses for product in products_in_passing(clause)]
    if not are_of_one_kind({name for *_, name in named}):
        return ()
    number, vendor, name = named[0]
    gpu = Gpu(vendor=vendor, name=name, source=source(FORM, number))
    counts = {count_in(clause) for _, clause in clauses if any(products_in_passing(clause))} - {1}
    count = counts.pop() if len(counts) == 1 and len({name for *_, name in named}) == 1 else 1
    return fragment(FORM, (number,), HEARSAY, gpus=Gpus(devices=(gpu,) * count))


def _toolkits(clauses: list[Told]) -> tuple[Fragment, ...]:
    told = _one(clauses, toolkits)
    return fragment(FORM, (told[0],), HEARSAY, toolkits=named_cuda(told[1], told[0])) if told else ()


def _offered(clauses: list[Told]) -> tuple[Fragment, ...]:
    told = _one(clauses, offered)
    driver = Driver(cuda=CudaVersion.parse(told[1]), source=source(FORM, told[0])) if told else None
    return fragment(FORM, (told[0],), HEARSAY, driver=driver) if told else ()


def _interpreter(clauses: list[Told]) -> tuple[Fragment, ...]:
    told = _one(clauses, PYTHON)
    version = python_version(told[1]) if told else None
    if told is None or version is None:
        return ()
    clause = next(words for number, words in clauses if number == told[0] and told[1] in words)
    bits = bits_of(clause[clause.index(told[1]) :][:30])
    interpreter = Interpreter(executable="python", chosen_by="report", version=version, bits=bits)
    return fragment(FORM, (told[0],), HEARSAY, interpreter=interpreter)


_SECTIONS: dict[str, Callable[[list[Told]], tuple[Fragment, ...]]] = {
    "host": _host,
    "kernel": _kernel,
    "cudnn": _cudnn,
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
            called = _BETWEEN.sub("", match[1].lower()).removeprefix("microsoftml")
            called = called.partition("[")[0]
            name = _NAMES.get(called.removesuffix("gpu"), called.removesuffix("gpu"))
            told.setdefault(name, []).append((number, match[2]))
            of_gpu |= {name} if called.endswith("gpu") else set()
    found, lines = [], []
    for name, values in told.items():
        only = _only(iter(values))
        if only is None or name in stated:
            continue
        found.append(framework_named(name, only[1], only[0], f"{name}-gpu" if name in of_gpu else None))
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
