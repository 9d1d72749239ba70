"""Which release an installer would take of those on offer, or why it finds none."""

from collections.abc import Sequence

from packaging.version import Version

from gpudoctor.facts.versions import package_version
from gpudoctor.plan.builds import carrier_of
from gpudoctor.plan.constraints import macos_floor, span
from gpudoctor.plan.glibc import glibc_floor
from gpudoctor.plan.specifiers import meets
from gpudoctor.verify.asked import Install, Requirement
from gpudoctor.verify.case import Case
from gpudoctor.verify.judge_rocm import judge_rocm
from gpudoctor.verify.offers import FRAMEWORK_OF, Offer, is_for_platform, is_for_python, offers
from gpudoctor.verify.origins import Origin, known_tags
from gpudoctor.verify.verdict import Verdict

_LOWEST = Version("0")


def version_of(text: str) -> Version:
    """A version to compare; the lowest for what is none."""
    return package_version(text) or _LOWEST


def offered(name: str, places: Sequence[Origin], install: Install, case: Case) -> tuple[Offer, ...]:
    """What is on offer: pip looks everywhere; uv takes the first place that has the package at all."""
    found: list[Offer] = []
    for place in places:
        here = offers(name, place, case.machine, case.matrix)
        found += here
        if here and install.tool != "pip" and not install.best_match:
            break
    return tuple(found)


def usable(found: Sequence[Offer], specifier: str, case: Case) -> list[Offer]:
    """Those that meet a specifier and have a file for the machine, the one that is taken first."""
    machine = case.machine
    fit = [
        one
        for one in found
        if meets(one.version, specifier)
        and is_for_python(one, machine.python)
        and is_for_platform(one, machine.platform)
        and system_obstacle(one, case) is None
    ]
    return sorted(fit, key=lambda one: version_of(one.version), reverse=True)


def system_obstacle(offer: Offer, case: Case) -> str | None:
    """Why the machine's C library or macOS is too old for its wheels; None: it is not, as far as is known."""
    machine, build = case.machine, offer.build
    if build is None or machine.os == "windows":
        return None
    if machine.os == "macos":
        oldest = macos_floor(build, machine, case.matrix)
        if oldest is None or machine.macos is None or machine.macos >= oldest:
            return None
        return f"its wheels need macOS {oldest} or newer, and this is {machine.macos}"
    if machine.libc == "musl":
        return "there is no wheel for musl"
    if machine.libc_version is None:
        return None
    floor = glibc_floor(carrier_of(build), build.version, case.matrix, build.variant, build.platform)
    if floor is None or machine.libc_version >= floor:
        return None
    return f"its wheels need glibc {floor} or newer, and this system has {machine.libc_version}"


def none_found(wanted: Requirement, places: Sequence[Origin], found: Sequence[Offer], case: Case) -> Verdict:
    """Why no release is taken: the place, the version, the Python, the platform or the C library."""
    subject, machine = wanted.text, case.machine
    wrong = next((one for one in places if one.kind == "wrong"), None)
    tags = known_tags(case.matrix)
    if wrong is not None:
        text = (
            f"{wrong.address} is no index of PyTorch; they are called https://download.pytorch.org/whl/cu126 or /cpu."
        )
        return case.verdict(
            subject, "does not fit", grounds="impossible", aspect="index", because=text, line=wanted.line
        )
    if any(one.kind in ("other", "nightly", "jax") for one in places):
        return _not_asked(wanted, places, case)
    matching = [one for one in found if meets(one.version, wanted.specifier)]
    unknown = next((one.tag for one in places if one.kind == "pytorch" and one.tag and one.tag not in tags), None)
    if unknown is not None and not matching and unknown.startswith("rocm"):
        return judge_rocm(wanted, unknown, case)
    if unknown is not None and not matching:
        return _unknown_tag(wanted, unknown, tags, case)
    if not matching:
        return _no_such_version(wanted, places, found, case)
    best = max(matching, key=lambda one: version_of(one.version))
    name = f"{wanted.name} {best.version}"
    here = [one for one in matching if is_for_platform(one, machine.platform)]
    if not here:
        text = f"{name} has no wheel for {machine.platform}."
        return case.verdict(subject, "does not fit", aspect="platform", because=text, line=wanted.line)
    best = max(here, key=lambda one: version_of(one.version))
    with_python = [one for one in here if is_for_python(one, machine.python)]
    row = best.build.row if best.build is not None else None
    if not with_python and not best.pythons:
        text = f"For which Pythons {name} has wheels is not in the tables."
        return case.verdict(
            subject, "not known", grounds="not in the tables", aspect="python", because=text, line=wanted.line, row=row
        )
    if not with_python:
        known = span(tuple(one for one in best.pythons or () if one[:1] != ">" and one[-1] != "t"))
        text = f"{wanted.name} {best.version} has no wheel for Python {machine.python}" + (
            f"; it has them for Python {known}." if known else "."
        )
        return case.verdict(subject, "does not fit", aspect="python", because=text, line=wanted.line, row=row)
    why = next(filter(None, (system_obstacle(one, case) for one in with_python)), "it cannot be installed here")
    return case.verdict(
        subject,
        "does not fit",
        aspect="libc" if machine.os == "linux" else "platform",
        because=f"{name}: {why}.",
        line=wanted.line,
        row=row,
    )


