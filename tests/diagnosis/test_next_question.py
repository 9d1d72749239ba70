"""What the reporter is asked next: something that can be typed where they are, and that is not known yet."""

import re

import msgspec
import pytest

from gpudoctor.diagnosis.answered import is_answered, is_known
from gpudoctor.diagnosis.next_question import LIKELY, SETTLED, Asked, next_question
from gpudoctor.diagnosis.ranking import Candidate
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, LibraryCopy, Toolkit, Toolkits
from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.facts.snapshot import Doctor, Snapshot
from gpudoctor.facts.system import Environ, System
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.answers import answers, answers_shown

GAP = Gap(reason="the text does not state it")
PASTED = Snapshot(gpus=None, driver=None, frameworks=None, libraries=GAP, environ=GAP)


def test_a_text_that_decides_nothing_is_answered_with_a_look_at_everything():
    question = next_question(PASTED, ())
    assert question is not None
    # No package of that name is promised to be on an index.
    assert question.ask == "gpudoctor report --static"


def test_who_sent_a_snapshot_is_not_asked_to_look_again():
    assert next_question(msgspec.structs.replace(PASTED, doctor=Doctor(version="0.1.0")), ()) is None


def test_two_machines_in_one_text_are_told_apart_by_the_reporter():
    question = next_question(PASTED, (), disputed=("driver.release", "driver.cuda"))
    assert question is not None and "which of them fails" in question.ask


def test_who_names_a_program_is_asked_its_own_question():
    question = next_question(PASTED, (), asked=Asked(system="linux", program="kubernetes"))
    assert question is not None and question.ask.startswith("kubectl describe node")


def found(weight, state="found"):
    return (Candidate(key="torch-cpu-only", code="FRM001", words="x", weight=weight, state=state),)


@pytest.mark.parametrize(
    ("causes", "asks"),
    [
        (found(SETTLED), False),
        (found((SETTLED + LIKELY) / 2), False),
        (found(LIKELY / 2), True),
        (found(SETTLED, state="open"), False),
        ((Candidate(key="harmless", words="x", weight=0.1, state="open"),), False),
        ((), True),
    ],
)
def test_what_is_settled_or_likely_is_asked_no_further(causes, asks):
    assert (next_question(PASTED, causes) is not None) is asks


def made_by(vendor):
    return Gpus(devices=(Gpu(vendor=vendor),))


def built(name, variant):
    return Frameworks(found=(Framework(name=name, version="2.6.0", variant=variant),))


COLLECT, SMI = "python -m torch.utils.collect_env", "nvidia-smi"


@pytest.mark.parametrize(
    ("sections", "starts"),
    [
        ({"gpus": GAP}, SMI),
        ({"gpus": made_by("nvidia"), "driver": GAP}, SMI),
        ({"gpus": made_by("amd"), "driver": GAP}, "rocminfo"),
        ({"gpus": made_by("apple"), "driver": GAP}, "gpudoctor report"),
        ({"frameworks": GAP}, "pip list"),
        ({"frameworks": built("torch", None)}, COLLECT),
        ({"frameworks": built("torch", "cuda")}, "gpudoctor report"),
        ({"frameworks": built("jax", None)}, "gpudoctor report"),
    ],
)
def test_what_is_not_stated_is_asked_for(sections, starts):
    question = next_question(msgspec.structs.replace(PASTED, **sections), ())
    assert question is not None and question.ask.startswith(starts), question


#: A list of packages that is searched, what is stated, and whether that answers it.
LISTS = [
    ("pip list | grep -i -E 'flash|^torch '", {"torch": "2.6.0", "flash-attn": "2.7.0"}, True),
    ("pip list | grep -i -E 'flash|^torch '", {"torch": "2.6.0"}, False),
    ('pip list | findstr /i "torch xformers"', {"torch": "2.1.2", "xformers": "0.0.25"}, True),
    ("python -m pip list | grep -i cudnn", {"torch": "2.1.2"}, False),
]


