"""Ubuntu and Debian desktops with one GPU: a healthy one, and the ways in which a driver does not come up."""

from gpudoctor.host.machine import Command, Machine
from tests.machines import answers, parts
from tests.machines.recorded import Recorded

K22 = "5.15.0-101-generic"
RTX_3090 = {"name": "NVIDIA GeForce RTX 3090", "uuid": "GPU-00000000-0000-0000-0000-000000000001", "capability": [8, 6]}
_BUS_3090 = parts.pci("0000:01:00.0", "10de:2204", driver="nvidia")
_PACKAGES_535 = parts.dpkg(
    nvidia_driver_535="535.161.07-0ubuntu0.22.04.1",
    nvidia_dkms_535="535.161.07-0ubuntu0.22.04.1",
    libnvidia_compute_535="535.161.07-0ubuntu0.22.04.1",
    nvidia_cuda_toolkit="11.5.1-1ubuntu1",
)
_DESKTOP_3090 = parts.merge(
    parts.ubuntu("22.04", K22),
    parts.efi(secure_boot=False),
    _BUS_3090,
    _PACKAGES_535,
    parts.dkms("535.161.07", K22),
    parts.module_file(K22),
)

HEALTHY = Recorded(
    provenance="synthetic; wording of /proc/driver/nvidia/version and of the log from public reports of 535 drivers",
    machine=parts.merge(
        _DESKTOP_3090,
        parts.module("535.161.07"),
        parts.libraries("535.161.07"),
        parts.nodes(),
        parts.kernel_log("NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.161.07  Sat Feb 17 22:55:48 UTC 2024"),
        answers.nvml("535.161.07", 12020, RTX_3090),
        answers.cuda(12020, RTX_3090),
        Machine(
            files={"/lib/modprobe.d/nvidia-graphics-drivers-kms.conf": "blacklist nouveau\nalias nouveau off\n"},
            directories={
                "/etc/systemd/system/systemd-suspend.service.requires": ("nvidia-suspend.service",),
                "/run": ("lock",),
            },
        ),
    ),
    expects={
        "host.os": "linux",
        "host.distribution": "ubuntu",
        "host.distribution_like": ("debian",),
        "host.kernel": K22,
        "host.libc": "glibc",
        "host.libc_version": "2.35",
        "host.cpu.cores": 16,
        "host.virtualization": "none",
        "host.memory_total": 65765868 * 1024,
        "host.groups": ("ada", "sudo"),
        "host.is_root": False,
        "host.locked_memory_limit": 8388608,
        "host.kernel_options": (),
        "host.selinux_enforcing": False,
        "host.tegra": None,
        "container.kind": "none",
        "container.wsl": None,
        "container.slurm": None,
        "driver.release": "535.161.07",
        "driver.module_flavour": "proprietary",
        "driver.cuda": "12.2",
        "driver.modules_loaded": ("nvidia", "nvidia_drm", "nvidia_modeset", "nvidia_uvm"),
        "driver.kernel_headers": True,
        "driver.secure_boot": False,
        "driver.lockdown": "none",
        "driver.blacklisted": ("nouveau",),
        "driver.suspend_services": True,
        "driver.persistence_daemon": False,
        "driver.nvml.outcome": "answered",
        "driver.nvml.code": 0,
        "driver.fabric_manager.installed": False,
        "driver.resumed_since_boot": None,
        "driver.source.where": "/proc/driver/nvidia/version",
        "first libcuda": "535.161.07",
        "first libnvidia-ml": "535.161.07",
        "refused nodes": (),
        "xids": (),
        "packages": ("nvidia-driver-535", "nvidia-dkms-535", "libnvidia-compute-535"),
        "dkms": (("535.161.07", K22, "installed"),),
        "module files": ((K22, "535.161.07"),),
    },
)

MISMATCH = Recorded(
    provenance="synthetic; after an unattended upgrade of the libraries, log message as in public reports",
    machine=parts.merge(
        _DESKTOP_3090,
        parts.module("535.161.07"),
        parts.libraries("535.171.04"),
        parts.nodes(),
        parts.kernel_log(
            "NVRM: API mismatch: the client has the version 535.171.04, but#012NVRM: this kernel module has the version"
            " 535.161.07.  Please#012NVRM: make sure that this kernel module and all NVIDIA driver#012NVRM: components"
            " have the same version."
        ),
        answers.nvml_fails(18),
        answers.cuda(12020, init=803),
    ),
    expects={
        "driver.release": "535.161.07",
        "driver.module_release": "535.161.07",
        "first libcuda": "535.171.04",
        "driver.nvml.code": 18,
        "driver.nvml.name": "NVML_ERROR_LIB_RM_VERSION_MISMATCH",
        "driver.cuda_init.code": 803,
        "log": (
            (
                "NVRM: API mismatch: the client has the version 535.171.04, but this kernel module has the version"
                " 535.161.07. Please make sure that this kernel module and all NVIDIA driver components have"
                " the same version."
            ),
        ),
    },
)

