"""Versions of packages that accompany a framework: keras, triton, xformers, onnxruntime-gpu, cupy.

What pairs is read from the matrix (`compat/extensions.json`, `keras.json`, `torch.json`). What it does not know is left
to the installer, and the plan says so.
"""

from collections.abc import Iterator

from gpudoctor.facts.base import Fact
from gpudoctor.knowledge.matrix.pairs import cuda_majors, has_new_abi
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TorchBuild
from gpudoctor.plan.answer import Fit, Proposal, Refusal, Way
from gpudoctor.plan.constraints import Obstacle, is_older
from gpudoctor.plan.demand import EXTRAS, FOR_CPU_TOO, Demand
from gpudoctor.plan.extension_for import Beside, against, extension_for, rows_of
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.specifiers import agree, meets
from gpudoctor.plan.wheels import has_wheel

#: What an extra is called where a build for the CPU is enough.
WITHOUT_GPU = {"onnxruntime-gpu": "onnxruntime", "cupy": "numpy"}


class After(Fact, frozen=True, kw_only=True):
    """What is installed once the frameworks are there: it is compiled against them."""

    requirements: tuple[str, ...]
    options: tuple[str, ...] = ()


class Extra(Fact, frozen=True, kw_only=True):
    """One extra as it is installed, in the environment with that number; or why it cannot be."""

    name: str
    environment: int = 0
    requirement: str | None = None
    is_compiled: bool = False
    note: str | None = None
    refusal: Refusal | None = None


class Extras(Fact, frozen=True, kw_only=True):
    """The extras of a demand, or of one of its environments."""

    found: tuple[Extra, ...] = ()

    def of(self, number: int) -> "Extras":
        """Those of one environment."""
        return Extras(found=tuple(one for one in self.found if one.environment == number))

    @property
    def requirements(self) -> tuple[str, ...]:
        """What is installed together with the frameworks."""
        return tuple(one.requirement for one in self.found if one.requirement and not one.is_compiled)

    @property
    def after(self) -> tuple[After, ...]:
        """What is compiled afterwards; the tools for it first, as nothing is fetched for an open build."""
        compiled = tuple(one.requirement for one in self.found if one.requirement and one.is_compiled)
        if not compiled:
            return ()
        tools = After(requirements=("packaging", "ninja", "setuptools", "wheel"))
        return (tools, *(After(requirements=(one,), options=("--no-build-isolation",)) for one in compiled))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of them."""
        return tuple(one.note for one in self.found if one.note)

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Those that cannot be had."""
        return tuple(one.refusal for one in self.found if one.refusal is not None)


def extras_for(demand: Demand, found: Fit, matrix: Matrix) -> Extras:
    """The extras that go with the builds that were chosen."""
    return Extras(found=tuple(_extra(name, specifier, found, matrix) for name, specifier in demand.extras))


def torch_for_extra(name: str, matrix: Matrix) -> Iterator[tuple[str, str | None]]:
    """What torch the known releases of an extra are made for, newest first: a specifier and a CUDA major."""
    for row in rows_of(name, matrix):
        yield from ((row.torch, str(major)) for major in row.cuda or ()) if row.cuda else ((row.torch, None),)


def _extra(name: str, specifier: str, found: Fit, matrix: Matrix) -> Extra:
    number, proposals = _home(name, found)
    if name in ("keras", "tf-keras"):
        return _keras(name, specifier, number, proposals, matrix)
    if name == "triton":
        return _triton(specifier, number, proposals, found.machine, matrix)
    return _extension(name, specifier, number, proposals, found.machine, matrix)


def _home(name: str, found: Fit) -> tuple[int, tuple[Proposal, ...]]:
    """The environment of the framework that an extra belongs to; else the first."""
    places = [one.proposals for one in found.environments]
    for number, proposals in enumerate(places):
        if any(one.framework == EXTRAS[name] for one in proposals):
            return number, proposals
    return 0, places[0] if places else ()


