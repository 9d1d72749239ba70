"""What a text is asked whose cause is not known: by what printed its error, and by what it is about."""

from pathlib import Path

import pytest

from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.triage import judged_tickets

#: A text, and what its question holds.
TEXTS = [
    ("accelerate never begins\n\nIt hangs with 4x RTX 3090, one GPU works.", "topo -m"),
    ("It freezes\n\nThe whole PC locks up while training on an RTX 3080, Ubuntu 22.04.", "Xid"),
    ("It reboots\n\nThe computer restarts by itself under load. Windows 10, RTX 3090", "Get-WinEvent"),
    ("No GPU since dist-upgrade\n\nAfter the upgrade to 24.04 my RTX 2070 is not there any more.", "dkms status"),
    ("Screen\n\nA black screen after the driver's installation, Ubuntu, RTX 4050", "journalctl -b -1"),
    ("No GPU in it\n\nI start the service with docker compose up, card is an RTX 4060", "compose file that starts it"),
    ("No GPU in it\n\ndocker run --gpus all app says nothing, card is an RTX 4060, Linux", "docker info"),
    ("No GPU\n\nthe job of sbatch --partition=gpu finds nothing to compute on; A100 nodes", "scontrol show"),
    ("prog: init failed: libfoo_cuda.so.3: load failed, giving up\nRTX 3060, Fedora 40", "grep libfoo_cuda.so.3;"),
    ("It says: could not load module up_gpu.dll\nWindows 11, RTX 3070", "where.exe up_gpu.dll"),
    ("Slower\n\nMy RTX 4090 gives 12 it/s, his RTX 3060 25 it/s. Ubuntu", "PERFORMANCE"),
    ("Idle card\n\nArch Linux, RX 6800. My code runs on the processor.", "/dev/kfd"),
    ("Noise\n\nComfyUI_windows_portable makes only noise, RTX 2060", "python_embeded\\python.exe"),
    ("Half an hour\n\nautomatic1111 on Windows 10, GTX 1650: a picture takes half an hour", "venv\\Scripts"),
    ("R\n\nR 4.3 with keras on Windows 10, GTX 1070: slow", "py_config"),
    ("Service\n\nBy hand it works, as a systemd service it doesn't. RTX A4000, Ubuntu", "systemctl cat"),
    ("Root\n\nAs root everything is OK, as my own user there is no GPU. CentOS 8, Tesla T4", "as both users"),
    ("Two cards\n\nMy laptop has an Intel iGPU and an MX450; the Intel is always taken. Kubuntu", "prime-select"),
    ("Enclosure\n\nRazer Core X with RTX 2080, Fedora 40, thunderbolt 3, nothing sees it", "boltctl"),
    ("Killed\n\n$ python train.py\nLoading\nKilled\nUbuntu, RTX 3090", "out of memory"),
    ("It stops\n\nTraining hangs at a random step without an error, RTX 3090, Linux", "py-spy"),
    ("weights\n\nwget: server returned error: HTTP/1.1 403 Forbidden", "curl"),
    ("No log\n\nIt does not do what it should on my RTX 3090", "all that the program prints"),
]


@pytest.mark.parametrize(("text", "asked"), TEXTS)
def test_the_question_of_a_text_without_a_known_cause(text, asked, tmp_path: Path):
    file = tmp_path / "ticket.md"
    file.write_text(text)
    (ticket,) = judged_tickets([str(file)], criteria_of((), (), (), None), 1)
    assert ticket.question is not None and asked in ticket.question.ask, ticket.question


def test_what_starts_the_container_is_not_asked_for_where_it_stands(tmp_path: Path):
    file = tmp_path / "ticket.md"
    file.write_text("No GPU in it\n\ndocker run --gpus all app says nothing, card is an RTX 4060, Linux")
    (ticket,) = judged_tickets([str(file)], criteria_of((), (), (), None), 1)
    assert ticket.question is not None and "that starts it" not in ticket.question.ask


#: A text, and facts that its answer must not hold: nobody stated them.
NOT_STATED = [
    ("# Could not load dynamic library 'libcudart.so.11.0'\n\ntensorflow 2.4.0, Ubuntu 20.04, RTX 2080", "not set"),
    ("# Could not load dynamic library 'libcudart.so.11.0'\n\ntensorflow 2.4.0, Ubuntu 20.04, RTX 2080", "installed"),
    (
        "# cudart64_101.dll not found\n\ntensorflow 2.3 with CUDA 10.2, Windows 10, RTX 2070",
        "not found",
    ),
]


@pytest.mark.parametrize(("text", "words"), NOT_STATED)
def test_what_a_text_leaves_out_is_not_told_as_seen(text, words, tmp_path: Path):
    file = tmp_path / "ticket.md"
    file.write_text(text)
    (ticket,) = judged_tickets([str(file)], criteria_of((), (), (), None), 1)
    found = ticket.findings
    assert found
    assert not [one for finding in found for one in finding.evidence if words in f"{one.fact}: {one.value}"]


LOST = "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (f'{LOST}\n\nconfig.toml has\nroot = "/run/nvidia/driver"\nUbuntu', "container-tools-settings"),
        (f'{LOST}\n\nconfig.toml has\n#root = "/run/nvidia/driver"\nUbuntu', "drv-absent"),
        (
            (
                "Could not load dynamic library 'libcudnn.so.7'; dlerror: libcudnn.so.7: no such file\n"
                "tensorflow 2.3.0 with CUDA 10.2 and cuDNN 8.0.2, Ubuntu 20.04, RTX 2070"
            ),
            "built-for-other-cuda",
        ),
    ],
)
def test_the_line_that_is_quoted_decides_which_cause_leads(text, cause, tmp_path: Path):
    file = tmp_path / "ticket.md"
    file.write_text(text)
    (ticket,) = judged_tickets([str(file)], criteria_of((), (), (), None), 1)
    assert ticket.causes[0].key == cause