@pytest.mark.parametrize(("ask", "stated", "answered"), LISTS)
def test_what_is_stated_is_not_asked_for(ask, stated, answered):
    found = Frameworks(found=tuple(Framework(name=name, version=version) for name, version in stated.items()))
    snapshot = msgspec.structs.replace(PASTED, frameworks=found)
    assert is_answered(ask, snapshot) is answered


def named(name):
    return {"gpus": Gpus(devices=(Gpu(vendor="nvidia", name=name),))}


TORCH = 'python -c "import torch; print(torch.__version__, torch.version.cuda)"'
XPU = "python -c 'import torch; print(torch.__version__, torch.xpu.is_available())'"
CAPABILITY = "nvidia-smi --query-gpu=name,compute_cap --format=csv"
TOOLKIT = Toolkits(found=(Toolkit(root="?", version=CudaVersion.parse("11.8")),))
FILES = Libraries(copies=(LibraryCopy(family="cudnn", soname="libcudnn.so.8", path="/usr/lib/libcudnn.so.8"),))
#: Part of a question, the facts that are stated, and whether they answer it.
FACTS = [
    (CAPABILITY, named("NVIDIA GeForce RTX 2080 Ti"), True),
    (CAPABILITY, named("NVIDIA Graphics Device"), False),
    (CAPABILITY, {}, False),
    ("nvcc --version | tail -2", {"toolkits": TOOLKIT}, True),
    ("nvcc --version", {"toolkits": Toolkits()}, False),
    ("which -a nvcc", {"toolkits": TOOLKIT}, False),
    ("python --version", {"interpreter": Interpreter(executable="python", chosen_by="report", version="3.9.7")}, True),
    ("uname -r", {"host": System(os="linux", kernel="6.8.0-31-generic")}, True),
    ("cat /etc/os-release", {"host": System(os="linux", distribution_version="22.04")}, True),
    ("cat /etc/os-release", {"host": System(os="linux")}, False),
    ('echo "$LD_LIBRARY_PATH"', {"environ": Environ(variables={"LD_LIBRARY_PATH": "/opt/lib"}, excerpt=True)}, True),
    ("echo $env:CUDA_PATH", {"environ": Environ(variables={"CUDA_HOME": "/opt"}, excerpt=True)}, False),
    ("find / -name 'libcudnn*.so*' 2>/dev/null | head", {"libraries": FILES}, True),
    ("find / -name 'libcudnn*.so*' 2>/dev/null | head", {"libraries": Libraries(excerpt=True)}, False),
    (
        'python -c "import torch; print(torch.__version__, torch.version.cuda)"',
        {"frameworks": built("torch", "cuda")},
        True,
    ),
]


@pytest.mark.parametrize(("ask", "sections", "answered"), FACTS)
def test_the_facts_answer(ask, sections, answered):
    assert is_answered(ask, msgspec.structs.replace(Snapshot(), **sections)) is answered


#: A text, a part of a question, and whether the text shows the answer.
SHOWN = [
    ("I ran `pip install foo-gpu`", "how the package was installed", True),
    ("I ran `pip install -r requirements.txt`", "how the package was installed", False),
    ("$ poetry run pip install llama-cpp-python==0.2.80", "pip list | grep llama", True),
    ("requires llama-cpp-python==0.2.80", "pip list | grep llama", False),
    ("Docker version 24.0.7, build afdd53b", "docker --version", True),
    ("I use docker on 2 machines", "docker --version", False),
    ("me@box:~$ ls -l /dev/nvidia*\nls: cannot access", "ls /dev/nvidia*", True),
    (
        '  File "train.py", line 9, in <module>\n    net = net.cuda()',
        "the line of your program that the traceback names",
        True,
    ),
]


@pytest.mark.parametrize(("text", "ask", "answered"), SHOWN)
def test_a_text_answers(text, ask, answered):
    assert is_answered(ask, Snapshot(), answers_shown(text)) is answered


def test_each_row_of_the_table_can_be_used():
    for row in answers():
        re.compile(row.asked)
        assert row.facts or row.shown, row
        is_answered(row.asked, Snapshot())
        for name in row.facts:
            is_known(name, SnapshotView(PASTED))
