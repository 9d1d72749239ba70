"""Which build an install command in a text stands for: by its tag, its index, or the installer's default."""

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.read import ingest

CU124 = "https://download.pytorch.org/whl/cu124"
STABLE = "https://download.pytorch.org/whl/torch_stable.html"

#: A text, and the version, variant and CUDA of the framework that it installs; None where it states none.
TEXTS = {
    "the index tells the build": (f"pip install torch==2.6.0 --index-url {CU124}", ("2.6.0+cu124", "cuda", "12.4")),
    "the tag tells it": ("pip install torch==2.6.0+cpu", ("2.6.0", "cpu", None)),
    "PyTorch's old page": (f"pip install torch===1.3.0 -f {STABLE}", ("1.3.0", "cuda", None)),
    "the package index's own build": (
        "platform: Linux-5.15.0-91-generic-x86_64-with-glibc2.35\npip install torch==2.6.0",
        ("2.6.0+cu124", "cuda", "12.4"),
    ),
    "the same, where the processor is not known": ("On Windows 10: pip install torch==2.6.0", ("2.6.0", None, None)),
    "conda's toolkit": ("conda install pytorch==1.12.1 cudatoolkit=11.3 -c pytorch", ("1.12.1+cu113", "cuda", "11.3")),
    "TensorFlow": ("pip install tensorflow-gpu==2.4.0", ("2.4.0", "cuda", "11.0")),
    "two that differ": (f"pip install torch==2.6.0\npip install torch==2.5.1 --index-url {CU124}", None),
    "one that was taken away, and another": (
        f"pip install torch==2.6.0\npip uninstall torch\npip install torch==2.5.1 --index-url {CU124}",
        ("2.5.1+cu124", "cuda", "12.4"),
    ),
    "one that failed": ("pip install torch==2.6.0\nERROR: No matching distribution found for torch==2.6.0", None),
    "one that did nothing": (
        f"pip install torch --index-url {CU124} but it says Requirement already satisfied",
        None,
    ),
    "one beside which others were there": (
        f"pip install torch==2.6.0 --index-url {CU124}\nRequirement already satisfied: numpy in /x",
        ("2.6.0+cu124", "cuda", "12.4"),
    ),
    "one that is wished for": ("Maybe I should pip install torch==2.6.0", None),
    "no framework": ("pip install numpy==1.26.4", None),
}


def installed(text):
    found = ingest(text.encode(), load_matrix()).snapshot.frameworks
    one = next((one for one in getattr(found, "found", ()) if one.name in ("torch", "tensorflow")), None)
    return one and (one.version, one.variant, str(one.cuda) if one.cuda else None)


@pytest.mark.parametrize("name", TEXTS)
def test_what_a_command_installs(name):
    text, expected = TEXTS[name]
    assert installed(text) == expected


def test_a_version_that_a_person_writes_has_no_tag():
    assert installed("Windows 10\nrtx3080\npython 3.12.8\ntorch 2.5.0")[1] is None
