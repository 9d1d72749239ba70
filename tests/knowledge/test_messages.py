"""Each record of a message: it recognises its examples, no unrelated message does, and what is loaded is current."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from knowledge_files import compiled, records
from needles import NoWords, needles_of

from gpudoctor.knowledge.causes import causes_without_rule
from gpudoctor.knowledge.message import message_of, messages, numbers_by_needle
from gpudoctor.knowledge.recognition import recognise
from gpudoctor.rules.load import load_rules

RECORDS = {record.id: record for record in records()}
EXAMPLES = [(line, record) for record in RECORDS.values() for line in record.examples]
UNLIKE = [(line, record.id) for record in RECORDS.values() for line in record.unlike]
RULES = {rule.name for rule in load_rules()}


def recognised(line):
    return {symptom.signature for symptom in recognise(line)}


COMPILED = compiled()


@pytest.mark.parametrize("file", COMPILED, ids=[file.name for file in COMPILED])
def test_what_is_loaded_was_made_of_the_records(file):
    assert file.read_bytes() == COMPILED[file], "run scripts/compile_knowledge"


@pytest.mark.parametrize(("line", "record"), EXAMPLES, ids=[f"{record.id}:{line[:30]}" for line, record in EXAMPLES])
def test_an_example_is_recognised_and_by_no_unrelated_message(line, record):
    found = recognised(line)
    assert record.id in found
    causes = causes_of_message(record.id)
    others = {name for name in found - {record.id, *record.beside} if not causes & causes_of_message(name)}
    assert not others, "another cause: narrow a pattern, or name the message under `beside`"


def causes_of_message(name):
    return {cause.key for cause in message_of(name).causes}


#: Names that keep their own spelling at the beginning of a sentence.
SPELT_SMALL = (
    *("bitsandbytes", "cuBLAS", "cuDNN", "flash-attn", "ldconfig", "llama.cpp", "nvidia-smi", "ptxas", "torch.compile"),
    *("torchvision", "vLLM", "xformers"),
)


@pytest.mark.parametrize(("line", "name"), UNLIKE)
def test_what_sounds_alike_is_something_else(line, name):
    assert name not in recognised(line)


#: By id of a message, the words of which one is in each of its lines.
NEEDLES: dict[str, list[str]] = {row.id: [] for row in messages()}
for _needle, _numbers in numbers_by_needle().items():
    for _number in _numbers:
        NEEDLES[messages()[_number].id].append(_needle)


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_a_record_is_whole(record):
    message = message_of(record.id)
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", record.id)
    assert record.examples, "a line as the program prints it"
    assert record.meaning, "what it means, in one sentence"
    assert record.meaning[0].isupper() or record.meaning.startswith(SPELT_SMALL)
    assert record.meaning.endswith(".")
    assert record.ask, "the command or fact that decides"
    assert record.source.startswith("https://")
    assert record.reported_by is None or record.reported_by in RULES
    assert message.causes, "what causes it: strong, usual, possible or rare"
    assert {cause.key for cause in message.causes} <= RULES | set(causes_without_rule())
    needles = NEEDLES[record.id]
    assert needles
    assert all(needle == needle.lower() and len(needle.encode()) >= 3 for needle in needles)


def test_an_id_is_given_once():
    assert len(RECORDS) == len(records()) == len(messages())


def test_a_cause_is_described_once():
    """A rule's words stand in the rule; the others are in causes.toml."""
    assert not RULES & set(causes_without_rule())


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("torch not compiled", {"torch not compiled"}),
        (r"no (?:gpu|cuda device)s? found", {"no gpu found", "no gpus found", "no cuda device f", "no cuda devices "}),
        (r"nccl[^\n]{0,60}timed ?out", {"timed out", "timedout"}),
        (r"\w+_status_[a-z]+ failed", {"_status_"}),
        (r"(?=cuda)\bcudnn\b|libcu\w+", {"cudnn", "libcu"}),
        (r"xid \d+|nvrm", {"xid ", "nvrm"}),
    ],
)
def test_the_words_that_a_pattern_demands(pattern, words):
    assert {word[:16] for word in needles_of(pattern)} == {word[:16] for word in words}


@pytest.mark.parametrize("pattern", [r"\d+", "a|torch", r"(?:cuda)?", r"cu\w+"])
def test_a_pattern_without_a_word(pattern):
    with pytest.raises(NoWords):
        needles_of(pattern)
