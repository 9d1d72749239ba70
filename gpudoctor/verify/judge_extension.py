"""Judges an extension package (xformers …) against torch, CUDA, GPUs and Python.

What each release is made for stands in compat/extensions.json, and in the names of wheels.
"""

from collections.abc import Sequence
from functools import lru_cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.versions import LibraryVersion, package_version
from gpudoctor.knowledge.matrix.code_of_cuda import always_has_code
from gpudoctor.knowledge.matrix.kernels import coverage
from gpudoctor.knowledge.matrix.offer_types import Extension
from gpudoctor.knowledge.matrix.pairs import has_new_abi, pairs_of
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TorchBuild
from gpudoctor.plan.constraints import obstacles
from gpudoctor.plan.demand import EXTRAS
from gpudoctor.plan.extension_for import rows_of
from gpudoctor.plan.extras import why_not_cuda
from gpudoctor.plan.specifiers import meets
from gpudoctor.sources.build_tags import WheelTag, parse_tag, parse_wheel_tag
from gpudoctor.verify.asked import Install, Requirement
from gpudoctor.verify.case import Case, aspect_of
from gpudoctor.verify.offers import Offer
from gpudoctor.verify.opened_libraries import opened_libraries
from gpudoctor.verify.origins import Origin
from gpudoctor.verify.release_choice import offered, usable, version_of
from gpudoctor.verify.verdict import Aspect, Verdict

Problem = tuple[Aspect, str]
_PYTHON = re.compile(r"-cp(\d)(\d+)-(?!abi3)")
#: https://data.pyg.org/whl/torch-2.8.0+cu128.html
_MADE_FOR = re.compile(r"torch-(\d+\.\d+(?:\.\d+)?)\+(cu\d+|cpu)\b")
_CUDNN = re.compile(r"nvidia-cudnn-cu(\d+)")


@lru_cache(maxsize=4)
def extension_names(matrix: Matrix) -> frozenset[str]:
    """The distributions that the table speaks of."""
    return frozenset(row.dist or row.package for row in matrix.table("extensions") if isinstance(row, Extension))


def judge_extension(
    wanted: Requirement,
    install: Install,
    places: Sequence[Origin],
    case: Case,
    torch: str | None,
    comes: bool,
    offer: Offer | None,
) -> Verdict:
    """The verdict on an extension. `torch`: the one that will be there; `comes`: this command brings it, as `offer`."""
    tag = parse_wheel_tag(wanted.specifier.lstrip("="), url=wanted.url) if wanted.url else WheelTag()
    if tag.torch is not None:
        return _by_name(wanted, tag, torch, offer, case)
    other = next((one.address for one in places if one.kind == "other"), None)
    if other is not None:
        return _elsewhere(wanted, other, torch, offer, case)
    rows = [row for row in rows_of(wanted.name, case.matrix) if (row.dist or row.package) == wanted.name]
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
    problem = problem or (_brings_another(row, version, install, places, case) if torch is None else None)
    if problem is None and (open_gpu := _not_judged(row, version, case)):
        return case.verdict(
            wanted.text,
            "not known",
            grounds="not in the tables",
            aspect="gpu",
            because=open_gpu,
            row=row,
            line=wanted.line,
        )
    if problem is None:
        notes = opened_libraries(wanted, version, torch, case)
        build = f"{wanted.name} {version}"
        return case.verdict(wanted.text, "fits", row=row, build=build, notes=notes, line=wanted.line)
    aspect, text = problem
    better = next(
        (v for r in rows for v in r.versions if _unsuitable(r, v, torch, install, case, comes=True) is None), None
    )
    instead = f"{' '.join(install.program)} install {wanted.name}=={better}" if better and not comes else None
    return case.verdict(
        wanted.text, "does not fit", aspect=aspect, because=text, instead=instead, row=row, line=wanted.line
    )


