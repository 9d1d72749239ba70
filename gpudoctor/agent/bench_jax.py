"""Benchmarks JAX on the CPU and on GPUs. See `agent_channel` and `bench_rounds`.

Work is dispatched and waited for with block_until_ready (docs.jax.dev, "Asynchronous dispatch"): on the CPU each time,
since computations may run beside one another there; on a GPU after the last, since it does them in order. An array
keeps the copy that NumPy made of it, so what is copied back here is put on the CPU's own device instead.
"""

from functools import partial

from bench_subject import CLASSES, FRACTION_OF_GPU, begin, channels_of, normal, parts_of_a_step
from jax_bench_networks import stepper, weights


class Jax:
    """JAX, as `bench_subject.Subject` is asked."""

    name = "jax"
    has_pinned = False
    joins = False
    has_tf32 = True

    def __init__(self, threads):
        import jax
        import numpy

        self.jax, self.numpy = jax, numpy
        self.version = jax.__version__
        self.threads = threads  # XLA takes all cores that it may use
        self.cpu = jax.devices("cpu")[0]
        self.random = numpy.random.RandomState(1)

    def gpus(self):
        """How many GPUs there are."""
        return len(self._gpus())

    def describe(self, index):
        """A GPU, as the fact BenchDevice has it."""
        device = self._gpus()[index]
        capability = getattr(device, "compute_capability", None)
        return {"product": device.device_kind, "capability": str(capability) if capability else None}

    def gpu_memory(self, index):
        """Bytes of the GPU that a measurement may take; as of 8 GiB where JAX does not tell."""
        told = self._gpus()[index].memory_stats() or {}
        return told.get("bytes_limit", 8 << 30) * FRACTION_OF_GPU

    def gemm(self, device, n, precision, with_copies):
        """Products of n by n. Unasked, JAX rounds float32 to TF32 where the GPU can."""
        jax, place = self.jax, self._place(device)
        how = jax.lax.Precision.DEFAULT if precision == "tf32" else jax.lax.Precision.HIGHEST
        product = jax.jit(partial(jax.numpy.matmul, precision=how))
        near = [normal(self.random, n, n) for _ in range(2)]
        if with_copies:

            def run(count):
                for _ in range(count):
                    self.numpy.asarray(product(*[jax.device_put(one, place) for one in near]))

            return {"time": run}
        kind = "float32" if precision == "tf32" else precision
        a, b = [jax.device_put(one, place).astype(kind) for one in near]
        return {"time": self._repeated(device, lambda: product(a, b))}

    def transfer(self, direction, device, size, pinned):  # noqa: ARG002 - the call of all frameworks
        """Copies of `size` bytes; within a memory STREAM's triad, which moves three times the size."""
        jax, near = self.jax, normal(self.random, size // 4)
        if direction == "host-to-device":
            return {"time": self._repeated(device, lambda: jax.device_put(near, self._place(device)))}
        far = jax.device_put(near, self._place(device))
        if direction == "device-to-host":
            return {"time": self._repeated("cpu", lambda: jax.device_put(far, self.cpu))}
        other, triad = far + 1.0, jax.jit(lambda a, b: a + 3.0 * b)
        return {"time": self._repeated(device, lambda: triad(far, other))}

    def step(self, device, network, batch, input_size, precision):
        """Training steps: choose examples, copy them, forward, backward, update."""
        jax, place, channels = self.jax, self._place(device), channels_of(input_size)
        count_of = max(512, 2 * batch)
        images = normal(self.random, count_of, input_size, input_size, channels)
        labels = self.random.randint(0, CLASSES, count_of).astype("int32")
        kind = precision[len("mixed-") :] if precision.startswith("mixed-") else "float32"
        step = stepper(jax, network, kind)
        start = weights(network, input_size, channels)
        nothing = {name: 0 * one for name, one in start.items()}
        state = [jax.device_put((start, nothing, nothing, self.numpy.float32(0)), place)]

        def train(*examples):
            state[0] = step(state[0], *examples)
            if device == "cpu":
                wait()

        def choose():
            index = self.random.randint(0, count_of, batch)
            return images[index], labels[index]

        def copy(chosen):
            there = [jax.device_put(one, place) for one in chosen]
            last[0] = there
            return there

        def wait():
            for one in (last[0][0], state[0][3]):
                one.block_until_ready()

        last = [None]
        return parts_of_a_step(device, choose, copy, train, wait, lambda: None)

    def _repeated(self, device, once):
        """Repetitions of something that gives an array."""

        def run(count):
            for _ in range(count):
                array = once()
                if device == "cpu":
                    array.block_until_ready()
            array.block_until_ready()

        return run

    def _gpus(self):
        try:
            return self.jax.devices("gpu")
        except RuntimeError:  # no such backend
            return []

    def _place(self, device):
        return self.cpu if device == "cpu" else self._gpus()[int(device.split(":")[1])]


def main(channel):
    """Import, look which devices there are, and measure."""
    begin(channel, Jax)
