"""Keras without TensorFlow is proved on what is there, and it is said what must be set for that."""

import pytest

from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.install.smoke_proof import backend_to_name


def snapshot(*names):
    found = tuple(Framework(name=name) for name in names)
    return Snapshot(frameworks=Frameworks(found=found))


@pytest.mark.parametrize(
    ("names", "taken", "backend"),
    [
        (("jax", "keras"), "tensorflow", "jax"),
        (("torch", "keras"), "tensorflow", "torch"),
        (("tensorflow", "keras"), "tensorflow", None),
        (("tensorflow", "keras"), "torch", "tensorflow"),
        (("torch", "keras"), "torch", None),
        (("keras",), "tensorflow", None),
        (("jax",), "tensorflow", None),
    ],
)
def test_what_must_be_named(names, taken, backend):
    assert backend_to_name(snapshot(*names), taken) == backend
