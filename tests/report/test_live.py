"""What was run, as text."""

from gpudoctor.diagnosis.cross_view import CrossView
from gpudoctor.facts.live import AgentRun, Live, SmokeRun, Stage
from gpudoctor.report.live import device_lines, smoke_lines
from gpudoctor.report.terminal import Style


def test_an_empty_table_says_why_it_is_empty():
    (line,) = device_lines(CrossView(), Live(), Style(width=120))
    assert "no NVIDIA GPU was seen" in line
    assert "none of TensorFlow, PyTorch, Keras and JAX" in line


def test_why_nothing_was_trained_is_said():
    stages = (
        Stage(name="import torch", outcome="passed"),
        Stage(name="load fashion-mnist", outcome="skipped", detail="fashion-mnist needs torchvision: it is missing"),
    )
    run = AgentRun(framework="torch", task="smoke", ending="finished", seconds=2.0, stages=stages)
    (line,) = smoke_lines(Live(smoke=(SmokeRun(framework="torch", version="2.6.0", run=run),)), Style(width=120))
    assert line.endswith("trained nothing: fashion-mnist needs torchvision: it is missing")
