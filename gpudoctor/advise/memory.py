"""How much GPU or main memory a training job takes, in bytes."""

from gpudoctor.facts.advice import Job, Precision

#: Bytes of a parameter that is trained with Adam: weight, gradient and two moments in float32; with half precision a
#: copy of 2 bytes and a gradient of 2 stand beside master weight and moments (arXiv:1910.02054, section 3.1).
TRAINED = 16
#: Bytes of a parameter that is only read, in half precision.
READ = 2
#: Part of the parameters that LoRA adds and trains (arXiv:2106.09685, section 4: well below this).
_ADDED = 0.01
#: Elements kept for the backward pass for each that a convolution puts out: normalisation keeps its input, too.
_KEPT = {"conv": 2.0, "dense": 1.0, "transformer": 1.0, "recurrent": 1.0}
#: The CUDA context, the libraries' own memory, and what an allocator holds in reserve.
RESERVED = 0.9e9


def needed(job: Job, precision: Precision, *, gpu: bool = True) -> float:
    """All of it at the job's batch."""
    return fixed(job, precision, gpu=gpu) + job.batch * of_a_sample(job, precision)


def fixed(job: Job, precision: Precision, *, gpu: bool = True) -> float:
    """What does not grow with the batch."""
    reserved = RESERVED if gpu else 0.0
    width = READ if precision == "mixed" else 4
    if job.task == "train":
        return reserved + TRAINED * job.parameters
    if job.task == "lora":
        return reserved + width * job.parameters + _ADDED * TRAINED * job.parameters
    return reserved + width * job.parameters


def of_a_sample(job: Job, precision: Precision) -> float:
    """What each sample of a batch adds: the sample, and what is kept for the backward pass."""
    if job.task == "run":
        return job.sample_bytes
    width = 2 if precision == "mixed" else 4
    return job.sample_bytes + job.stored * _KEPT[job.kind] * width


def largest_batch(job: Job, precision: Precision, there: float) -> int:
    """The largest batch that fits in so many bytes; 0 where none does."""
    left = there - fixed(job, precision)
    return max(0, int(left // of_a_sample(job, precision)))
