"""Real frameworks as pip installs them, beside a fake driver: live defects that `pip check` does not see."""

import os
from pathlib import Path

import pytest

from tests.e2e.test_whole_command import verdict
from tests.fake_driver import compiled_driver, machine  # noqa: F401

pytestmark = pytest.mark.full

#: environment, GPU, root causes
CASES = [
    ("tf221", "RTX 4090", ["tf-soname-missing"]),
    ("tf220torch", "RTX 4090", ["files-overwritten"]),
    ("torch26", "RTX 4090", []),
    ("torch26", "RTX 5090", ["arch-too-new-for-build"]),
    ("torchcpu", "RTX 4090", ["tf-cpu-only", "torch-cpu-only"]),
    ("jax", "RTX 4090", []),
]


@pytest.mark.parametrize(("name", "gpu", "causes"), CASES)
def test_root_cause(fake_driver, name, gpu, causes):
    python = Path(os.environ.get("GPUDOCTOR_TEST_ENVS", "")) / name / "bin" / "python"
    if not python.exists():
        pytest.skip(f"GPUDOCTOR_TEST_ENVS has no {name}")
    report, found = verdict("--python", str(python), env=fake_driver.environment(machine(gpu, 1)))
    assert found == causes
    assert (report["verdict"] == "healthy") == (not causes)
