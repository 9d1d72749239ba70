"""Lists PyTorch's devices, from 1.0 to the newest, and why it sees no GPU. `agent_channel` is the protocol.

Every question is a stage of its own: one that fails, or a release that lacks it, takes nothing from the others. What is
known is told after every part, each time whole, so that a driver that hangs leaves all that was learned before.
"""

import sys
import warnings

from agent_channel import Channel, Skip
from cuda_runtime import get_device_count, library_version


class Listing:
    """The facts of a DeviceList, as far as they are known."""

    def __init__(self, channel):
        self.channel = channel
        self.facts = {"framework": "torch"}
        self.notes = []

    def ask(self, name, call):
        """The value of `call()`, asked as a stage; the warnings it gives are noted, in its words."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = self.channel.ask(name, call)
        for warning in caught:
            text = str(warning.message)
            sys.stderr.write("{}: {}\n".format(warning.category.__name__, text))
            self.note(name + " warned", text)
        return value

    def note(self, name, value):
        """Keep a further fact, in text; None is none."""
        if value is not None:
            self.notes.append([name, str(value)[:2000]])

    def tell(self, **facts):
        """Tell all that is known, these facts too."""
        self.facts.update(facts)
        self.channel.fact("devices", notes=self.notes, **self.facts)


def main(channel):
    """Import torch, and ask."""
    with channel.stage("import torch"):
        import torch
    listing = Listing(channel)
    listing.tell(version=listing.ask("torch.__version__", lambda: str(torch.__version__)))
    tell_build(listing, torch)
    available = listing.ask("torch.cuda.is_available", lambda: bool(torch.cuda.is_available()))
    listing.tell(gpu_available=available)
    devices = [{"name": "cpu", "kind": "cpu"}]
    if available:
        devices += cuda_devices(listing, torch)
    elif listing.facts.get("built_with_cuda") or listing.facts.get("built_with_rocm"):
        tell_refusal(listing, torch)
    others = mps_devices(listing, torch) + xpu_devices(listing, torch)
    listing.tell(devices=devices + others, gpu_available=bool(others) or available)
    tell_libraries(listing, torch)


def tell_build(listing, torch):
    """What this build was made with."""
    version = getattr(torch, "version", None)
    cuda, hip = getattr(version, "cuda", None), getattr(version, "hip", None)
    for name in ("hip", "xpu", "git_version", "debug"):
        listing.note("torch.version." + name, getattr(version, name, None))
    listing.note("torch.__file__", getattr(torch, "__file__", None))
    listing.tell(cuda=cuda, built_with_cuda=cuda is not None, built_with_rocm=hip is not None)
    if cuda is not None or hip is not None:
        listing.tell(archs=listing.ask("torch.cuda.get_arch_list", lambda: arch_list(torch)))


def arch_list(torch):
    """The architectures compiled in: sm_80, gfx90a; also where there is no GPU, unlike get_arch_list() of old."""
    flags = getattr(torch._C, "_cuda_getArchFlags", None)
    if flags is None:
        raise Skip("this release of torch does not tell (it is new in 1.7)")
    return (flags() or "").split() or None


def tell_refusal(listing, torch):
    """Why a build for GPUs sees none: what the runtime returns, and the error that torch makes of it."""
    count = listing.ask("cudaGetDeviceCount", lambda: runtime_count(torch))
    listing.note("cudaGetDeviceCount", count)
    listing.ask("torch.cuda.init", torch.cuda.init)


def runtime_count(torch):
    """What cudaGetDeviceCount gives; its error is raised."""
    if getattr(torch.version, "hip", None) is not None:
        raise Skip("this build is for ROCm, which has no CUDA runtime")
    return get_device_count()


def cuda_devices(listing, torch):
    """The GPUs of CUDA or ROCm."""
    listing.ask("torch.cuda.init", torch.cuda.init)
    count = listing.ask("torch.cuda.device_count", torch.cuda.device_count) or 0
    asked = [
        listing.ask("torch.cuda.get_device_properties({})".format(index), lambda index=index: cuda_device(torch, index))
        for index in range(count)
    ]
    return [device or {"name": "cuda:{}".format(i), "kind": "gpu", "index": i} for i, device in enumerate(asked)]


def cuda_device(torch, index):
    """One GPU. UUID and PCI address are in the properties from torch 2.4 and 2.8."""
    properties = torch.cuda.get_device_properties(index)
    device = {"name": "cuda:{}".format(index), "kind": "gpu", "index": index}
    device.update(product=properties.name, memory_total_mib=int(properties.total_memory) // 2**20)
    if getattr(torch.version, "hip", None) is None:
        device["capability"] = "{}.{}".format(properties.major, properties.minor)
        device["uuid"] = gpu_uuid(getattr(properties, "uuid", None))
    address = [getattr(properties, name, None) for name in ("pci_domain_id", "pci_bus_id", "pci_device_id")]
    if None not in address:
        device["pci_bus_id"] = "{:04x}:{:02x}:{:02x}.0".format(*address)
    return {name: value for name, value in device.items() if value is not None}


def gpu_uuid(value):
    """As NVML writes it; torch leaves out the GPU-. None for one of zeros."""
    text = str(value or "").strip().lower()
    if not text.strip("0-"):
        return None
    return text if text.startswith(("gpu-", "mig-")) else "GPU-" + text


def mps_devices(listing, torch):
    """The GPU of an Apple machine, through Metal."""
    mps = getattr(getattr(torch, "backends", None), "mps", None)
    if mps is None or not (sys.platform == "darwin" and listing.ask("torch.backends.mps.is_built", mps.is_built)):
        return []
    available = listing.ask("torch.backends.mps.is_available", mps.is_available)
    listing.note("torch.backends.mps.is_available", available)
    return [{"name": "mps", "kind": "mps"}] if available else []


def xpu_devices(listing, torch):
    """Intel's GPUs."""
    xpu = getattr(torch, "xpu", None)
    if xpu is None or getattr(torch.version, "xpu", None) is None:
        return []
    available = listing.ask("torch.xpu.is_available", xpu.is_available)
    listing.note("torch.xpu.is_available", available)
    count = (listing.ask("torch.xpu.device_count", xpu.device_count) or 0) if available else 0
    return [xpu_device(listing, xpu, index) for index in range(count)]


