"""Servers, laptops and boards with Linux."""

from gpudoctor.facts.system import Space
from gpudoctor.host.machine import Command, Machine
from tests.machines import answers, parts
from tests.machines.desktops import K22
from tests.machines.recorded import Recorded

A100 = {"name": "NVIDIA A100-SXM4-40GB", "uuid": "GPU-00000000-0000-0000-0000-0000000000a1", "capability": [8, 0]}
SLURM_WITHOUT_GPU = Recorded(
    provenance="synthetic; a step of a job that asked for no GPU, on a node that has four: the device group refuses",
    machine=parts.merge(
        parts.linux(
            "rocky",
            "8.9",
            "4.18.0-513.el8.x86_64",
            like="rhel centos fedora",
            glibc="2.28",
            cmdline="ro crashkernel=auto iommu=pt",
        ),
        *(
            parts.pci(f"0000:{bus}:00.0", "10de:20b0", pci_class="0x030200", driver="nvidia")
            for bus in ("07", "0f", "47", "4e")
        ),
        parts.module("550.54.15", flavour="open"),
        parts.libraries("550.54.15", folder="/usr/lib64"),
        parts.nodes("nvidia0", "nvidia1", "nvidia2", "nvidia3", refused="EPERM"),
        parts.nodes("nvidiactl", "nvidia-uvm", "nvidia-nvswitch0", "nvidia-nvswitchctl"),
        answers.nvml("550.54.15", 12040),
        answers.cuda(12040, init=100),
        Machine(
            env={
                "SLURM_JOB_ID": "4711",
                "SLURM_STEP_ID": "0",
                "SLURM_JOB_USER": "ada",
                "SLURM_NTASKS": "1",
                "TMPDIR": "/local/4711",
            },
            files={
                "/proc/212/comm": "nv-fabricmanage\n",
                "/usr/bin/nv-fabricmanager": "ELF",
                "/sys/fs/selinux/enforce": "1\n",
            },
            spaces={"/local/4711": Space(path="/local/4711", total=90 * parts.GIB, free=50 * parts.GIB)},
        ),
    ),
    expects={
        "host.kernel_options": ("iommu=pt",),
        "host.selinux_enforcing": True,
        "host.libc_version": "2.28",
        "container.slurm.in_job": True,
        "container.slurm.in_step": True,
        "container.slurm.gpus_on_node": None,
        "environ": {
            "PATH": "/usr/bin:/bin",
            "SLURM_JOB_ID": "4711",
            "SLURM_STEP_ID": "0",
            "SLURM_NTASKS": "1",
            "TMPDIR": "/local/4711",
        },
        "environ.others": 2,
        "temp": 50 * parts.GIB,
        "driver.release": "550.54.15",
        "driver.module_flavour": "open",
        "driver.packages": None,
        "driver.nvml.device_count": 0,
        "refused nodes": tuple((f"/dev/nvidia{number}", "EPERM") for number in range(4)),
        "driver.fabric_manager.running": True,
        "driver.fabric_manager.installed": True,
    },
)

H100_WITHOUT_FABRIC_MANAGER = Recorded(
    provenance="synthetic; NVSwitches, and the fabric manager of another version, stopped",
    machine=parts.merge(
        parts.ubuntu("22.04", K22, uid=0, groups=(0,)),
        parts.pci("0000:19:00.0", "10de:2330", pci_class="0x030200", driver="nvidia"),
        parts.pci("0000:05:00.0", "10de:22a3", pci_class="0x068000", driver="nvidia-nvswitch"),
        parts.module("550.90.07", flavour="open"),
        parts.libraries("550.90.07"),
        parts.nodes("nvidia0", "nvidiactl", "nvidia-uvm", "nvidia-nvswitch0"),
        parts.dpkg(nvidia_fabricmanager_550="550.54.15-0ubuntu0.22.04.1", nvidia_open="550.90.07-1"),
        answers.nvml("550.90.07", 12040, {"name": "NVIDIA H100 80GB HBM3", "capability": [9, 0]}),
        answers.cuda(12040, init=802),
        Machine(files={"/run/nvidia-persistenced/socket": ""}),
    ),
    expects={
        "driver.fabric_manager.installed": True,
        "driver.fabric_manager.version": "550.54.15",
        "driver.fabric_manager.running": False,
        "driver.cuda_init.code": 802,
        "driver.persistence_daemon": True,
        "host.is_root": True,
    },
)

CLOUD_WITHOUT_GPU = Recorded(
    provenance="synthetic; firmware names as cloud vendors give them",
    machine=parts.merge(
        parts.linux(
            "debian", "12", "6.1.0-18-cloud-amd64", glibc="2.36", vendor="Google", flags="fpu avx avx2 hypervisor"
        ),
        Machine(files={"/sys/class/dmi/id/product_name": "Google Compute Engine\n"}),
        parts.pci("0000:00:03.0", "1af4:1004", pci_class="0x010000"),
        answers.nvml_missing(),
        answers.cuda_missing(),
    ),
    expects={"driver": None, "host.virtualization": "kvm", "host.cpu.flags": ("avx", "avx2"), "container.kind": "none"},
)

