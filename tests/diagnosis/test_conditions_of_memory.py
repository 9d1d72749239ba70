"""What PyTorch's own numbers say of who fills a GPU: each bound from both sides."""

import pytest

from gpudoctor.diagnosis.condition import CONDITIONS
from gpudoctor.diagnosis.refutations import refutation
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.base import Source
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.sources.out_of_memory import OutOfMemory

GIB, MIB = 1 << 30, 1 << 20
NAMES = (
    *("others-hold-little", "others-hold-it", "more-than-the-gpu-has", "own-program-fills-it", "memory-was-free"),
    *("no-unused-reserve", "reserve-in-pieces"),
)


class Reported(SnapshotView):
    """A text whose messages have these numbers."""

    def __init__(self, *reports):
        super().__init__(Snapshot())
        self.reports = reports

    memory_reports = property(lambda self: self.reports)


def numbers(wanted=None, total=None, free=None, own=None, unused=None, others=None):
    """In GiB; what others hold is what is left of all."""
    own = total - free - others if others is not None else own
    values = (wanted, total, free, own, unused)
    return OutOfMemory(*(None if value is None else round(value * GIB) for value in values))


def holding(*reports):
    """The conditions that hold, as far as they are about such numbers."""
    return {name for name in NAMES if CONDITIONS[name](Reported(*reports))}


LITTLE, BY_OTHERS, TOO_MUCH, BY_ITSELF, FREE, NO_RESERVE, IN_PIECES = NAMES


@pytest.mark.parametrize(
    ("report", "names"),
    [
        # Others hold what would have been room: more than a context and a desktop.
        ({"total": 24, "others": 20, "free": 1, "wanted": 2, "unused": 0}, {BY_OTHERS, NO_RESERVE}),
        ({"total": 24, "others": 4.9, "free": 0, "wanted": 4.9, "unused": 0}, {BY_OTHERS, NO_RESERVE}),
        ({"total": 24, "others": 4.9, "free": 0, "wanted": 5, "unused": 0}, {BY_ITSELF, NO_RESERVE}),
        ({"total": 24, "others": 4.9, "free": 0.1, "wanted": 5, "unused": 0}, {BY_OTHERS, NO_RESERVE}),
        ({"total": 25, "others": 5, "free": 0, "wanted": 2, "unused": 0}, {LITTLE, BY_ITSELF, NO_RESERVE}),
        # Hardly any of the memory: a fifth, and on a small GPU no more than a fourth, or a GiB.
        ({"total": 25, "others": 5.1, "free": 0, "wanted": 6, "unused": 0}, {BY_ITSELF, NO_RESERVE}),
        ({"total": 4, "others": 1, "free": 0, "wanted": 2, "unused": 0}, {LITTLE, BY_ITSELF, NO_RESERVE}),
        ({"total": 4, "others": 1.1, "free": 0, "wanted": 2, "unused": 0}, {BY_ITSELF, NO_RESERVE}),
        ({"total": 2, "others": 0.5, "free": 0, "wanted": 1, "unused": 0}, {LITTLE, BY_ITSELF, NO_RESERVE}),
        ({"total": 2, "others": 0.6, "free": 0, "wanted": 1, "unused": 0}, {BY_ITSELF, NO_RESERVE}),
        # More than any such GPU has.
        ({"total": 8, "wanted": 9}, {TOO_MUCH}),
        ({"total": 8, "wanted": 8}, set()),
        ({"wanted": 9}, set()),
        # The program holds more than half of it, and uses that.
        ({"total": 8, "own": 4.1, "unused": 0, "wanted": 1}, {BY_ITSELF, NO_RESERVE}),
        ({"total": 8, "own": 4, "unused": 0, "wanted": 1}, {NO_RESERVE}),
        ({"total": 8, "own": 5, "unused": 0.9, "wanted": 1}, {BY_ITSELF, NO_RESERVE}),
        ({"total": 8, "own": 5, "unused": None, "wanted": 1}, {BY_ITSELF}),
        # In pieces: as much as was asked for, and a fifth of what it holds.
        ({"total": 8, "own": 5, "unused": 1, "wanted": 1}, {IN_PIECES}),
        ({"total": 8, "own": 6, "unused": 1.2, "wanted": 0.5}, {IN_PIECES}),
        ({"total": 8, "own": 6, "unused": 1.1, "wanted": 0.5}, {BY_ITSELF, NO_RESERVE}),
        ({"total": 8, "own": 9, "unused": 9, "wanted": 9}, {TOO_MUCH}),
        ({"total": 24, "unused": 3, "wanted": 2, "others": 18, "free": 1}, {BY_OTHERS}),
        # Several times as much was free as was asked for.
        ({"total": 8, "free": 4, "wanted": 1}, {FREE}),
        ({"total": 8, "free": 3.9, "wanted": 1}, set()),
        ({"free": None, "wanted": 1}, set()),
        ({}, set()),
    ],
)
def test_what_the_numbers_say(report, names):
    assert holding(numbers(**report)) == names
    assert bool(CONDITIONS["no-free-memory-shown"](Reported(numbers(**report)))) is (FREE not in names)


def test_of_several_messages_one_is_enough():
    small, full = numbers(total=8, wanted=1), numbers(total=8, own=5, unused=0, wanted=1)
    assert holding(small, full) == {BY_ITSELF, NO_RESERVE}
    assert holding() == set()
    assert CONDITIONS["no-free-memory-shown"](Reported())


def test_they_are_said_in_their_unit():
    said = CONDITIONS["others-hold-it"](Reported(numbers(total=24, others=20, free=3.5, wanted=4, unused=0)))
    assert said == "other programs hold 20.0 GiB of 24.0 GiB, this one 512 MiB"
    free = CONDITIONS["memory-was-free"](Reported(numbers(total=8, free=4, wanted=0.5)))
    assert free == "4.0 GiB were free when 512 MiB were asked for"


def listed(used, total, where="TensorFlow's list"):
    source = Source(kind="report", where=where) if where else None
    return Snapshot(
        gpus=Gpus(devices=(Gpu(vendor="nvidia", memory_total_mib=total, memory_used_mib=used, source=source),))
    )


@pytest.mark.parametrize(
    ("snapshot", "holds"),
    [
        (listed(6000, 8000), True),
        (listed(4000, 8000), False),
        (listed(None, 8000), False),
        (listed(6000, None), False),
        (listed(6000, 8000, "nvidia-smi"), False),
        (listed(6000, 8000, None), False),
        (Snapshot(), False),
    ],
)
def test_what_was_taken_before_tensorflow_took_any(snapshot, holds):
    assert bool(CONDITIONS["others-held-it-before"](SnapshotView(snapshot))) is holds


TENSOR = "OOM when allocating tensor with shape[1024,256,{}] and type float on /device:GPU:0"


@pytest.mark.parametrize(
    ("mib", "memory", "holds"),
    [
        (25 << 10, None, True),
        (24 << 10, None, False),
        (25 << 10, 32768, False),
        (9 << 10, 8192, True),
        (1, 8192, False),
    ],
)
def test_one_tensor_that_no_such_gpu_has_room_for(mib, memory, holds):
    gpus = Gpus(devices=(Gpu(vendor="nvidia", memory_total_mib=memory),)) if memory else None
    live = Live(symptoms=(Symptom(signature="x", text=TENSOR.format(mib)),))
    seen = SnapshotView(Snapshot(gpus=gpus, live=live))
    assert bool(CONDITIONS["more-than-the-gpu-has"](seen)) is holds


def test_a_cause_that_no_record_has_is_not_refuted():
    assert refutation("no-such-cause", SnapshotView(Snapshot())) is None
