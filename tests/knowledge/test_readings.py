"""Messages that pasting, Markdown, HTML and terminals have changed, and what only looks like one of them."""

import pytest

from gpudoctor.examine.tickets import Input, subject_of
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.readings import other_readings, plain_words
from gpudoctor.knowledge.recognition import recognise

NO_DRIVER = "Found no NVIDIA driver on your system"
CHANGED = {
    "Found no  NVIDIA   driver on your system": "no-nvidia-driver",
    "it says Found no NVIDIA\u00a0 driver on your system": "no-nvidia-driver",
    "Found no **NVIDIA driver** on your system": "no-nvidia-driver",
    "Found no *NVIDIA* driver on `your system`": "no-nvidia-driver",
    "Found no\u200b NVIDIA dri\u00adver on your system": "no-nvidia-driver",
    "RuntimeError: CUDA error: no kernel image is **available** for execution on the device": "no-kernel-image",
    "RuntimeError: CUDA error: no kernel image is&nbsp;available": "no-kernel-image",
    r"could not select device driver \"\" with capabilities: [[gpu]]": "docker-no-gpu-driver",
    "could not select device driver &quot;&quot; with capabilities: [[gpu]]": "docker-no-gpu-driver",
    "could not select device driver &amp;quot;&amp;quot; with capabilities: [[gpu]]": "docker-no-gpu-driver",
    "could not select device driver \u201c\u201d with capabilities: [[gpu]]": "docker-no-gpu-driver",
    r"could not select device driver \"\" with capabilities: \[\[gpu\]\]": "docker-no-gpu-driver",
    "No module named \u2018torch\u2019": "module-not-found",
}
WRAPPED = {
    # A terminal of 80 columns.
    "RuntimeError: CUDA error on rank 0 of the job that runs here: no kernel image is\n"
    " available for execution on the device": "no-kernel-image",
    "RuntimeError: CUDA error on rank 0 of the job that ran here: no kernel image is \n"
    "available for execution on the device": "no-kernel-image",
    "RuntimeError: CUDA error on rank 0 of the jobs, which are two: no kernel image i\n"
    "s available for execution on the device": "no-kernel-image",
    # A mail.
    "When I start the program it tells me that it found no NVIDIA\n"
    "driver on your system, and then it ends.": "no-nvidia-driver",
}
OTHERS = {
    # Lines of their own.
    "I looked for what is wrong: it is the card, found no NVIDIA.\nDriver on your system is old": "no-nvidia-driver",
    "2024-01-01 10:00:00 INFO worker: cuda error: there is no kernel\n"
    "2024-01-01 10:00:01 image is available": "no-kernel-image",
    # The columns of tables.
    "| 0  GeForce GTX 1080    Off  | 0000:02:00.0     Off |": "hybrid-told-off",
    "Found  no   NVIDIA   driver   on  your  system": "no-nvidia-driver",
}


@pytest.mark.parametrize(("text", "name"), [*CHANGED.items(), *WRAPPED.items()])
def test_it_is_recognised(text, name):
    assert name in [one.signature for one in recognise(text)]


@pytest.mark.parametrize(("text", "name"), OTHERS.items())
def test_it_is_something_else(text, name):
    assert name not in [one.signature for one in recognise(text)]


@pytest.mark.parametrize("text", [*CHANGED, *WRAPPED])
def test_the_quotation_and_its_line_are_those_of_the_text(text):
    contents = subject_of(Input("text", f"Hello\n\n{text}\nbye".encode()), load_matrix()).contents
    number, quoted = contents.quoted[0]
    assert number == 3
    assert quoted.split()[:2] == _words(text)[:2]


def _words(text: str) -> list[str]:
    """The words of its first line as the ticket's reader shows them: HTML's entities are signs there."""
    return text.split("\n", maxsplit=1)[0].replace("&nbsp;", " ").replace("\u200b", "").split()


def test_what_is_plain_has_no_other_reading():
    assert not list(other_readings(f"RuntimeError: {NO_DRIVER}.\n    at line 7\n"))
    assert plain_words(NO_DRIVER) == NO_DRIVER
