"""What was run, as text."""

from gpudoctor.engine.cross_view import CrossView
from gpudoctor.model.live import Live
from gpudoctor.render.live import device_lines
from gpudoctor.render.terminal import Style


def test_an_empty_table_says_why_it_is_empty():
    (line,) = device_lines(CrossView(), Live(), Style(width=120))
    assert "no NVIDIA GPU was seen" in line
    assert "none of TensorFlow, PyTorch, Keras and JAX" in line
