"""What xformers' warning says it was built for, and what is there: which of the pairs differ is the cause."""

from pathlib import Path

import pytest

from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.triage import judged_tickets

WARNING = """WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:
    PyTorch {built} with CUDA {cuda} (you have {own})
    Python  {python} (you have {own_python})
Ubuntu 22.04, RTX 3090"""


def ticket(tmp_path: Path, *pairs):
    names = ("built", "cuda", "own", "python", "own_python")
    file = tmp_path / "ticket.md"
    file.write_text(WARNING.format(**dict(zip(names, pairs, strict=True))))
    (found,) = judged_tickets([str(file)], criteria_of((), (), (), None), 1)
    return found


@pytest.mark.parametrize(
    ("pairs", "cause", "words"),
    [
        (("2.4.0+cu121", "1201", "2.4.0+cu121", "3.11.9", "3.10.4"), "package-of-another-python", "Python 3.11"),
        (("2.4.0+cu121", "1201", "2.4.0+cpu", "3.10.9", "3.10.4"), "torch-cpu-only", "CPU-only"),
        (("2.4.0+cu121", "1201", "2.3.1+cu121", "3.10.9", "3.10.4"), "ext-abi-mismatch", "built for torch 2.4.0"),
        (("2.4.0+cu118", "1108", "2.4.0+cu121", "3.10.9", "3.10.4"), "ext-abi-mismatch", "built for CUDA 11.8"),
    ],
)
def test_what_differs_is_the_cause(pairs, cause, words, tmp_path: Path):
    found = ticket(tmp_path, *pairs)
    first = found.causes[0]
    assert first.key == cause and words in first.words
    if cause != "ext-abi-mismatch":
        assert "ext-abi-mismatch" in {one.key for one in found.ruled_out}
        assert "ext-abi-mismatch" not in {one.key for one in found.causes}


def test_another_python_is_likely_and_its_remedy_leaves_torch(tmp_path: Path):
    found = ticket(tmp_path, "2.4.0+cu121", "1201", "2.4.0+cu121", "3.11.9", "3.10.4")
    assert found.findings[0].confidence == "likely"
    assert "--no-deps" in str(found.remedies[0])
