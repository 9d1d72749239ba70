"""What pip and uv would do with a command: for each package the release they take, and whether that fits."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from gpudoctor.facts import lazy_re as re
from gpudoctor.plan.constraints import obstacles
from gpudoctor.plan.demand import COMPANIONS
from gpudoctor.plan.fit import ranked
from gpudoctor.plan.specifiers import is_specifier, meets
from gpudoctor.sources.packages_names import normalise
from gpudoctor.verify.asked import Install, Requirement
from gpudoctor.verify.case import Case, aspect_of
from gpudoctor.verify.choice import none_found, offered, usable, version_of
from gpudoctor.verify.instead import instead_of, what_would_do
from gpudoctor.verify.judge_beside import beside
from gpudoctor.verify.judge_bounds import bounds
from gpudoctor.verify.judge_place import wrong_place
from gpudoctor.verify.offers import FRAMEWORK_OF, Offer
from gpudoctor.verify.origins import Origin, origins
from gpudoctor.verify.verdict import Verdict

_VARIABLE = re.compile(r"\$\w|\$\{|\$\(|%\w+%|\{[\w.]+\}")
#: A word of a command that stands for another one: <VERSION>.
_TO_FILL_IN = re.compile(r"<[A-Z][A-Z0-9_ ]*>")
#: Made for frameworks; what they are made for is in tables of their own.
_EXTENSIONS = frozenset(("xformers", "flash-attn", "bitsandbytes", "onnxruntime-gpu", "sageattention", "triton"))


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
    operator, _, version = (install.redirected or "").partition("=")
    name = install.requirements[-1].name if install.requirements else "torch"
    text = f"Without quotation marks the shell writes to a file named ={version}, and any {name} is installed."
    fixed = case.text.replace(f"{name}{install.redirected}", f'"{name}{operator}={version}"')
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
    for wanted in sorted(install.requirements, key=lambda one: one.name != "torch"):
        if wanted.name in FRAMEWORK_OF:
            yield from _framework(wanted, places, install, case, taken)
        elif wanted.name in COMPANIONS:
            late.append(wanted)
        elif wanted.name not in ("numpy", "protobuf", "keras", "tf-keras", *_EXTENSIONS):
            yield _other(wanted, places, install, case)
    yield from beside(late, install, places, case, taken)
    yield from bounds(install, case, taken)


def _best_tag(case: Case) -> str | None:
    """The build that uv's --torch-backend=auto takes: that of the best fitting torch."""
    return next((one.variant for one in ranked("torch", case.machine, case.matrix)), None)


def stays(wanted: Requirement, install: Install, case: Case) -> str | None:
    """The installed version that already satisfies a requirement, so that the installer leaves it; None: none does."""
    package = case.installed(wanted.name)
    if package is None or install.reinstall or install.elsewhere or install.tool == "uv add" or wanted.url:
        return None
    if wanted.extras and wanted.name != "torch":
        return None
    return package.version if meets(package.version, wanted.specifier) else None


def _framework(
    wanted: Requirement, places: Sequence[Origin], install: Install, case: Case, taken: dict[str, Offer]
) -> Iterator[Verdict]:
    framework = FRAMEWORK_OF[wanted.name]
    found = offered(wanted.name, places, install, case)
    if wanted.url and not wanted.specifier:
        text = "What is behind an address or a path is not in the tables."
        yield case.verdict(wanted.text, "not known", grounds="not asked", aspect="index", because=text)
        return
    best = _fitting_with_companions(usable(found, wanted.specifier, case), wanted, install, case)
    version = stays(wanted, install, case)
    if version is not None and (not install.upgrade or not best or version_of(best.version) <= version_of(version)):
        yield _nothing(wanted, version, framework, places, install, case)
        return
    if best is None:
        no = none_found(wanted, places, found, case)
        yield (
            replace(no, instead=_instead(framework, wanted, "", places, install, case))
            if no.word != "not known"
            else no
        )
        return
    taken[framework] = best
    yield _build(wanted, best, framework, places, install, case)


def _fitting_with_companions(found: list[Offer], wanted: Requirement, install: Install, case: Case) -> Offer | None:
    """The first; of torch the first that the pinned torchvision or torchaudio of the same command is made for."""
    pins = [
        case.matrix.torch_for(one.name, version_of(one.specifier.lstrip("=").partition("+")[0]).public)
        for one in install.requirements
        if one.name in COMPANIONS and one.specifier.startswith("==") and "*" not in one.specifier
    ]
    if wanted.name == "torch" and pins:
        public = [one for one in found if all(one.version.partition("+")[0] in pin for pin in pins)]
        return next(iter(public or found), None)
    return _with_extra(found, wanted)


def _with_extra(found: list[Offer], wanted: Requirement) -> Offer | None:
    """The newest release; of JAX in the build of the extra that is named, without one in that for the CPU."""
    if wanted.name != "jax" or not found:
        return next(iter(found), None)
    # With the extra ..._local the plugin is the same, and CUDA's libraries are the system's.
    variant = _extra(wanted).removesuffix("-local") or "cpu"
    newest = [one for one in found if one.version == found[0].version and one.build is not None]
    named = (one for one in newest if one.build is not None and normalise(one.build.variant) == variant)
    return next(named, None) or next((one for one in newest if one.build and one.build.processor == "cpu"), None)


