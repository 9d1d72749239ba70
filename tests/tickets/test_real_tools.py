"""What real tools print today, in real environments, is read without loss."""

import json
import subprocess

import pytest

from gpudoctor.facts.python import Frameworks, Packages
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.read import ingest
from tests.live.environments import environment


def printed(*argv: str) -> bytes:
    return subprocess.run(argv, capture_output=True, check=True, timeout=120).stdout


@pytest.fixture(scope="module")
def python() -> str:
    return str(environment("cpu"))


@pytest.mark.parametrize("form", ["columns", "freeze", "json"])
def test_pip_list_is_whole(python: str, form: str) -> None:
    wanted = {one["name"].lower().replace("_", "-").replace(".", "-"): one["version"]
              for one in json.loads(printed(python, "-m", "pip", "list", "--format", "json"))}  # fmt: skip
    packages = ingest(printed(python, "-m", "pip", "list", "--format", form), load_matrix()).snapshot.packages
    assert isinstance(packages, Packages)
    found = {one.name: one.version for one in packages.installed}
    # An editable install has no version of its own in a freeze.
    assert {name: version for name, version in wanted.items() if name in found} == found
    assert len(found) >= 0.95 * len(wanted)
    assert packages.excerpt is (form == "freeze")


def test_collect_env(python: str) -> None:
    made = ingest(printed(python, "-m", "torch.utils.collect_env"), load_matrix())
    version = printed(python, "-c", "import torch; print(torch.__version__)").decode().strip()
    frameworks = made.snapshot.frameworks
    assert isinstance(frameworks, Frameworks)
    torch = frameworks.get("torch")
    assert torch is not None
    assert (torch.version, torch.variant) == (version, "cpu")
    assert made.snapshot.live.listed_by("torch").gpu_available is False
    assert made.snapshot.host.os == "linux"
    assert made.snapshot.host.kernel in printed("uname", "-r").decode()
    assert made.contradictions == ()


def test_jax_prints_its_environment(python: str) -> None:
    text = printed(python, "-c", "import jax; jax.print_environment_info()")
    made = ingest(text, load_matrix())
    version = printed(python, "-c", "import jax; print(jax.__version__)").decode().strip()
    assert made.snapshot.frameworks.get("jax").version == version
    assert made.snapshot.live.listed_by("jax").gpu_available is False
