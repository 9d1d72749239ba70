"""What a reporter dismisses points to nothing; an error that ends a program outranks notices."""

import pytest

from gpudoctor.examine.judging import criteria_of
from gpudoctor.examine.tickets import contents_of
from gpudoctor.examine.triage import ticket
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.dismissed import without_dismissed
from gpudoctor.tickets.read import ingest

DISMISSED = [
    "my video card isn't detected but that was never a problem",
    "CUDA is not available, but that is fine",
    "libnvinfer was not found, which can be ignored",
    "CUDA is not available, but it doesn't matter for this",
    "NUMA node read from SysFS had negative value (-1), but that's harmless",
    "I know cudnn is missing but this is not the issue",
]
SAID = [
    "The GPU is not detected and it is a problem",
    "cuda is not available and this is not normal",
    "nvidia-smi shows no devices but it works fine",
    "The driver is fine but CUDA is not found",
    "it says GPU not found though it should be fine",
    "CUDA error: out of memory, and nothing is a problem",
]
NOTICE = "No supported Nvidia GPU found"
NUMA = (
    "Could not identify NUMA node of platform GPU ID 0, defaulting to 0. "
    "Your kernel may not have been built with NUMA support."
)
OWN = "NotADirectoryError: [Errno 20] Not a directory: 'voice.mp3'"


@pytest.mark.parametrize("line", DISMISSED)
def test_what_is_dismissed_is_left_out(line):
    left = without_dismissed(f"It fails.\n{line}.\nThe end")
    assert not any(word in left for word in ("not", "isn't", "missing"))
    assert left.count("\n") == 2


@pytest.mark.parametrize("line", SAID)
def test_what_is_complained_of_stays(line):
    assert without_dismissed(line) == line


@pytest.mark.parametrize(
    ("text", "is_subject"),
    [
        (f"It stops\n{NOTICE}\n{OWN}", True),
        (f"It stops\n{NUMA}\nCheck failed: IsAligned() ptr = 0x3", True),
        (f"{NOTICE}\n{OWN}", False),
        (f"It stops\n{NOTICE}\nRuntimeError: this needs a GPU", False),
        (f"It stops\nRuntimeError: CUDA error: out of memory\n{OWN}", False),
        (f"It stops\n{NUMA}", False),
    ],
)
def test_the_error_that_ends_a_program_is_what_the_text_is_about(text, is_subject, tmp_path):
    error = contents_of(ingest(text.encode(), load_matrix())).error
    assert bool(error and error.is_subject) is is_subject
    file = tmp_path / "ticket.md"
    file.write_text(text)
    causes = ticket(str(file), criteria_of((), (), (), None)).causes
    assert not (is_subject and any(one.weight >= 0.3 for one in causes))