def _extra(wanted: Requirement) -> str:
    """The CUDA extra that is named; empty for none."""
    return next((one for one in wanted.extras if one.startswith("cuda")), "")


def _nothing(
    wanted: Requirement, version: str, framework: str, places: Sequence[Origin], install: Install, case: Case
) -> Verdict:
    """Already satisfied: nothing changes, whatever the index."""
    text = f"{wanted.name} {version} is installed and satisfies it, so nothing is changed"
    tag = next((one.tag for one in places if one.kind == "pytorch" and one.tag), "")
    local = version.partition("+")[2]
    wants_other = bool(tag and local and tag != local) or (local == "cpu" and case.wants_gpu)
    text += f"; the build +{local} stays." if wants_other else "."
    public = version.partition("+")[0]
    instead = (
        instead_of(framework, public, tag if tag != "cpu" else "", install, case, _companions(install))
        if wants_other
        else None
    )
    return case.verdict(
        wanted.text, "does nothing", aspect="installed", because=text, instead=instead, line=wanted.line
    )


def _build(
    wanted: Requirement, best: Offer, framework: str, places: Sequence[Origin], install: Install, case: Case
) -> Verdict:
    build = best.build
    assert build is not None
    asked_for_cpu = (
        wanted.name == "tensorflow-cpu" or "+cpu" in wanted.specifier or any(one.tag == "cpu" for one in places)
    )
    common: dict[str, Any] = {"line": wanted.line, "row": build.row, "build": build.label}
    if build.processor != "cuda":
        said = _for_cpu(wanted, best, framework, places, install, case, is_wish=asked_for_cpu)
        return replace(said, line=wanted.line or case.line, build=build.label)
    skipped = ("index",) if framework == "torch" or not wanted.extras else ()
    against = [
        one
        for one in obstacles(build, case.machine, case.matrix)
        if one.constraint not in skipped and not (one.constraint == "defect" and not wanted.extras)
    ]
    certain = [one for one in against if one.constraint != "unknown"]
    if certain:
        first = certain[0]
        instead = _instead(framework, wanted, best.version, places, install, case)
        change = f" What would do: {first.change}." if instead is None and first.change else ""
        because = f"{build.label}: {first.text}.{change}"
        return case.verdict(
            wanted.text,
            "does not fit",
            aspect=aspect_of(first.constraint),
            because=because,
            instead=instead,
            **common,
        )
    missing = case.not_judged("driver", "GPU", "Python version", "platform")
    if against:
        return case.verdict(
            wanted.text,
            "not known",
            grounds="not in the tables",
            aspect="gpu",
            because=f"{build.label}: {against[0].text}.",
            not_judged=missing,
            **common,
        )
    return case.verdict(
        wanted.text,
        "fits",
        notes=_notes(wanted, framework, case),
        not_judged=missing,
        **common,
    )


def _notes(wanted: Requirement, framework: str, case: Case) -> tuple[str, ...]:
    """What a user should know of a build that fits."""
    if framework == "tensorflow" and "and-cuda" not in wanted.extras and case.wants_gpu:
        return ("It brings no CUDA libraries: they must be installed beside it, or ask for tensorflow[and-cuda].",)
    return ()


def _for_cpu(
    wanted: Requirement,
    best: Offer,
    framework: str,
    places: Sequence[Origin],
    install: Install,
    case: Case,
    *,
    is_wish: bool,
) -> Verdict:
    """A build that computes on the CPU only (on a Mac it may use Apple's GPU)."""
    row = best.build.row if best.build is not None else None
    installed = case.installed(framework)
    lost = installed is not None and "+cu" in installed.version and not install.elsewhere
    label = best.build.label if best.build is not None else best.version
    extra = _extra(wanted) if framework == "jax" else ""
    if extra:
        text = f"{label.split('[')[0]} has no extra {extra}: pip leaves it out, and what is left computes on the CPU."
    elif lost and installed is not None and case.wants_gpu:
        text = f"{label} computes on the CPU only, and takes the place of {framework} {installed.version}."
    elif case.wants_gpu and not is_wish:
        text = f"{label} is what it gives here, and that computes on the CPU only."
    else:
        notes = () if case.machine.os == "macos" else (f"{label} computes on the CPU only.",)
        return case.verdict(wanted.text, "fits", notes=notes, row=row)
    instead = _instead(framework, wanted, best.version, places, install, case)
    if instead is None:
        text = f"{text} {what_would_do(framework, case.machine, case)}".strip()
    return case.verdict(
        wanted.text, "does not fit", aspect="replaces" if lost else "platform", because=text, instead=instead, row=row
    )


def _companions(install: Install) -> tuple[str, ...]:
    return tuple(one.name for one in install.requirements if one.name in COMPANIONS)


def _instead(
    framework: str, wanted: Requirement, version: str, places: Sequence[Origin], install: Install, case: Case
) -> str | None:
    asked = version.partition("+")[0] or wanted.specifier.partition(",")[0].lstrip("=<>~!").partition("+")[0].rstrip(
        ".*"
    )
    tag = next((one.tag for one in places if one.kind == "pytorch" and one.tag), "")
    return instead_of(framework, asked, tag, install, case, _companions(install) if framework == "torch" else ())


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
    return case.verdict(wanted.text, "fits", build=f"{wanted.name} {best.version}", line=wanted.line)