def _not_asked(wanted: Requirement, places: Sequence[Origin], case: Case) -> Verdict:
    other = next(one for one in places if one.kind in ("other", "nightly", "jax"))
    what = "PyTorch's nightly builds" if other.kind == "nightly" else "that address"
    text = f"What {what} offers is not in the tables, and it was not asked."
    return case.verdict(wanted.text, "not known", grounds="not asked", aspect="index", because=text, line=wanted.line)


def _unknown_tag(wanted: Requirement, tag: str, tags: frozenset[str], case: Case) -> Verdict:
    numbers = sorted(int(one[2:]) for one in tags if one.startswith("cu"))
    own = tag[2:] if tag.startswith("cu") else ""
    if own.isdigit() and len(own) == 3 and int(own) > numbers[-1]:
        text = f"An index {tag} is not in the tables; the newest there is cu{numbers[-1]}."
        return case.verdict(
            wanted.text, "not known", grounds="not in the tables", aspect="index", because=text, line=wanted.line
        )
    if not own:
        text = f"Builds for {tag} are not in the tables."
        return case.verdict(
            wanted.text, "not known", grounds="not in the tables", aspect="index", because=text, line=wanted.line
        )
    known = ", ".join(f"cu{one}" for one in numbers if one // 10 == int(own) // 10)
    text = f"There has never been an index {tag}; those for CUDA {own[:2]} are {known}."
    return case.verdict(
        wanted.text, "does not fit", grounds="impossible", aspect="index", because=text, line=wanted.line
    )


def _no_such_version(wanted: Requirement, places: Sequence[Origin], found: Sequence[Offer], case: Case) -> Verdict:
    """Nothing there meets the specifier: another place has it, it is newer than the tables, or it never was."""
    subject, line = wanted.text, wanted.line
    everywhere = [
        *offers(wanted.name, Origin(kind="package index"), case.machine, case.matrix),
        *offers(wanted.name, Origin(kind="pytorch"), case.machine, case.matrix),
    ]
    public = wanted.specifier.partition("+")[0]
    elsewhere = [one for one in everywhere if meets(one.version, public)]
    asked = wanted.specifier.lstrip("=").partition("+")[0]
    if elsewhere and not (public != wanted.specifier and not found):
        tags = sorted({one.build.variant for one in elsewhere if one.build and one.version.count("+")}, reverse=True)
        where = ", ".join(f"cu{one}" for one in sorted((int(tag[2:]) for tag in tags if tag[:2] == "cu"), reverse=True))
        tail = f" It is built for {where}." if where else ""
        text = f"{wanted.name} {asked} is not there as it is asked for."
        if places[0].kind == "package index" and "+" in wanted.specifier:
            text = f"The package index has no builds with a tag such as +{wanted.specifier.partition('+')[2]}."
        elif places[0].tag:
            text = f"The index {places[0].tag} has no {wanted.name}{wanted.specifier}."
        return case.verdict(subject, "does not fit", aspect="index", because=text + tail, line=line)
    # tensorflow-gpu has ended; what is newer than its last, but not than TensorFlow's, has never been.
    framework = offers(FRAMEWORK_OF.get(wanted.name, ""), Origin(kind="package index"), case.machine, case.matrix)
    newest = max((version_of(one.version) for one in (*everywhere, *framework)), default=None)
    pinned = wanted.specifier.startswith("==") or wanted.specifier.startswith(">")
    if newest is not None and pinned and version_of(asked.rstrip(".*")) > newest:
        text = f"{wanted.name} {asked} is newer than the tables, which end with {newest}."
        return case.verdict(
            subject, "not known", grounds="not in the tables", aspect="version", because=text, line=line
        )
    if newest is None:
        text = f"{wanted.name} is not in the tables."
        return case.verdict(subject, "not known", grounds="not in the tables", aspect="name", because=text, line=line)
    if wanted.name in FRAMEWORK_OF or everywhere:
        near = _neighbours(asked, everywhere)
        text = f"There is no {wanted.name} {wanted.specifier.removeprefix('==')}{near}."
        return case.verdict(subject, "does not fit", grounds="impossible", aspect="version", because=text, line=line)
    text = f"{wanted.name}{wanted.specifier} is not in the tables."
    return case.verdict(subject, "not known", grounds="not in the tables", aspect="version", because=text, line=line)


def _neighbours(asked: str, everywhere: Sequence[Offer]) -> str:
    versions = sorted({version_of(one.version.partition("+")[0]) for one in everywhere})
    own = version_of(asked)
    below = [one for one in versions if one < own][-1:]
    above = [one for one in versions if one > own][:1]
    names = " and ".join(str(one) for one in (*below, *above))
    return f"; the nearest are {names}" if names else ""
