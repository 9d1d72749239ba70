"""Benchmarks TensorFlow 2 on the CPU and on GPUs. See `agent_channel` and `bench_rounds`.

Ops on a GPU return before it has done them: tf.test.experimental.sync_devices waits (2.13 and later); before, a number
is read back that the GPU computes after all that was asked of it. A tensor keeps the copy that its numpy() made
(TensorHandle::Resolve adds a mirror), so what is copied back here is read anew from a variable each time.
"""

from functools import partial

from bench_subject import CLASSES, FRACTION_OF_GPU, begin, channels_of, normal, parts_of_a_step
from tensorflow_networks import trainer


class Tensorflow:
    """TensorFlow, as `bench_subject.Subject` is asked."""

    name = "tensorflow"
    #: TensorFlow copies through buffers of its own; a program cannot pin memory.
    has_pinned = False
    joins = False

    def __init__(self, threads):
        import numpy
        import tensorflow as tf

        if int(tf.__version__.split(".")[0]) < 2:
            raise RuntimeError("TensorFlow 1 is not measured: gpudoctor bench needs TensorFlow 2 (or PyTorch)")
        self.tf = tf
        self.version = tf.__version__
        self.has_tf32 = hasattr(tf.config.experimental, "enable_tensor_float_32_execution")
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        self.threads = threads
        for gpu in tf.config.list_physical_devices("GPU") if hasattr(tf.config, "list_physical_devices") else ():
            tf.config.experimental.set_memory_growth(gpu, True)
        self.random = numpy.random.RandomState(1)
        self.trainers = {}

    def gpus(self):
        """How many GPUs there are."""
        return len(self.tf.config.list_physical_devices("GPU"))

    def describe(self, index):
        """A GPU, as the fact BenchDevice has it."""
        device = self.tf.config.list_physical_devices("GPU")[index]
        getter = getattr(self.tf.config.experimental, "get_device_details", None)  # 2.4 and later
        details = getter(device) if getter else {}
        capability = details.get("compute_capability")
        return {
            "product": details.get("device_name"),
            "capability": "{}.{}".format(*capability) if capability else None,
        }

    def gpu_memory(self, _index):
        """Bytes of the GPU that a measurement may take. TensorFlow does not tell what is free: as of 8 GiB."""
        return 8 * 1024**3 * FRACTION_OF_GPU

    def gemm(self, device, n, precision, with_copies):
        """Products of n by n."""
        tf = self.tf
        kind = tf.float32 if precision == "tf32" else getattr(tf, precision)
        near = [normal(self.random, n, n) for _ in range(2)]
        if with_copies:

            def run(count):
                self._round_products(False)
                with tf.device(_place(device)):
                    for _ in range(count):
                        tf.matmul(tf.convert_to_tensor(near[0]), tf.convert_to_tensor(near[1])).numpy()
        else:
            with tf.device(_place(device)):
                a, b = [tf.cast(tf.convert_to_tensor(one), kind) for one in near]

            def run(count):
                self._round_products(precision == "tf32")
                with tf.device(_place(device)):
                    for _ in range(count):
                        tf.matmul(a, b)
                self._wait(device)

        return {"time": run}

    def transfer(self, direction, device, size, pinned):  # noqa: ARG002 - the call of all frameworks
        """Copies of `size` bytes. Work within a memory is a sum of two arrays: three times their size is moved."""
        tf, near = self.tf, normal(self.random, size // 4)
        with tf.device(_place(device)):
            if direction == "host-to-device":
                once = partial(tf.convert_to_tensor, near)
            elif direction == "device-to-host":
                once = tf.Variable(near).numpy
            else:
                here = tf.convert_to_tensor(near)
                once = partial(tf.add, here, here + 1.0)

        def run(count):
            with tf.device(_place(device)):
                for _ in range(count):
                    once()
            self._wait(device)

        return {"time": run}

    def step(self, device, network, batch, input_size, precision):
        """Training steps: choose examples, copy them, forward, backward, update."""
        count_of = max(512, 2 * batch)
        images = normal(self.random, count_of, input_size, input_size, channels_of(input_size))
        labels = self.random.randint(0, CLASSES, count_of).astype("int64")
        train = self._trainer(device, network, input_size, precision)

        def choose():
            index = self.random.randint(0, count_of, batch)
            return images[index], labels[index]

        def copy(chosen):
            with self.tf.device(_place(device)):
                return [self.tf.convert_to_tensor(one) for one in chosen]

        def as_by_default():
            self._round_products(True)

        return parts_of_a_step(device, choose, copy, train, lambda: self._wait(device), as_by_default)

    def _trainer(self, device, network, side, precision):
        """One step on a batch that is on the device; one graph for all batch sizes."""
        key = (device, network, side, precision)
        if key not in self.trainers:
            kind = getattr(self.tf, precision[len("mixed-") :]) if precision.startswith("mixed-") else self.tf.float32
            with self.tf.device(_place(device)):
                self.trainers[key] = trainer(self.tf, network, side, channels_of(side), kind, _place(device))
        return self.trainers[key]

    def _round_products(self, rounded):
        """Whether 32-bit products on GPUs may be rounded to TF32 (2.4 and later; by default they are)."""
        switch = getattr(self.tf.config.experimental, "enable_tensor_float_32_execution", None)
        if switch is not None:
            switch(rounded)

    def _wait(self, device):
        if device == "cpu":
            return
        experimental = getattr(self.tf.test, "experimental", None)
        if hasattr(experimental, "sync_devices"):
            experimental.sync_devices()
        else:
            with self.tf.device(_place(device)):
                self.tf.reduce_sum(self.tf.random.uniform([2])).numpy()


def _place(device):
    return "/CPU:0" if device == "cpu" else "/GPU:" + device.split(":")[1]


def main(channel):
    """Import, look which devices there are, and measure."""
    begin(channel, Tensorflow)
