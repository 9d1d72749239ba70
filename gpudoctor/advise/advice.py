"""Advice on a training job: whether it needs a GPU, what it takes here and on other GPUs, and what to do."""

from collections.abc import Iterable

import msgspec

from gpudoctor.advise.devices import REFERENCE, on_gpu, on_processor
from gpudoctor.advise.options import SHORT, WORTH, options
from gpudoctor.advise.prices import Prices
from gpudoctor.facts.advice import AdviceReport, Estimate, Interval, Job
from gpudoctor.facts.bench import Bench
from gpudoctor.facts.durations import spoken
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.matlab import Matlab
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.matlab import judge_matlabs

_BASIS = (
    (
        "Rates are estimates: peak arithmetic and memory bandwidth, times the share of them that published trainings"
        " reach. The range is meant to hold at least four of five."
    ),
    "Memory is what PyTorch or TensorFlow allocates with Adam; of 15 published figures 13 are met within 15 %.",
    "One device at a time; reading and decoding the data is taken to keep up.",
)


def advise(
    job: Job, snapshot: Snapshot | None, bench: Bench | None, matrix: Matrix, wanted: Iterable[str] = (),
    prices: Prices | None = None, matlabs: tuple[Matlab, ...] = (),
) -> AdviceReport:  # fmt: skip
    """Everything about a job. `wanted`: GPUs besides those of reference. `snapshot` None: no machine is looked at.

    `matlabs`: those installed on it.
    """
    here = _here(job, snapshot, bench, matrix)
    names = dict.fromkeys((*wanted, *REFERENCE))
    seen = {one.device for one in here}
    others = tuple(_priced(job, on_gpu(job, name, matrix), prices) for name in names if name not in seen)
    system = _system(snapshot)
    return AdviceReport(
        job=job, answer=_answer(job, here, others), estimates=(*here, *others),
        options=options(job, here, others, system), currency=prices.currency if prices else "",
        prices_of=prices.date if prices else "", basis=_BASIS,
        matlab=judge_matlabs(matlabs, snapshot, matrix) if snapshot else (),
    )  # fmt: skip


def _seconds(job: Job, rate: Interval) -> float:
    return job.samples * job.epochs / rate.middle


def _system(snapshot: Snapshot | None) -> System | None:
    return snapshot.host if snapshot and isinstance(snapshot.host, System) else None


def _here(job: Job, snapshot: Snapshot | None, bench: Bench | None, matrix: Matrix) -> tuple[Estimate, ...]:
    gpus = snapshot.gpus if snapshot and isinstance(snapshot.gpus, Gpus) else None
    found = [on_processor(job, _system(snapshot), bench, here=True)] if snapshot else []
    for gpu in gpus.nvidia if gpus else ():
        there = gpu.memory_total_mib * 2.0**20 if gpu.memory_total_mib else None
        found.append(on_gpu(job, gpu.name or gpu.label, matrix, here=True, there=there))
    return tuple(found)


def _priced(job: Job, one: Estimate, prices: Prices | None) -> Estimate:
    an_hour = prices.an_hour.get(one.device) if prices else None
    if an_hour is None or one.rate is None:
        return one
    return msgspec.structs.replace(one, price=an_hour * _seconds(job, one.rate) / 3600)


def _answer(job: Job, here: tuple[Estimate, ...], others: tuple[Estimate, ...]) -> str:
    """One sentence: whether a GPU pays."""
    known = [one for one in here if one.rate]
    quick = [one for one in others if one.rate and one.fits is not False]
    if not known:
        return "Nothing is known of this machine, so the table says only what other devices need."
    best = max(known, key=lambda one: one.rate.middle if one.rate else 0.0)
    assert best.rate is not None
    seconds = _seconds(job, best.rate)
    if best.fits is False:
        return f"It does not fit into the memory of the {best.device} as it stands; see what makes it fit below."
    gain = max((one.rate.middle for one in quick if one.rate), default=0.0) / best.rate.middle
    if best.kind == "gpu":
        return (
            f"The GPU here does it in about {spoken(seconds)}; the quickest in the table is {gain:.1f} times as quick."
        )
    if seconds < SHORT:
        return f"No GPU is needed: this processor does it in about {spoken(seconds)}."
    if gain < WORTH:
        return "A GPU would hardly help: the job waits for small operations to start, not for arithmetic."
    return f"A GPU pays: this processor takes about {spoken(seconds)}, a GPU is up to {gain:,.0f} times as quick."
