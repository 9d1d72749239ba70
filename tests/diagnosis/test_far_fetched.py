"""A cause whose need nobody states, or of a framework with which nothing computes, is an idea at most."""

import pytest

from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.triage import ticket

CONFLICT = "tensorflow-cpu 2.15.0.post1 requires ml-dtypes~=0.2.0, but you have ml-dtypes 0.3.2 which is incompatible."
SMI = (
    "| NVIDIA-SMI 545.23.08    Driver Version: 545.23.08  CUDA Version: 12.3 |\n"
    "|   0  NVIDIA GeForce GTX 1080 Ti  Off |"
)


def causes_of(text, folder):
    file = folder / "ticket.md"
    file.write_text(text)
    return {one.key: one.weight for one in ticket(str(file), criteria_of((), (), (), None)).causes}


@pytest.mark.parametrize(
    ("text", "cause", "at_most"),
    [
        ("All losses are NaN", "gtx16-half-precision", 0.25),
        ("All losses are NaN on my GTX 1660", "gtx16-half-precision", 0.7),
        (f"GPU not recognized\nlocalcolabfold sees no GPU\n{CONFLICT}\n{SMI}", "tf-cpu-only", 0.25),
        (f"GPU not recognized\ntensorflow sees no GPU\n{CONFLICT}\n{SMI}", "tf-cpu-only", 1.0),
    ],
)
def test_it_does_not_lead(text, cause, at_most, tmp_path):
    weight = causes_of(text, tmp_path).get(cause, 0.0)
    assert weight <= at_most
    assert weight > 0.25 or at_most == 0.25
