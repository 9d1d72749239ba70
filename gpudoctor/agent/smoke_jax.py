"""Trains small networks with JAX on each device asked for. `agent_channel` is the protocol.

Asked to be quick, it trains in single precision only; else in every precision of the device, and on several at once.
"""

import os
import sys

from agent_channel import Channel, Skip
from jax_multi_device import together
from jax_networks import NETWORKS
from jax_training import train
from smoke_data import generated
from smoke_trials import Trials

HALVES = ("float16", "bfloat16", "mixed-float16", "mixed-bfloat16")

TWO_CPUS = "--xla_force_host_platform_device_count=2"


def main(channel):
    """Import, and train."""
    request = channel.request
    asked, quick = request.get("devices"), bool(request.get("quick"))
    prepare(asked, quick, request.get("threads"))
    with channel.stage("import jax"):
        import jax
    with channel.stage("start backend"):
        jax.default_backend()
    if request.get("data") == "fashion-mnist":
        channel.ask("load fashion-mnist", no_loader)
        return
    examples = channel.ask("generate data", narrow)
    if examples is None:
        return
    trials = Trials(channel)
    labels = all_labels(jax) if asked is None else asked
    for label in labels:
        train_on(trials, jax, examples, label, quick)
    if not quick:
        used = [device for device in (device_of(jax, label) for label in labels) if device is not None]
        together(trials, jax, examples, used)


def prepare(asked, quick, threads):
    """What must be set before JAX is imported."""
    # Else it takes three quarters of the GPU's memory.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    if not quick and set(asked or ["cpu"]) == {"cpu"}:
        divide_cpu()
    if threads:
        os.environ["NPROC"] = str(threads)  # read by DefaultThreadPoolSize in xla/pjrt/utils.cc


def divide_cpu():
    """Make two devices of the CPU, unless the user has divided it; where JAX has started already, start it anew."""
    flags = os.environ.get("XLA_FLAGS", "")
    if "host_platform_device_count" in flags:
        return
    jax = sys.modules.get("jax")
    if jax is None:
        os.environ["XLA_FLAGS"] = "{} {}".format(flags, TWO_CPUS).strip()
        return
    try:
        from jax.extend.backend import clear_backends

        clear_backends()
        jax.config.update("jax_num_cpu_devices", 2)
    except Exception:  # before 0.4.38: it stays one device, and what needs two is skipped
        pass


def narrow():
    """The generated data, its labels in as many bits as JAX has them."""
    found = generated()
    return found._replace(labels=found.labels.astype("int32"), test_labels=found.test_labels.astype("int32"))


def no_loader():
    """Why there is no such training."""
    raise Skip("JAX has no loader of data sets of its own")


def all_labels(jax):
    """Every device but the CPU; the CPU where there is none."""
    labels = ["gpu:{}".format(index) for index, device in enumerate(jax.local_devices()) if device.platform != "cpu"]
    return labels or ["cpu"]


def device_of(jax, label):
    """The device of that name; None if JAX has none."""
    if label == "cpu":
        return jax.devices("cpu")[0]
    others = [device for device in jax.local_devices() if device.platform != "cpu"]
    index = int(label.partition(":")[2] or 0)
    return others[index] if index < len(others) else None


def train_on(trials, jax, examples, label, quick):
    """Every precision on one device."""
    device = device_of(jax, label)
    for precision, lack in precisions(device, quick):
        for name in NETWORKS:

            def training(name=name, precision=precision, lack=lack):
                if device is None:
                    raise Skip("JAX sees no such device")
                if lack is not None:
                    raise Skip(lack)
                return train(jax, trials, examples, name, device, precision)

            trials.run(training, network=name, device=label, precision=precision, mode="xla")


def precisions(device, quick):
    """The precisions to train with, each with the reason if the device lacks it."""
    found = [("float32", None)]
    if quick or device is None:
        return found
    lacks = dict.fromkeys(HALVES)
    capability = getattr(device, "compute_capability", None)
    if capability and str(capability).replace(".", "").isdigit():
        old = None
        if float(capability) < 8:
            old = "it begins with compute capability 8.0, and this is {}".format(capability)
        found.append(("tf32", old))
        lacks = {name: old if "bfloat16" in name else None for name in HALVES}
    return found + list(lacks.items())


if __name__ == "__main__":
    Channel().run(main)