def _not_judged(row: Extension, version: str, case: Case) -> str | None:
    """Why a GPU is not judged: no table says what the release has code for, nor does its CUDA."""
    machine = case.machine
    if row.min_capability is not None or not row.cuda:
        return None
    for index, gpu in enumerate(machine.capabilities):
        if not any(always_has_code(major, gpu, case.matrix) for major in row.cuda):
            what, majors = f"{row.dist or row.package} {version}", " or ".join(map(str, row.cuda))
            return (
                f"Not judged for this GPU: whether {what}, built for CUDA {majors}, has code for "
                f"{machine.label(index)} is not in the tables."
            )
    return None


def _serves(torch: str, case: Case) -> bool:
    """No GPU of the machine is known to be without code in the installed torch: another one would be no loss."""
    build = case.matrix.torch_build(torch, case.machine.platform)
    archs = build.archs.get(case.machine.platform or "", ()) if build else ()
    cuda = build.cuda if build else None
    return not archs or all(coverage(archs, one, cuda) != "none" for one in case.machine.capabilities)


def _unsuitable(
    row: Extension, version: str, torch: str | None, install: Install, case: Case, *, comes: bool
) -> Problem | None:
    """Why a release does not suit the torch beside it, or the machine."""
    machine, name = case.machine, row.dist or row.package
    public = torch.partition("+")[0] if torch else None
    pairs = pairs_of(row.package, case.matrix)
    is_optional = any(one.is_optional for one in pairs)
    if public and row.torch and not meets(public, row.torch) and not is_optional:
        # What only its makers' table says, no installer holds to.
        if comes or install.no_deps or pairs or not row.torch.startswith("=="):
            return "companion", f"{name} {version} is made for torch{row.torch}, not for {public}."
        if _serves(torch or "", case):
            return "replaces", f"{name} {version} takes torch{row.torch} in the place of the installed {torch}."
    if row.platforms and machine.platform and machine.platform not in row.platforms:
        return "platform", f"{name} {version} has no wheel for {machine.platform}."
    if row.requires_python and machine.python and not meets(f"{machine.python}.99", row.requires_python):
        return "python", f"{name} {version} needs Python {row.requires_python}."
    low = [one for one in machine.capabilities if row.min_capability is not None and one < row.min_capability]
    if low:
        return "gpu", f"{name} {version} needs compute capability {row.min_capability}, and this is {low[0]}."
    if machine.gfx and row.cuda:
        return "gpu", f"{name} {version} is built for CUDA, and this is {machine.label(0)}."
    own = _cuda_of(torch, case)
    if EXTRAS.get(row.package) == "torch" and row.cuda and own is not None and own not in row.cuda:
        majors = " or ".join(map(str, row.cuda))
        return "companion", f"{name} {version} is built for CUDA {majors}, and torch {torch} for CUDA {own}."
    against = [why_not_cuda(major, machine, case.matrix) for major in row.cuda] if machine.uses_cuda else []
    if against and all(against):
        worst = next(one for one in against if one is not None)
        return aspect_of(worst.constraint), f"{name} {version} is built for CUDA {row.cuda[0]}. {worst.text}."
    return None


def _cuda_of(torch: str | None, case: Case) -> int | None:
    """The CUDA major of a torch; None: not known, or it has none."""
    row = case.matrix.torch_build(torch, case.machine.platform) if torch else None
    return row.cuda.major if row is not None and row.cuda is not None else None


def _elsewhere(wanted: Requirement, address: str, torch: str | None, offer: Offer | None, case: Case) -> Verdict:
    """From another address: what is there is not known, but where the address says what it is made for."""
    match = _MADE_FOR.search(address.replace("%2B", "+"))
    if match is None or torch is None:
        text = "What that address offers is not in the tables, and it was not asked."
        return case.verdict(
            wanted.text, "not known", grounds="not asked", aspect="index", because=text, line=wanted.line
        )
    tag = WheelTag(torch=".".join(match[1].split(".")[:2]), cuda=parse_tag(match[2])[1])
    own = offer.build.row if offer is not None and offer.build is not None else None
    row = own or case.matrix.torch_build(torch, case.machine.platform)
    if match[2] == "cpu" and isinstance(row, TorchBuild) and row.cuda is not None:
        text = f"That address has builds for the CPU, and torch {torch} is for CUDA {row.cuda}."
        return case.verdict(wanted.text, "does not fit", aspect="companion", because=text, line=wanted.line)
    return _by_name(wanted, tag, torch, offer, case)


