"""Smoke training on several devices with PyTorch, a process each; and copies between GPUs."""

import json
import os
import subprocess
import sys
import tempfile
import time

from agent_channel import Skip, thrown

RANK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_rank.py")

#: Longest that the processes may take, seconds; most of it is importing torch.
LIMIT = 120.0

#: With less time than this they are not started, seconds.
LEAST = 20.0


class RankError(Exception):
    """A process of several failed, or did not end."""


def several(trials, torch, used):
    """Train on all GPUs at once, and copy between them; on the CPU with two processes."""
    gpus = [place for place in used if place.device.type == "cuda"]
    if len(gpus) > 1:
        peers(trials, torch, gpus)
        together(trials, torch, gpus, "nccl")
    elif not gpus and any(place.device.type == "cpu" for place in used):
        cpu = next(place for place in used if place.device.type == "cpu")
        together(trials, torch, [cpu, cpu], "gloo")


def peers(trials, torch, gpus):
    """From each GPU to each other: whether the driver allows direct access, and whether a copy arrives as it was."""
    for source in gpus:
        for target in gpus:
            if source is not target and not trials.over:
                name = "copy from {} to {}".format(source.label, target.label)
                trials.channel.ask(name, lambda source=source, target=target: peer(trials, torch, source, target))


def peer(trials, torch, source, target):
    """One pair; raises where the copy is not what was sent."""
    fact = {"source": source.device.index, "target": target.device.index}
    can = getattr(torch.cuda, "can_device_access_peer", None)
    fact["access"] = None if can is None else bool(can(source.device, target.device))
    sent = torch.arange(2**20, dtype=torch.int32, device=source.device)
    arrived = sent.to(target.device)
    torch.cuda.synchronize(target.device)
    fact["correct"] = bool((arrived.cpu() == torch.arange(2**20, dtype=torch.int32)).all())
    trials.channel.fact("peer", **fact)
    if not fact["correct"]:
        raise ArithmeticError("what arrived is not what was sent")


def together(trials, torch, places, backend):
    """Add up numbers over several processes, then train with DistributedDataParallel; always on the generated data."""
    label = "+".join(place.label for place in places)
    seconds = min(LIMIT, trials.deadline - time.perf_counter())
    lack = lacking(torch, backend) or (None if seconds > LEAST else "no time was left")
    answers = []

    def all_reduce():
        if lack is None:
            answers.extend(launch(request(trials, places, backend), seconds))
        demand(lack, answers, "added up", seconds)
        return {}

    def training():
        demand(lack, answers, "trained", seconds)
        measured = answers[0]["trained"]
        places_used = [answer["trained"]["placed_on"] for answer in answers]
        wanted = [str(place.device) for place in places]
        return dict(measured, placed_on=" + ".join(places_used), placed_on_ok=places_used == wanted)

    told(trials.channel, all_reduce, network="all-reduce", device=label, mode=backend)
    trials.run(training, network="data-parallel", device=label, mode=backend)


def told(channel, check, **asked):
    """A trial that trains nothing: it passes unless `check()` raises."""
    trial, end = dict(asked, outcome="passed"), {}
    try:
        with channel.stage("{network} on {device} ({mode})".format(**asked)) as end:
            check()
    except Exception as error:
        trial.update(outcome="failed", detail=str(error), error=thrown(error))
    if end.get("outcome") == "skipped":
        trial.update(outcome="skipped", detail=end["detail"])
    channel.fact("trial", **trial)


def demand(lack, answers, key, seconds):
    """Raise unless every process got that far; with the words of the one that did not."""
    if lack is not None:
        raise Skip(lack)
    if not answers:
        raise RankError("the processes could not be started")
    late = [rank for rank, answer in enumerate(answers) if key not in answer]
    for rank in sorted(late, key=lambda rank: "error" not in answers[rank]):
        answer = answers[rank]
        where = "process {} of {}, in {}".format(rank, len(answers), answer.get("begin", "its start"))
        if "error" in answer:
            raise RankError("{}: {}".format(where, answer["error"]))
        if not answer["stopped"]:
            raise RankError("{}: it ended with code {}".format(where, answer["code"]))
        if seconds < LIMIT:
            raise Skip("the time was up: {}".format(where))
        raise RankError("{}: it did not end in {:.0f} s".format(where, seconds))


def request(trials, places, backend):
    """What every process is asked, but for its rank and the folder that they share."""
    cwd = trials.channel.request.get("cwd") or os.getcwd()
    devices = [str(place.device) for place in places]
    return {"backend": backend, "devices": devices, "cwd": cwd}


def launch(asked, seconds):
    """The answers of one process for each device, in order, as far as they came within the time."""
    with tempfile.TemporaryDirectory(prefix="gpudoctor-") as folder:
        files = [os.path.join(folder, "rank-{}".format(rank)) for rank in range(len(asked["devices"]))]
        children = []
        try:
            for rank, file in enumerate(files):
                children.append(start(dict(asked, rank=rank, folder=folder, answers=file)))
            wait(children, time.perf_counter() + seconds)
        finally:
            stopped = [stop(child) for child in children]
        codes = [child.returncode for child in children]
        return [dict(read(file), stopped=late, code=code) for file, late, code in zip(files, stopped, codes)]


def stop(child):
    """End a process; whether it had not ended by itself."""
    late = child.poll() is None
    child.kill()
    child.wait()
    child.stdin.close()
    return late


def start(asked):
    """A process that ends when we do: it watches the pipe from us. What it prints goes where ours goes."""
    flags = subprocess._args_from_interpreter_flags()
    # On a machine whose name is in no name service gloo finds no address otherwise.
    env = dict({"GLOO_SOCKET_IFNAME": "lo"} if sys.platform.startswith("linux") else {}, **os.environ)
    child = subprocess.Popen([sys.executable, *flags, "-B", RANK], stdin=subprocess.PIPE, env=env)
    try:
        child.stdin.write((json.dumps(asked) + "\n").encode("ascii"))
        child.stdin.flush()
    except OSError:  # it has ended already, and its code will tell
        pass
    return child


def wait(children, deadline):
    """Until all have ended, or the time is up; after one has failed the others wait for it in vain."""
    while time.perf_counter() < deadline:
        codes = [child.poll() for child in children]
        if None not in codes:
            return
        if any(codes):
            deadline = min(deadline, time.perf_counter() + 3)
            while time.perf_counter() < deadline and None in [child.poll() for child in children]:
                time.sleep(0.05)
            return
        time.sleep(0.05)


def read(path):
    """What a process answered: lines of JSON, the later ones over the earlier."""
    answer = {}
    try:
        with open(path) as lines:
            for line in lines:
                answer.update(json.loads(line))
    except (OSError, ValueError):  # it never began; it was stopped in the middle of a line
        pass
    return answer


def lacking(torch, backend):
    """Why it cannot be tried; None if it can."""
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available():
        return "this build of torch has no torch.distributed"
    has = getattr(distributed, "is_{}_available".format(backend), None)
    return "this build of torch has no {}".format(backend) if has is not None and not has() else None
