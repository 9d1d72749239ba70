"""Virtual machines, vGPU, MIG, MPS and hosts of containers."""

import json

from gpudoctor.host.machine import Command, Machine
from tests.machines import answers, parts
from tests.machines.healthy import cards
from tests.machines.healthy.frameworks import tensorflow, torch
from tests.machines.healthy.pieces import DISPLAY, FIRST_NAMESPACE, K24, PERSISTENCED, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.target import venv


def hypervisor(product: str, vendor: str) -> Machine:
    """A virtual machine's firmware."""
    return Machine(files={"/sys/class/dmi/id/sys_vendor": f"{vendor}\n", "/sys/class/dmi/id/product_name": product})


H200_VM = made(
    "one H200 passed through to a KVM machine",
    ubuntu("24.04", "6.8.0-60-generic", "2.39", flags="fpu sse4_2 avx f16c fma avx2 avx512f hypervisor"),
    hypervisor("KVM", "QEMU"),
    PERSISTENCED,
    cards.installed("570.172.08", cards.H200, flavour="open", virtualization=1),
    torch(venv("3.12.3"), "2.7.1+cu126").machine,
    sees="1 GPU, torch 2.7.1+cu126",
)
T4_TF = made(
    "TensorFlow alone, with its own CUDA libraries, on a cloud machine with a T4",
    ubuntu(flags="fpu sse4_2 avx f16c fma avx2 hypervisor"),
    hypervisor("Google Compute Engine", "Google"),
    PERSISTENCED,
    cards.installed("535.247.01", cards.T4, virtualization=1),
    tensorflow(venv("3.10.12"), "2.15.1", keras="2.15.0").dist("numpy", "1.26.4").machine,
    sees="1 GPU, tensorflow 2.15.1",
)
T4_FOUR = made(
    "four T4 for inference, persistence off because a display manager is not there (a note is right)",
    ubuntu(),
    cards.installed("550.163.01", *[cards.T4] * 4, persistence=0),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    sees="4 GPU, torch 2.6.0+cu124",
)
A10G_AWS = made(
    "AWS g5 with Amazon Linux 2023",
    parts.linux("amzn", "2023", "6.1.134-150.224.amzn2023.x86_64", like="fedora", glibc="2.34"),
    hypervisor("g5.xlarge", "Amazon EC2"),
    PERSISTENCED,
    cards.installed("570.172.08", cards.A10G, folder="/usr/lib64", flavour="open", virtualization=1),
    torch(venv("3.11.12"), "2.7.0+cu128").machine,
    sees="1 GPU, torch 2.7.0+cu128",
)
VGPU = made(
    "a guest with half of an L40S (vGPU); the guest's driver is NVIDIA's GRID one",
    ubuntu(flags="fpu sse4_2 avx f16c fma avx2 hypervisor"),
    hypervisor("VMware Virtual Platform", "VMware, Inc."),
    PERSISTENCED,
    cards.installed(
        "550.144.03", cards.L40S._replace(name="NVIDIA L40S-24Q", memory=24576), virtualization=2, row_remaps=None,
        **{"power.limit": None, "power.default_limit": None, "power.constraints": None, "temperature_slowdown": None},
    ),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip
MPS = made(
    "MPS serves several processes on a GPU that its administrator set to one process at a time",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", cards.A30, compute_mode=3,
                    **{"processes.compute": [{"pid": 2110, "usedGpuMemory": 30 * 1024**2}]}),
    FIRST_NAMESPACE,
    Machine(
        env={"CUDA_MPS_PIPE_DIRECTORY": "/tmp/nvidia-mps"},
        files={"/proc/2110/comm": "nvidia-cuda-mps\n"},
    ),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip
BUSY = made(
    "a GPU at work: another process holds most of its memory, the power limit is what slows it (normal at full load)",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", cards.A100, memory={"total": 81920 * 1024**2, "used": 61440 * 1024**2},
                    throttle_reasons=4, temperature=68, utilization={"gpu": 98}, performance_state=0,
                    **{"processes.compute": [{"pid": 4242, "usedGpuMemory": 61000 * 1024**2}], "pcie.generation": 4,
                       "power.draw": 398000}),
    FIRST_NAMESPACE,
    Machine(files={"/proc/4242/comm": "python\n"}),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)  # fmt: skip
HOST_WITH_DOCKER = made(
    "a host with Docker and NVIDIA's toolkit, registered; no framework outside containers (a note says so)",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", cards.L40S),
    Machine(files={"/usr/bin/docker": "ELF", "/usr/bin/nvidia-ctk": "ELF",
                   "/etc/docker/daemon.json": '{"runtimes": {"nvidia": {"path": "nvidia-container-runtime"}}}'}),
    venv("3.10.12").dist("pip", "24.0").machine,
    sees="1 GPU",
)  # fmt: skip
VFIO_BESIDE = made(
    "a second, older GPU handed to a virtual machine (a note says so); a build that has no code for it",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("580.95.05", cards.RTX_3090, **DISPLAY),
    parts.pci("0000:41:00.0", "10de:13c2", driver="vfio-pci"),
    torch(venv("3.12.3"), "2.8.0+cu128").machine,
    sees="torch 2.8.0+cu128",
)
# MIG.

_MIG = "MIG-11111111-2222-3333-4444-55555555555{}"


def mig(count: int) -> Machine:
    """Parts of GPU 0 beside what NVML says of it, and the first one as CUDA sees it."""
    base = answers.nvml(
        "550.163.01", 12040, cards.nvml_facts(cards.A100, mig_mode=[1, 1], mig_count=7, **{"pcie.generation": 4})
    ).commands[0]
    rows: list[list[object]] = []
    for place in range(count):
        subject = f"mig 0 {place}"
        for fact, call, value in (
            ("handle", "nvmlDeviceGetMigDeviceHandleByIndex", None),
            ("uuid", "nvmlDeviceGetUUID", _MIG.format(place)),
            ("name", "nvmlDeviceGetName", "NVIDIA A100-SXM4-80GB MIG 3g.40gb"),
            ("memory", "nvmlDeviceGetMemoryInfo", {"total": 40192 * 1024**2, "used": 37 * 1024**2}),
        ):
            rows += [["?", subject, fact, call], ["=", 0, value]]
    text = "".join(f"@gpudoctor {json.dumps(row)}\n" for row in rows)
    end = '@gpudoctor ["."]\n'
    stdout = base.stdout.removesuffix(end) + text + end
    return Machine(commands=(Command(argv=base.argv, code=0, stdout=stdout),))


A100_MIG = made(
    "an A100 in two parts (MIG); the process has one of them by UUID",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", cards.A100, nodes=("nvidia-caps/nvidia-cap1",)),
    mig(2),
    Machine(env={"CUDA_VISIBLE_DEVICES": _MIG.format(0)}),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
A100_MIG_UNCHOSEN = made(
    "the same without a choice: a program takes the first part (a note says so)",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", cards.A100),
    mig(2),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)

MACHINES: dict[str, Healthy] = {
    "kvm-h200": H200_VM,
    "gcp-t4-tensorflow": T4_TF,
    "ubuntu-4-t4-persistence-off": T4_FOUR,
    "aws-a10g": A10G_AWS,
    "vmware-l40s-vgpu": VGPU,
    "ubuntu-a30-mps": MPS,
    "ubuntu-a100-busy": BUSY,
    "ubuntu-l40s-docker-host": HOST_WITH_DOCKER,
    "ubuntu-3090-970-passed-through": VFIO_BESIDE,
    "ubuntu-a100-mig": A100_MIG,
    "ubuntu-a100-mig-unchosen": A100_MIG_UNCHOSEN,
}
