"""The operating system by paths, and by what the reporter says of it."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import System
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.read import Ingested, ingest

SHARED = 'File "/opt/miniconda3/envs/seg/lib/python3.11/site-packages/torch/cuda/__init__.py", line 284, in _lazy_init'
LOCAL = SHARED.replace("/opt/miniconda3/envs/seg", "/usr/local")
HOME = SHARED.replace("/opt", "/home/ada")
USERS = SHARED.replace("/opt", "/Users/ada")
DEBIAN = LOCAL.replace("site-packages", "dist-packages")
WINDOWS = r'File "C:\Users\ada\miniconda3\envs\seg\lib\site-packages\torch\cuda\__init__.py", line 284, in _lazy_init'
UNAME = "Linux node7 5.15.0-91-generic #101-Ubuntu SMP Tue Nov 14 13:30:08 UTC 2023 x86_64 GNU/Linux"
SMI = "| NVIDIA-SMI 535.129.03   Driver Version: 535.129.03   CUDA Version: 12.2 |"

SYSTEMS = {
    # Paths alone.
    f"{SHARED}": None,
    f"{LOCAL}": None,
    f"{HOME}": "linux",
    f"{DEBIAN}": "linux",
    f"{USERS}": "macos",
    f"{USERS}\n{LOCAL}": "macos",
    f"{WINDOWS}": "windows",
    f"{SHARED.replace('miniconda3/envs/seg', 'conda')}": "linux",
    # A Mac that is named.
    f"Mine is a MacBook Air M2.\n{SHARED}": "macos",
    f"I have an M3 Max with macOS 14.2 here.\n{LOCAL}": "macos",
    f"OS: macOS 13.6\n{HOME}": "macos",
    f"It fails on an M1.\n{SHARED}": "macos",
    # What tools print stands before it.
    f"I sit at a MacBook Pro M2.\n{UNAME}\n{HOME}": "linux",
    f"My MacBook Pro M2 is connected to it.\n{SMI}\n{HOME}": "linux",
    f"{SMI}\n{SHARED}": "linux",
    # Windows.
    f"This is Windows 11, WSL2 with Ubuntu.\n{SHARED}": "linux",
    f"Windows 11, WSL2 Ubuntu 22.04\n{HOME}": "linux",
    f"I use Windows 10.\n{SHARED}": "linux",
    f"I use Windows 10.\n{WINDOWS}": "windows",
}


def _read(text: str) -> Ingested:
    return ingest(f"{text}\nAssertionError: Torch not compiled with CUDA enabled\n".encode(), load_matrix())


@pytest.mark.parametrize(("text", "system"), SYSTEMS.items())
def test_the_system(text, system):
    host = _read(text).snapshot.host
    assert getattr(host, "os", None) == system


@pytest.mark.parametrize("text", [SHARED, LOCAL])
def test_a_path_that_two_systems_have_says_which_it_is_not(text):
    host = _read(text).snapshot.host
    assert isinstance(host, System)
    assert host.is_posix
    assert isinstance(_read("no path").snapshot.host, Gap)


@pytest.mark.parametrize("text", [f"Mine is a MacBook Air M2.\n{SHARED}", f"macOS 14.2 is my system.\n{LOCAL}"])
def test_paths_do_not_contradict_a_mac(text):
    assert not _read(text).contradictions
