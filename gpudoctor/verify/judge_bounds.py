"""Judges NumPy, protobuf and Keras beside a framework that is too old for them."""

from collections.abc import Iterator

from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.builds import Build, builds_of
from gpudoctor.plan.compatibility import needs_numpy1, numpy_bounds
from gpudoctor.plan.specifiers import agree, meets
from gpudoctor.verify.asked import Install, Requirement
from gpudoctor.verify.case import Case
from gpudoctor.verify.offers import Offer, is_for_python, offers
from gpudoctor.verify.origins import Origin
from gpudoctor.verify.verdict import Verdict

#: A framework, and what of the same command brings NumPy along (package metadata: torch and torchaudio do not).
_BRING_NUMPY = {"torch": ("torchvision", "numpy"), "tensorflow": ("tensorflow", "tensorflow-gpu", "tensorflow-cpu")}
#: Older Pythons get a protobuf that is old enough for every TensorFlow.
_FIRST_TOO_NEW = numbers_of("protobuf-3-20-python")


def bounds(install: Install, case: Case, taken: dict[str, Offer]) -> Iterator[Verdict]:
    """The verdicts on NumPy, protobuf and Keras: named in the command, brought along by it, or already there."""
    asked = {one.name: one for one in install.requirements}
    builds = [(name, offer.build) for name, offer in taken.items() if offer.build is not None]
    builds += [(one.framework, one) for one in _installed(install, case) if one.framework not in taken]
    judged: set[str] = set()
    for framework, build in builds:
        comes = framework in taken
        brings = any(name in asked for name in _BRING_NUMPY.get(framework, ()))
        for verdict in (
            _numpy(build, asked, install, case, brings=brings, comes=comes),
            _protobuf(build, asked, install, case, comes=comes),
            _keras(build, asked, case),
        ):
            if verdict is not None and verdict.subject not in judged:
                judged.add(verdict.subject)
                yield verdict
    for name in ("numpy", "protobuf", "keras", "tf-keras"):
        wanted = asked.get(name)
        if wanted is not None and not any(one.startswith(name) for one in judged):
            yield _unbounded(wanted, install, case)


def _installed(install: Install, case: Case) -> Iterator[Build]:
    """The frameworks that are installed and stay."""
    for framework in ("torch", "tensorflow"):
        package = case.installed(framework)
        if package is None or install.elsewhere:
            continue
        public, _, tag = package.version.partition("+")
        same = [one for one in builds_of(framework, case.machine.platform, case.matrix) if one.version == public]
        here = [one for one in same if not tag or one.variant == tag]
        if here or same:
            yield (here or same)[0]


def _numpy(
    build: Build, asked: dict[str, Requirement], install: Install, case: Case, *, brings: bool, comes: bool
) -> Verdict | None:
    wanted, installed = asked.get("numpy"), case.installed("numpy")
    one = needs_numpy1(build, case.machine, case.matrix)
    needs = one or numpy_bounds(build, case.machine, case.matrix)
    if not needs:
        return None
    line = wanted.line if wanted is not None else 0
    subject = wanted.text if wanted is not None else "numpy"
    if wanted is not None and wanted.specifier:
        if agree(wanted.specifier, needs) and not (one and _is_open(wanted.specifier)):
            return None
        text = f"{build.label} needs numpy{needs}."
        return _moved(subject, text, "numpy", needs, install, case, line)
    stays = installed is not None and not install.elsewhere and (wanted is None or not install.upgrade)
    if stays and installed is not None and meets(installed.version, needs):
        return None
    grows = wanted is not None or brings
    if not grows or not (one or "<" in needs):
        return None
    if not one and (wanted is None or comes):
        return None  # Its own metadata bounds it, and the installer heeds that.
    text = f"The newest NumPy is 2, and {build.label} needs numpy{needs}."
    return _moved(subject, text, "numpy", needs, install, case, line)


def _is_open(specifier: str) -> bool:
    """Whether NumPy 2 meets it: then the newest is taken."""
    return meets("2.2.0", specifier) or meets("2.0.0", specifier)


