"""Judges the framework in an install command: which build is taken, and whether it fits the machine."""

import posixpath
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from gpudoctor.knowledge.metal import metal_floor
from gpudoctor.plan.builds import Build
from gpudoctor.plan.constraints import obstacles
from gpudoctor.plan.demand import COMPANIONS
from gpudoctor.plan.specifiers import meets
from gpudoctor.sources.package_names import normalise
from gpudoctor.verify.asked import Install, Requirement
from gpudoctor.verify.case import Case, aspect_of
from gpudoctor.verify.instead import instead_of, typed, what_would_do, with_links
from gpudoctor.verify.judge_jaxlib import PAGE as JAX_PAGE
from gpudoctor.verify.offers import FRAMEWORK_OF, Offer
from gpudoctor.verify.origins import Origin
from gpudoctor.verify.release_choice import none_found, offered, usable, version_of
from gpudoctor.verify.verdict import Verdict


def stays(wanted: Requirement, install: Install, case: Case) -> str | None:
    """The installed version that already satisfies a requirement, so that the installer leaves it; None: none does."""
    package = case.installed(wanted.name)
    if package is None or install.reinstall or install.elsewhere or install.tool == "uv add" or wanted.url:
        return None
    if wanted.extras and wanted.name != "torch":
        return None
    return package.version if meets(package.version, wanted.specifier) else None


def judge_framework(
    wanted: Requirement, places: Sequence[Origin], install: Install, case: Case, taken: dict[str, Offer]
) -> Iterator[Verdict]:
    """Notes the build that is taken in `taken`."""
    framework = FRAMEWORK_OF[wanted.name]
    found = offered(wanted.name, places, install, case)
    if wanted.url and not any(meets(one.version, wanted.specifier) for one in found if wanted.specifier):
        # A release of its maker's own, as for Jetson: 2.1.0a0+41361538.nv23.06.
        text = "What is behind an address or a path is not in the tables."
        yield case.verdict(wanted.text, "not known", grounds="not asked", aspect="index", because=text)
        return
    fitting = usable(found, wanted.specifier, case)
    best = _fitting_with_companions(fitting, wanted, install, case)
    version = stays(wanted, install, case)
    if version is not None and (not install.upgrade or not best or version_of(best.version) <= version_of(version)):
        yield _nothing(wanted, version, framework, places, install, case)
        return
    if best is None:
        no = _without_its_extra(wanted, install, fitting, case) if fitting else none_found(wanted, places, found, case)
        yield (
            replace(no, instead=_instead(framework, wanted, "", places, install, case))
            if no.word == "does not fit" and no.instead is None
            else no
        )
        return
    if best.build is None:
        text = f"{wanted.name} {best.version} is what it takes, and that only ends with an error: the package is gone."
        instead = _instead(framework, wanted, best.version, places, install, case)
        yield case.verdict(
            wanted.text, "does not fit", grounds="impossible", aspect="name", because=text, instead=instead
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


def _without_its_extra(wanted: Requirement, install: Install, fitting: Sequence[Offer], case: Case) -> Verdict:
    """A JAX whose jaxlib comes with extras, and not with the one that is named: that of its own page instead."""
    version = fitting[0].version
    builds = [one.build for one in fitting if one.version == version and one.build is not None]
    text = f"jax {version} has no extra {_extra(wanted)}" if _extra(wanted) else f"jax {version} alone brings no jaxlib"
    text += f"; it has {', '.join(one.variant for one in builds)}."
    there = [one for one in builds if one.fault]
    if there:
        text += f" Their jaxlib is on JAX's own page: -f {JAX_PAGE}"
    wrong = (tuple(one.constraint for one in obstacles(build, case.machine, case.matrix)) for build in there)
    best = next((one for one, against in zip(there, wrong, strict=True) if {*against} <= {"index", "unknown"}), None)
    instead = typed(install, (f"jax[{best.variant}]=={version}", "-f", JAX_PAGE)) if best else None
    return case.verdict(wanted.text, "does not fit", aspect="version", because=text, instead=instead, line=wanted.line)


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
    if framework == "tensorflow" and "and-cuda" in wanted.extras and not build.has_extra:
        text = f"{build.label} has no extra and-cuda, so its CUDA libraries would not come: that begins with 2.14."
        return case.verdict(wanted.text, "does not fit", aspect="name", because=text, **common)
    on_its_page = framework == "jax" and any(one.kind == "jax" for one in places)
    skipped = ("index",) if framework == "torch" or not wanted.extras or on_its_page else ()
    against = [
        one
        for one in obstacles(build, case.machine, case.matrix)
        if one.constraint not in skipped and not (one.constraint in ("defect", "python") and not wanted.extras)
        if not (one.mended and case.given.linked.issuperset(map(posixpath.basename, build.links)))
    ]
    certain = [one for one in against if one.constraint != "unknown"]
    if certain:
        first = certain[0]
        instead = _instead(framework, wanted, best.version, places, install, case)
        ways = dict.fromkeys(filter(None, (with_links(framework, case), None if first.mended else first.change)))
        change = f" What would do: {'; or '.join(ways)}." if instead is None and ways else ""
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
        notes=_notes(wanted, build, case),
        not_judged=missing,
        **common,
    )


def _notes(wanted: Requirement, build: Build, case: Case) -> tuple[str, ...]:
    """What a user should know of a build that fits."""
    if build.framework != "tensorflow" or "and-cuda" in wanted.extras or not case.wants_gpu:
        return ()
    works = build.fault is None and case.machine.python in (None, *build.pythons)
    other = ", or ask for tensorflow[and-cuda]" if build.variant == "and-cuda" and works else ""
    return (f"It brings no CUDA libraries: those of CUDA {build.cuda} must be installed beside it{other}.",)


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
        on_mac = case.machine.os == "macos"
        notes = _of_a_mac(best, label, case) if on_mac else (f"{label} computes on the CPU only.",)
        return case.verdict(wanted.text, "fits", notes=notes, row=row)
    instead = _instead(framework, wanted, best.version, places, install, case)
    if instead is None:
        text = f"{text} {what_would_do(framework, case.machine, case)}".strip()
    return case.verdict(
        wanted.text, "does not fit", aspect="replaces" if lost else "platform", because=text, instead=instead, row=row
    )


def _of_a_mac(best: Offer, label: str, case: Case) -> tuple[str, ...]:
    """From which macOS on it uses the GPU, where this one is older or not known."""
    on_gpu = best.build is not None and best.build.processor == "mps"
    floor, release = metal_floor(best.version) if on_gpu else None, case.machine.macos
    if floor is None or (release is not None and release >= floor):
        return ()
    here = f" On {release} it computes on the CPU only." if release is not None else ""
    return (f"{label} uses a Mac's GPU from macOS {floor} on.{here}",)


def _companions(install: Install) -> tuple[str, ...]:
    return tuple(one.name for one in install.requirements if one.name in COMPANIONS)


def _instead(
    framework: str, wanted: Requirement, version: str, places: Sequence[Origin], install: Install, case: Case
) -> str | None:
    if not (case.machine.gfx or case.machine.capabilities) and any(one.tag.startswith("rocm") for one in places):
        # Another build of that index, or of another: which, the GPU says.
        return None
    asked = version.partition("+")[0] or wanted.specifier.partition(",")[0].lstrip("=<>~!").partition("+")[0].rstrip(
        ".*"
    )
    tag = next((one.tag for one in places if one.kind == "pytorch" and one.tag), "")
    return instead_of(framework, asked, tag, install, case, _companions(install) if framework == "torch" else ())
