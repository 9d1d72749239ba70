"""The index of rules says of each what its file says, and a check imports no rule whose sections are not there."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from gpudoctor.diagnosis.diagnose import _arguments, _is_of
from gpudoctor.diagnosis.occasion import has_occasion
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.scene import scene_of
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.wish import Wish
from gpudoctor.inference.infer import infer
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.declare import Rule
from gpudoctor.rules.load import IndexedRule, declared_in, load_rules, rule_files
from gpudoctor.rules.recorded import recorded_rules
from tests.cases.load import cases

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from rule_index import FILE, rule_index

IN_TEXT = "import sys; from gpudoctor.rules.load import load_rules; {}; print(*sorted(sys.modules), sep='\\n')"
SAID = tuple(name for name in IndexedRule.__struct_fields__ if name != "function")


def lines(raw: bytes) -> set[bytes]:
    return {line.rstrip(b",") for line in raw.splitlines()}


def test_few_files_are_newer_than_the_index():
    """A file that is newer is imported in every check: slower, and right."""
    stale = lines(rule_index()) - lines(FILE.read_bytes())
    assert len(stale) <= len(load_rules()) / 10, "run scripts/compile_knowledge"


def test_a_rule_is_what_its_file_declares():
    declared = {rule.code: rule for module, _ in rule_files() for rule in declared_in(module)}
    declared |= {rule.code: rule for rule in recorded_rules()}
    for rule in load_rules():
        assert [getattr(rule, name) for name in SAID] == [getattr(declared[rule.code], name) for name in SAID]
        assert rule.manual == declared[rule.code].manual
    assert declared.keys() == {rule.code for rule in load_rules()}


@pytest.mark.parametrize(
    ("used", "rules"),
    [("load_rules()", 0), ("next(one for one in load_rules() if one.name == 'xid-79').manual", 1)],
)
def test_a_rule_is_imported_when_it_is_used(used, rules):
    shown = subprocess.run([sys.executable, "-c", IN_TEXT.format(used)], capture_output=True, text=True, check=True)
    files = {module for module, _ in rule_files()}
    stale = len(lines(rule_index()) - lines(FILE.read_bytes()))
    assert rules <= len(files & set(shown.stdout.split())) <= rules + stale


def without_occasion(snapshot: Snapshot) -> list[tuple[Rule, dict[str, object]]]:
    always = {"matrix": load_matrix(), "wish": Wish(), "scene": scene_of(snapshot)}
    systems = SnapshotView(snapshot).systems
    rules = [rule for rule in load_rules() if not (_is_of(rule, systems) and has_occasion(rule, snapshot, Wish()))]
    found = ((rule, _arguments(rule, snapshot, always)) for rule in rules)
    return [(rule, given) for rule, given in found if isinstance(given, dict)]


def only_named(snapshot: Snapshot) -> Snapshot:
    """The same, its GPUs known by name only, as a ticket states them."""
    if not isinstance(snapshot.gpus, Gpus):
        return snapshot
    named = tuple(Gpu(vendor=gpu.vendor, name=gpu.name, capability=gpu.capability) for gpu in snapshot.gpus.devices)
    return structs.replace(snapshot, gpus=structs.replace(snapshot.gpus, devices=named))


def test_a_rule_without_occasion_would_find_nothing():
    met = set()
    for case in cases():
        snapshot = infer(case.snapshot(), load_matrix())
        for one in (snapshot, only_named(snapshot)):
            for rule, given in without_occasion(one):
                assert list(rule.check(**given)) == [], (case.id, rule.name)
                met.add(rule.name)
    assert met >= {rule.name for rule in load_rules() if rule.when}
    assert met >= {"wsl1", "win-dll-126", "macos-no-cuda"}, "other systems' rules"


def test_the_index_is_plain_data():
    rows = msgspec.json.decode(FILE.read_bytes())
    assert all(set(row) == {"size", "rules"} for row in rows.values())


def test_no_rule_brings_the_solver_until_it_has_a_fix_to_make():
    """A check imports the rules that may find something; the solver is a third as much again."""
    every = "; ".join(f"import {module}" for module, _ in rule_files())
    shown = subprocess.run([sys.executable, "-c", IN_TEXT.format(every)], capture_output=True, text=True, check=True)
    assert not {"gpudoctor.plan.solve", "gpudoctor.plan.extension_for"} & set(shown.stdout.split())
