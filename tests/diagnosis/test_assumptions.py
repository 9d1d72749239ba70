"""A ticket that states no GPU: what would be found if there were one of NVIDIA's."""

import pytest

from gpudoctor.diagnosis.assumptions import findings_with_gpu
from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.triage import ticket
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules

CPU_BUILD = Frameworks(found=(Framework(name="torch", version="2.6.0+cpu", variant="cpu"),))


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ({"host": System(os="linux")}, ["torch-cpu-only"]),
        # No CUDA there; it was looked, and there is none; it is stated, so nothing need be supposed.
        ({"host": System(os="macos")}, []),
        ({"host": System(os="linux"), "gpus": None}, []),
        ({"host": System(os="linux"), "gpus": Gpus(devices=(Gpu(vendor="nvidia"),))}, []),
    ],
)
def test_findings_that_wait_for_a_gpu(sections, expected):
    found = findings_with_gpu(Snapshot(frameworks=CPU_BUILD, **sections), load_matrix(), load_rules())
    assert [one.name for one in found if one.severity == "error"] == expected


def test_a_list_of_packages_alone_names_a_cause(tmp_path):
    text = tmp_path / "ticket.txt"
    text.write_text(
        "torch==2.12.0.dev20260323+cu130\nnvidia-cublas==13.1.0.3\nnvidia-cublas-cu12==12.8.4.1\n"
        "nvidia-cudnn-cu12==9.19.0.56\nnvidia-cudnn-cu13==9.20.0.48\n"
    )
    (first, *_) = ticket(str(text), criteria_of((), (), (), None)).causes
    assert (first.key, first.state) == ("cuda-major-mix", "open")


def test_what_only_hides_a_gpu_is_no_reason_why_an_import_fails(tmp_path):
    text = tmp_path / "ticket.txt"
    failed = "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: A dynamic link library (DLL)"
    text.write_text(f"Windows 11, tensorflow 2.17.0\n{failed} initialization routine failed.\n")
    assert "tf-windows-native" not in [one.key for one in ticket(str(text), criteria_of((), (), (), None)).causes]
