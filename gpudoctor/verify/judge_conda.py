"""Judges commands of conda and mamba: channels, and the CUDA builds of PyTorch's own channel.

The builds of the channel pytorch had the CUDAs of the wheels, named by pytorch-cuda and by cudatoolkit before.
"""

from collections.abc import Iterator

from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.frameworks import name_of, planned
from gpudoctor.knowledge.matrix.offer_types import Runtime
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.plan.builds import Build, builds_of
from gpudoctor.plan.constraints import obstacles
from gpudoctor.plan.extras import why_not_cuda
from gpudoctor.plan.specifiers import is_specifier, meets
from gpudoctor.verify.asked import Conda
from gpudoctor.verify.case import Case, aspect_of
from gpudoctor.verify.release_choice import version_of
from gpudoctor.verify.verdict import Aspect, Verdict

LAST_OF_CHANNEL = milestone("pytorch-channel-ends")
FIRST_PYTORCH_CUDA = milestone("pytorch-channel-pytorch-cuda")
LAST_CUDATOOLKIT = milestone("conda-cudatoolkit-ends")
#: Packages of conda-forge, by the package whose builds they are.
CONDA_FORGE = {"pytorch-gpu": "pytorch", "tensorflow": "tensorflow", "tensorflow-gpu": "tensorflow", "jaxlib": "jaxlib"}
_ELSEWHERE = frozenset(("venv", "system", "standalone"))


def judge_conda(asked: Conda, case: Case) -> Iterator[Verdict]:
    """The verdicts on the packages that are asked for."""
    specs = {name: pep440(version) for name, version, _ in asked.specs}
    if case.given.environment in _ELSEWHERE and asked.verb == "install" and asked.environment is None:
        text = "The environment in question is none of conda's, and conda installs into its own."
        yield case.verdict(asked.program, "does not fit", aspect="environment", because=text)
        return
    python = specs.get("python", "").lstrip("=~").removesuffix(".*") or None
    for name, specifier in specs.items():
        if is_specifier(specifier):
            found = _package(name, asked, specs, python, case)
            if found is not None:
                yield found
        else:
            text = "What is asked for of it is no version that is read here."
            yield case.verdict(f"{name}{specifier}", "not known", grounds="not asked", aspect="version", because=text)


def _package(name: str, asked: Conda, specs: dict[str, str], python: str | None, case: Case) -> Verdict | None:
    """The verdict on one package; None on what only belongs to another."""
    if name == "pytorch":
        return _pytorch(asked, specs, python, case)
    if name in ("torchvision", "torchaudio"):
        return _companion(name, specs, case)
    if name == "cudatoolkit":
        return _cudatoolkit(specs[name], case)
    if name == "cudnn" or (name == "pytorch-cuda" and "pytorch" not in specs):
        return case.verdict(f"{name}{specs[name]}", "fits")
    if name in ("numpy", "python", "pip", "pytorch-cuda", "cpuonly", "mkl"):
        return None
    if name in CONDA_FORGE:
        return _conda_forge(CONDA_FORGE[name], specs[name], specs, case)
    text = "What conda's channels hold of it is not in the tables."
    aspect: Aspect = "version" if name_of(name.removesuffix("-gpu")) in planned() else "name"
    return case.verdict(name, "not known", grounds="not in the tables", aspect=aspect, because=text)


