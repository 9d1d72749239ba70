"""Judges pip and uv installs: for each package the release that is taken, and whether it fits."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from gpudoctor.facts import lazy_re as re
from gpudoctor.plan.demand import COMPANIONS
from gpudoctor.plan.fit import ranked
from gpudoctor.plan.specifiers import is_specifier
from gpudoctor.verify.asked import Install, Requirement
from gpudoctor.verify.case import Case
from gpudoctor.verify.judge_beside import beside
from gpudoctor.verify.judge_bounds import bounds
from gpudoctor.verify.judge_extension import cudnn_without_code, extension_names
from gpudoctor.verify.judge_framework import judge_framework, stays
from gpudoctor.verify.judge_jaxlib import judge_jaxlib
from gpudoctor.verify.judge_parts import not_its_part
from gpudoctor.verify.judge_place import wrong_place
from gpudoctor.verify.offers import FRAMEWORK_OF, Offer
from gpudoctor.verify.origins import Origin, origins
from gpudoctor.verify.release_choice import none_found, offered, usable
from gpudoctor.verify.verdict import Verdict

#: A requirement with a comparison, as a shell must not see it.
_UNQUOTED = re.compile(r"(?<!\S)[\w.-]{1,80}(?:\[[\w,-]{1,80}\])?[<>]=?\d[\w.,<>=!*]{0,80}(?!\S)")
_VARIABLE = re.compile(r"\$\w|\$\{|\$\(|%\w+%|\{[\w.]+\}")
#: Packages with code for GPUs, by their names: paddlepaddle-gpu, cupy-cuda12x, mxnet-cu112. NVIDIA's are libraries.
_FOR_GPUS = re.compile(r"^(?!nvidia-).*-(?:gpu|cu\d+|cuda\d*x?)$")
#: A word of a command that stands for another one: <VERSION>.
_TO_FILL_IN = re.compile(r"<[A-Z][A-Z0-9_ ]*>")


def judge_install(install: Install, case: Case) -> Iterator[Verdict]:
    """The verdicts on each package of a command, and on where it goes to."""
    case = _for_target(install, case)
    place = wrong_place(install, case)
    if place is not None:
        yield place
        return
    for option in install.unknown_options:
        text = f"No option {option} of {install.tool} is known here."
        yield case.verdict(option, "not known", grounds="not in the tables", aspect="option", because=text)
    if install.redirected is not None:
        yield _redirected(install, case)
        return
    for file in install.files:
        text = f"{file[:60]} was not given; name it to have it judged, too."
        yield case.verdict(f"-r {file}", "not known", grounds="not asked", aspect="name", because=text)
    if blank := _TO_FILL_IN.search(case.text):
        text = f"{blank[0]} is to be filled in first."
        yield case.verdict(blank[0], "not known", grounds="not asked", aspect="syntax", because=text)
        return
    for one in install.requirements:
        if _VARIABLE.search(one.text):
            text = "A variable stands in it, and what it holds was not given."
            yield case.verdict(one.text, "not known", grounds="not asked", aspect="version", because=text)
        elif not is_specifier(one.specifier):
            text = f"{install.tool} refuses it: after the name of a package stands no version that is one."
            yield case.verdict(one.text, "does not fit", grounds="impossible", aspect="syntax", because=text)
    wanted = tuple(
        one
        for one in install.requirements
        if is_specifier(one.specifier) and not _VARIABLE.search(one.text) and _applies(one, case)
    )
    if wanted:
        yield from _packages(replace(install, requirements=wanted), case)


def _for_target(install: Install, case: Case) -> Case:
    """The case with the Python that the command names."""
    python = install.python
    if python is None or (case.machine.python not in (None, python) and not install.elsewhere):
        return case
    given = replace(case.given, machine=replace(case.machine, python=python))
    return Case(case.line, case.text, case.file, given, case.matrix)


def _redirected(install: Install, case: Case) -> Verdict:
    """An unquoted comparison."""
    typed = install.redirected or ""
    name = re.split("[<>]", typed, maxsplit=1)[0]
    file = typed[len(name) :].lstrip("<>")
    text = f"Without quotation marks the shell writes to a file named {file}, and any {name} is installed."
    if "<" in typed:
        text = f"Without quotation marks the shell reads a file named {file}, and where there is none nothing is run."
    fixed = _UNQUOTED.sub(r'"\g<0>"', case.text)
    instead = fixed if fixed != case.text else None
    return case.verdict(name, "does not fit", aspect="syntax", because=text, instead=instead)


def _applies(wanted: Requirement, case: Case) -> bool:
    """Whether the marker holds here; what cannot be told holds."""
    if not wanted.marker:
        return True
    # Imported here: only a requirement with a marker needs it.
    from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName

    systems = {"linux": ("linux", "Linux"), "windows": ("win32", "Windows"), "macos": ("darwin", "Darwin")}
    platform, system = systems[case.machine.os]
    known = {"sys_platform": platform, "platform_system": system, "extra": ""}
    if case.machine.python:
        known["python_version"] = case.machine.python
    try:
        return Marker(wanted.marker).evaluate(known)
    except (InvalidMarker, UndefinedEnvironmentName):
        return True


def _packages(install: Install, case: Case) -> Iterator[Verdict]:
    places = origins(install, _best_tag(case))
    taken: dict[str, Offer] = {}
    late: list[Requirement] = []
    for wanted in sorted(install.requirements, key=lambda one: (one.name != "torch", one.name not in FRAMEWORK_OF)):
        if wanted.name in FRAMEWORK_OF:
            yield from judge_framework(wanted, places, install, case, taken)
        elif wanted.name in COMPANIONS:
            late.append(wanted)
        elif wanted.name not in ("numpy", "protobuf", "keras", "tf-keras", "triton", *extension_names(case.matrix)):
            yield (
                not_its_part(wanted, install, case, taken)
                or judge_jaxlib(wanted, places, install, case)
                or _other(wanted, places, install, case)
            )
    yield from beside(late, install, places, case, taken)
    yield from bounds(install, case, taken)


def _best_tag(case: Case) -> str | None:
    """The build that uv's --torch-backend=auto takes: that of the best fitting torch."""
    return next((one.variant for one in ranked("torch", case.machine, case.matrix)), None)


