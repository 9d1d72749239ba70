"""Servers and cluster nodes with Linux."""

from gpudoctor.host.machine import Machine
from tests.machines import parts
from tests.machines.healthy import cards
from tests.machines.healthy.elf import library
from tests.machines.healthy.frameworks import jax, tensorflow, torch
from tests.machines.healthy.pieces import K24, PERSISTENCED, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.target import venv


def rhel(version: str, kernel: str, glibc: str, name: str = "rhel") -> Machine:
    """A server of Red Hat's family."""
    return parts.merge(
        parts.linux(name, version, kernel, like="rhel centos fedora", glibc=glibc, vendor="Dell Inc."),
        Machine(files={"/sys/fs/selinux/enforce": "1\n"}),
    )


def fabric(count: int, release: str, device: str = "22a3") -> Machine:
    """NVSwitches, and the fabric manager of the driver's release, running."""
    buses = [f"0000:{0x85 + index:02x}:00.0" for index in range(count)]
    switches = [parts.pci(bus, f"10de:{device}", pci_class="0x068000", driver="nvidia-nvswitch") for bus in buses]
    names = tuple(f"nvidia-nvswitch{index}" for index in range(count))
    branch = release.partition(".")[0]
    return parts.merge(
        *switches,
        parts.nodes(*names, "nvidia-nvswitchctl"),
        parts.dpkg(**{f"nvidia_fabricmanager_{branch}": f"{release}-0ubuntu0.22.04.1"}),
        Machine(files={"/usr/bin/nv-fabricmanager": "ELF", "/proc/912/comm": "nv-fabricmanage\n"}),
    )


def slurm(**variables: str) -> Machine:
    """A step of a Slurm job."""
    return Machine(env={"SLURM_JOB_ID": "4711", "SLURM_STEP_ID": "0", "SLURM_NTASKS": "1", **variables})


