"""The same snapshot has the same report, byte for byte: again, after a way through JSON, and in another process.

The other process hashes text with another seed, so that an order taken from a set would show.
"""

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.base import Gap
from gpudoctor.facts.codec import decode_snapshot, encode
from gpudoctor.facts.snapshot import SECTIONS, Doctor
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.report.json import render_json
from gpudoctor.report.terminal import Style, render_terminal
from gpudoctor.report.view import view_of
from gpudoctor.rules.load import load_rules
from tests import whole
from tests.cases.load import cases

COUNT = 1000
SEED = 20261121
ROOT = Path(__file__).resolve().parents[2]
STYLE = Style(width=100, unicode=True, verbosity=1)


def machines():
    """Whole machines, healthy and not: of the cases, and of every card with several drivers and frameworks."""
    yield from (case.snapshot() for case in cases())
    cards = {"Tesla K80": "3.7", "Tesla V100-SXM2-16GB": "7.0", "NVIDIA A100-SXM4-40GB": "8.0", "NVIDIA B200": "10.0"}
    builds = (("torch", "2.6.0+cu124"), ("torch", "2.7.0+cpu"), ("tensorflow", "2.19.1"), ("torch", "9.0.0+cu150"))
    for card, capability in cards.items():
        for release in ("470.256.02", "535.54.03", "580.65.06"):
            for name, version in builds:
                gpus = [whole.gpu(card, capability, index=index) for index in range(2)]
                yield whole.machine(gpus, whole.driver(release), [whole.framework(name, version)])


def snapshots():
    """`COUNT` machines, most of them with sections of another one, or with sections absent or not seen."""
    draw = random.Random(SEED)
    sound = list(machines())
    for number in range(COUNT):
        snapshot = sound[number % len(sound)]
        changed = {}
        for name in draw.sample(SECTIONS, draw.randrange(1, 5)) if number >= len(sound) else ():
            other = getattr(draw.choice(sound), name)
            changed[name] = draw.choice((other, other, other, None, Gap(reason="permission denied")))
        yield msgspec.structs.replace(snapshot, doctor=Doctor(version="0"), **changed)


def judged(snapshot):
    """The diagnosis, and a digest of the reports for people and for scripts."""
    diagnosis = diagnose(snapshot, load_matrix(), load_rules())
    report = report_of(snapshot, diagnosis, matrix_edition=load_matrix().edition)
    shown = render_terminal(view_of(report), STYLE)
    return diagnosis, hashlib.sha256(render_json(report) + shown.encode()).hexdigest()


def digests_of_lines(stream):
    """One digest for each snapshot in JSON, a line each."""
    return [judged(decode_snapshot(line))[1] for line in stream]


@pytest.fixture(scope="module")
def passes(tmp_path_factory):
    """The snapshots, their diagnoses and digests, the digests of a second pass, and those of another process."""
    file = tmp_path_factory.mktemp("determinism") / "snapshots.jsonl"
    made = list(snapshots())
    file.write_bytes(b"".join(encode(one) + b"\n" for one in made))
    other = subprocess.Popen(
        [sys.executable, "-m", "tests.diagnosis.test_determinism", str(file)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        stdout=subprocess.PIPE,
        text=True,
    )
    first = [judged(one) for one in made]
    second = [judged(one)[1] for one in made]
    elsewhere = other.communicate()[0].split()
    assert other.returncode == 0
    return first, second, elsewhere


def test_the_snapshots_vary(passes):
    first, _, _ = passes
    assert len({digest for _, digest in first}) > COUNT * 0.8
    assert len({finding.code for diagnosis, _ in first for finding in diagnosis.findings}) > 60


def test_the_same_snapshot_has_the_same_report(passes):
    first, second, _ = passes
    assert [digest for _, digest in first] == second


def test_after_a_way_through_json_and_in_another_process(passes):
    first, _, elsewhere = passes
    differing = [number for number, (one, other) in enumerate(zip(first, elsewhere, strict=True)) if one[1] != other]
    assert not differing, f"{len(differing)} of {COUNT}, the first is number {differing[0]}"


def test_no_rule_crashes_on_any_mixture_of_sections(passes):
    crashed = {crash.code: crash.traceback for diagnosis, _ in passes[0] for crash in diagnosis.crashed}
    assert not crashed, "\n".join(crashed.values())


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as stream:
        sys.stdout.write("\n".join(digests_of_lines(stream)))
