"""Which benchmark cases are measured, the most telling first, since time may run out."""

KIB, MIB = 1024, 1024 * 1024
FLOAT = 4

SIZES = (32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
#: The products that say most: they tell peaks apart, and most crossings lie between them.
FIRST_SIZES = (512, 1024, 2048)
PEAK_SIZES = (2048, 4096, 8192)
TRANSFER_SIZES = (4 * KIB, 64 * KIB, MIB, 16 * MIB, 64 * MIB, 256 * MIB)
FIRST_TRANSFER = 64 * MIB
#: Larger than the caches of any processor, and of any GPU.
MEMORY_SIZE = 256 * MIB
#: What GPUs that work together are called.
TOGETHER = "all GPUs"

NETWORKS = ("dense", "conv", "transformer")
#: The side of the images of every tutorial.
SMALL = 28
FIRST_BATCH = {"dense": 64, "conv": 64, "transformer": 16}
BATCHES = {"dense": (8, 512, 4096), "conv": (8, 256, 1024), "transformer": (4, 64, 256)}
LARGER_INPUTS = (64, 128)
BATCH_OF_LARGER = 32


class Case:
    """One thing to measure. `fields` as its fact has them; `work` in a unit of its group; `memory` bytes it needs."""

    def __init__(self, kind, device, work, memory, **fields):
        self.kind = kind
        self.device = device
        self.work = work
        self.memory = memory
        #: Whether as much is needed of the main memory.
        self.of_host_too = (kind == "transfer" and device != TOGETHER) or bool(fields.get("with_copies"))
        self.fields = dict(fields, device=device)
        apart = ("network", "precision", "with_copies", "direction", "pinned")
        #: Cases of one group take time by their work.
        self.group = (kind, device, *(fields.get(name) for name in apart))

    @property
    def name(self):
        """In words: product 1024 float32 on gpu:0."""
        of = self.fields
        if self.kind == "gemm":
            copies = " with copies" if of["with_copies"] else ""
            return "product {} {}{} on {}".format(of["n"], of["precision"], copies, self.device)
        if self.kind == "step":
            return "{} batch {} input {} {} on {}".format(
                of["network"], of["batch"], of["input_size"], of["precision"], self.device
            )
        pinned = {True: " pinned", False: " pageable"}.get(of.get("pinned"), "")
        return "{}{} {} on {}".format(of["direction"], pinned, in_words(of["size"]), self.device)


def in_words(size):
    """4 KiB, 64 MiB."""
    return "{} MiB".format(size // MIB) if size >= MIB else "{} KiB".format(size // KIB)


def gemm(device, n, precision="float32", with_copies=False):
    """A product of n by n."""
    memory = 3 * n * n * FLOAT * (2 if with_copies else 1)
    return Case("gemm", device, n**3, memory, n=n, precision=precision, with_copies=with_copies)


def step(device, network, batch, input_size=SMALL, precision="float32"):
    """A training step. Attention makes the largest matrices: tokens by tokens, of 8 heads, kept for the way back."""
    pixels = batch * input_size**2
    tokens = (input_size // 4) ** 2
    activations = {"dense": 8, "conv": 160, "transformer": 250 + 3 * 8 * tokens // 16}[network]
    work = pixels * (1 + tokens / 2000.0 if network == "transformer" else 1)
    return Case(
        "step",
        device,
        work,
        pixels * activations * FLOAT,
        network=network,
        batch=batch,
        input_size=input_size,
        precision=precision,
    )


def transfer(direction, device, size, pinned=None):
    """A copy, or work within one memory."""
    return Case("transfer", device, size, 3 * size, direction=direction, size=size, pinned=pinned)


def all_reduce(names):
    """Every GPU gets the sum of what all have."""
    size = MEMORY_SIZE
    return Case("transfer", TOGETHER, size, 2 * size, direction="all-reduce", size=size, pinned=None, together=names)


def cases(cpu_precisions, gpus, pinned, joins=False):
    """Everything to measure. `gpus`: (name, precisions) of each; `pinned`: whether the framework has pinned memory.

    `joins`: whether it adds up over several GPUs.
    """
    devices = ["cpu"] + [name for name, _ in gpus]
    found = [step(device, network, FIRST_BATCH[network]) for network in NETWORKS for device in devices]
    found += _products(devices, gpus, FIRST_SIZES)
    found += [transfer("host", "cpu", MEMORY_SIZE)]
    for name, _ in gpus:
        found += [transfer("device", name, MEMORY_SIZE)]
        found += _copies(name, (FIRST_TRANSFER,), pinned)
    found += [all_reduce(devices[1:])] if joins and len(gpus) > 1 else []
    found += _peaks(cpu_precisions, gpus)
    found += _products(devices, gpus, [n for n in SIZES if n not in FIRST_SIZES])
    for network in NETWORKS:
        found += [step(device, network, batch) for batch in BATCHES[network] for device in devices]
    found += _mixed(gpus)
    for size in LARGER_INPUTS:
        found += [step(device, network, BATCH_OF_LARGER, size) for network in NETWORKS for device in devices]
    for name, _ in gpus:
        found += _copies(name, [size for size in TRANSFER_SIZES if size != FIRST_TRANSFER], pinned)
    return found


def _products(devices, gpus, sizes):
    """In full precision, everywhere; on GPUs also with the operands copied there and the result back."""
    found = []
    for n in sizes:
        found += [gemm(device, n) for device in devices]
        found += [gemm(name, n, with_copies=True) for name, _ in gpus]
    return found


def _peaks(cpu_precisions, gpus):
    """Large products in the other precisions."""
    found = []
    for n in PEAK_SIZES:
        for name, precisions in [("cpu", cpu_precisions), *gpus]:
            found += [gemm(name, n, precision) for precision in precisions if precision != "float32"]
    return found


def _mixed(gpus):
    """Steps in mixed precision: what it gains."""
    found = []
    for name, precisions in gpus:
        best = next((one for one in ("bfloat16", "float16") if one in precisions), None)
        if best:
            found += [step(name, network, BATCHES[network][-1], precision="mixed-" + best) for network in NETWORKS]
    return found


def _copies(name, sizes, pinned):
    kinds = (True, False) if pinned else (None,)
    return [
        transfer(direction, name, size, kind)
        for size in sizes
        for direction in ("host-to-device", "device-to-host")
        for kind in kinds
    ]
