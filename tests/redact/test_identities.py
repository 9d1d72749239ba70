import pytest

from gpudoctor.redact.door import Door, counted
from gpudoctor.redact.identities import Known

KNOWN = Known(users=("ada", "lovelace", "root"), hosts=("gpu-node-07.cs.uni.edu",), homes=("/scratch/groups/ada",))

TEXTS = {
    "/home/ada/venv/bin/python": "/home/user-1/venv/bin/python",
    "/scratch/groups/ada/x": "/home/user-1/x",
    "/data/ada/x": "/data/user-1/x",
    "permission denied for lovelace.": "permission denied for user-1.",
    "/home/ubuntu/x /root/y /Users/Shared/z": "/home/ubuntu/x /root/y /Users/Shared/z",
    r"C:\Users\Ada Lovelace\Miniconda3": r"C:\Users\user-1\Miniconda3",
    r"C:\\Users\\Ada\\x": r"C:\\Users\\user-1\\x",
    "ada@gpu-node-07:~$ nvidia-smi": "user-1@host-1:~$ nvidia-smi",
    "Linux gpu-node-07 5.15.0-91-generic #101": "Linux host-1 5.15.0-91-generic #101",
    "hostname: trainbox": "hostname: host-1",
    "node07.local db.corp": "host-1 host-2",
    "https://packages.corp.net:8443/simple": "https://host-1.example:8443/simple",
    "https://download.pytorch.org/whl/cu128": "https://download.pytorch.org/whl/cu128",
    "mail ada.l@uni.edu": "mail user-1@example.org",
    "connect to 10.1.2.3:29500": "connect to 192.0.2.1:29500",
    "192.168.1.7 and 172.20.0.2": "192.0.2.1 and 192.0.2.2",
    "127.0.0.1 0.0.0.0 localhost:8888": "127.0.0.1 0.0.0.0 localhost:8888",
    "fe80::1ff:fe23:4567:890a": "2001:db8::1",
    "ether 3c:ec:ef:12:34:56": "ether 02:00:00:00:00:01",
    "Serial Number : 1320521000123": "Serial Number : serial-1",
    "machine-id: 0123456789abcdef0123456789abcdef": "machine-id: serial-1",
    "SLURM_JOB_ACCOUNT=physics": "SLURM_JOB_ACCOUNT=account-1",
    "GPU-1a2b3c4d-1111-2222-3333-444455556666": "GPU-00000001-0000-0000-0000-000000000000",
    "1a2b3c4d-1111-2222-3333-444455556666": "00000001-0000-0000-0000-000000000000",
}

UNTOUCHED = (
    "cuDNN 9.1.0.70, cuRAND 10.3.5.147, cuSPARSE 12.3.1.170",
    "nvidia-curand-cu12==10.3.5.147 libcublas.so.12.4.5.8",
    "0000:01:00.0 00000000:01:00.0 10de:2684",
    "c10::cuda std::vector at::native threading.local() torch::Dead::beef",
    "torch@main python@3.11 git+https://github.com/a/b@v1.2",
    "host: N/A, node: 3, device: cpu, user: root",
    "2024-05-12 10:11:12.345678: I tensorflow/stream_executor/platform/default/dso_loader.cc:44]",
    "Driver Version: 550.54.14    CUDA Version: 12.4",
    "/usr/local/cuda-12.4/lib64:/usr/lib/x86_64-linux-gnu",
    "NCCL version 2.21.5+cuda12.4",
    "GPU-Util  Compute M. GPU-0 MIG-enabled",
)


@pytest.mark.parametrize("text", TEXTS)
def test_identities_become_pseudonyms(text: str) -> None:
    assert Door(KNOWN).text(text) == TEXTS[text]


@pytest.mark.parametrize("text", UNTOUCHED)
def test_facts_stay(text: str) -> None:
    assert Door(KNOWN).text(text) == text


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_can_pass_twice(text: str) -> None:
    door = Door(KNOWN)
    once = door.text(text)
    assert door.text(once) == once
    assert Door(KNOWN).text(once) == once


def test_a_pseudonym_is_the_same_throughout_a_report() -> None:
    door = Door(KNOWN)
    assert door.text("/home/grace/a") == "/home/user-1/a"
    assert door.text("/home/ada/b") == "/home/user-2/b"
    assert door.text("/home/grace/c") == "/home/user-1/c"
    assert door.text("GPU-1a2b3c4d-1111-2222-3333-444455556666") == "GPU-00000001-0000-0000-0000-000000000000"
    assert door.text("CUDA_VISIBLE_DEVICES=GPU-1a2b3c") == "CUDA_VISIBLE_DEVICES=GPU-00000001"


def test_what_is_kept_stays() -> None:
    text = "ada@gpu-node-07:~$ ping 10.0.0.1:80"
    assert Door(KNOWN, keep=("hostnames",)).text(text) == "user-1@gpu-node-07:~$ ping 192.0.2.1:80"
    assert Door(KNOWN, keep=("users", "hostnames", "addresses")).text(text) == text


def test_a_name_that_is_a_word_of_reports_damages_no_fact() -> None:
    door = Door(Known(users=("torch", "max", "code"), hosts=("gpu", "server")))
    text = "<code>torch 2.6</code> max memory of gpu 0, an X server"
    assert door.text(text) == text
    assert door.text("/data/max/env server: x") == "/data/user-1/env server: x"


def test_credentials_are_never_kept() -> None:
    door = Door(KNOWN, keep=("users", "hostnames", "addresses", "uuids", "serials"))
    assert door.text("https://ada:pw@host/") == "https://***@host/"
    assert counted(door.counts) == "1 credential"
