"""Commands where PyTorch's own index does not answer, and with the indexes that a user names."""

import pytest

from gpudoctor.facts.fix import Ask, Fix, Run, SetEnv
from gpudoctor.facts.plan import InstallPlan, Mending, Place, Plan
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.demand import parse_demand
from gpudoctor.plan.indexes import Indexes
from gpudoctor.plan.install import Refused, plan_install
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.other_indexes import with_indexes, without_torch_index
from tests.rules.stacks import RTX_4090, interpreter, packages, stack

MATRIX = load_matrix()
FIELDS = ("host", "container", "gpus", "driver", "interpreter", "packages")
SITE = "https://download.pytorch.org/whl"
CPU = Machine(python="3.11", platform="linux-x86_64", cpu_only=True, package_index_only=True)


def gpu(driver, capability="8.9"):
    return Machine(
        driver=DriverRelease(driver),
        capabilities=(Capability(capability),),
        python="3.11",
        platform="linux-x86_64",
        package_index_only=True,
    )


def installed(machine, words):
    plan = plan_install(machine, parse_demand(tuple(words.split())), MATRIX, place=Place(python="python3.11"))
    if isinstance(plan, Refused):
        return "refused"
    assert isinstance(plan, InstallPlan)
    (step,) = plan.install
    assert isinstance(step, Run)
    return " ".join(step.argv[4:])


@pytest.mark.parametrize(
    ("machine", "words", "command"),
    [
        (CPU, "torch==2.13.0", "torch==2.13.0"),
        (CPU, "torch==2.13.0 torchvision", "torch==2.13.0 torchvision==0.28.0"),
        # The build was asked for by name, and the package index has another one.
        (CPU, "torch==2.13.0+cpu", "refused"),
        # Its plain wheel is the build for CUDA 13.0, which no further index may replace.
        (gpu("580.95.05"), "torch==2.13.0", "torch===2.13.0"),
        (gpu("580.95.05"), "torch==2.13.0 torchvision", "torch===2.13.0 torchvision===0.28.0"),
        # CUDA 13 does not run there: the newest whose plain wheel does, but never against what was asked for.
        (gpu("550.54.15"), "torch<2.14", "torch===2.10.0"),
        (gpu("550.54.15"), "torch==2.13.0", "refused"),
    ],
)
def test_installed_from_the_package_index(machine, words, command):
    assert installed(machine, words) == command


@pytest.mark.parametrize(
    ("cards", "driver", "there", "meant", "taken", "differs"),
    [
        # The same build: what holds the installer to it stays.
        ((RTX_4090,), "580.95.05", ("torch==2.13.0+cpu",), f"torch==2.13.0+cu130 --index-url {SITE}/cu130",
         "torch===2.13.0", "torch 2.13.0+cu130 (the same build)"),
        ((RTX_4090,), "580.95.05", ("torch==2.13.0+cu130",),
         f"--force-reinstall --no-deps torch==2.13.0+cu130 --index-url {SITE}/cu130",
         "--force-reinstall --no-deps torch===2.13.0", "torch 2.13.0+cu130 (the same build)"),
        # Another build needs other libraries.
        ((), None, ("torch==2.13.0+cpu",), f"--force-reinstall --no-deps torch==2.13.0+cpu --index-url {SITE}/cpu",
         "torch===2.13.0", "torch 2.13.0+cu130 (in place of torch==2.13.0+cpu)"),
        ((), None, ("torch==2.13.0",), f"--force-reinstall --no-deps torch==2.13.0+cpu --index-url {SITE}/cpu",
         "torch==2.13.0", "torch 2.13.0+cu130 (in place of torch==2.13.0+cpu)"),
        # The release is not there in a build that fits.
        ((RTX_4090,), "550.54.15", ("torch==2.13.0+cpu",),
         f"torch==2.13.0+cu126 torchvision==0.28.0+cu126 --index-url {SITE}/cu126",
         "torch===2.10.0 torchvision===0.25.0",
         "torch 2.10.0+cu128 (in place of torch==2.13.0+cu126 and torchvision==0.28.0+cu126)"),
        # torchvision of the CPU build is on PyTorch's index only: both come from the package index, and the installed
        # torch does not stay because 2.13.0+cpu is a 2.13.0, too.
        ((), None, ("torch==2.13.0+cpu", "torchvision==0.22.1"), f"torchvision==0.28.0+cpu --index-url {SITE}/cpu",
         "torch===2.13.0 torchvision===0.28.0",
         "torch 2.13.0+cu130 (in place of torch==2.13.0+cpu and torchvision==0.28.0+cpu)"),
        ((RTX_4090,), "580.95.05", ("torch==2.13.0+cpu",), "torch==2.13.0+cu130 --extra-index-url https://mirror/cu130",
         "torch===2.13.0", "torch 2.13.0+cu130 (the same build)"),
        # Nothing of PyTorch's index is asked for; nothing fits.
        ((), None, (), "numpy>=2", None, None),
        ((RTX_4090,), "390.157", ("torch==2.13.0+cpu",), f"torch==2.13.0+cu130 --index-url {SITE}/cu130", None, None),
    ],
)  # fmt: skip
def test_fixes_from_the_package_index(cards, driver, there, meant, taken, differs):
    sections = {"on": interpreter("3.11.9"), "packages": packages(*there)}
    facts = stack(*cards, **({"release": driver} if driver else {"driver": None}), **sections)
    scene = Scene(**{name: facts[name] for name in FIELDS})
    found = without_torch_index((run(*meant.split()), SetEnv(name="A", value="b")), scene, MATRIX)
    if taken is None:
        assert found is None
        return
    step, kept = found.steps
    assert (" ".join(step.argv[4:]), found.differs, kept.name) == (taken, (differs,), "A")


@pytest.mark.parametrize(
    ("indexes", "command", "changed"),
    [
        ({}, f"torch==2.6.0+cpu --index-url {SITE}/cpu", None),
        ({"torch": "https://m/whl/"}, f"torch==2.6.0+cpu --index-url {SITE}/cpu",
         "torch==2.6.0+cpu --index-url https://m/whl/cpu"),
        ({"torch": "https://m/whl"}, "numpy", None),
        ({"main": "https://m/simple"}, "numpy", "numpy --index-url https://m/simple"),
        ({"main": "https://m/simple"}, f"torch==2.6.0+cpu --index-url {SITE}/cpu",
         f"torch==2.6.0+cpu --index-url https://m/simple --extra-index-url {SITE}/cpu"),
    ],
)  # fmt: skip
def test_the_indexes_of_the_user(indexes, command, changed):
    fix = Fix(title="x", safety="safe", steps=(run(*command.split()),))
    plan = Plan(fixes=(Mending(fix=fix, cures=("PYT001",), because=("y",), scope="user"),))
    (one,) = with_indexes(plan, Indexes(**indexes)).fixes
    assert " ".join(one.fix.steps[0].argv[4:]) == (changed or command)


def run(*words):
    return Run(argv=("/env/bin/python", "-m", "pip", "install", *words))


def test_other_steps_stay_as_they_are():
    steps = (Ask(text="install torch by hand"), Run(argv=("nvidia-smi", "install")), run("numpy"))
    plan = Plan(fixes=(Mending(fix=Fix(title="x", safety="safe", steps=steps), cures=(), because=(), scope="user"),))
    (one,) = with_indexes(plan, Indexes(main="https://m/simple")).fixes
    assert one.fix.steps[:2] == steps[:2]
    assert "https://m/simple" in one.fix.steps[2].argv
