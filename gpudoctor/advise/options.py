"""Ways to make slow training faster, in order of cost: settings first, then effort, then money."""

from collections.abc import Iterator

from gpudoctor.advise import memory
from gpudoctor.facts.advice import Costs, Estimate, Job, Option
from gpudoctor.facts.system import System

#: A job that ends within so many seconds needs nothing.
SHORT = 600.0
#: Where a GPU is not so many times as quick, it is not worth its trouble.
WORTH = 2.0
#: Bytes of a parameter in 4 bits, with the scales of its blocks (arXiv:2305.14314, section 3).
_FOUR_BITS = 0.55


def options(
    job: Job, here: tuple[Estimate, ...], others: tuple[Estimate, ...], system: System | None
) -> tuple[Option, ...]:
    """Nothing first, then effort, then money."""
    gpu = next((one for one in here if one.kind == "gpu"), None)
    found = [*_free(job, gpu, system), *_effort(job, gpu), *_money(job, here, others)]
    return tuple(found)


def _free(job: Job, gpu: Estimate | None, system: System | None) -> Iterator[Option]:
    if gpu is not None:
        if gpu.precision == "float32" and job.precision == "float32" and gpu.basis != "measured":
            yield _option(
                "nothing", "Use mixed precision", "Tensor cores compute float16 and bfloat16 several times as fast."
            )
        if gpu.fits is False:
            yield from _fitting(job, gpu)
        if gpu.bound == "starting operations":
            yield _option(
                "nothing", "Use larger batches",
                f"With batches of {job.batch} the GPU mostly waits for the framework to start its operations.",
            )  # fmt: skip
        return
    cores = system.cpu.cores if system and system.cpu and system.cpu.cores else None
    yield _option(
        "nothing", f"Let the framework use all {cores} cores" if cores else "Let the framework use all cores",
        "torch.set_num_threads, or nothing at all in TensorFlow; do not set OMP_NUM_THREADS=1.",
    )  # fmt: skip
    flags = system.cpu.flags if system and system.cpu else None
    if flags and "avx512_bf16" in flags:
        yield _option(
            "nothing", "Compute in bfloat16 on this processor", "It has instructions for it; oneDNN uses them."
        )


def _fitting(job: Job, gpu: Estimate) -> Iterator[Option]:
    """What makes a job fit into the memory of the GPU."""
    there = gpu.memory_there or 0.0
    if gpu.largest_batch:
        yield _option(
            "nothing", f"Use batches of at most {gpu.largest_batch}, and accumulate gradients",
            "The result is that of the large batch (layers that normalise over the batch excepted).",
        )  # fmt: skip
        return
    if job.task == "train" and job.parameters * memory.READ * 1.1 + memory.RESERVED < there:
        yield _option(
            "effort",
            "Fine-tune by LoRA instead of all parameters",
            "Only small added matrices keep gradients and moments.",
        )
    elif job.parameters * _FOUR_BITS + memory.RESERVED < there:
        yield _option(
            "effort",
            "Load the weights in 4 bits",
            "They then take about half a byte each; with LoRA it can still be fine-tuned.",
        )
    else:
        yield _option("money", "Several GPUs, or one with more memory", "Even in 4 bits the weights do not fit.")


def _effort(job: Job, gpu: Estimate | None) -> Iterator[Option]:
    if job.kind == "conv" and job.task == "train" and job.parameters > 5e6:
        yield _option(
            "effort", "Start from a pretrained network and train only its last layers",
            "A third of the arithmetic or less, far fewer epochs, and often better results on small data sets.",
        )  # fmt: skip
        yield _option(
            "effort", "Compute the frozen layers' features once and train on them",
            "The last layers then train in minutes on a processor.",
        )  # fmt: skip
    if gpu is None and job.task == "run" and job.parameters > 1e8:
        yield _option(
            "effort",
            "Run it quantised on the processor",
            "llama.cpp, ONNX Runtime and OpenVINO run 4- and 8-bit weights well.",
        )


def _money(job: Job, here: tuple[Estimate, ...], others: tuple[Estimate, ...]) -> Iterator[Option]:
    best = max((one.rate.middle for one in here if one.rate), default=0.0)
    better = [one for one in others if one.rate and one.fits is not False and one.rate.middle > WORTH * best]
    if not better or (best and job.samples * job.epochs / best < SHORT):
        return
    yield _option(
        "nothing",
        "Try a hosted notebook (Colab, Kaggle)",
        "Their free GPUs are mostly a Tesla T4; sessions are cut off after some hours.",
    )
    if any(one.price is not None for one in better):
        cheapest = min((one for one in better if one.price is not None), key=lambda one: one.price or 0.0)
        yield _option("money", f"Rent a {_plain(cheapest)}", "The cheapest of those in the price file for this job.")
    else:
        first = min(better, key=lambda one: one.rate.middle if one.rate else 0.0)
        yield _option(
            "money",
            f"A used or smaller GPU, such as a {_plain(first)}",
            "Already more than twice as quick as what is here.",
        )


def _option(costs: Costs, title: str, why: str) -> Option:
    return Option(costs=costs, title=title, why=why)


def _plain(one: Estimate) -> str:
    return one.device.removeprefix("NVIDIA ")