def _conda_forge(package: str, specifier: str, specs: dict[str, str], case: Case) -> Verdict:
    """What conda-forge builds of a framework, by CUDA; which GPUs its builds have code for is not known."""
    subject, machine = f"{package}{specifier}", case.machine
    rows: tuple[Runtime, ...] = case.matrix.table("runtimes")
    mine = (row for row in rows if row.runtime == "conda-forge" and row.release.startswith(f"{package} "))
    here = [row for row in mine if machine.platform in (None, *row.platforms)]
    row = next((one for one in here if meets(one.release.split()[1], specifier)), None)
    if row is None:
        text = "What conda-forge has of it is not in the tables."
        return case.verdict(subject, "not known", grounds="not in the tables", aspect="version", because=text)
    made = f"conda-forge has {row.release} for CUDA {' and '.join(map(str, row.cuda))}"
    major = specs.get("cuda-version", "").lstrip("=<>~").partition(".")[0]
    cudas = [one for one in row.cuda if major in ("", str(one.major))]
    against = [why_not_cuda(one.major, machine, case.matrix) for one in cudas] if machine.uses_cuda else []
    if not cudas and specifier.startswith("=="):
        return case.verdict(subject, "does not fit", aspect="version", because=f"{made} only.", row=row)
    if against and all(against):
        worst = next(one for one in against if one is not None)
        because = f"{made}. {worst.text}."
        return case.verdict(subject, "does not fit", aspect=aspect_of(worst.constraint), because=because, row=row)
    text = f"{made}; which GPUs its builds have code for is not in the tables."
    return case.verdict(subject, "not known", grounds="not in the tables", aspect="gpu", because=text, row=row)


def pep440(version: str) -> str:
    """Conda's =2.1 is ==2.1.*, its ==2.1.0 and =2.1.0 are exact (or nearly)."""
    if version.startswith("=") and not version.startswith("=="):
        number = version[1:]
        return f"=={number}" if number.count(".") >= 2 or number.endswith("*") else f"=={number}.*"
    return version


def _pytorch(asked: Conda, specs: dict[str, str], python: str | None, case: Case) -> Verdict:
    specifier = specs["pytorch"]
    subject = f"pytorch{specifier}"
    if "pytorch" not in asked.channels:
        if "pytorch-cuda" in specs:
            text = "pytorch-cuda is in the channels pytorch and nvidia; add -c pytorch -c nvidia."
            instead = f"{case.text} -c pytorch -c nvidia"
            return case.verdict(subject, "does not fit", aspect="index", because=text, instead=instead)
        return _conda_forge("pytorch", specifier, specs, case)
    every = builds_of("torch", case.machine.platform or "linux-x86_64", case.matrix)
    last = version_of(LAST_OF_CHANNEL)
    builds = [one for one in every if meets(one.version, specifier)]
    here = [one for one in builds if version_of(one.version) <= last]
    if not here:
        text = f"PyTorch's channel ended with {LAST_OF_CHANNEL}."
        if not builds:
            text = f"There is no PyTorch {specifier}."
        return case.verdict(
            subject,
            "does not fit",
            grounds="impossible",
            aspect="version",
            because=text,
            instead=_by_pip(specifier, case),
        )
    here = _solved(here, specs, python or case.machine.python)
    newest = max(version_of(one.version) for one in here)
    return _build(asked, specs, [one for one in here if version_of(one.version) == newest], python, case)


def _solved(builds: list[Build], specs: dict[str, str], python: str | None) -> list[Build]:
    """Those that conda may take: by cudatoolkit or pytorch-cuda, of that CUDA, for that Python, where there are any."""
    first = version_of(FIRST_PYTORCH_CUDA)
    by = {"cudatoolkit": lambda one: version_of(one.version) < first,
          "pytorch-cuda": lambda one: version_of(one.version) >= first}  # fmt: skip
    for name in by.keys() & specs.keys():
        cuda = specs[name].lstrip("=").removesuffix(".*")
        builds = list(filter(by[name], builds)) or builds
        builds = [one for one in builds if cuda and str(one.cuda) == cuda] or builds
    return [one for one in builds if python in one.pythons] or builds