_RUNNING, _BUILT_FOR = "6.5.0-27-generic", "6.5.0-26-generic"
NOT_LOADED = Recorded(
    provenance="synthetic; a new kernel without headers, so DKMS built nothing for it",
    machine=parts.merge(
        parts.linux("ubuntu", "22.04", _RUNNING, like="debian"),
        Machine(files={f"/lib/modules/{_RUNNING}/modules.dep": "kernel/fs/ext4/ext4.ko:\n"}),
        parts.module_file(_BUILT_FOR),
        parts.dkms("550.67", _BUILT_FOR),
        parts.libraries("550.67"),
        parts.pci("0000:01:00.0", "10de:2504"),
        parts.dpkg(nvidia_driver_550="550.67-0ubuntu1", nvidia_dkms_550="550.67-0ubuntu1"),
        answers.nvml_fails(9),
        answers.cuda(12040, init=100),
    ),
    expects={
        "driver.release": None,
        "driver.module_release": None,
        "driver.modules_loaded": (),
        "driver.kernel_headers": False,
        "driver.nvml.code": 9,
        "driver.cuda": "12.4",
        "driver.device_nodes": (),
        "first libcuda": "550.67",
        "dkms": (("550.67", _BUILT_FOR, "installed"),),
        "module files": ((_BUILT_FOR, "550.67"),),
        "kernel log gap": "no kernel log file could be read, and there is no dmesg",
    },
)

NOUVEAU = Recorded(
    provenance="synthetic; a GTX 970 with the kernel's own driver and nothing of NVIDIA installed",
    machine=parts.merge(
        parts.linux("debian", "12", "6.1.0-18-amd64", glibc="2.36"),
        parts.pci("0000:01:00.0", "10de:13c2", driver="nouveau"),
        parts.dpkg(xserver_xorg_video_nouveau="1:1.0.17-2"),
        Machine(
            files={"/proc/modules": "nouveau 2433024 4 - Live 0x0\nmxm_wmi 16384 1 nouveau, Live 0x0\n"},
            commands=(
                Command(
                    argv=("dmesg",),
                    code=0,
                    stdout="[    3.9] nouveau 0000:01:00.0: NVIDIA GM204 (124000a1)\n[ 4.0] usb 1-1\n",
                ),
            ),
        ),
        answers.nvml_missing(),
        answers.cuda_missing(),
    ),
    expects={
        "driver.release": None,
        "driver.modules_loaded": ("nouveau",),
        "driver.libraries": (),
        "driver.nvml.outcome": "no-library",
        "driver.kernel_headers": None,
        "driver.dkms": None,
        "driver.module_files": None,
        "log": ("nouveau 0000:01:00.0: NVIDIA GM204 (124000a1)",),
        "driver.secure_boot": False,
    },
)

SECURE_BOOT = Recorded(
    provenance="synthetic; kernel messages as in public reports of modules with a key that is not enrolled",
    machine=parts.merge(
        parts.ubuntu("22.04", K22),
        parts.efi(secure_boot=True),
        _BUS_3090,
        _PACKAGES_535,
        parts.dkms("535.161.07", K22),
        parts.module_file(K22, "updates/dkms/nvidia.ko.zst"),
        parts.libraries("535.161.07"),
        parts.kernel_log(
            "Loading of module with unavailable key is rejected",
            "Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7",
        ),
        answers.nvml_fails(9),
        answers.cuda(12020, init=100),
    ),
    expects={
        "driver.secure_boot": True,
        "driver.lockdown": "integrity",
        "driver.modules_loaded": (),
        "driver.module_release": None,
        "module files": ((K22, "535.161.07"),),
        "log": (
            "Loading of module with unavailable key is rejected",
            "Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7",
        ),
    },
)

NO_NODES = Recorded(
    provenance="synthetic; a headless server whose nodes nobody made",
    machine=parts.merge(
        _DESKTOP_3090,
        parts.module("535.161.07", uvm=False),
        parts.libraries("535.161.07"),
        answers.nvml_fails(9),
        answers.cuda(12020, init=100),
        Machine(files={"/sys/power/suspend_stats/success": "3\n"}),
    ),
    expects={
        "driver.release": "535.161.07",
        "driver.device_nodes": (),
        "driver.modules_loaded": ("nvidia", "nvidia_drm", "nvidia_modeset"),
        "driver.nvml.code": 9,
        "driver.resumed_since_boot": True,
        "driver.suspend_services": False,
    },
)

NO_PERMISSION = Recorded(
    provenance="synthetic; nodes for the group video alone, as the option NVreg_DeviceFileMode=0660 makes them",
    machine=parts.merge(
        _DESKTOP_3090,
        parts.module("535.161.07"),
        parts.libraries("535.161.07"),
        parts.nodes("nvidia0", "nvidiactl", "nvidia-uvm", mode=0o660, group="video", refused="EACCES"),
        parts.nodes("nvidia-caps/nvidia-cap1", mode=0o400),
        answers.nvml_fails(4),
        answers.cuda(12020, init=100),
    ),
    expects={
        "host.groups": ("ada", "sudo"),
        "refused nodes": (("/dev/nvidia-uvm", "EACCES"), ("/dev/nvidia0", "EACCES"), ("/dev/nvidiactl", "EACCES")),
        "driver.nvml.name": "NVML_ERROR_NO_PERMISSION",
        "node group": "video",
        "node mode": 0o660,
    },
)
