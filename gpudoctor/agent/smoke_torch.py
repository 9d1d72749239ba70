"""Trains small networks with PyTorch on each device asked for, from release 1.2 to the newest.

`agent_channel` is the protocol. Asked to be quick, it trains in single precision only, and with an Adam of
its own; else in every precision of the device, compiled, and with several devices at once.
"""

import os
import tempfile

from agent_channel import Channel, Skip
from smoke_trials import Trials
from torch_compiling import compiled, prepare_compiling
from torch_devices import check_memory, places
from torch_multi_device import several
from torch_networks import NETWORKS
from torch_training import train
from torch_workload import fashion_workload, generated_workload

#: OpenMP's threads wait for work by spinning; on a busy machine the work takes many times longer for it.
IDLE_THREADS = (("OMP_WAIT_POLICY", "PASSIVE"), ("KMP_BLOCKTIME", "0"))


def main(channel):
    """Import, and train."""
    quick = bool(channel.request.get("quick"))
    for variable, value in IDLE_THREADS:
        os.environ.setdefault(variable, value)
    with tempfile.TemporaryDirectory(prefix="gpudoctor-") as folder:
        prepare_compiling(folder)
        with channel.stage("import torch"):
            import torch
        # One thread is enough for networks this small.
        torch.set_num_threads(channel.request.get("threads") or 1)
        channel.ask("torch.from_numpy", lambda: exchange_with_numpy(torch))
        workload = load_workload(channel, torch, folder)
        if workload is not None:
            workload.own_adam = quick
            train_everywhere(Trials(channel), torch, workload, quick)


def exchange_with_numpy(torch):
    """Hand a number over and back: what does not work between a torch and a NumPy of another ABI."""
    try:
        import numpy
    except ImportError as error:
        raise Skip("NumPy is not installed") from error
    if torch.from_numpy(numpy.ones(3)).sum().numpy() != 3:
        raise ArithmeticError("an array came out of torch with another sum")


def load_workload(channel, torch, folder):
    """What is to be learned; None where it is not to be had, which is told."""
    if channel.request.get("data") == "fashion-mnist":
        return channel.ask("load fashion-mnist", lambda: fashion_workload(folder))
    return channel.ask("generate data", lambda: generated_workload(torch))


def train_everywhere(trials, torch, workload, quick):
    """Each device alone, then together, and last what takes longest."""
    asked = places(torch, trials.channel.request.get("devices"))
    for place in asked:
        train_on(trials, torch, workload, place, quick)
    if not quick:
        several(trials, torch, [place for place in asked if place.trouble is None])
        for place in asked:
            attempt(trials, torch, workload, place, "dense", "float32", mode="compile", make=compiled)


def train_on(trials, torch, workload, place, quick):
    """Every precision on one device, and memory taken and given back."""
    for precision, lack in place.precisions(torch, quick):
        for name in NETWORKS:
            attempt(trials, torch, workload, place, name, precision, lack=lack)
    if place.trouble is None and place.device.type == "cuda" and not quick:
        trials.channel.ask("memory of " + place.label, lambda: check_memory(torch, place.device))


def attempt(trials, torch, workload, place, name, precision, mode=None, make=train, lack=None):
    """One training, unless something lacks; after a failure the device is looked at again."""

    def training():
        if place.trouble or lack:
            raise Skip(place.trouble or lack)
        return make(torch, trials, workload, name, place.device, precision)

    outcome = trials.run(training, network=name, device=place.label, precision=precision, mode=mode)
    if outcome == "failed" and place.trouble is None:
        place.look_again(torch)


if __name__ == "__main__":
    Channel().run(main)
