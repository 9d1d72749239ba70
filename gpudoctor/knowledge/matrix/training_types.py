"""Row types of the matrix for trainings and their published speeds."""

from typing import Literal

from gpudoctor.knowledge.matrix.types import Row

#: What a network mostly consists of: its parts reach different shares of a GPU's peaks.
Kind = Literal["dense", "conv", "transformer", "recurrent"]


class Network(Row, frozen=True, kw_only=True):
    """A network that people train, with a usual data set; the numbers are of one sample."""

    name: str
    title: str
    kind: Kind
    parameters_millions: float
    #: 10^9 operations of a forward pass; a multiply and an add are two.
    forward_gflop: float
    #: 10^6 elements that convolutions, linear layers and attention put out in a forward pass.
    stored_millions: float
    #: Operations of a framework in a forward pass.
    operations: int
    #: KiB of one sample as it is copied to a device.
    sample_kib: float
    #: What a sample is called: image, text, sequence.
    sample: str
    samples: int
    epochs: int
    batch: int


class Throughput(Row, frozen=True, kw_only=True):
    """Samples a second that somebody published for training a network on one GPU."""

    gpu: str
    network: str
    #: float32: as the framework does it unasked, with TF32 where the GPU has it. mixed: with FP16 or BF16.
    precision: Literal["float32", "mixed"]
    batch: int | None = None
    samples_per_second: float