def xpu_device(listing, xpu, index):
    """One GPU of Intel."""
    device = {"name": "xpu:{}".format(index), "kind": "xpu", "index": index}
    question = "torch.xpu.get_device_properties({})".format(index)
    properties = listing.ask(question, lambda: xpu.get_device_properties(index))
    if properties is not None:
        device.update(product=str(properties.name), memory_total_mib=int(properties.total_memory) // 2**20)
    return device


def tell_libraries(listing, torch):
    """Tell cuDNN (on ROCm MIOpen) and NCCL (RCCL), as loaded."""
    facts = listing.facts
    if not (facts.get("built_with_cuda") or facts.get("built_with_rocm")):
        return
    names = ("cudnn", "nccl")
    asked = listing.ask("torch.backends.cudnn.version", lambda: cudnn(torch)), listing.ask("NCCL", lambda: nccl(torch))
    if facts["built_with_rocm"]:
        for name, version in zip(("MIOpen", "RCCL"), asked):
            listing.note(name, version)
        listing.tell()
    else:
        listing.tell(**dict(zip(names, asked)))


def cudnn(torch):
    """The version of the cuDNN that is loaded. Raises where it does not fit the one torch was built with."""
    number = torch.backends.cudnn.version()
    if number is None:
        raise Skip("this build has no cuDNN")
    return library_version(number) if getattr(torch.version, "hip", None) is None else str(number)


def nccl(torch):
    """The version of NCCL."""
    if not hasattr(torch._C, "_nccl_version"):
        raise Skip("this build has no NCCL")
    import torch.cuda.nccl as module

    version = module.version()
    if isinstance(version, int):
        return library_version(version)
    return ".".join(str(part) for part in version[:3])


if __name__ == "__main__":
    Channel().run(main)