def _keras(name: str, specifier: str, number: int, proposals: tuple[Proposal, ...], matrix: Matrix) -> Extra:
    tensorflow = next((one for one in proposals if one.framework == "tensorflow"), None)
    if tensorflow is None:
        named = next((one.framework for one in proposals if one.framework in ("jax", "torch")), None)
        note = "keras runs on the framework that KERAS_BACKEND names: torch or jax."
        if named is not None:
            note = (
                f"keras looks for TensorFlow unless it is told otherwise: set KERAS_BACKEND={named} before it is used."
            )
        wanted = specifier or ">=3"
        if not agree(wanted, ">=3"):
            return _refused(name, f"keras{specifier} runs on TensorFlow only.", "tensorflow in the wish")
        return Extra(name=name, environment=number, requirement=f"keras{wanted}", note=note)
    pairing = matrix.keras_for(tensorflow.version)
    if name == "tf-keras":
        known = [one for one in (pairing.tf_keras if pairing else ()) if meets(one, specifier)]
        if pairing is not None and pairing.tf_keras and not known:
            text = f"tf-keras{specifier} is not made for {tensorflow.build}."
            return _refused(name, text, f"tf-keras=={pairing.tf_keras[-1]}")
        return _pinned(name, known[-1:], specifier, number)
    asked = pairing.keras.removeprefix("keras") if pairing is not None and pairing.keras else ""
    if not agree(specifier, asked):
        text = f"keras{specifier} is asked for, and {tensorflow.build} needs keras{asked}."
        return _refused(name, text, f"keras{asked}")
    bounds = ",".join(dict.fromkeys(filter(None, (specifier, asked))))
    return Extra(name=name, environment=number, requirement=f"keras{bounds}")


def _triton(specifier: str, number: int, proposals: tuple[Proposal, ...], machine: Machine, matrix: Matrix) -> Extra:
    torch = next((one for one in proposals if one.framework == "torch"), None)
    if machine.os != "linux":
        return _refused("triton", f"triton has no wheel for {machine.os}.", "a wish without triton")
    row = matrix.torch_build(f"{torch.version}+{torch.variant}") if torch is not None else None
    pin = row.triton if isinstance(row, TorchBuild) and row.triton else None
    if pin is None:
        if not has_wheel("triton", machine, matrix):
            text = f"triton has no wheel for Python {machine.python} on {machine.platform}."
            return _refused("triton", text, "a wish without triton")
        return _pinned("triton", [], specifier, number)
    bound = pin if pin[0] in "=<>~!" else f"=={pin}"
    if not agree(specifier, bound):
        assert torch is not None
        text = f"triton{specifier} is asked for, and {torch.build} needs triton{bound}."
        return _refused("triton", text, f"triton{bound}")
    return Extra(name="triton", environment=number, requirement=f"triton{','.join(filter(None, (specifier, bound)))}")


def _extension(
    name: str, specifier: str, number: int, proposals: tuple[Proposal, ...], machine: Machine, matrix: Matrix
) -> Extra:
    torch = next((one for one in proposals if one.framework == "torch"), None)
    major = _cuda_major(proposals, machine, matrix)
    if major is None and name not in FOR_CPU_TOO:
        other = WITHOUT_GPU.get(name)
        change = f"{other} in its place" if other else f"a wish without {name}"
        if machine.gfx:
            return _refused(name, f"Which {name} goes with a build for ROCm is not known here.", change)
        return _refused(name, f"{name} needs a build with CUDA, and none is installed here.", change)
    row = matrix.torch_build(f"{torch.version}+{torch.variant}") if torch is not None else None
    beside = Beside(
        torch=torch.version if torch is not None else None,
        cuda=major or 0,
        python=machine.python,
        platform=machine.platform,
        capabilities=machine.capabilities,
        new_abi=has_new_abi(row) if row is not None else None,
        glibc=machine.libc_version,
        numpy=tuple(text.removeprefix("numpy") for one in proposals for text in one.requirements if _is_numpy(text)),
    )
    found = extension_for(name, beside, matrix, specifier)
    if found is not None:
        wanted, note = found.requirement, found.row.notes
        if found.wheel:
            note = f"{name} {found.version} is a wheel of its release page, for this torch, CUDA, C++ ABI and Python."
        return Extra(name=name, environment=number, requirement=wanted, is_compiled=found.is_compiled, note=note)
    text = _none_suits(name, specifier, beside, torch, machine, matrix)
    return _refused(name, text, f"a wish without {name}")


