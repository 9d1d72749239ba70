"""Trains small networks with PyTorch on each device asked for, from release 1.2 to the newest.

`telling` says how it is asked and answers. Asked to be quick, it trains in single precision only, and with an Adam of
its own; else in every precision of the device, compiled, and with several devices at once.
"""

import os
import tempfile

from smoke_trials import Trials
from telling import Skip, Teller
from torch_compiling import compiled, prepare_compiling
from torch_lesson import fashion_lesson, generated_lesson
from torch_networks import NETWORKS
from torch_places import check_memory, places
from torch_several import several
from torch_training import train

#: OpenMP's threads wait for work by spinning; on a busy machine the work takes many times longer for it.
PATIENCE = (("OMP_WAIT_POLICY", "PASSIVE"), ("KMP_BLOCKTIME", "0"))


def main(teller):
    """Import, and train."""
    quick = bool(teller.request.get("quick"))
    for variable, value in PATIENCE:
        os.environ.setdefault(variable, value)
    with tempfile.TemporaryDirectory(prefix="gpudoctor-") as folder:
        prepare_compiling(folder)
        with teller.stage("import torch"):
            import torch
        # One thread is enough for networks this small.
        torch.set_num_threads(teller.request.get("threads") or 1)
        teller.ask("torch.from_numpy", lambda: exchange_with_numpy(torch))
        lesson = load_lesson(teller, torch, folder)
        if lesson is not None:
            lesson.own_adam = quick
            train_everywhere(Trials(teller), torch, lesson, quick)


def exchange_with_numpy(torch):
    """Hand a number over and back: what does not work between a torch and a NumPy of another ABI."""
    try:
        import numpy
    except ImportError as error:
        raise Skip("NumPy is not installed") from error
    if torch.from_numpy(numpy.ones(3)).sum().numpy() != 3:
        raise ArithmeticError("an array came out of torch with another sum")


def load_lesson(teller, torch, folder):
    """What is to be learned; None where it is not to be had, which is told."""
    if teller.request.get("data") == "fashion-mnist":
        return teller.ask("load fashion-mnist", lambda: fashion_lesson(folder))
    return teller.ask("generate data", lambda: generated_lesson(torch))


def train_everywhere(trials, torch, lesson, quick):
    """Each device alone, then together, and last what takes longest."""
    asked = places(torch, trials.teller.request.get("devices"))
    for place in asked:
        train_on(trials, torch, lesson, place, quick)
    if not quick:
        several(trials, torch, [place for place in asked if place.trouble is None])
        for place in asked:
            attempt(trials, torch, lesson, place, "dense", "float32", mode="compile", make=compiled)


def train_on(trials, torch, lesson, place, quick):
    """Every precision on one device, and memory taken and given back."""
    for precision, lack in place.precisions(torch, quick):
        for name in NETWORKS:
            attempt(trials, torch, lesson, place, name, precision, lack=lack)
    if place.trouble is None and place.device.type == "cuda" and not quick:
        trials.teller.ask("memory of " + place.label, lambda: check_memory(torch, place.device))


def attempt(trials, torch, lesson, place, name, precision, mode=None, make=train, lack=None):
    """One training, unless something lacks; after a failure the device is looked at again."""

    def training():
        if place.trouble or lack:
            raise Skip(place.trouble or lack)
        return make(torch, trials, lesson, name, place.device, precision)

    outcome = trials.run(training, network=name, device=place.label, precision=precision, mode=mode)
    if outcome == "failed" and place.trouble is None:
        place.look_again(torch)


if __name__ == "__main__":
    Teller().run(main)
