"""torchvision, torchaudio and extensions: whether they go with the torch that is there, or comes."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.offer_types import Extension
from gpudoctor.plan.builds import Build
from gpudoctor.plan.constraints import obstacles
from gpudoctor.plan.demand import COMPANIONS
from gpudoctor.plan.proposals import companion_versions
from gpudoctor.plan.specifiers import agree, meets
from gpudoctor.verify.asked import Install, Requirement
from gpudoctor.verify.case import Case, aspect_of
from gpudoctor.verify.choice import none_found, offered, usable, version_of
from gpudoctor.verify.instead import instead_of, quoted
from gpudoctor.verify.offers import Offer
from gpudoctor.verify.origins import Origin
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
        if wanted.name in ("xformers", "flash-attn", "bitsandbytes", "onnxruntime-gpu", "sageattention"):
            yield _extension(wanted, install, case, taken)
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


def _extension(wanted: Requirement, install: Install, case: Case, taken: dict[str, Offer]) -> Verdict:
    rows = [row for row in case.matrix.table("extensions") if isinstance(row, Extension) and row.package == wanted.name]
    torch, comes = _torch_of(install, case, taken)
    public = torch.partition("+")[0] if torch else None
    found = [(version, row) for row in rows for version in row.versions if meets(version, wanted.specifier)]
    if not found:
        return _unlisted(wanted, rows, public, case)
    version, row = found[0]
    named = any(one.name == "torch" and one.specifier for one in install.requirements)
    if named and public is not None:
        # Both are asked for, so the installer takes the newest that goes with that torch.
        version, row = next(((v, r) for v, r in found if not r.torch or meets(public, r.torch)), found[0])
    elif wanted.specifier == "" and public is not None:
        version, row = next(((v, r) for v, r in found if not r.torch or meets(public, r.torch)), found[0])
        if version != found[0][0] and not comes and not install.no_deps:
            version, row = found[0]
    problem = _unsuitable(row, version, torch, install, case, comes=comes)
    if problem is None:
        return case.verdict(wanted.text, "fits", row=row, build=f"{wanted.name} {version}", line=wanted.line)
    aspect, text = problem
    other = next(
        (v for r in rows for v in r.versions if _unsuitable(r, v, torch, install, case, comes=True) is None), None
    )
    instead = f"{' '.join(install.program)} install {wanted.name}=={other}" if other and not comes else None
    return case.verdict(
        wanted.text,
        "does not fit",
        aspect=aspect,
        because=text,
        instead=instead,
        row=row,
        line=wanted.line,
    )


def _unsuitable(
    row: Extension, version: str, torch: str | None, install: Install, case: Case, *, comes: bool
) -> tuple[Aspect, str] | None:
    """Why a release does not suit the torch beside it, or the machine."""
    machine, name = case.machine, row.dist or row.package
    public = torch.partition("+")[0] if torch else None
    if public and row.torch and not meets(public, row.torch):
        if comes or install.no_deps or not row.torch.startswith("=="):
            return "companion", f"{name} {version} is made for torch{row.torch}, not for {public}."
        return "replaces", f"{name} {version} takes torch{row.torch} in the place of the installed {torch}."
    if row.platforms and machine.platform and machine.platform not in row.platforms:
        return "platform", f"{name} {version} has no wheel for {machine.platform}."
    if row.requires_python and machine.python and not meets(f"{machine.python}.99", row.requires_python):
        return "python", f"{name} {version} needs Python {row.requires_python}."
    low = [one for one in machine.capabilities if row.min_capability is not None and one < row.min_capability]
    if low:
        return "gpu", f"{name} {version} needs compute capability {row.min_capability}, and this is {low[0]}."
    return None


def _unlisted(wanted: Requirement, rows: Sequence[Extension], torch: str | None, case: Case) -> Verdict:
    """A release that the table lacks: not known, but where it is older than all that are made for older torches."""
    asked = version_of(wanted.specifier.lstrip("="))
    oldest = min((version_of(v) for row in rows for v in row.versions), default=None)
    pins = [version_of(row.torch[2:]) for row in rows if row.torch.startswith("==")]
    own = package_version(torch) if torch else None
    if wanted.specifier.startswith("==") and oldest and own and pins and asked < oldest and own > min(pins):
        text = (
            f"{wanted.name} {asked} is older than {oldest}, which is made for torch {min(pins)}; it is not for {own}."
        )
        return case.verdict(wanted.text, "does not fit", aspect="companion", because=text, line=wanted.line)
    text = f"{wanted.name}{wanted.specifier} is not in the tables."
    return case.verdict(
        wanted.text, "not known", grounds="not in the tables", aspect="version", because=text, line=wanted.line
    )


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
        return none_found(wanted, places, found, case)
    return case.verdict(wanted.text, "fits", build=f"triton {best.version}", line=wanted.line)


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
