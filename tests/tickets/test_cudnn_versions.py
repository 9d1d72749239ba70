"""The cuDNN of a build and the loaded one, in the words of TensorFlow, JAX and PyTorch."""

import pytest

from gpudoctor.facts.libraries import Libraries
from gpudoctor.facts.python import Frameworks
from gpudoctor.tickets.cudnn_versions import parse_cudnn_versions
from gpudoctor.tickets.pasted import plain

XLA = "Loaded runtime CuDNN library: {} but source was compiled with{} {}."


@pytest.mark.parametrize(
    ("text", "framework", "built", "loaded"),
    [
        ("tensorflow 2.5: " + XLA.format("8.0.5", ":", "8.1.0"), "tensorflow", "8.1.0", "8.0.5"),
        (XLA.format("7005 (compatibility version 7000)", "", "6021"), "tensorflow", "6.0.21", "7.0.5"),
        ("jax 0.4.7: " + XLA.format("8.5.0", ":", "8.6.0"), "jax", "8.6.0", "8.5.0"),
        ("Found cuDNN version 8902, but JAX was built against version 90100", "jax", "9.1.0", "8.9.2"),
        (
            "PyTorch was compiled  against (8, 7, 0) but found runtime version (8, 5, 0).",
            "torch",
            "8.7.0",
            "8.5.0",
        ),
    ],
)
def test_both_are_read(text: str, framework: str, built: str, loaded: str) -> None:
    (made,) = parse_cudnn_versions(plain(text))
    frameworks, libraries = made.sections["frameworks"], made.sections["libraries"]
    assert isinstance(frameworks, Frameworks) and isinstance(libraries, Libraries)
    assert [(one.name, one.cudnn) for one in frameworks.found] == [(framework, built)]
    assert [str(one.version) for one in libraries.resolutions or ()] == [loaded]


def test_other_texts_state_none() -> None:
    assert parse_cudnn_versions(plain("it was compiled with cuDNN 8.1")) == ()
