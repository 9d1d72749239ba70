"""Lists the devices PyTorch should be tested on, and which number formats each supports."""

import gc

#: What every device is tried with after float32, whatever its kind.
HALVES = ("float16", "bfloat16", "mixed-float16", "mixed-bfloat16")


class Place:
    """A device: as it is asked for (gpu:0), as torch has it (cuda:0, or None), and why it cannot be used."""

    def __init__(self, label, device, trouble=None):
        self.label = label
        self.device = device
        self.trouble = trouble

    def precisions(self, torch, quick):
        """The precisions to train with, each with the reason if the device lacks it."""
        found = [("float32", None)]
        if quick or self.trouble is not None:
            return found
        if self.device.type != "cuda":
            return found + [(name, None) for name in HALVES]
        if getattr(torch.version, "hip", None) is not None:
            return [*found, *((name, None) for name in HALVES), ("tf32", "TF32 is of NVIDIA's GPUs")]
        capability = torch.cuda.get_device_capability(self.device)
        old = (
            None
            if capability >= (8, 0)
            else "it begins with compute capability 8.0, and this is {}.{}".format(*capability)
        )
        return [*found, ("tf32", old), *((name, old if "bfloat16" in name else None) for name in HALVES)]

    def look_again(self, torch):
        """After a failure: whether the device still adds two numbers. Some errors end all work of the process on it."""
        try:
            one = torch.ones(1, device=self.device)
            if (one + one).item() == 2:
                return
            said = "it counts 1 + 1 wrong"
        except Exception as error:
            said = str(error).strip().split("\n")[0]
        self.trouble = "after the failure before, it does not even add two numbers: " + said


def places(torch, asked):
    """The devices asked for; None: every GPU, and the CPU only where there is none."""
    return [place(torch, label) for label in (gpus(torch) or ["cpu"] if asked is None else asked)]


def gpus(torch):
    """Every device but the CPU."""
    found = ["gpu:{}".format(index) for index in range(count(torch, "cuda"))]
    found += ["xpu:{}".format(index) for index in range(count(torch, "xpu"))]
    return found + (["mps"] if has_mps(torch) else [])


def place(torch, label):
    """The device of that name."""
    kind, _, number = label.partition(":")
    index = int(number or 0)
    if kind == "cpu":
        return Place(label, torch.device("cpu"))
    if kind == "mps":
        return (
            Place(label, torch.device("mps", 0)) if has_mps(torch) else Place(label, None, "torch sees no MPS device")
        )
    name = "cuda" if kind == "gpu" else kind
    seen = count(torch, name)
    if index < seen:
        return Place(label, torch.device(name, index))
    return Place(label, None, "torch sees {} of {} devices".format(seen or "none", name))


def count(torch, name):
    """The number of devices of a kind, cuda or xpu."""
    module = getattr(torch, name, None)
    try:
        return module.device_count() if module is not None and module.is_available() else 0
    except Exception:  # a driver in trouble raises anything: then the framework sees none
        return 0


def has_mps(torch):
    """Whether there is a GPU of Apple."""
    module = getattr(getattr(torch, "backends", None), "mps", None)
    return module is not None and bool(module.is_available())


def check_memory(torch, device, mib=64):
    """Take memory of a GPU and give it back; raises where the count is wrong."""
    before = torch.cuda.memory_allocated(device)
    taken = torch.zeros(mib * 2**18, device=device)
    grown = (torch.cuda.memory_allocated(device) - before) / 2.0**20
    del taken
    gc.collect()
    torch.cuda.empty_cache()
    left = (torch.cuda.memory_allocated(device) - before) / 2.0**20
    if grown < mib or left > 0:
        raise MemoryError("{} MiB were asked for: {:g} MiB were taken, and {:g} MiB kept".format(mib, grown, left))