#: They bring the processor's PyTorch, or NVIDIA's, and compute on any maker's GPU by themselves.
_COMPUTES_ITSELF = ("torch-directml",)


def _brings_another(
    row: Extension, version: str, install: Install, places: Sequence[Origin], case: Case
) -> Problem | None:
    """The torch that a release pins and brings along does not fit."""
    if not row.torch.startswith("==") or install.no_deps or row.package in _COMPUTES_ITSELF:
        return None
    found = usable(offered("torch", places, install, case), row.torch, case)
    build = next((one.build for one in found if one.build is not None), None)
    if build is None or build.processor != "cuda":
        return None
    skipped = ("index", "unknown")
    against = [one for one in obstacles(build, case.machine, case.matrix) if one.constraint not in skipped]
    if not against:
        return None
    name = row.dist or row.package
    return aspect_of(against[0].constraint), f"{name} {version} brings {build.label}: {against[0].text}."


def _by_name(wanted: Requirement, tag: WheelTag, torch: str | None, offer: Offer | None, case: Case) -> Verdict:
    """A wheel whose name says the torch, the CUDA and the C++ ABI that it is built for."""
    public = (torch or "").partition("+")[0]
    build = offer.build.row if offer is not None and offer.build is not None else None
    row = build or case.matrix.torch_build(torch or "", case.machine.platform)
    problem: Problem | None = None
    python = _PYTHON.search(wanted.url)
    if python and case.machine.python and case.machine.python != f"{python[1]}.{python[2]}":
        problem = "python", f"Its name says Python {python[1]}.{python[2]}, and this is {case.machine.python}."
    elif torch is None:
        text = f"It is built for torch {tag.torch}; which torch it meets was not given."
        return case.verdict(
            wanted.text, "not known", grounds="not asked", aspect="companion", because=text, line=wanted.line
        )
    elif not f"{public}.".startswith(f"{tag.torch}."):
        problem = "companion", f"It is built for torch {tag.torch}, and this is {public}."
    elif isinstance(row, TorchBuild) and row.cuda and tag.cuda and row.cuda.major != tag.cuda.major:
        problem = "companion", f"It is built for CUDA {tag.cuda.major}, and torch {public} for CUDA {row.cuda}."
    elif isinstance(row, TorchBuild) and tag.cxx11_abi is not None and has_new_abi(row) is not tag.cxx11_abi:
        own = "new" if has_new_abi(row) else "old"
        problem = "companion", f"Its C++ ABI is not that of torch {row.version}+{row.variant}, which has the {own} one."
    if problem is None:
        return case.verdict(wanted.text, "fits", line=wanted.line)
    aspect, text = problem
    return case.verdict(wanted.text, "does not fit", aspect=aspect, because=text, line=wanted.line)


def _unlisted(wanted: Requirement, rows: Sequence[Extension], torch: str | None, case: Case) -> Verdict:
    """A release that the table lacks: not known, but where it is older than all that are made for older torches."""
    asked = version_of(wanted.specifier.lstrip("="))
    oldest = min((version_of(v) for row in rows for v in row.versions), default=None)
    pins = [version_of(row.torch[2:].rstrip(".*")) for row in rows if row.torch.startswith("==")]
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


def cudnn_without_code(wanted: Requirement, version: str, case: Case) -> Verdict | None:
    """A cuDNN that has no code for one of the GPUs; None: it has, or it is no cuDNN."""
    name, release = _CUDNN.fullmatch(wanted.name), LibraryVersion.parse(version)
    if name is None or release is None or not case.machine.uses_cuda:
        return None
    row = case.matrix.cudnn(int(name[1]), release)
    for index, gpu in enumerate(case.machine.capabilities if row is not None else ()):
        assert row is not None
        oldest = row.min_capability
        if (oldest is not None and gpu < oldest) or (row.archs and coverage(row.archs, gpu) != "native"):
            text = f"cuDNN {version} has no code for {case.machine.label(index)}."
            return case.verdict(wanted.text, "does not fit", aspect="gpu", because=text, row=row, line=wanted.line)
    return None