def _none_suits(
    name: str, specifier: str, beside: Beside, torch: Proposal | None, machine: Machine, matrix: Matrix
) -> str:
    """What an extension was to suit, and what is against its newest release."""
    with_torch = f"{torch.build} and " if torch is not None else ""
    gpus = ", ".join(machine.label(index) for index in range(len(machine.capabilities)))
    built = f"{with_torch}CUDA {beside.cuda}" if beside.cuda else with_torch.removesuffix(" and ")
    place = ", ".join(filter(None, (built, f"Python {machine.python or ''}", machine.platform, gpus)))
    newest = next((row for row in rows_of(name, matrix) if any(meets(one, specifier) for one in row.versions)), None)
    why = against(newest, beside) if newest is not None else None
    reason = f" {name} {newest.versions[0]} {why}." if newest is not None and why else ""
    return f"No {name}{specifier} is known that suits {place}.{reason}"


def _cuda_major(proposals: tuple[Proposal, ...], machine: Machine, matrix: Matrix) -> int | None:
    """The CUDA of the builds beside it; where there are none, the newest that the driver and the GPUs take."""
    majors = [int(one.cuda.split(".")[0]) for one in proposals if one.cuda]
    if majors or proposals or not machine.uses_cuda:
        return majors[0] if majors else None
    return next((major for major in cuda_majors(matrix) if why_not_cuda(major, machine, matrix) is None), None)


def why_not_cuda(major: int, machine: Machine, matrix: Matrix) -> Obstacle | None:
    """What keeps programs of a CUDA major from running on a machine; None: nothing that is known."""
    # Imported here: only a wish without a framework asks.
    from gpudoctor.facts.versions import CudaVersion

    cuda = CudaVersion(f"{major}.0" if major != 11 else "11.8")
    floor, toolkit = matrix.family_floor(cuda, machine.driver_os), matrix.toolkit(cuda)
    if floor is not None and is_older(machine, floor.release):
        text = f"CUDA {major} needs driver {floor.release} or newer, and this is {machine.driver}"
        return Obstacle(constraint="driver", text=text, change=f"driver >= {floor.release}")
    oldest = min(toolkit.capabilities) if toolkit is not None and toolkit.capabilities else None
    for index, gpu in enumerate(machine.capabilities):
        if (oldest is not None and gpu < oldest) or matrix.predates(cuda, gpu):
            return Obstacle(constraint="gpu", text=f"CUDA {major} has no code for {machine.label(index)}")
    return None


def _pinned(name: str, versions: list[str], specifier: str, number: int) -> Extra:
    if versions:
        return Extra(name=name, environment=number, requirement=f"{name}=={versions[0]}")
    note = f"Which {name} belongs to it is not known here; that is left to the installer."
    return Extra(name=name, environment=number, requirement=f"{name}{specifier}", note=note)


def _refused(name: str, text: str, change: str) -> Extra:
    obstacle = Obstacle(constraint="companion", text=text.rstrip("."), change=change)
    refusal = Refusal(framework=name, constraint="companion", text=text, ways=(Way(obstacles=(obstacle,)),))
    return Extra(name=name, refusal=refusal)


def _is_numpy(requirement: str) -> bool:
    return requirement.startswith("numpy")
