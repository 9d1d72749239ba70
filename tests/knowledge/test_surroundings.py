"""Each surrounding that forbids something: what names it, what it rules out, which commands are not there."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from knowledge_files import surrounding_records

from gpudoctor.diagnosis.not_here import runs_here
from gpudoctor.diagnosis.refutations import refutation
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.triage import ticket
from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.causes import all_causes
from gpudoctor.knowledge.surroundings import surroundings_in

RECORDS = {one.id: one for one in surrounding_records()}
EXAMPLES = [(line, name) for name, one in RECORDS.items() for line in one.examples]
UNLIKE = [(line, name) for name, one in RECORDS.items() for line in one.unlike]
NOTHING = Snapshot(gpus=Gap(reason="not stated"))
NVIDIA = Snapshot(gpus=Gpus(devices=(Gpu(vendor="nvidia"),)))
OF_NVIDIA = [name for name, one in RECORDS.items() if one.without_cuda]


@pytest.mark.parametrize(("line", "name"), EXAMPLES)
def test_a_text_names_it(line, name):
    assert name in surroundings_in(f"Something fails.\n\n{line}\n")


@pytest.mark.parametrize(("line", "name"), UNLIKE)
def test_what_sounds_alike_does_not(line, name):
    assert name not in surroundings_in(line)


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_a_record_forbids_something_and_is_whole(record):
    assert record.without and record.examples and record.unlike
    assert record.say[0].islower() and not record.say.endswith(".")
    assert set(record.refutes) <= all_causes().keys()


@pytest.mark.parametrize("name", OF_NVIDIA)
def test_without_cuda_nothing_that_needs_a_gpu_of_nvidia_is_the_cause(name):
    assert refutation("driver-too-old", SnapshotView(NOTHING, {name})) == RECORDS[name].say
    assert refutation("driver-too-old", SnapshotView(NVIDIA, {name})) is None


@pytest.mark.parametrize("name", [name for name in OF_NVIDIA if not RECORDS[name].beside_nvidia])
def test_it_is_not_meant_where_a_card_of_nvidia_is_named(name):
    assert name not in surroundings_in(f"{RECORDS[name].examples[0]}\nThe machine has a GeForce RTX 3090, too.")


@pytest.mark.parametrize(
    ("command", "name", "there"),
    [
        ("sudo apt install nvidia-driver  # Debian", "nix", False),
        ("ldconfig -p | grep libcuda", "nix", False),
        ("sudo reboot", "nix", True),
        ("sudo reboot", "cluster-user", False),
        ("module load cuda; nvidia-smi", "cluster-user", True),
        ("python3 -m pip install torch", "media-server", False),
        ("pip list | grep torch", "media-server", False),
        ("docker exec frigate nvidia-smi", "media-server", True),
        ("LD_DEBUG=libs nvidia-smi", "google-tpu", False),
        ("/usr/bin/nvidia-smi -L", "google-tpu", False),
        ("uv run python -c 'import jax'", "google-tpu", True),
        ("sudo ubuntu-drivers install", "rented-machine", False),
        ("echo apt", "nix", True),
        ("sudo apt install x", "wsl", True),
    ],
)
def test_commands_that_are_not_there(command, name, there):
    assert runs_here(command, SnapshotView(NOTHING, {name})) is there


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("torch_npu on Ascend 910B\ntorch.cuda.is_available() returns False", "accelerator-not-asked-for"),
        ("runs-on: ubuntu-latest\nRuntimeError: Found no NVIDIA driver on your system.", "no-gpu"),
        ("FreeBSD 14.1\ntorch.cuda.is_available() returns False", "system-without-cuda"),
        ("nix-shell -p python3Packages.torch\ntorch.cuda.is_available() returns False", "nix-built-without-cuda"),
        ("a TPU VM\nNo GPU/TPU found, falling back to CPU.", "jax-lacks-backend"),
        ("a TPU VM\nThe TPU is already in use by process with pid 4711.", "tpu-held"),
        ("infer-web.py --dml\nNO GPU DETECTED: falling back to CPU", "directml-not-in-program"),
        (
            (
                "Created device /device:GPU:0 with 15089 MB memory:  "
                "-> device: 0, name: Vega 20, pci bus id: 0000:26:00.0\n"
                "in the container: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
            ),
            "program-for-another-maker",
        ),
        (
            "an AMD Radeon RX 6800 XT beside a GeForce RTX 3060\nno CUDA-capable device is detected",
            "driver-gives-no-gpu",
        ),
    ],
)
def test_what_fails_there_has_a_cause_of_that_place(text, first, tmp_path):
    file = tmp_path / "ticket.md"
    file.write_text(text)
    assert ticket(str(file), criteria_of((), (), (), None)).causes[0].key == first


@pytest.mark.parametrize(
    ("text", "is_amd"),
    [
        ("a Radeon iGPU and an NVIDIA card", False),
        ("a Radeon for the screen, my nvidia gpu for training", False),
        ("I have an NVIDIA GPU beside the Radeon", False),
        ("a Radeon RX 6800; I don't have an NVIDIA GPU", True),
        ("a Radeon RX 6800. RuntimeError: Found no NVIDIA driver on your system.", True),
        ("a Radeon RX 6800; the program requires an NVIDIA GPU", True),
    ],
)
def test_an_amd_gpu_beside_one_of_nvidias_decides_nothing(text, is_amd):
    assert ("amd" in surroundings_in(text)) is is_amd


def test_who_may_not_do_it_is_told_who_does(tmp_path):
    file = tmp_path / "ticket.md"
    failed = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    file.write_text(f"module load cuda/12.1 on the login node\n{failed}")
    remedies = ticket(str(file), criteria_of((), (), (), None)).remedies
    assert remedies[0].say == RECORDS["cluster-user"].instead
    assert not any("sudo" in command for one in remedies for command in one.commands)
