"""What holds for every rule on every machine: real failures with facts blanked at random, and another GPU beside."""

import random
import re

import msgspec
import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.base import Fact
from gpudoctor.facts.fix import Ask, Run, SetEnv, Write
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.live import Live
from gpudoctor.facts.snapshot import SECTIONS, Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from tests.cases.load import cases
from tests.rules.broken_machines import MACHINES
from tests.rules.needs import listed, not_as_listed
from tests.rules.situations import gpu

MATRIX, RULES, CASES = load_matrix(), load_rules(), cases()
#: How many times each machine of the cases is judged, with other facts blanked each time.
TURNS = 3
SEED = 7
#: Commands that only root may run to an effect.
ROOT_ONLY = re.compile(
    r"^(modprobe|rmmod|systemctl|apt|apt-get|dnf|zypper|pacman|update-initramfs|dracut|dkms|mokutil|ldconfig|nvidia-modprobe"
    r"|nvidia-smi (.* )?(--gpu-reset|-r|-pl|-pm|-c|-mig|-e|--ecc-config)|rm -r /var|ln -s .* /usr|usermod)\b"
)
#: Lists whose order says nothing: what is found must not depend on it.
UNORDERED = (
    ("gpus", "devices"),
    ("frameworks", "found"),
    ("packages", "unmet"),
    ("packages", "overlaps"),
    ("packages", "damaged"),
    ("driver", "device_nodes"),
    ("driver", "dkms"),
    ("driver", "module_files"),
    ("driver", "packages"),
)
REBOOT = re.compile(r"(?<!or )\b([Rr]eboot|[Rr]estart (the|this) (computer|machine|host))\b")
#: Values of the program, or gaps where they were left out, in a sentence.
LEAK = re.compile(r"(?<!= )\b(None(?! of the )|UNSET|True|False)\b|(?<!\w)\(\)|\S  \S| ,|\{\w+\}")


def blanked(value, draw, share):
    """The fact with some of what is optional in it not seen (None); collections keep their items, blanked too."""
    if isinstance(value, tuple):
        return tuple(blanked(one, draw, share) for one in value)
    if not isinstance(value, Fact):
        return value
    changed = {}
    for field in msgspec.structs.fields(value):
        old = getattr(value, field.name)
        if old is not None and field.default is None and draw.random() < share:
            changed[field.name] = None
        elif old is not None:
            changed[field.name] = blanked(old, draw, share)
    return msgspec.structs.replace(value, **changed)


def with_blanks(snapshot, draw, share):
    return msgspec.structs.replace(
        snapshot, **{name: blanked(getattr(snapshot, name), draw, share) for name in SECTIONS}
    )


def judged(snapshot):
    diagnosis = diagnose(snapshot, MATRIX, RULES)
    assert not diagnosis.crashed, diagnosis.crashed[0].traceback
    return diagnosis.findings


def words_of(step):
    """What a step shows to a reader."""
    if isinstance(step, Run):
        return [*step.argv, *step.env, *step.env.values()]
    if isinstance(step, SetEnv):
        return [step.name, step.value or "unset"]
    return [step.path, step.text] if isinstance(step, Write) else [step.text]


def words(finding):
    """Everything a reader sees of a finding."""
    yield finding.summary
    if finding.subject is not None:
        yield finding.subject
    for evidence in finding.evidence:
        yield from (evidence.fact, evidence.value)
    for fix in finding.fixes:
        yield fix.title
        yield from (word for step in fix.steps for word in words_of(step))


def pasted(snapshot):
    """What the reporter wrote is shown as it was written."""
    return {one.text for one in snapshot.live.symptoms} if isinstance(snapshot.live, Live) else set()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_what_was_not_seen_is_neither_a_crash_nor_a_word(share):
    draw = random.Random(SEED)
    wrong = set()
    for case in CASES:
        snapshot = case.snapshot()
        for _ in range(TURNS if share else 1):
            for finding in judged(with_blanks(snapshot, draw, share)):
                assert finding.evidence, (case.id, finding.name)
                own = (text for text in words(finding) if text not in pasted(snapshot))
                wrong |= {(finding.name, text) for text in own if not text.strip() or LEAK.search(text)}
    assert not wrong, "\n".join(map(str, sorted(wrong)))