def _other(wanted: Requirement, places: Sequence[Origin], install: Install, case: Case) -> Verdict:
    """A package that is no framework: whether there is such a release, with a wheel for the machine."""
    if not wanted.name:
        text = "What is behind an address or a path is not in the tables."
        return case.verdict(
            wanted.text, "not known", grounds="not asked", aspect="name", because=text, line=wanted.line
        )
    version = stays(wanted, install, case)
    if version is not None and not install.upgrade:
        text = f"{wanted.name} {version} is installed and satisfies it, so nothing is changed."
        return case.verdict(wanted.text, "does nothing", aspect="installed", because=text, line=wanted.line)
    found = offered(wanted.name, places, install, case)
    best = next(iter(usable(found, wanted.specifier, case)), None)
    if best is None:
        return none_found(wanted, places, found, case)
    if (refused := cudnn_without_code(wanted, best.version, case)) is not None:
        return refused
    build, for_gpus = f"{wanted.name} {best.version}", _FOR_GPUS.search(wanted.name)
    if for_gpus and case.machine.capabilities:
        text = (
            f"Not judged for this GPU: there is a wheel of {build}; which GPUs it has code for, and which driver and "
            "CUDA it needs, is not in the tables."
        )
        return case.verdict(
            wanted.text, "not known", grounds="not in the tables", aspect="gpu", because=text, line=wanted.line
        )
    lacking = case.not_judged("GPU", "driver") if for_gpus else ()
    return case.verdict(wanted.text, "fits", build=build, line=wanted.line, not_judged=lacking)
