"""Builds for Jetson boards by L4T, and the L4T of a JetPack in a ticket."""

import pytest

from gpudoctor.assist.judged import judged_input
from gpudoctor.examine.tickets import Input
from gpudoctor.knowledge.jetson_builds import jetson_command, l4t_of_jetpacks, rows
from gpudoctor.report.triage import remedy_lines


@pytest.mark.parametrize(
    ("framework", "l4t", "python", "holds"),
    [
        ("torch", "32.7.1", None, "r32.7.1-pth1.10-py3"),
        ("torch", "35.4.1", "3.8", "torch-2.1.0a0"),
        ("torch", "35.4.1", "3.10", None),
        ("torch", "36.4.3", None, "jp6/cu126"),
        ("torch", "38.2.0", None, "cu130"),
        ("tensorflow", "32.7.3", None, "tensorflow==2.7.0"),
        ("tensorflow", "36.4.3", None, None),
        ("torch", "32.3.1", None, None),
    ],
)
def test_what_brings_it(framework: str, l4t: str, python: str | None, holds: str | None) -> None:
    made = jetson_command(framework, l4t, python)
    assert (made is None) is (holds is None) and (holds or "") in (made or "")


def test_rows_have_sources() -> None:
    assert all(source.startswith("https://") for *_, source in rows())
    assert l4t_of_jetpacks()["4.6.1"] == "32.7.1"


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("Orin Nano, JetPack 6.2, torch 2.6.0\nAssertionError: Torch not compiled with CUDA enabled", "jp6/cu126"),
        ("Xavier NX with JetPack 5.1.2, Python 3.8, torch 2.1.0\ntorch.cuda.is_available() False", "torch-2.1.0a0"),
        ("AGX Thor, JetPack 7.0, torch 2.8.0\ntorch.cuda.is_available() False", "whl/cu130"),
        ("Jetson Nano, JetPack 4.6.1\ntorch.cuda.is_available() is False", "l4t-pytorch:r32.7.1"),
    ],
)
def test_a_ticket_gets_its_build(text: str, holds: str) -> None:
    ticket = judged_input(Input("ticket", text.encode())).ticket
    assert ticket.causes[0].key == "jetson-generic-wheel"
    assert any(holds in line for _, line in remedy_lines(ticket.remedies[0], ticket.system))
