"""Benchmarks PyTorch on the CPU and on CUDA (or ROCm) GPUs. See `agent_channel` and `bench_rounds`.

Work on a GPU is queued: every repetition block ends with torch.cuda.synchronize, which waits until all of it is done
(docs.pytorch.org, CUDA semantics, "Asynchronous execution").
"""

from agent_channel import Skip
from bench_subject import CLASSES, FRACTION_OF_GPU, HEADS, PATCH, WIDTH, begin, channels_of, parts_of_a_step
from devices_torch import cuda_device


class Torch:
    """PyTorch, as `bench_subject.Subject` is asked."""

    name = "torch"
    has_pinned = True
    joins = True
    has_tf32 = True

    def __init__(self, threads):
        import torch

        self.torch = torch
        self.version = torch.__version__
        torch.set_num_threads(threads)
        self.threads = torch.get_num_threads()
        self.pools = {}
        self.networks = {}
        self.default_precision = self._get_matmul_precision()
        # The first step imports a good part of PyTorch, which is no part of a step.
        self.step("cpu", "dense", 2, 28, "float32")["time"](1)

    def gpus(self):
        """How many GPUs there are."""
        return self.torch.cuda.device_count() if self.torch.cuda.is_available() else 0

    def describe(self, index):
        """A GPU, as the fact BenchDevice has it."""
        listed = cuda_device(self.torch, index)
        return {name: value for name, value in listed.items() if name not in ("name", "kind", "index")}

    def gpu_memory(self, index):
        """Bytes of the GPU that a measurement may take."""
        if hasattr(self.torch.cuda, "mem_get_info"):  # 1.11 and later
            return self.torch.cuda.mem_get_info(index)[0] * FRACTION_OF_GPU
        return self.torch.cuda.get_device_properties(index).total_memory * FRACTION_OF_GPU / 2

    def gemm(self, device, n, precision, with_copies):
        """Products of n by n."""
        torch, place = self.torch, self._place(device)
        if with_copies:
            a, b = self._operands("cpu", n, torch.float32)

            def run(count):
                self._set_matmul_precision("highest")
                for _ in range(count):
                    (a.to(place) @ b.to(place)).cpu()
        else:
            kind = {"float32": torch.float32, "tf32": torch.float32}.get(precision) or getattr(torch, precision)
            a, b = self._operands(device, n, kind)
            c = torch.empty_like(a)

            def run(count):
                self._set_matmul_precision("high" if precision == "tf32" else "highest")
                for _ in range(count):
                    torch.mm(a, b, out=c)
                self._wait(device)

        return {"time": run}

    def transfer(self, direction, device, size, pinned, together=()):
        """Copies of `size` bytes; within a memory STREAM's triad, which moves three times the size."""
        if direction == "all-reduce":
            return self._all_reduce(together, size)
        torch, count_of = self.torch, size // 4
        if direction in ("host", "device"):
            a, b, c = [self._buffer(device, name, count_of) for name in ("a", "b", "c")]

            def run(count):
                for _ in range(count):
                    torch.add(a, b, alpha=3.0, out=c)
                self._wait(device)
        else:
            near = self._buffer("cpu", "pinned" if pinned else "a", count_of)
            far = self._buffer(device, "a", count_of)
            source, target = (near, far) if direction == "host-to-device" else (far, near)

            def run(count):
                for _ in range(count):
                    target.copy_(source, non_blocking=bool(pinned))
                self._wait(device)

        return {"time": run}

    def _all_reduce(self, devices, size):
        """NCCL's sum over several GPUs, by this one process."""
        torch = self.torch
        sent, summed = ([self._buffer(device, name, size // 4) for device in devices] for name in ("a", "b"))
        if not torch.cuda.nccl.is_available(sent):
            raise Skip("this build of torch has no nccl")

        def run(count):
            for _ in range(count):
                torch.cuda.nccl.all_reduce(sent, summed)
            for device in devices:
                self._wait(device)

        return {"time": run}

    def step(self, device, network, batch, input_size, precision):
        """Training steps: choose examples, copy them, forward, backward, update."""
        torch, place = self.torch, self._place(device)
        images, labels = self._data(input_size, batch)
        train = self._trainer(device, network, input_size, precision)

        def choose():
            index = torch.randint(0, len(images), (batch,))
            return images[index], labels[index]

        def copy(chosen):
            return [one.to(place) for one in chosen]

        def as_by_default():
            self._set_matmul_precision(self.default_precision)

        return parts_of_a_step(device, choose, copy, train, lambda: self._wait(device), as_by_default)

    def _trainer(self, device, network, input_size, precision):
        """One step on a batch that is on the device; one network for all batch sizes."""
        key = (device, network, input_size, precision)
        if key not in self.networks:
            self.networks[key] = self._new_trainer(*key)
        return self.networks[key]

    def _new_trainer(self, device, network, input_size, precision):
        torch, nn = self.torch, self.torch.nn
        model = self._network(network, input_size).to(self._place(device))
        optimiser = torch.optim.Adam(model.parameters())
        loss_of = nn.CrossEntropyLoss()
        mixed = precision.startswith("mixed-")
        if mixed and not hasattr(torch, "autocast"):
            raise Skip("this PyTorch has no torch.autocast")
        half = getattr(torch, precision[len("mixed-") :]) if mixed else None
        scaler = _grad_scaler(torch) if half is not None and precision.endswith("-float16") else None

        def train(images, labels):
            optimiser.zero_grad()
            if mixed:
                with torch.autocast("cuda", dtype=half):
                    loss = loss_of(model(images), labels)
            else:
                loss = loss_of(model(images), labels)
            if scaler is None:
                loss.backward()
                optimiser.step()
            else:
                scaler.scale(loss).backward()
                scaler.step(optimiser)
                scaler.update()

        return train

    def _network(self, network, side):
        nn, channels = self.torch.nn, channels_of(side)
        if network == "dense":
            return nn.Sequential(nn.Flatten(), nn.Linear(channels * side**2, 128), nn.ReLU(), nn.Linear(128, CLASSES))
        if network == "conv":
            return nn.Sequential(
                nn.Conv2d(channels, 32, 3, padding=1),
                nn.ReLU(),
                nn.MaxPool2d(2),
                nn.Conv2d(32, 64, 3, padding=1),
                nn.ReLU(),
                nn.MaxPool2d(2),
                nn.Flatten(),
                nn.Linear(64 * (side // 4) ** 2, CLASSES),
            )
        return _transformer(nn, channels)

    def _data(self, side, batch):
        """Enough random images that a batch is chosen from more than itself."""
        count = max(512, 2 * batch)
        generator = self.torch.Generator().manual_seed(1)
        images = self.torch.randn(count, channels_of(side), side, side, generator=generator)
        return images, self.torch.randint(0, CLASSES, (count,), generator=generator)

    def _operands(self, device, n, kind):
        """Two random matrices: parts of a pool that is made once for each device and kind of number, and grows."""
        pool = self.pools.get((device, kind))
        if pool is None or pool.shape[1] < n * n:
            self.pools.pop((device, kind), None)
            pool = self.torch.randn(2, n * n, device=self._place(device)).to(kind)
            self.pools[device, kind] = pool
        return pool[0, : n * n].view(n, n), pool[1, : n * n].view(n, n)

    def _buffer(self, device, name, count):
        """Random numbers: the first of a buffer that all copies share, and that grows."""
        buffer = self.pools.get((device, name))
        if buffer is None or len(buffer) < count:
            self.pools.pop((device, name), None)
            buffer = self.torch.randn(count, device=self._place(device))
            self.pools[device, name] = buffer = buffer.pin_memory() if name == "pinned" else buffer
        return buffer[:count]

    def _place(self, device):
        return self.torch.device("cpu" if device == "cpu" else "cuda:" + device.split(":")[1])

    def _wait(self, device):
        if device != "cpu":
            self.torch.cuda.synchronize(self._place(device))

    def _get_matmul_precision(self):
        getter = getattr(self.torch, "get_float32_matmul_precision", None)
        if getter is not None:
            return getter()
        return "high" if self.torch.backends.cuda.matmul.allow_tf32 else "highest"

    def _set_matmul_precision(self, word):
        """Whether 32-bit products on GPUs may be rounded to TF32: "high" yes, "highest" no (PyTorch 1.12 and later)."""
        if hasattr(self.torch, "set_float32_matmul_precision"):
            self.torch.set_float32_matmul_precision(word)
        else:
            self.torch.backends.cuda.matmul.allow_tf32 = word == "high"


def _transformer(nn, channels):
    """Patches of 4 by 4 as tokens, one encoder block, and a softmax over their mean."""

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(channels, WIDTH, PATCH, stride=PATCH)
            self.block = nn.TransformerEncoderLayer(WIDTH, HEADS, dim_feedforward=4 * WIDTH, dropout=0.0)
            self.head = nn.Linear(WIDTH, CLASSES)

        def forward(self, images):
            tokens = self.patches(images).flatten(2).permute(2, 0, 1)
            return self.head(self.block(tokens).mean(0))

    return Block()


def _grad_scaler(torch):
    scaler = getattr(torch.amp, "GradScaler", None) if hasattr(torch, "amp") else None
    return scaler("cuda") if scaler is not None else torch.cuda.amp.GradScaler()


def main(channel):
    """Import, look which devices there are, and measure."""
    begin(channel, Torch)
