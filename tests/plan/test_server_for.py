"""Which release of a server of models fits: it pins its torch, which is not to be swapped."""

import pytest

from gpudoctor.facts.fix import Run
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.server_for import server_for_gpus
from tests.rules.stacks import interpreter, packages

MATRIX = load_matrix()
ADA, BLACKWELL, TURING, PASCAL, HOPPER = "8.9", "12.0", "7.5", "6.1", "9.0"


def fix_for(names, driver, *gpus, python="3.12", platform="linux-x86_64"):
    machine = Machine(
        driver=DriverRelease(driver), capabilities=tuple(map(Capability, gpus)), python=python, platform=platform
    )
    there = Scene(interpreter=interpreter(), packages=packages(*names.split()))
    return server_for_gpus(there, machine, MATRIX)


@pytest.mark.parametrize(
    ("names", "driver", "gpu", "where", "server", "torch"),
    [
        # The next newer one with code for the GPU, and of those with the same torch the last.
        ("vllm==0.6.0", "580.65.06", BLACKWELL, {}, "vllm==0.11.0", "2.8.0"),
        ("vllm==0.6.0 torch==2.4.0", "570.86.10", BLACKWELL, {}, "vllm==0.11.0", "2.8.0"),
        ("sglang==0.3.0", "580.65.06", TURING, {}, "sglang==0.5.17", "2.11.0"),
        # The driver serves no newer one.
        ("vllm==0.21.0", "535.54", ADA, {}, "vllm==0.19.1", "2.10.0"),
        # Nor has it wheels for this Python, or these processors.
        ("vllm==0.21.0", "535.54", ADA, {"python": "3.9"}, "vllm==0.11.0", "2.8.0"),
        ("vllm==0.6.0", "580.65.06", HOPPER, {"platform": "linux-aarch64"}, "vllm==0.20.2", "2.11.0"),
        ("vllm==0.99.0", "580.65.06", ADA, {}, "vllm==0.33.0", "2.14.0"),
        # Of two the one that is looked for first.
        ("sglang==0.5.0 vllm==0.5.0", "580.65.06", BLACKWELL, {}, "vllm==0.11.0", "2.8.0"),
    ],
)
def test_the_release_whose_torch_serves(names, driver, gpu, where, server, torch):
    fix = fix_for(names, driver, gpu, **where)
    (step,) = (one for one in fix.steps if isinstance(one, Run))
    assert " ".join(step.argv).endswith(f"pip install --upgrade {server}")
    assert f"brings PyTorch {torch};" in fix.title
    assert fix.safety == "safe"


@pytest.mark.parametrize(
    ("names", "driver", "gpu", "where"),
    [
        ("torch==2.4.0", "580.65.06", BLACKWELL, {}),
        # Its own release would do.
        ("vllm==0.6.0", "580.65.06", ADA, {}),
        ("vllm==0.33.0", "580.65.06", ADA, {}),
        ("vllm==0.6.0", "535.54", ADA, {}),
        # None is for such a GPU, Python or system.
        ("vllm==0.6.0", "580.65.06", PASCAL, {}),
        ("vllm==0.21.0", "535.54", ADA, {"python": "3.14"}),
        ("vllm==0.21.0", "535.54", ADA, {"platform": "windows-x86_64"}),
        ("vllm==nightly", "580.65.06", BLACKWELL, {}),
    ],
)
def test_where_no_other_is_to_be_taken(names, driver, gpu, where):
    assert fix_for(names, driver, gpu, **where) is None


def test_every_gpu_is_to_be_served():
    assert fix_for("vllm==0.6.0", "580.65.06", BLACKWELL, PASCAL) is None
    assert "0.11.0" in fix_for("vllm==0.6.0", "580.65.06", BLACKWELL, ADA).title