def test_the_facts_that_are_blanked_are_many():
    draw = random.Random(SEED)
    one = CASES[0].snapshot()
    assert blanked(one.driver, draw, 1.0) != one.driver
    assert msgspec.to_builtins(blanked(one.driver, draw, 0.0), enc_hook=str) == msgspec.to_builtins(
        one.driver, enc_hook=str
    )


def machines():
    """Every machine of the cases, and every broken one of the rules' own tables."""
    yield from ((case.id, case.snapshot()) for case in CASES)
    yield from ((name, Snapshot(**sections)) for name, (sections, _) in MACHINES.items())


def test_a_fix_says_when_it_needs_root_or_a_reboot():
    for name, snapshot in machines():
        for finding in judged(snapshot):
            for fix in finding.fixes:
                commands = [" ".join(step.argv) for step in fix.steps if isinstance(step, Run)]
                told = " ".join([fix.title, *commands, *(step.text for step in fix.steps if isinstance(step, Ask))])
                where = (name, finding.name, fix.title)
                if any(ROOT_ONLY.search(command) for command in commands):
                    assert fix.needs_root, where
                if REBOOT.search(told) or fix.title.startswith(("Install a driver", "Install the NVIDIA driver")):
                    assert fix.needs_reboot or "Windows" in told, where
                    assert fix.needs_root or "Windows" in told, where


def test_what_fixes_need_is_what_the_list_says():
    assert not {row for _, snapshot in machines() for finding in judged(snapshot) for row in not_as_listed(finding)}


def test_the_list_of_needs_names_rules_that_there_are():
    assert {name for name, _ in listed()} <= {rule.name for rule in RULES}


def test_another_gpu_beside_it_hides_no_fault_of_a_gpu():
    """A rule that stops at the first GPU without the fault misses the second."""
    for case in CASES:
        snapshot = case.snapshot()
        if not isinstance(snapshot.gpus, Gpus) or not snapshot.gpus.devices:
            continue
        before = {(one.code, one.severity) for one in judged(snapshot) if one.code.startswith("GPU")}
        first = snapshot.gpus.devices[0]
        other = {"vendor": first.vendor, "name": first.name, "capability": first.capability, "refusals": ()}
        other |= {name: getattr(first, name) for name in ("persistence", "display_active", "virtualization")}
        beside = type(first)(**other, index=len(snapshot.gpus.devices), compute_mode="default")
        for devices in ((beside, *snapshot.gpus.devices), (*snapshot.gpus.devices, beside)):
            gpus = msgspec.structs.replace(snapshot.gpus, devices=devices)
            after = {(one.code, one.severity) for one in judged(msgspec.structs.replace(snapshot, gpus=gpus))}
            assert before <= after, case.id


def test_a_fault_of_a_gpu_is_found_behind_a_healthy_one():
    """On the broken machines of the rules' tables, where the finding names the GPU."""
    healthy = gpu(index=7)
    seen = set()
    for name, snapshot in machines():
        gpus = snapshot.gpus
        labels = {one.label for one in gpus.devices} if isinstance(gpus, Gpus) else set()
        before = {
            (one.code, one.subject) for one in judged(snapshot) if one.code.startswith("GPU") and one.subject in labels
        }
        if before:
            more = msgspec.structs.replace(gpus, devices=(healthy, *gpus.devices))
            after = {(one.code, one.subject) for one in judged(msgspec.structs.replace(snapshot, gpus=more))}
            assert before <= after, name
            seen |= {code for code, _ in before}
    assert len(seen) >= 5


def test_the_order_of_what_has_no_order_changes_no_finding():
    for name, snapshot in machines():
        before = {(one.code, one.severity) for one in judged(snapshot)}
        for section, field in UNORDERED:
            facts = getattr(snapshot, section)
            value = getattr(facts, field, None)
            if isinstance(value, tuple) and len(value) > 1:
                turned = msgspec.structs.replace(facts, **{field: value[::-1]})
                after = {
                    (one.code, one.severity) for one in judged(msgspec.structs.replace(snapshot, **{section: turned}))
                }
                assert after == before, (name, section, field)
