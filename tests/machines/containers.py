"""Containers."""

from gpudoctor.host.machine import Machine
from tests.machines import answers, parts
from tests.machines.desktops import RTX_3090
from tests.machines.recorded import Recorded

#: A container sees the host's PCI bus.
_UBUNTU_IMAGE = parts.merge(
    parts.linux("ubuntu", "22.04", "5.15.0-101-generic", like="debian", uid=0, groups=(0,)),
    parts.pci("0000:01:00.0", "10de:2204", driver="nvidia"),
)

DOCKER_WITHOUT_GPU = Recorded(
    provenance="synthetic; docker run without --gpus on a host with a GPU: /proc shows the host's module all the same",
    machine=parts.merge(
        _UBUNTU_IMAGE,
        parts.docker(),
        parts.module("535.161.07"),
        parts.dpkg(cuda_compat_12_4="550.54.15-1"),
        Machine(
            env={"HOME": "/root", "NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
        ),
        answers.nvml_missing(),
        answers.cuda_missing(),
    ),
    expects={
        "container.kind": "docker",
        "container.nvidia_visible_devices": "all",
        "container.driver_packages_inside": (),
        "container.nvidia_driver_capabilities": "compute,utility",
        "container.tools": None,
        "container.rootless": False,
        "driver.release": "535.161.07",
        "driver.device_nodes": (),
        "driver.libraries": (),
        "driver.secure_boot": None,
        "shm": 64 * 1024**2,
        "driver.nvml.outcome": "no-library",
        "packages": ("cuda-compat-12-4",),
        "driver.persistence_daemon": None,
    },
)

DOCKER_WITH_GPU = Recorded(
    provenance="synthetic; docker run --gpus all, with a driver that was wrongly installed into the image",
    machine=parts.merge(
        _UBUNTU_IMAGE,
        parts.docker(shm=8 * parts.GIB),
        parts.module("535.161.07"),
        parts.libraries("535.161.07"),
        parts.nodes("nvidia0", "nvidiactl", "nvidia-uvm"),
        parts.dpkg(
            libnvidia_compute_550="550.54.15-0ubuntu1", nvidia_utils_550="550.54.15-0ubuntu1", nvidia_cudnn="8.2"
        ),
        answers.nvml("535.161.07", 12020, RTX_3090),
        answers.cuda(12020, RTX_3090),
    ),
    expects={
        "container.kind": "docker",
        "driver.nvml.device_count": 1,
        "first libcuda": "535.161.07",
        "shm": 8 * parts.GIB,
        "container.driver_packages_inside": ("libnvidia-compute-550", "nvidia-utils-550"),
        "refused nodes": (),
    },
)

KUBERNETES_POD = Recorded(
    provenance="synthetic; a pod whose device group was rewritten: the nodes are there and cannot be opened",
    machine=parts.merge(
        _UBUNTU_IMAGE,
        parts.docker(),
        parts.module("550.54.15", flavour="open"),
        parts.libraries("550.54.15"),
        parts.nodes("nvidia0", "nvidiactl", "nvidia-uvm", refused="EPERM"),
        Machine(
            env={"HOME": "/root", "KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"},
            directories={"/var/run/secrets/kubernetes.io/serviceaccount": ("ca.crt", "namespace", "token")},
        ),
        answers.nvml_fails(999),
        answers.cuda(12040, init=100),
    ),
    expects={
        "container.kind": "kubernetes",
        "container.kubernetes": True,
        "driver.nvml.code": 999,
        "refused nodes": (("/dev/nvidia-uvm", "EPERM"), ("/dev/nvidia0", "EPERM"), ("/dev/nvidiactl", "EPERM")),
        "environ": {"KUBERNETES_SERVICE_PORT": "443", "PATH": "/usr/bin:/bin"},
        "environ.others": 2,
    },
)
