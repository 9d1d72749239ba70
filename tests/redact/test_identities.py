import pytest

from gpudoctor.redact.identities import Known
from gpudoctor.redact.redactor import Door, counted

KNOWN = Known(users=("ada", "lovelace", "root"), hosts=("gpu-node-07.cs.uni.edu",), homes=("/scratch/groups/ada",))

TEXTS = {
    "connected from db1.corp.internal (port 5432)": "connected from host-1 (port 5432)",
    "/home/ada/venv/bin/python": "/home/user-1/venv/bin/python",
    "/scratch/groups/ada/x": "/scratch/groups/user-1/x",
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

#: What is no address, host, person or number of a device; and what is one, where it stands among such.
TEXTS |= {
    "before 10.1.2.3 after": "before 192.0.2.1 after",
    "MASTER_ADDR=141.2.3.4": "MASTER_ADDR=192.0.2.1",
    "ping 141.2.3.4": "ping 192.0.2.1",
    "NCCL_COMM_ID=10.1.2.3:29500": "NCCL_COMM_ID=192.0.2.1:29500",
    "UCX_TCP_BRIDGE_ADDR=10.1.2.3": "UCX_TCP_BRIDGE_ADDR=192.0.2.1",
    "SLURM_LAUNCH_NODE_IPADDR=10.1.2.3": "SLURM_LAUNCH_NODE_IPADDR=192.0.2.1",
    "NCCL INFO Bootstrap : Using eth0:10.1.2.3<0>": "NCCL INFO Bootstrap : Using eth0:192.0.2.1<0>",
    "NCCL WARN socketProgress: Connection closed by remote peer 10.1.2.3<47310>": (
        "NCCL WARN socketProgress: Connection closed by remote peer 192.0.2.1<47310>"
    ),
    "10.0.0.0/8 is routed": "192.0.2.1/8 is routed",
    "SLURM_NODELIST=nd[01-04,07]": "SLURM_NODELIST=host-1[01-04,07]",
    "SLURM_JOB_NODELIST=alpha01,beta02": "SLURM_JOB_NODELIST=host-1,host-2",
    "Connected to trainbox:29500": "Connected to host-1:29500",
    "copy \\\\filer\\share\\x": "copy \\\\host-1\\share\\x",
    "/scratch/grace/env": "/scratch/user-1/env",
    "/lustre/fsw/users/grace/env": "/lustre/fsw/users/user-1/env",
    "/lustre/grace/env": "/lustre/user-1/env",
    "cd ~grace/venv": "cd ~user-1/venv",
    "Full name: Grace Hopper": "Full name: user-1",
    "Author: Grace Hopper": "Author: user-1",
    "GPU-1a2b3c4d11112222333344445555666a": "GPU-00000001-0000-0000-0000-000000000000",
    "mac address 3cec.ef12.3456": "mac address 02:00:00:00:00:01",
    "/docker/" + "4f" * 32: "/docker/serial-1",
    "container id: 4f3a9b1c2d3e": "container id: serial-1",
    "ID_SERIAL_SHORT=S5H9NS0N123456": "ID_SERIAL_SHORT=serial-1",
    "%2Fhome%2Fgrace%2Fenv": "/home/user-1/env",
}

UNTOUCHED = (
    "ImportError: cannot import name 'builder' from 'google.protobuf.internal' (C:\\Python\\internal\\__init__.py)",
    "from google.protobuf.internal import builder as _builder",
    "AttributeError: module 'google.protobuf.internal' has no attribute 'enum_type_wrapper'",
    "10.3.5.147",
    "9.1.0.70",
    "nvidia-curand-cu12        10.3.5.147",
    "libcufft                  10.9.0.58                     0    nvidia",
    '"nvidia-cufile-cu12": "1.11.1.6"',
    "Driver 31.0.15.3623, Windows 10.0.19045.4170, CUDNN_VERSION=9.1.0.70",
    "Found cuDNN 8.9.2.26 but 9.1.0.70 is required",
    "tensorrt 10.0.1.6 and TensorRT 8.6.1.6, needs >=10.3.0.26",
    "tensorrt==10.0.1.6 tensorrt_libs-8.6.1.6-py3 libnvinfer10 10.0.1.6-1+cuda12.4",
    "compiled against 9.5.1.17 but loaded 9.1.0.70",
    "upgrade cuDNN from 9.1.0.70 to 10.5.1.17",
    "WARNING: Ignoring invalid distribution ~umpy (/usr/lib/python3/dist-packages)",
    "~/venv ~10 GB ~umpy-1.26.4.dist-info",
    "torch[cuda] arr[0-1] x[1,2] a[01-04]",
    "/scratch/envs/x /scratch/shared/y /lustre/software/z",
    "Author: PyTorch Team, license: BSD",
    "Traceback at torch:1234 in <module>",
    r"C:\\Windows\\System32\\nvcuda.dll \\?\C:\x",
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


@pytest.mark.parametrize("host", ["A100", "H100", "H200", "Tesla", "GeForce", "GB10", "RTX4090", "DGX", "A100-SXM4"])
def test_a_host_called_like_a_gpu_renames_no_gpu(host: str) -> None:
    door = Door(Known(hosts=(host,)))
    text = f"NVIDIA {host} 80GB PCIe"
    assert door.text(text) == text
    assert door.text(f"hostname: {host}") == "hostname: host-1"


@pytest.mark.parametrize("user", ["click", "torch", "numpy", "keras", "pandas", "triton"])
def test_a_user_called_like_a_package_renames_no_package(user: str) -> None:
    door = Door(Known(users=(user,)))
    for text in (f"{user} 8.1.7", f"/usr/lib/python3/dist-packages/{user}/core.py", f"import {user}"):
        assert door.text(text) == text


def test_a_name_that_a_thing_of_the_snapshot_has_stays_the_things() -> None:
    from gpudoctor.facts.gpus import Gpu, Gpus
    from gpudoctor.facts.snapshot import Snapshot

    door = Door(Known(users=("specter",), hosts=("phantom",)))
    snapshot = Snapshot(gpus=Gpus(devices=(Gpu(index=0, name="NVIDIA Phantom X"),)))
    assert door.fact(snapshot) == snapshot
