"""The resolved threads: each is whole, and a text's own kind is found among the others."""

import datetime
import re
from pathlib import Path

from gpudoctor.knowledge import threads
from gpudoctor.knowledge.causes import all_causes
from gpudoctor.knowledge.recognition import recognise
from gpudoctor.knowledge.threads import Thread, _index, features_of, similar_threads
from gpudoctor.redact.redactor import Door
from gpudoctor.rules.load import load_rules
from tests.tickets.stated import FOLDER, STATED

THREADS = _index().rows


def test_each_line_is_whole():
    known = {rule.name for rule in load_rules()} | set(all_causes())
    for one in THREADS:
        assert re.fullmatch(r"https://\S+", one.address), one
        assert datetime.date.fromisoformat(one.read) and one.cause in known, one
        assert one.features, f"{one.address} is found by nothing"
    assert len({one.address for one in THREADS}) == len(THREADS) >= 600


def test_nobody_is_named():
    """The lines are what programs printed on somebody's machine."""
    source = Path(threads.__file__).with_suffix(".tsv")
    lines = [line.split("\t")[4] for line in source.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    assert len(lines) == len(THREADS)
    assert [line for line in lines if Door().text(line) != line] == []


def others_like(name: str) -> tuple[Thread, ...]:
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8", errors="replace")
    found = recognise(text)
    texts = (text.lstrip().split("\n", 1)[0], *(one.text for one in found[:4]))
    return tuple(
        one for one in similar_threads((one.signature for one in found), *texts) if one.address != STATED[name]["url"]
    )


def test_most_threads_found_for_another_one_had_its_cause():
    rows = [(others_like(name)[:3], row["cause"]) for name, row in STATED.items() if row["cause"]]
    answered = [(found, causes) for found, causes in rows if found]
    right = [1 for found, causes in answered if any(one.cause in causes for one in found)]
    assert len(answered) >= 0.5 * len(rows)
    assert len(right) >= 0.7 * len(answered)


def test_words_that_every_text_has_find_nothing():
    assert not similar_threads((), "it does not work, what can I do with this error")
    assert not similar_threads((), "")
    # What every command that failed prints is no kinship.
    failed = "Command '['dnf', 'install', '-y', 'kernel-devel-4.18.0']' returned non-zero exit status 1."
    assert not similar_threads((), f"subprocess.CalledProcessError: {failed}")
    assert features_of(("cuda-oom",), "The GPU, an RTX 3090 and a Tesla V100") == {
        "@cuda-oom",
        *("gpu", "rtx", "3090", "tesla", "v100"),
    }