AMD_DESKTOP = Recorded(
    provenance="synthetic; a Radeon RX 7900 with the kernel's driver",
    machine=parts.merge(
        parts.linux(
            "fedora",
            "40",
            "6.8.7-300.fc40.x86_64",
            glibc="2.39",
            cmdline="BOOT_IMAGE=/vmlinuz amdgpu.ppfeaturemask=0xffffffff rhgb",
        ),
        parts.pci("0000:03:00.0", "1002:744c", driver="amdgpu"),
        Machine(files={"/proc/modules": "amdgpu 1 0 - Live 0x0\n"}, directories={"/dev": ("kfd", "dri")}),
        answers.nvml_missing(),
        answers.cuda_missing(),
    ),
    expects={
        "driver": None,
        "host.distribution": "fedora",
        "host.kernel_options": ("amdgpu.ppfeaturemask=0xffffffff",),
    },
)

_BLACKLIST = "# written by a tool\nblacklist nvidia\nblacklist nvidia-drm\nalias nvidia-modeset off\n"
_ARCH = "6.8.9-arch1-2"
HYBRID_LAPTOP = Recorded(
    provenance="synthetic; the integrated GPU chosen: NVIDIA's modules are blacklisted and the GPU is off",
    machine=parts.merge(
        parts.linux("arch", "", _ARCH, glibc="2.39"),
        parts.pci("0000:00:02.0", "8086:a7a0", driver="i915"),
        parts.pci("0000:01:00.0", "10de:28a0", pci_class="0x030200", power="D3cold"),
        parts.module_file(_ARCH, "extramodules/nvidia.ko.zst"),
        parts.libraries("550.78", folder="/usr/lib"),
        Machine(
            files={"/etc/modprobe.d/blacklist-nvidia.conf": _BLACKLIST},
            directories={
                "/var/lib/pacman/local": (
                    "linux-6.8.9.arch1-2",
                    "nvidia-550.78-5",
                    "nvidia-utils-550.78-1",
                    "zlib-1:1.3.1-1",
                )
            },
            commands=(
                Command(argv=("dmesg",), code=1, stderr="dmesg: read kernel buffer failed: Operation not permitted\n"),
            ),
        ),
        Machine(files={"/proc/sys/kernel/dmesg_restrict": "1\n"}),
        answers.nvml_fails(9),
        answers.cuda(12040, init=100),
    ),
    expects={
        "driver.blacklisted": ("nvidia", "nvidia_drm", "nvidia_modeset"),
        "driver.modules_loaded": (),
        "first libcuda": "550.78",
        "packages": ("nvidia", "nvidia-utils"),
        "module files": ((_ARCH, None),),
        "kernel log gap": "this machine shows the kernel log to administrators only",
    },
)

_L4T = "# R36 (release), REVISION: 4.3, GCID: 1, BOARD: generic, EABI: aarch64, DATE: Wed Jan  8 01:49:37 UTC 2025"

JETSON_ORIN = Recorded(
    provenance="synthetic; release line in the form of public reports",
    machine=parts.merge(
        parts.linux(
            "ubuntu",
            "22.04",
            "5.15.148-tegra",
            like="debian",
            arch="aarch64",
            flags="fp asimd asimddp atomics",
            groups=(1000, 44),
        ),
        Machine(
            files={
                "/etc/nv_tegra_release": f"{_L4T}\n# KERNEL_VARIANT: oot\n",
                "/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1.1": "ELF",
                "/proc/device-tree/compatible": "nvidia,p3737-0000+p3701-0005\0nvidia,tegra234\0",
                "/proc/device-tree/model": "NVIDIA Jetson AGX Orin Developer Kit\0",
                "/etc/ld.so.conf.d/nvidia-tegra.conf": "/usr/lib/aarch64-linux-gnu/nvidia\n",
            },
            links={"/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1": "libcuda.so.1.1"},
            directories={"/sys/bus/pci/devices": ()},
        ),
        parts.module("540.4.0", flavour="open", arch="aarch64"),
        parts.nodes("nvidia0", "nvidiactl", "nvmap", mode=0o660, group="video"),
        answers.nvml_missing(),
        answers.cuda(12060, {"name": "Orin", "capability": [8, 7]}),
    ),
    expects={
        "host.tegra": _L4T,
        "host.arch": "aarch64",
        "host.cpu.flags": ("asimd", "asimddp", "atomics"),
        "host.virtualization": None,
        "driver.release": "540.4.0",
        "driver.cuda": "12.6",
        "first libcuda": None,
        "driver.cuda_init.code": 0,
        "host.groups": ("ada", "video"),
    },
)
