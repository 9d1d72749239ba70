"""Judges torchvision, torchaudio and extensions against the torch beside them."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from gpudoctor.knowledge.matrix.pairs import pairs_of
from gpudoctor.plan.builds import Build
from gpudoctor.plan.constraints import obstacles
from gpudoctor.plan.demand import COMPANIONS
from gpudoctor.plan.proposals import companion_versions
from gpudoctor.plan.specifiers import agree, meets
from gpudoctor.verify.asked import Install, Requirement
from gpudoctor.verify.case import Case, aspect_of, spelled
from gpudoctor.verify.instead import instead_of, quoted
from gpudoctor.verify.judge_extension import extension_names, judge_extension
from gpudoctor.verify.offers import Offer
from gpudoctor.verify.origins import Origin
from gpudoctor.verify.release_choice import none_found, offered, usable
from gpudoctor.verify.verdict import Aspect, Verdict


def beside(
    late: Sequence[Requirement],
    install: Install,
    places: Sequence[Origin],
    case: Case,
    taken: dict[str, Offer],
) -> Iterator[Verdict]:
    """The verdicts on what goes with torch or TensorFlow; then on what is installed and would be left behind."""
    for wanted in late:
        yield _companion(wanted, install, places, case, taken)
    for wanted in install.requirements:
        if wanted.name in extension_names(case.matrix):
            yield judge_extension(wanted, install, places, case, *_torch_of(install, case, taken), taken.get("torch"))
        elif wanted.name == "triton":
            yield _triton(wanted, install, places, case, taken)
    yield from _left_behind(install, case, taken)


def _torch_of(install: Install, case: Case, taken: dict[str, Offer]) -> tuple[str | None, bool]:
    """The torch that will be there: its version, and whether this command brings it."""
    if "torch" in taken:
        return taken["torch"].version, True
    package = case.installed("torch") if not install.elsewhere else None
    return (package.version if package is not None else None), False


def _companion(
    wanted: Requirement, install: Install, places: Sequence[Origin], case: Case, taken: dict[str, Offer]
) -> Verdict:
    found = offered(wanted.name, places, install, case)
    package = case.installed(wanted.name)
    torch, comes = _torch_of(install, case, taken)
    stays = package is not None and not (install.reinstall or install.elsewhere or install.tool == "uv add")
    if stays and package is not None and meets(package.version, wanted.specifier) and not install.upgrade and not comes:
        text = f"{wanted.name} {package.version} is installed and satisfies it, so nothing is changed."
        return case.verdict(wanted.text, "does nothing", aspect="installed", because=text, line=wanted.line)
    matching = usable(found, wanted.specifier, case)
    if not matching:
        no = none_found(wanted, places, found, case)
        return _with_instead(no, torch, install, case) if no.word == "does not fit" else no
    public = torch.partition("+")[0] if torch else None
    made = [one for one in matching if public is None or _is_for(wanted.name, one, public, case)]
    if not made:
        return _mismatch(wanted, matching[0], torch or "", install, case, comes=comes)
    own = (torch or "").partition("+")[2]
    best = next((one for one in made if not own or one.version.partition("+")[2] in ("", own)), made[0])
    tag = best.version.partition("+")[2]
    if tag and own and tag != own:
        text = f"{wanted.name} {best.version} is built for another CUDA than torch {torch}."
        no = case.verdict(wanted.text, "does not fit", aspect="companion", because=text, line=wanted.line)
        return _with_instead(no, torch, install, case)
    if not comes and public is not None and not install.no_deps and matching[0] not in made and not wanted.specifier:
        return _mismatch(wanted, matching[0], torch or "", install, case, comes=False)
    if public is None:
        return _alone(wanted, best, install, places, case)
    return case.verdict(wanted.text, "fits", build=f"{wanted.name} {best.version}", line=wanted.line)


def _is_for(name: str, offer: Offer, torch: str, case: Case) -> bool:
    made = case.matrix.torch_for(name, offer.version)
    if not made and case.matrix.torch_companions(torch) is None:
        return True  # Neither is in the table: nothing is known against it.
    return torch in made


def _mismatch(
    wanted: Requirement,
    best: Offer,
    torch: str,
    install: Install,
    case: Case,
    *,
    comes: bool,
) -> Verdict:
    """Made for another torch: with the installed one that is pulled away, beside the asked one it cannot be."""
    made = case.matrix.torch_for(wanted.name, best.version)
    release = best.version.partition("+")[0]
    what = f"{wanted.name} {release} is made for torch {' or '.join(made[:2])}" if made else f"{wanted.name} {release}"
    if comes or install.no_deps or not made:
        text = f"{what}, not for {torch.partition('+')[0]}."
        aspect: Aspect = "companion"
    else:
        text = f"{what}, and takes that in the place of the installed {torch}."
        aspect = "replaces"
    no = case.verdict(wanted.text, "does not fit", aspect=aspect, because=text, line=wanted.line)
    return _with_instead(no, torch, install, case)


def _with_instead(no: Verdict, torch: str | None, install: Install, case: Case) -> Verdict:
    companions = tuple(one.name for one in install.requirements if one.name in COMPANIONS)
    public, _, tag = (torch or "").partition("+")
    if torch is not None and not any(one.name == "torch" for one in install.requirements):
        return replace(no, instead=_for_installed(companions, public, tag, install, case))
    return replace(no, instead=instead_of("torch", public, tag, install, case, companions))


def _for_installed(companions: Sequence[str], public: str, tag: str, install: Install, case: Case) -> str | None:
    """The companions of the torch that is installed, from the index of its build."""
    row = next((one for one in case.matrix.torch_builds(public) if one.variant == tag), None)
    row = row or case.matrix.torch_build(public, case.machine.platform)
    if row is None:
        return None
    build = Build(
        framework="torch",
        dist="torch",
        version=row.version,
        variant=row.variant,
        processor="cuda" if row.cuda else "cpu",
        platforms=row.platforms,
        platform=case.machine.platform,
        pythons=row.pythons,
        row=row,
    )
    versions = [(name, companion_versions(build, name, case.matrix)) for name in companions]
    if not all(found for _, found in versions):
        return None
    words = [f"{name}=={found[0]}" for name, found in versions]
    index = f" --index-url https://download.pytorch.org/{row.index_suffix}" if row.index_suffix and tag else ""
    return f"{' '.join(install.program)} install {' '.join(quoted(word) for word in words)}{index}"


def _alone(wanted: Requirement, best: Offer, install: Install, places: Sequence[Origin], case: Case) -> Verdict:
    """Torchvision without a torch that is known: it brings its own, from the same places."""
    made = case.matrix.torch_for(wanted.name, best.version)
    torch = [one for one in offered("torch", places, install, case) if one.version.partition("+")[0] in made[:1]]
    build = next((one.build for one in torch if one.build is not None), None)
    if build is None or install.no_deps or not case.wants_gpu:
        return case.verdict(wanted.text, "fits", build=f"{wanted.name} {best.version}", line=wanted.line)
    if build.processor != "cuda" and not any(one.tag == "cpu" for one in places):
        text = f"It brings {build.label}, which computes on the CPU only."
        no = case.verdict(wanted.text, "does not fit", aspect="platform", because=text, line=wanted.line)
        return _with_instead(no, None, install, case)
    against = [one for one in obstacles(build, case.machine, case.matrix) if one.constraint not in ("index", "unknown")]
    if build.processor == "cuda" and against:
        text = f"It brings {build.label}: {against[0].text}."
        no = case.verdict(
            wanted.text, "does not fit", aspect=aspect_of(against[0].constraint), because=text, line=wanted.line
        )
        return _with_instead(no, None, install, case)
    return case.verdict(wanted.text, "fits", build=f"{wanted.name} {best.version}", line=wanted.line)


def _triton(
    wanted: Requirement, install: Install, places: Sequence[Origin], case: Case, taken: dict[str, Offer]
) -> Verdict:
    torch, _ = _torch_of(install, case, taken)
    row = case.matrix.torch_build(torch, case.machine.platform) if torch else None
    pin = getattr(row, "triton", None)
    bound = pin if pin and pin[0] in "=<>~!" else f"=={pin}" if pin else ""
    if bound and not agree(wanted.specifier, bound):
        text = f"torch {torch} needs triton{bound}."
        return case.verdict(wanted.text, "does not fit", aspect="companion", because=text, line=wanted.line)
    found = offered("triton", places, install, case)
    best = next(iter(usable(found, wanted.specifier, case)), None)
    if best is None:
        no = none_found(wanted, places, found, case)
        return replace(no, instead=_triton_for_windows(torch, install, case)) if case.machine.os == "windows" else no
    return case.verdict(wanted.text, "fits", build=f"triton {best.version}", line=wanted.line)


def _triton_for_windows(torch: str | None, install: Install, case: Case) -> str | None:
    """The Triton that others build for Windows: the line of the torch that is there."""
    rows = pairs_of("triton-windows", case.matrix) if torch else ()
    public = (torch or "").partition("+")[0]
    row = next((one for one in rows if meets(public, one.made_for)), None)
    return f"{spelled(install)} {quoted(f'triton-windows{row.releases}')}" if row is not None else None


def _left_behind(install: Install, case: Case, taken: dict[str, Offer]) -> Iterator[Verdict]:
    """Installed companions that a new torch would break."""
    if "torch" not in taken or install.elsewhere:
        return
    torch = taken["torch"].version.partition("+")[0]
    asked = {one.name for one in install.requirements}
    for name in COMPANIONS:
        package = case.installed(name)
        if package is None or name in asked:
            continue
        made = case.matrix.torch_for(name, package.version)
        if made and torch not in made:
            text = f"{name} {package.version}, which is installed, is made for torch {made[0]} and stays as it is."
            companions = (*(one for one in COMPANIONS if one in asked), name)
            instead = instead_of("torch", torch, taken["torch"].version.partition("+")[2], install, case, companions)
            yield case.verdict(name, "does not fit", aspect="replaces", because=text, instead=instead)
