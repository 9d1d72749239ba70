"""The benchmark common to all frameworks: starts devices, makes cases and inputs, times them, reports results.

A framework gives: name, version, threads, has_pinned, joins, gpus(), describe(index), gpu_memory(index),
has_tf32, gemm(…), transfer(…), step(…), each of the last three {"time": run, part: run …}.
"""

import time

import bench_cases
from bench_cores import cores, fast_bfloat16, memory, running_now
from bench_rounds import Budget, Rounds

#: Of a GPU's free memory, what one measurement may take; the pools of operands take as much again.
FRACTION_OF_GPU = 0.25
#: Seconds kept back for the last words.
LAST = 0.3
CLASSES = 10
#: Of the transformer: the numbers of a token, the heads of its attention, the side of a patch.
WIDTH, HEADS, PATCH = 256, 8, 4


class Subject:
    """A framework and its devices, as `bench_rounds.Rounds` asks for it."""

    def __init__(self, framework, devices):
        self.framework = framework
        self.devices = devices
        self._memory = {"cpu": memory()}
        self._memory.update((name, framework.gpu_memory(index)) for name, index in devices)
        self._memory[bench_cases.TOGETHER] = min(self._memory.values())

    def memory(self, device):
        """Bytes that one measurement may take on a device."""
        return self._memory[device]

    def runners(self, case):
        """What to run for a case."""
        return getattr(self.framework, case.kind)(**case.fields)


def begin(channel, kind):
    """Measure with a framework of that kind. The time there is begins when it and its devices have been started."""
    request = channel.request
    seconds = float(request.get("seconds") or 30)
    began = time.perf_counter()
    with channel.stage("import " + kind.name):
        framework = kind(request.get("threads") or cores())
    channel.fact(
        "bench",
        framework=framework.name,
        version=framework.version,
        seconds_asked=seconds,
        import_seconds=time.perf_counter() - began,
        cpu_threads=framework.threads,
    )
    with channel.stage("devices"):
        devices, described = _devices(framework, request.get("devices"))
        for device in described:
            channel.fact("device", **device)
        subject = Subject(framework, devices)
    _tell_of_others(channel)
    began = time.perf_counter()
    gpus = [(one["name"], gpu_precisions(one.get("capability"), framework.has_tf32)) for one in described[1:]]
    on_cpu = ["float32", "bfloat16"] if fast_bfloat16() else ["float32"]
    found = bench_cases.cases(on_cpu, gpus, framework.has_pinned, framework.joins)
    Rounds(channel, subject, lambda case, measured: _tell(channel, case, measured)).measure(
        found, Budget(began + seconds - LAST)
    )
    channel.fact("bench", seconds=time.perf_counter() - began, complete=True)


def _devices(framework, asked):
    """(name, index) of the GPUs to measure, and all devices as facts. The CPU is always measured: to compare with."""
    count = framework.gpus()
    wanted = ["gpu:0"] if asked is None and count else [one for one in asked or () if one != "cpu"]
    absent = [one for one in wanted if int(one.split(":")[1]) >= count]
    if absent:
        sees = "no GPU" if not count else "{} GPUs".format(count) if count > 1 else "one GPU"
        raise NoSuchDevice("{} sees {}, and {} was asked for".format(framework.name, sees, absent[0]))
    devices = [(one, int(one.split(":")[1])) for one in wanted]
    return devices, [{"name": "cpu"}] + [dict(framework.describe(index), name=name) for name, index in devices]


def _tell_of_others(channel):
    """Note what else runs: its time is missing from ours."""
    others = running_now() - 1
    if others > 0:
        channel.fact("note", text="{} other threads were running when the measuring began".format(others))


class NoSuchDevice(Exception):
    """A GPU was asked for that the framework does not list."""


def _tell(channel, case, measured):
    fields = {name: value for name, value in case.fields.items() if value is not None}
    if case.kind == "transfer":
        count = len(fields.pop("together", ()))
        fields.update({"gpus": count} if count else {}, moved=_moved(fields["direction"], fields["size"], count))
    channel.fact(case.kind, time=measured.timing(), **dict(fields, **measured.parts))


def _moved(direction, size, gpus):
    if direction == "all-reduce":
        return 2 * (gpus - 1) * size // gpus
    return size * (3 if direction in ("host", "device") else 1)


def channels_of(side):
    """Of the images of that side: one of MNIST's, else three."""
    return 1 if side == 28 else 3


def normal(random, *shape):
    """Random numbers of NumPy, float32, half of them negative; of many only some are drawn, and repeated."""
    import numpy

    some = random.standard_normal(min(int(numpy.prod(shape)), 1 << 20)).astype("float32")
    return numpy.resize(some, shape)


def parts_of_a_step(device, choose, copy, train, wait, before):
    """What to run for a training step: the whole of it, and its parts. `before` sets what other cases have changed."""
    here = choose()
    there = copy(here)

    def repeated(one):
        def run(count):
            before()
            for _ in range(count):
                one()
            wait()

        return run

    parts = {
        "time": repeated(lambda: train(*copy(choose()))),
        "compute_seconds": repeated(lambda: train(*there)),
        "input_seconds": repeated(choose),
        "transfer_seconds": repeated(lambda: copy(here)),
    }
    if device == "cpu":
        del parts["transfer_seconds"]
    return parts


def gpu_precisions(capability, has_tf32=True):
    """What a GPU has units for."""
    found = ["float32"]
    if has_tf32 and capability_at_least(capability, 8, 0):
        found += ["tf32", "bfloat16"]
    if capability is None or capability_at_least(capability, 7, 0):
        found.append("float16")
    return found


def capability_at_least(capability, major, minor):
    """Whether a compute capability such as "8.6" is known and not below major.minor."""
    if not capability:
        return False
    parts = [int(part) for part in capability.split(".")]
    return parts >= [major, minor]
