"""Pieces that several of these machines share."""

from gpudoctor.host.machine import Machine
from tests.machines import parts
from tests.machines.healthy.target import Target

K22, K24 = "6.8.0-60-generic", "6.14.0-29-generic"
#: nvidia-smi shows a GPU with a monitor like this.
DISPLAY = {"display_attached": 1, "display_active": 1, "persistence": 0}


def ubuntu(version: str = "22.04", kernel: str = K22, glibc: str = "2.35", **more: object) -> Machine:
    """Ubuntu with the kernel's headers."""
    return parts.ubuntu(version, kernel, glibc=glibc, **more)


#: A disk controller: the bus can be seen, and there is no GPU on it.
NO_GPU = parts.pci("0000:00:1f.2", "8086:a352", pci_class="0x010601", driver="ahci")


def numpy(target: Target, version: str = "1.26.4") -> Target:
    """NumPy beside the framework."""
    return target.dist("numpy", version)


#: Outside containers: the numbers of processes mean the same to us and to the driver.
FIRST_NAMESPACE = Machine(links={"/proc/self/ns/pid": "pid:[4026531836]"})
PERSISTENCED = Machine(files={"/run/nvidia-persistenced/socket": ""})
