"""Rates that were published, predicted without the publication they come from."""

from statistics import median

import pytest

from gpudoctor.advise.devices import on_gpu, on_processor
from gpudoctor.advise.jobs import language_model, networks, own, preset
from gpudoctor.advise.roofline import at_peak, gpu_rates, rate, share, share_of, shares
from gpudoctor.facts.system import Cpu, System
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.peaks import peaks

MATRIX = load_matrix()
JOBS = {one.name: preset(one) for one in networks(MATRIX)}


def without(source):
    """The shares of all publications but one."""
    found = {}
    for row in MATRIX.table("throughput"):
        reached = share_of(row, JOBS[row.network], MATRIX)
        if row.source != source and reached:
            found.setdefault((JOBS[row.network].kind, reached[0]), []).append(reached[1])
    return {key: tuple(sorted(ones)) for key, ones in found.items()}


def test_published_rates_are_predicted_from_the_other_publications():
    rows = [row for row in MATRIX.table("throughput") if share_of(row, JOBS[row.network], MATRIX)]
    known = {source: without(source) for source in {row.source for row in rows}}
    assert len(known) >= 3
    errors, held = [], 0
    for row in rows:
        job, (kind, *peak) = JOBS[row.network], gpu_rates(peaks(MATRIX, row.gpu), row.precision)
        predicted = rate(at_peak(job, *peak), share(known[row.source], job.kind, kind))
        errors.append(abs(predicted.middle / row.samples_per_second - 1))
        held += predicted.low <= row.samples_per_second <= predicted.high
    assert len(rows) >= 100
    assert median(errors) <= 0.25
    assert held / len(rows) >= 0.8


def test_every_published_row_names_a_network_and_a_gpu():
    for row in MATRIX.table("throughput"):
        assert row.network in JOBS
        assert peaks(MATRIX, row.gpu) is not None or MATRIX.models_by_name(row.gpu), row.gpu


@pytest.mark.parametrize("name", JOBS)
def test_a_quicker_gpu_is_never_slower(name):
    small, large = (on_gpu(JOBS[name], gpu, MATRIX) for gpu in ("Tesla K40m", "NVIDIA H100 80GB HBM3"))
    assert small.rate.middle <= large.rate.middle


def test_shares_are_those_of_what_was_published():
    assert all(0.2 < one < 2 for ones in shares(MATRIX).values() for one in ones)


def test_a_network_of_tutorials_waits_for_its_operations():
    gpu = on_gpu(JOBS["dense-28"], "NVIDIA GeForce RTX 4090", MATRIX)
    assert gpu.bound == "starting operations"


def test_running_a_model_reads_its_weights_once_a_token():
    gpu = on_gpu(language_model(7e9, "run"), "NVIDIA GeForce RTX 4090", MATRIX)
    assert gpu.bound == "memory"
    # 1008 GB/s over 14 GB of weights is 72 a second at most
    assert 30 < gpu.rate.middle < 72


@pytest.mark.parametrize(
    ("task", "least", "most"),
    [("train", 112e9, 122e9), ("lora", 14e9, 24e9), ("run", 14e9, 16e9)],
)
def test_memory_of_a_language_model(task, least, most):
    assert least < on_gpu(language_model(7e9, task), "NVIDIA A100-SXM4-80GB", MATRIX).memory_needed < most


def test_what_is_not_known_is_not_estimated():
    gpu = on_gpu(JOBS["resnet-50"], "NVIDIA GeForce RTX 9999", MATRIX)
    assert gpu.rate is None
    assert gpu.missing
    assert on_processor(JOBS["resnet-50"], System(), None, here=True).rate is None


def test_half_precision_is_not_taken_where_the_gpu_has_none():
    assert on_gpu(JOBS["resnet-50"], "NVIDIA GeForce GTX 1080 Ti", MATRIX).precision == "float32"
    assert on_gpu(JOBS["resnet-50"], "Tesla T4", MATRIX).precision == "mixed"


def test_more_cores_and_wider_instructions_are_quicker():
    job = own(1e6, 1e9, 1024)
    slow = on_processor(job, System(cpu=Cpu(cores=2, flags=("avx",))), None, here=True)
    quick = on_processor(job, System(cpu=Cpu(cores=16, flags=("avx", "avx2", "avx512f"))), None, here=True)
    assert slow.rate.middle < quick.rate.middle
