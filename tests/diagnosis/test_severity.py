"""What a message points to, and is there, is as grave as the failure that printed the message."""

import pytest

from gpudoctor.diagnosis.diagnose import as_grave_as_shown, diagnose
from gpudoctor.facts.finding import Finding
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.system import Container, ContainerTools
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from tests.whole import driver, gpu, machine

COMPILE_FAILED = Finding(code="SMK020", name="compile-failed", severity="error", subject="torch 2.6.0", summary="x.")


def graded(severity, *, harm="error", points_to=("no-compiler",), subject=None):
    note = Finding(code="TLK004", name="no-compiler", severity=severity, subject=subject, summary="x.")
    shown = Finding(code="SMK020", name="compile-failed", severity=harm, subject="torch 2.6.0", summary="x.")
    return as_grave_as_shown([(note, ()), (shown, points_to)])[0].severity


@pytest.mark.parametrize(
    ("before", "more", "after"),
    [
        ("info", {}, "error"),
        ("warning", {}, "error"),
        ("info", {"harm": "warning"}, "warning"),
        ("error", {"harm": "warning"}, "error"),
        ("info", {"points_to": ("another",)}, "info"),
        ("info", {"points_to": ()}, "info"),
        ("info", {"subject": "torch 2.6.0"}, "error"),
        ("info", {"subject": "tensorflow 2.20.0"}, "info"),
    ],
)
def test_gravity(before, more, after):
    assert graded(before, **more) == after


def test_what_shows_the_harm_keeps_its_own():
    assert as_grave_as_shown([(COMPILE_FAILED, ("no-compiler",))]) == [COMPILE_FAILED]


def verdict(*symptoms):
    tools = ContainerTools(engines={"docker": "/usr/bin/docker"}, nvidia_toolkit=False, docker_is_snap=False)
    snapshot = machine(
        gpus=(gpu("NVIDIA GeForce RTX 3090", "8.6"),),
        driver=driver("580.95.05"),
        container=Container(kind="none", tools=tools),
        live=Live(symptoms=symptoms),
    )
    return diagnose(snapshot, load_matrix(), load_rules()).root_causes


def test_a_refused_container_makes_the_missing_toolkit_an_error():
    text = 'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'
    refused = verdict(Symptom(signature="docker-no-gpu-driver", text=text))
    assert [(one.name, one.severity) for one in refused if one.severity != "info"] == [("ctk-missing", "error")]
    assert [(one.name, one.severity) for one in verdict() if one.severity != "info"] == [("ctk-missing", "warning")]