A100_HGX = made(
    "HGX A100 with six NVSwitches and the fabric manager of the driver's own release",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", *[cards.A100] * 8),
    fabric(6, "550.163.01", "1af1"),
    torch(venv("3.10.12"), "2.4.1+cu121").machine,
    sees="8 GPU, torch 2.4.1+cu121",
)
H100_HGX = made(
    "HGX H100 with four NVSwitches; cu124 with driver 535 (minor-version compatibility)",
    ubuntu(),
    PERSISTENCED,
    cards.installed("535.247.01", *[cards.H100] * 8, flavour="open"),
    fabric(4, "535.247.01"),
    torch(venv("3.11.12"), "2.6.0+cu124").machine,
    sees="8 GPU, torch 2.6.0+cu124",
)
B200_HGX = made(
    "HGX B200; from here on the switches are driven through InfiniBand and are no PCI functions of the driver",
    ubuntu("24.04", K24, "2.39"),
    PERSISTENCED,
    cards.installed("580.95.05", *[cards.B200] * 8, flavour="open"),
    torch(venv("3.12.3"), "2.8.0+cu129").machine,
    sees="8 GPU, torch 2.8.0+cu129",
)
V100_RHEL8 = made(
    "four V100 on RHEL 8 (glibc 2.28) and a CUDA 11.8 build",
    rhel("8.10", "4.18.0-553.el8_10.x86_64", "2.28"),
    PERSISTENCED,
    cards.installed("535.247.01", *[cards.V100] * 4, folder="/usr/lib64"),
    torch(venv("3.9.20"), "2.6.0+cu118").machine,
    sees="4 GPU, torch 2.6.0+cu118",
)
P100_CENTOS7 = made(
    "two P100 on CentOS 7 (glibc 2.17), whose last torch is an old one",
    rhel("7", "3.10.0-1160.119.1.el7.x86_64", "2.17", "centos"),
    PERSISTENCED,
    cards.installed("470.256.02", cards.P100, cards.P100, folder="/usr/lib64"),
    torch(venv("3.8.18"), "1.13.1+cu117").machine,
    sees="2 GPU, torch 1.13.1+cu117",
)
P40_ECC = made(
    "a P40 with corrected memory errors (ECC did its work) and a few retired pages of years ago",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", cards.P40, ecc_corrected_volatile=57, ecc_uncorrected_aggregate=2,
                    **{"retired_pages.single_bit": [1, 2], "retired_pages.double_bit": [], "retired_pages_pending": 0}),
    torch(venv("3.10.12"), "2.5.1+cu124").machine,
    sees="1 GPU, torch 2.5.1+cu124",
)  # fmt: skip
A100_REMAPPED = made(
    "an A100 with two rows remapped after correctable errors, none pending",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", cards.A100_40, row_remaps=[2, 0, 0, 0], ecc_corrected_volatile=12),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
K80_470 = made(
    "both halves of a K80 with the last driver branch and the last kind of build for Kepler",
    ubuntu("20.04", "5.15.0-139-generic", "2.31"),
    PERSISTENCED,
    cards.installed("470.256.02", cards.K80, cards.K80),
    torch(venv("3.8.10"), "1.12.1+cu113").machine,
    sees="2 GPU, torch 1.12.1+cu113",
)
CUDA_112 = Machine(
    files={"/etc/ld.so.conf.d/cuda-11-2.conf": "/usr/local/cuda-11.2/lib64\n"},
    binaries={
        f"/usr/local/cuda-11.2/lib64/{name}": library(name, runpath=("$ORIGIN",))
        for name in (
            "libcudart.so.11.0",
            "libcublas.so.11",
            "libcublasLt.so.11",
            "libcufft.so.10",
            "libcurand.so.10",
            "libcusolver.so.11",
            "libcusparse.so.11",
            "libcudnn.so.8",
        )
    },
)
K40M_TF = made(
    "a K40m with TensorFlow 2.10 (it has sm_35) and CUDA 11.2 with cuDNN 8.1 in the loader's path",
    ubuntu("20.04", "5.15.0-139-generic", "2.31"),
    PERSISTENCED,
    cards.installed("470.256.02", cards.K40M),
    CUDA_112,
    tensorflow(venv("3.8.10"), "2.10.1", keras="2.10.0").dist("numpy", "1.24.4").machine,
    sees="1 GPU, tensorflow 2.10.1",
)
M40_MAXWELL = made(
    "Maxwell in a server: M40 with a CUDA 12.6 build, which keeps sm_50",
    ubuntu(),
    PERSISTENCED,
    cards.installed("570.172.08", cards.M40),
    torch(venv("3.10.12"), "2.7.1+cu126").machine,
    sees="1 GPU, torch 2.7.1+cu126",
)
L4_JAX = made(
    "JAX alone with its CUDA 12 plugin on an L4",
    ubuntu("24.04", K24, "2.39"),
    PERSISTENCED,
    cards.installed("570.172.08", cards.L4, flavour="open"),
    jax(venv("3.12.3"), "0.7.2").machine,
    sees="1 GPU, jax 0.7.2, jax-cuda-plugin 0.7.2",
)
H100_JAX13 = made(
    "JAX with its CUDA 13 plugin and the 580 branch it needs",
    ubuntu("24.04", K24, "2.39"),
    PERSISTENCED,
    cards.installed("580.95.05", cards.H100, flavour="open"),
    jax(venv("3.12.3"), "0.8.1", variant="cuda13", cudnn="9.13.1.26").machine,
    sees="1 GPU, jax 0.8.1, jax-cuda-plugin 0.8.1",
)
SLURM_STEP = made(
    "a step of a Slurm job with one A100 of four: the others' device files refuse, as they must",
    rhel("8.10", "4.18.0-553.el8_10.x86_64", "2.28", "rocky"),
    PERSISTENCED,
    cards.installed("550.163.01", *[cards.A100_40] * 4, folder="/usr/lib64"),
    cards.asked("550.163.01", cards.A100_40),
    Machine(unwritable={f"/dev/nvidia{index}": "EPERM" for index in (1, 2, 3)}),
    slurm(SLURM_GPUS_ON_NODE="1", SLURM_JOB_GPUS="0", SLURM_STEP_GPUS="0", CUDA_VISIBLE_DEVICES="0"),
    torch(venv("3.11.9"), "2.5.1+cu121").machine,
    sees="torch 2.5.1+cu121",
)
SLURM_WHOLE = made(
    "a Slurm job with the whole node, four H100",
    rhel("9.4", "5.14.0-427.el9.x86_64", "2.34", "rocky"),
    PERSISTENCED,
    cards.installed("560.35.05", *[cards.H100] * 4, folder="/usr/lib64", flavour="open"),
    slurm(SLURM_GPUS_ON_NODE="4", SLURM_JOB_GPUS="0,1,2,3", SLURM_STEP_GPUS="0,1,2,3", CUDA_VISIBLE_DEVICES="0,1,2,3"),
    torch(venv("3.11.9"), "2.6.0+cu126").machine,
    sees="4 GPU, torch 2.6.0+cu126",
)
VISIBLE_UUID = made(
    "two of four A40 chosen by UUID",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", *[cards.A40] * 4),
    torch(venv("3.10.12"), "2.6.0+cu124").machine,
    Machine(env={"CUDA_VISIBLE_DEVICES": ",".join(
        f"GPU-{index:08x}-1111-2222-3333-444444444444" for index in (1, 3))}),
    sees="4 GPU, torch 2.6.0+cu124",
)  # fmt: skip

MACHINES: dict[str, Healthy] = {
    "ubuntu-8-a100": A100_HGX,
    "ubuntu-8-h100-535": H100_HGX,
    "ubuntu-8-b200": B200_HGX,
    "rhel8-4-v100-cu118": V100_RHEL8,
    "centos7-2-p100": P100_CENTOS7,
    "ubuntu-p40-ecc-corrected": P40_ECC,
    "ubuntu-a100-rows-remapped": A100_REMAPPED,
    "ubuntu-k80-470": K80_470,
    "ubuntu-k40m-tensorflow": K40M_TF,
    "ubuntu-m40": M40_MAXWELL,
    "ubuntu-l4-jax": L4_JAX,
    "ubuntu-h100-jax-cuda13": H100_JAX13,
    "rocky-slurm-step-one-of-four": SLURM_STEP,
    "rocky-slurm-whole-node": SLURM_WHOLE,
    "ubuntu-4-a40-two-visible": VISIBLE_UUID,
}
