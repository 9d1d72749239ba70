"""An agent that takes the CPU for a GPU: the code for GPUs runs, on real frameworks, though no GPU is there.

Run by the target: FRAMEWORK, the agents' folder. Says nothing of GPUs, and finds what would never have been run.
"""

import importlib
import sys


def shrink(cases):
    """Everything small, so that a busy machine does all of it."""
    cases.SIZES, cases.FIRST_SIZES, cases.PEAK_SIZES = (32, 64, 128), (64,), (128,)
    cases.TRANSFER_SIZES, cases.FIRST_TRANSFER, cases.MEMORY_SIZE = (4096, 1 << 20), 1 << 20, 1 << 20
    cases.FIRST_BATCH, cases.BATCHES = dict.fromkeys(cases.NETWORKS, 4), dict.fromkeys(cases.NETWORKS, (8,))
    cases.LARGER_INPUTS, cases.BATCH_OF_LARGER = (32,), 2


def main():
    name, folder = sys.argv[1:]
    sys.path.insert(0, folder)
    module = importlib.import_module("bench_" + name)
    subject = importlib.import_module("bench_subject")
    agent_channel = importlib.import_module("agent_channel")
    shrink(importlib.import_module("bench_cases"))
    kind = {"torch": "Torch", "tensorflow": "Tensorflow", "jax": "Jax"}[name]

    class Pretended(getattr(module, kind)):
        has_pinned = False

        def gpus(self):
            return 2

        def describe(self, _index):
            return {"product": "NVIDIA H100 80GB HBM3", "capability": "9.0", "uuid": "GPU-1"}

        def gpu_memory(self, _index):
            return 1 << 30

        def _place(self, _device):
            return self.cpu if name == "jax" else self.torch.device("cpu")

        def _wait(self, device):
            if name == "tensorflow":
                super()._wait(device)

    if name == "torch":
        nccl = importlib.import_module("torch").cuda.nccl
        nccl.is_available = lambda _tensors: True
        nccl.all_reduce = lambda sent, summed: [one.copy_(sum(sent)) for one in summed]
    if name == "tensorflow":
        module._place = lambda _device: "/CPU:0"
    agent_channel.Channel().run(lambda channel: subject.begin(channel, Pretended))


main()
