"""What is planned for known machines, word for word, as plans.txt keeps it: recipes, places, and whole install plans.

After a change that is meant to alter plans, write them anew and read the difference:

    python -m tests.plan.test_kept_plans

The matrix is cut off at fixed releases, so that a new release changes nothing here.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from gpudoctor.facts.fix import Ask, Fix, Run
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.plan import InstallPlan, Place
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.system import Container, System, Wsl
from gpudoctor.plan.demand import parse_demand
from gpudoctor.plan.indexes import Indexes
from gpudoctor.plan.install import Refused, plan_install
from gpudoctor.plan.pairing import fit_with_extras
from gpudoctor.plan.places import nvidia_gpus
from gpudoctor.plan.recipes import again, companions_of, framework_for_gpus, reinstall
from gpudoctor.plan.steps import moved
from gpudoctor.plan.this_machine import can_be_root, machine_here, packages_here, place_here
from tests.plan.old_matrix import old_matrix
from tests.rules.situations import UBUNTU
from tests.rules.stacks import (
    ARM,
    GTX_1080_TI,
    H100,
    K80,
    MACOS,
    RTX_3090,
    RTX_4090,
    RTX_5090,
    T4,
    V100,
    WINDOWS,
    interpreter,
    packages,
    stack,
    torch,
)

FILE = Path(__file__).with_name("plans.txt")
MATRIX = old_matrix()
FIELDS = ("host", "container", "gpus", "driver", "interpreter", "packages")
BOTH = "torch torchvision tensorflow"
CUDA_12 = ("nvidia-cudnn-cu12==9.10.2.21", "nvidia-cublas-cu12==12.8.4.1", "nvidia-cuda-nvcc-cu12==12.5.82")
SYSTEM = interpreter(
    executable="/usr/bin/python3", environment="system", externally_managed=True, base_prefix="/usr", prefix="/usr"
)
CONDA = interpreter(environment="conda", prefix="/opt/conda/envs/ai", managers=("conda", "mamba"), made_by="conda")
BASE = structs.replace(CONDA, environment="conda-base", prefix="/opt/conda")
UV = interpreter(made_by="uv", pip_version=None, managers=("uv",))
NEW_GLIBC = structs.replace(UBUNTU, libc="glibc", libc_version="2.39", groups=("sudo",), is_root=False)
OLD_GLIBC = structs.replace(UBUNTU, libc="glibc", libc_version="2.27", groups=("users",), is_root=False)
WSL = Container(kind="none", wsl=Wsl(version=2))
UNKNOWN = Gpu(vendor="nvidia", index=1, name="NVIDIA Graphics Device")


def scene(*cards, on=None, release="550.54.15", installed=(), **sections):
    sections = {"packages": packages(*installed), **sections}
    machine = stack(*cards, on=on or interpreter(base_prefix="/usr/local"), release=release, **sections)
    return Scene(**{name: machine[name] for name in FIELDS})


#: Name: the machine, and wishes beside the recipes.
SCENES = {
    "a virtual environment with CPU builds": (
        scene(RTX_4090, installed=("torch==2.6.0+cpu", "torchvision==0.21.0+cpu", "tensorflow-cpu==2.18.0")),
        [BOTH, "torch==2.6.0 torchaudio", "keras<3.5 torch", "jax", "flash-attn", "xformers bitsandbytes"],
    ),
    "another build of the same release": (
        scene(RTX_3090, installed=("torch==2.8.0+cu129", "torchaudio==2.8.0+cu129", *CUDA_12)),
        ["torch==2.8.0 torchaudio", "tensorflow", "jax", "torch==2.8.0 --cuda 12.6"],
    ),
    "libraries of two CUDA majors": (
        scene(
            RTX_4090,
            release="580.65.06",
            installed=("torch==2.9.0+cu130", "tensorflow==2.19.0", *CUDA_12, "nvidia-cudnn-cu13==9.13.0.50"),
        ),
        ["torch", "tensorflow", BOTH, "jax"],
    ),
    "JAX for CUDA 12": (
        scene(
            H100,
            release="580.65.06",
            host=NEW_GLIBC,
            installed=("jax==0.7.2", "jaxlib==0.7.2", "jax-cuda12-plugin==0.7.2", "jax-cuda12-pjrt==0.7.2", *CUDA_12),
        ),
        ["torch", "torch jax", "jax", "tensorflow jax"],
    ),
    "Python of the operating system": (
        scene(T4, on=SYSTEM, host=OLD_GLIBC, installed=("torch==2.3.0", "tensorflow==2.16.1", "jax==0.4.30")),
        ["torch", BOTH],
    ),
    "conda": (
        scene(V100, on=CONDA, host=NEW_GLIBC, packages=packages("pytorch==2.5.1", "torch==2.5.1", installer="conda")),
        ["torch", "tensorflow"],
    ),
    "conda's own environment": (scene(RTX_4090, on=BASE), ["torch"]),
    "uv, without pip": (scene(RTX_5090, on=UV, release="570.86.10", host=NEW_GLIBC), ["torch triton", "tensorflow"]),
    "uv of the machine, pip of the environment": (
        scene(RTX_4090, on=interpreter(managers=("uv", "conda")), installed=("torch==2.6.0+cpu",)),
        ["torch"],
    ),
    "poetry": (scene(RTX_4090, on=interpreter(made_by="poetry")), ["torch"]),
    "Windows": (
        scene(
            RTX_4090,
            host=WINDOWS,
            on=interpreter("3.10.1", executable="C:\\env\\Scripts\\python.exe"),
            installed=("torch==2.6.0+cpu", "nvidia-cudnn-cu11==8.9.5.29"),
        ),
        ["torch", "tensorflow<2.11", "tensorflow", "triton", "onnxruntime-gpu"],
    ),
    "WSL": (
        scene(RTX_4090, release="551.61", container=WSL, host=NEW_GLIBC),
        ["torch", "tensorflow", "torch tensorflow jax"],
    ),
    "macOS": (scene(host=MACOS, driver=None), ["torch", "tensorflow", "jax", "triton", "torch keras"]),
    "macOS, as some tools name its processor": (
        scene(host=structs.replace(MACOS, arch="aarch64"), driver=None),
        ["torch torchvision"],
    ),
    "a Mac with an Intel processor": (scene(host=structs.replace(MACOS, arch="x86_64"), driver=None), ["torch"]),
    "GH200": (
        scene(H100, host=structs.replace(ARM, libc="glibc", libc_version="2.35")),
        ["torch", "tensorflow", "flash-attn"],
    ),
    "no GPU": (scene(host=NEW_GLIBC, driver=None), ["torch", "tensorflow", "jax", "torch --cuda 12.6", "cupy"]),
    "no GPU was looked for": (Scene(host=NEW_GLIBC, interpreter=interpreter()), ["torch", "tensorflow-cpu"]),
    "no Python was seen": (Scene(host=NEW_GLIBC), ["triton", "torch"]),
    "no system was seen": (Scene(interpreter=interpreter()), ["triton", "torch"]),
    "nothing is known": (Scene(), ["torch", "jax", "triton", "keras tensorflow", "tf-keras", "cupy"]),
    "an old driver and an old GPU": (
        scene(K80, release="470.256.02", on=interpreter("3.10.1"), host=OLD_GLIBC),
        ["torch", "tensorflow", "jax", "onnxruntime-gpu"],
    ),
    "Pascal on a new driver": (
        scene(GTX_1080_TI, release="580.65.06", host=NEW_GLIBC, installed=("torch==2.9.0+cu130",)),
        ["torch", "xformers", "flash-attn", BOTH],
    ),
    "a driver that ended with Pascal": (scene(GTX_1080_TI, release="590.48.01"), ["torch"]),
    "an old and a new GPU": (
        scene(structs.replace(GTX_1080_TI, index=1), RTX_5090, release="580.65.06", host=NEW_GLIBC),
        ["torch", "tensorflow"],
    ),
    "GPUs of three ages": (
        scene(
            V100,
            structs.replace(RTX_3090, index=1),
            structs.replace(RTX_5090, index=2),
            structs.replace(GTX_1080_TI, index=3),
            release="580.65.06",
            host=NEW_GLIBC,
        ),
        ["torch", "tensorflow", "jax"],
    ),
    "GPUs of four ages": (
        scene(
            K80,
            structs.replace(GTX_1080_TI, index=1),
            structs.replace(RTX_3090, index=2),
            structs.replace(RTX_5090, index=3),
            structs.replace(RTX_3090, index=4),
            release="570.86.10",
            host=NEW_GLIBC,
        ),
        ["torch", "torch tensorflow", "onnxruntime-gpu"],
    ),
    "what no release meets": (
        scene(RTX_3090, host=NEW_GLIBC),
        ["tensorflow>=99", "torch>=99", "jax>=99", "torch==2.6.0 --cuda 11", "torch==2.6.0 --cuda 13", "tensorflow<2"],
    ),
    "two equal GPUs and an unknown one": (
        scene(RTX_3090, structs.replace(RTX_3090, index=2), UNKNOWN, host=NEW_GLIBC),
        ["torch"],
    ),
    "an old Python": (scene(RTX_3090, on=interpreter("3.8.10"), host=NEW_GLIBC), ["torch", "tensorflow", "jax"]),
    "a Python that is too new": (scene(RTX_3090, on=interpreter("3.14.0"), host=NEW_GLIBC), ["torch", "tensorflow"]),
    "musl": (scene(RTX_3090, host=System(os="linux", arch="x86_64", libc="musl")), ["torch"]),
    "cupy and onnxruntime": (
        scene(RTX_3090, release="525.60.13", host=NEW_GLIBC),
        ["cupy", "onnxruntime-gpu", "cupy==13.6.0", "torch cupy onnxruntime-gpu", "triton==3.3.1", "triton==9"],
    ),
}
CUDA = "--cuda"


def step_line(step) -> str:
    if isinstance(step, Run):
        return f"$ {' '.join(step.argv)}"
    return f"say {step.text}" if isinstance(step, Ask) else f"do {step}"


def fix_lines(fix: Fix) -> Iterator[str]:
    yield f"  {fix.title} ({fix.safety})" + (f"; undo: {fix.undo}" if fix.undo else "")
    yield from (f"    {step_line(step)}" for step in fix.steps)


def recipe_lines(one: Scene) -> Iterator[str]:
    installed = one.find("torch")
    for name in ("torch", "tensorflow", "jax"):
        yield from fix_lines(framework_for_gpus(name, one, MATRIX))
    for version in ("2.6.0", "2.8.0"):
        yield from fix_lines(framework_for_gpus("torch", one, MATRIX, version))
    yield from fix_lines(framework_for_gpus("jax", one, MATRIX, "0.6.0"))
    yield from fix_lines(again(one, torch("2.6.0+cu124")))
    for version in ("2.6.0+cu124", "2.6.0") if installed else ():
        yield from fix_lines(companions_of(one, MATRIX, torch(version), ("torchvision", "torchaudio")))
    if installed:
        yield from fix_lines(reinstall(one, ("torch", "torchvision", "nvidia-cudnn-cu12"), "Install torch again"))


def place_line(place: Place) -> str:
    made = place.venv or place.conda
    return f"{place.manager} of {place.python} ({place.version})" + (f" makes {made}" if made else "")


def here_lines(one: Scene) -> Iterator[str]:
    machine = machine_here(one, MATRIX)
    facts = [f"{name}={value}" for name in machine.__struct_fields__ if (value := getattr(machine, name))]
    yield f"  machine: {' '.join(facts)}"
    unknown = ", ".join(gpu.label for gpu in nvidia_gpus(one) if MATRIX.capability(gpu) is None)
    yield f"  root: {can_be_root(one.host)}; GPUs that are not known: {unknown}"
    for options in ({}, {"venv": "v"}, {"conda": "c"}, {"manager": "uv"}, {"manager": "pip"}, {"manager": "conda"}):
        yield f"  place {options or ''}: {place_line(place_here(one, **options))}"


def plan_lines(one: Scene, words: str) -> Iterator[str]:
    asked, _, cuda = words.partition(f" {CUDA} ")
    demand = parse_demand(tuple(asked.split()), cuda or None)
    machine = machine_here(one, MATRIX)
    plan = plan_install(
        machine,
        demand,
        MATRIX,
        place=place_here(one),
        packages=packages_here(one),
        indexes=Indexes(main="https://mirror.example/simple") if "torchaudio" in words else None,
        can_be_root=can_be_root(one.host),
    )
    yield f"  wish {words}"
    if isinstance(plan, Refused):
        yield f"    refused: {plan.text}"
    else:
        yield from whole_plan(plan)
        yield from (f"    elsewhere {step_line(step)}" for step in moved(plan, Place(python="py", venv="new")).steps)
    found = fit_with_extras(machine, demand, MATRIX)
    yield from (f"    fit $ {' '.join(argv)}" for place in found.environments for argv in (place.command, *place.after))
    for refusal in found.refusals:
        yield f"    fit: no {refusal.framework}, {refusal.constraint}"
        yield from (f"      partly {part.build}: {part.serves} not {part.leaves_out}" for part in refusal.partly)


def whole_plan(plan: InstallPlan) -> Iterator[str]:
    for one in (plan, *plan.apart):
        yield f"    {place_line(one.place)}: {', '.join(choice.build for choice in one.choices)}"
        yield from (f"      {step_line(step)}" for step in one.steps)
        yield f"      removed: {' '.join(one.removed)}" if one.removed else "      nothing is removed"
    if plan.separate_because:
        yield f"    apart: {plan.separate_because}"
    for other in plan.alternatives:
        yield f"    or {other.build}: {'; '.join(other.costs)}: {' '.join(other.argv)}"
    yield from (f"    note: {note}" for note in plan.notes)
    if plan.leaves_out:
        yield f"    leaves out: {', '.join(plan.leaves_out)}"


def planned(name: str) -> str:
    one, wishes = SCENES[name]
    lines = [f"# {name}", *here_lines(one), *recipe_lines(one)]
    return "\n".join([*lines, *(line for words in wishes for line in plan_lines(one, words))])


def kept() -> dict[str, str]:
    blocks = FILE.read_text().strip().split("\n\n")
    return {block.partition("\n")[0].removeprefix("# "): block for block in blocks}


@pytest.mark.parametrize("name", SCENES)
def test_the_plan_is_the_kept_one(name):
    assert planned(name) == kept()[name]


def test_every_kept_plan_has_its_machine():
    assert list(kept()) == list(SCENES)


def test_nothing_is_newer_than_the_cut():
    assert MATRIX.newest("torch") == "2.9.1"
    assert MATRIX.newest("tensorflow") == "2.19.1"
    assert MATRIX.newest("jax") == "0.7.2"


if __name__ == "__main__":
    FILE.write_text("\n\n".join(map(planned, SCENES)) + "\n")
