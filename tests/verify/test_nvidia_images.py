"""NVIDIA's framework images by tag: the driver that they need, their forward compatibility, their oldest GPU."""

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.machine import Machine
from gpudoctor.verify.verdict import Given
from gpudoctor.verify.verify import verify
from tests.verify.commands import machines

MATRIX, MACHINES = load_matrix(), machines()


@pytest.mark.parametrize(
    ("machine", "image", "word", "because"),
    [
        # RTX 3090, driver 535: any CUDA 12, no CUDA 13.
        ("a", "pytorch:24.05-py3", "fits", ""),
        ("a", "pytorch:25.10-py3", "does not fit", "580"),
        ("a", "pytorch:99.99-py3", "not known", ""),
        # GTX 1080: the newer images begin with Turing.
        ("d", "pytorch:25.10-py3", "does not fit", "compute capability 7.5"),
        # A100 with driver 450: the image's forward compatibility takes it; the same branch on a GeForce does not help.
        ("f", "tensorflow:23.01-tf2-py3", "fits", ""),
        ("d", "tensorflow:23.01-tf2-py3", "does not fit", "525"),
    ],
)
def test_an_image(machine: str, image: str, word: str, because: str) -> None:
    found = verify(f"docker run --gpus all nvcr.io/nvidia/{image}", MACHINES[machine], MATRIX)
    assert found.word == word, found.found
    assert because in " ".join(one.because or "" for one in found.found)


@pytest.mark.parametrize(("image", "says"), [("pytorch:25.01-py3", "12.8"), ("pytorch:23.06-py3", None)])
def test_an_image_with_a_newer_cuda_of_the_same_major(image: str, says: str | None) -> None:
    found = verify(f"docker run --gpus all nvcr.io/nvidia/{image}", MACHINES["a"], MATRIX)
    notes = " ".join(note for one in found.found for note in one.notes)
    assert found.word == "fits" and (says in notes if says else not notes)


def test_in_a_dockerfile() -> None:
    text = "FROM nvcr.io/nvidia/pytorch:25.10-py3\nRUN pip list\n"
    assert verify(text, MACHINES["a"], MATRIX, file="Dockerfile").word == "does not fit"


@pytest.mark.parametrize(
    ("asked", "code", "says"),
    [
        ("pytorch:24.05", 0, "12.4"),
        ("triton 25.05", 0, "12.9"),
        ("24.05", 0, "tritonserver"),
        ("nothing", 2, "no image"),
        ("", 0, "pytorch"),
    ],
)
def test_the_table(asked: str, code: int, says: str) -> None:
    result = CliRunner().invoke(cli, ["matrix", "container", *asked.split(), "--format", "json"])
    assert result.exit_code == code and says in result.output


#: An image of vLLM, the machine, the word, and the tag that does instead.
OF_VLLM = [
    ("v0.30.0", "8.0", "535.183.01", "does not fit", "v0.19.1"),
    ("v0.11.0", "8.0", "535.183.01", "fits", None),
    ("v0.11.0", "6.1", "580.65.06", "does not fit", None),
    ("latest", "8.0", "580.65.06", "not known", None),
    ("v9.9.9", "8.0", "580.65.06", "not known", None),
]


@pytest.mark.parametrize(("tag", "gpu", "driver", "word", "instead"), OF_VLLM)
def test_images_of_vllm(tag, gpu, driver, word, instead):
    machine = Machine(capabilities=(Capability(gpu),), driver=DriverRelease(driver), platform="linux-x86_64")
    (found,) = verify(f"docker run --gpus all vllm/vllm-openai:{tag}", Given(machine=machine), load_matrix()).found
    assert found.word == word, found
    assert (found.instead or "").rpartition(":")[2] == (instead or "")