def _protobuf(
    build: Build, asked: dict[str, Requirement], install: Install, case: Case, *, comes: bool
) -> Verdict | None:
    python = case.machine.python
    is_old = python is not None and tuple(map(int, python.split("."))) < _FIRST_TOO_NEW
    if build.framework != "tensorflow" or is_old:
        return None
    row = case.matrix.tf_protobuf(build.version)
    wanted, installed = asked.get("protobuf"), case.installed("protobuf")
    needs = (row.works or row.required) if row is not None else ""
    if row is None or not needs:
        return None
    if wanted is not None:
        if agree(wanted.specifier, needs) and wanted.specifier:
            return None
        text = f"{build.label} works with protobuf{needs} only."
        return _moved(wanted.text, text, "protobuf", needs, install, case, wanted.line)
    if not comes or not row.works or (installed is not None and meets(installed.version, needs)):
        return None
    text = (
        f"{build.label} asks for protobuf{row.required}, but breaks with what is newest now; it needs protobuf{needs}."
    )
    return _moved("protobuf", text, "protobuf", needs, install, case, 0)


def _keras(build: Build, asked: dict[str, Requirement], case: Case) -> Verdict | None:
    wanted, legacy = asked.get("keras"), asked.get("tf-keras")
    if build.framework != "tensorflow" or (wanted is None and legacy is None):
        return None
    pairing = case.matrix.keras_for(build.version)
    made = pairing.tf_keras if pairing is not None else ()
    if legacy is not None and made and not any(meets(one, legacy.specifier) for one in made):
        text = f"{build.label} goes with tf-keras {made[-1]}."
        return case.verdict(legacy.text, "does not fit", aspect="companion", because=text, line=legacy.line)
    if wanted is None:
        return None
    needs = (pairing.keras or "").removeprefix("keras") if pairing is not None else ""
    if not needs or agree(wanted.specifier, needs):
        return None
    text = f"{build.label} needs keras{needs}."
    return case.verdict(wanted.text, "does not fit", aspect="companion", because=text, line=wanted.line)


def _moved(subject: str, text: str, name: str, needs: str, install: Install, case: Case, line: int) -> Verdict:
    """Does not fit, and the same command with the bound does."""
    parts = case.text.split()
    written = next((one.text for one in install.requirements if one.name == name), None)
    bound = f'"{name}{needs}"'
    if install.program[-1:] == ("-r",):
        instead = f"{name}{needs}"
    elif written is not None:
        instead = case.text.replace(f'"{written}"', bound).replace(f"'{written}'", bound)
        instead = instead if instead != case.text else " ".join(bound if one == written else one for one in parts)
    else:
        instead = f"{case.text} {bound}"
    return case.verdict(subject, "does not fit", aspect="bound", because=text, instead=instead, line=line)


def _unbounded(wanted: Requirement, install: Install, case: Case) -> Verdict:
    """NumPy and the like, with nothing known against them."""
    package = case.installed(wanted.name)
    there = package is not None and not (install.reinstall or install.elsewhere or install.upgrade)
    if there and package is not None and meets(package.version, wanted.specifier):
        text = f"{wanted.name} {package.version} is installed and satisfies it, so nothing is changed."
        return case.verdict(wanted.text, "does nothing", aspect="installed", because=text, line=wanted.line)
    exact = wanted.specifier.lstrip("=").strip().removesuffix(".*")
    if wanted.specifier.startswith("==") and "," not in exact and package_version(exact) is None:
        text = f"{wanted.specifier} is no version."
        return case.verdict(wanted.text, "does not fit", aspect="syntax", because=text, line=wanted.line)
    known = offers(wanted.name, Origin(kind="package index"), case.machine, case.matrix)
    asked = [one for one in known if meets(one.version, wanted.specifier)]
    if asked and not any(is_for_python(one, case.machine.python) for one in asked):
        text = f"{wanted.name} {asked[0].version} needs Python {asked[0].requires_python or 'of another release'}."
        return case.verdict(wanted.text, "does not fit", aspect="python", because=text, line=wanted.line)
    return case.verdict(wanted.text, "fits", line=wanted.line)