def _build(asked: Conda, specs: dict[str, str], same: list[Build], python: str | None, case: Case) -> Verdict:
    """Of one release: the build for the CUDA that is asked for."""
    version = same[0].version
    subject = f"pytorch=={version}"
    first = version_of(FIRST_PYTORCH_CUDA)
    name = "pytorch-cuda" if version_of(version) >= first else "cudatoolkit"
    if (
        name in specs
        and name == "pytorch-cuda"
        and "nvidia" not in asked.channels
        and "conda-forge" not in asked.channels
    ):
        text = "pytorch-cuda needs packages of the channel nvidia."
        return case.verdict(subject, "does not fit", aspect="index", because=text, instead=f"{case.text} -c nvidia")
    cuda = specs.get(name, "").lstrip("=").removesuffix(".*")
    builds = [one for one in same if one.cuda is not None and (not cuda or str(one.cuda) == cuda)]
    if "cpuonly" in specs:
        return case.verdict(subject, "fits", notes=("It computes on the CPU only.",))
    if not builds:
        known = ", ".join(sorted({str(one.cuda) for one in same if one.cuda is not None}))
        text = f"PyTorch {version} has no build for CUDA {cuda}; it has them for {known}."
        instead = case.text.replace(f"{name}={cuda}", f"{name}={known.split(', ')[-1]}") if known else None
        return case.verdict(
            subject, "does not fit", grounds="impossible", aspect="index", because=text, instead=instead
        )
    from msgspec.structs import replace

    machine = replace(case.machine, python=python or case.machine.python)
    tried = [(one, [o for o in obstacles(one, machine, case.matrix) if o.constraint != "index"]) for one in builds]
    build, against = min(tried, key=lambda pair: len(pair[1]))
    if against:
        return case.verdict(
            subject,
            "does not fit",
            aspect=aspect_of(against[0].constraint),
            because=f"PyTorch {version} for CUDA {build.cuda}: {against[0].text}.",
            row=build.row,
        )
    if not cuda:
        # It may be the CPU's: conda takes that where a package asks for it, or where it sees no driver.
        text = f"Which build of PyTorch {version} conda takes, for CUDA or for the CPU, is not known: none is named."
        instead = f"{case.text} {name}={build.cuda}" + ("" if "nvidia" in asked.channels else " -c nvidia")
        named = instead if name == "pytorch-cuda" else f"{case.text} {name}={build.cuda}"
        return case.verdict(
            subject, "not known", grounds="not asked", aspect="index", because=text, instead=named, row=build.row
        )
    return case.verdict(subject, "fits", row=build.row, build=f"torch {version}+{build.variant}")


def _companion(name: str, specs: dict[str, str], case: Case) -> Verdict | None:
    torch, own = specs.get("pytorch", "").lstrip("="), specs[name].lstrip("=")
    if package_version(torch) is None or package_version(own) is None:
        return None
    made = case.matrix.torch_for(name, own)
    if made and torch not in made:
        pair = case.matrix.torch_companions(torch)
        right = getattr(pair, name)[-1:] if pair is not None else ()
        text = f"{name} {own} is made for PyTorch {made[0]}, not for {torch}."
        instead = case.text.replace(f"{name}=={own}", f"{name}=={right[0]}") if right else None
        return case.verdict(f"{name}=={own}", "does not fit", aspect="companion", because=text, instead=instead)
    return case.verdict(f"{name}=={own}", "fits")


def _cudatoolkit(specifier: str, case: Case) -> Verdict:
    number = specifier.lstrip("=<>~").removesuffix(".*")
    if number and version_of(number) > version_of(f"{LAST_CUDATOOLKIT}.99"):
        text = f"cudatoolkit ends with {LAST_CUDATOOLKIT}; for CUDA 12 and newer it is cuda-toolkit or cuda-version."
        return case.verdict(
            f"cudatoolkit{specifier}", "does not fit", grounds="impossible", aspect="version", because=text
        )
    return case.verdict(f"cudatoolkit{specifier}", "fits")


def _by_pip(specifier: str, case: Case) -> str | None:
    from gpudoctor.verify.asked import Install
    from gpudoctor.verify.instead import instead_of

    pip = Install(tool="pip", program=("python", "-m", "pip"))
    return instead_of("torch", specifier.lstrip("=").rstrip(".*"), "", pip, case)
