"""`gpudoctor fleet merge`: who differs in what, who is slow, who gave no answer, and what to do."""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpudoctor.facts.codec import to_plain
from gpudoctor.fleet.fix_plan import playbook_of
from gpudoctor.fleet.gather import Gathered
from gpudoctor.fleet.merge import bad_nodes
from gpudoctor.fleet.node_names import expanded
from gpudoctor.fleet.record import NoAnswer, NodeFix
from tests.e2e.command import gpudoctor
from tests.fleet.nodes import fleet, ill, lines, merged, merged_lines, node

SCRIPT = Path(__file__).parents[2] / "scripts" / "synthetic_fleet"


def differences(overview) -> dict[str, list[tuple[str, str | None, str]]]:
    return {
        one.nodes.names: [(each.field, each.value, each.usual) for each in one.differences] for one in overview.drift
    }


#: What some nodes have; then what is told of which nodes.
DRIFT = [
    ([{"driver": "570.1"}], {"x1": [("driver", "570.1", "580.65.06")]}),
    ([{"driver": "570.1"}, {"driver": "570.1"}], {"x[1-2]": [("driver", "570.1", "580.65.06")]}),
    (  # what differs on the same nodes is one case, the most fundamental field first
        [{"driver": "570.1", "CUDA of the driver": "12.8", "kernel": "6.5"}],
        {"x1": [("kernel", "6.5", "6.8.0"), ("driver", "570.1", "580.65.06"), ("CUDA of the driver", "12.8", "13.0")]},
    ),
    (
        [{"driver": "570.1"}, {"VBIOS": "95"}],
        {"x1": [("driver", "570.1", "580.65.06")], "x2": [("VBIOS", "95", "96.00")]},
    ),
    ([{"driver": None}], {}),  # not seen is no difference
    ([{}], {}),
]


@pytest.mark.parametrize(("odd", "told"), DRIFT)
def test_drift_names_the_field_and_folds_the_nodes(odd, told) -> None:
    records = fleet(12) + [node(f"x{number}", fields=fields) for number, fields in enumerate(odd, 1)]
    assert differences(merged(records)) == told


def test_nodes_of_another_kind_are_not_compared() -> None:
    other = node("login1", role="login", gpus=(), fields={"GPUs": "0", "driver": "none"})
    overview = merged([*fleet(5), other])
    assert overview.drift == ()
    assert [(one.role, one.gpu, one.count) for one in overview.groups] == [("train", "H100", 5), ("login", "no GPU", 1)]


def test_where_no_value_is_usual_none_is_called_wrong() -> None:
    halves = [node(f"n{number}", fields={"kernel": "a" if number % 2 else "b"}) for number in range(10)]
    overview = merged(halves)
    assert overview.drift == ()
    assert [(one.field, one.values) for one in overview.varied] == [("kernel", 2)]


def test_a_golden_node_outdoes_the_majority() -> None:
    golden = node("good", fields={"driver": "570.1"})
    told = differences(merged([*fleet(3), node("x1", fields={"driver": "570.1"})], golden=golden))
    assert told == {"n[1-3]": [("driver", "580.65.06", "570.1")]}


@pytest.mark.parametrize(
    ("rate", "severity"), [(2990, None), (2900, None), (2700, "warning"), (1500, "error"), (3300, None)]
)
def test_a_slow_gpu_is_found(rate, severity) -> None:
    rest = [node(f"n{number}", rate=3000 + number % 7) for number in range(20)]
    overview = merged([*rest, node("slow1", rate=rate)])
    told = [(one.host, one.gpu, one.severity) for one in overview.slow]
    assert told == ([] if severity is None else [("slow1", 1, severity)])


def test_too_few_gpus_are_not_compared() -> None:
    overview = merged([node("n1", rate=3000), node("n2", rate=1000)])
    assert overview.slow == ()
    assert [note.what for note in overview.noted] == ["small-group"]


def test_no_answer_is_a_finding() -> None:
    asked = NoAnswer(why="drained", detail="bad cable")
    silent = node("n4", no_answer=asked)
    overview = merged([*fleet(2), silent], expected=("n1", "n2", "n3", "n4"))
    assert {(one.why, one.detail, one.nodes.names) for one in overview.silent} == {
        ("drained", "bad cable", "n4"), ("unknown", "no line from this node", "n3"),
    }  # fmt: skip
    assert overview.has("error")
    assert overview.plan[0].nodes.count == 2


@pytest.mark.parametrize(("expected", "answers"), [("n1", "n1.example.org"), ("n1.example.org", "n1"), ("n1", "n1")])
def test_a_node_is_known_by_its_short_name_too(expected, answers) -> None:
    overview = merged([node(answers)], expected=(expected,))
    assert (overview.silent, overview.noted) == ((), ())
    other = merged([node("n1.a.org")], expected=("n1.b.org",))
    assert other.silent_count == 1


def test_an_answer_outdoes_no_answer_in_either_order() -> None:
    silent, answer = node("n1", no_answer=NoAnswer(why="timed-out")), node("n1")
    for records in ([silent, answer], [answer, silent]):
        assert merged(records).silent == ()


def test_worst_first_and_repeat_offenders_before_others() -> None:
    records = [*fleet(10), ill("b1"), ill("a1"), ill("w1", severity="warning")]
    overview = merged(records, earlier=(frozenset({"b1"}), frozenset({"b1", "n1"})))
    assert [(one.host, one.earlier) for one in overview.worst] == [("b1", 2), ("a1", 0), ("w1", 0)]


def test_bad_nodes_of_an_earlier_run() -> None:
    run = Gathered()
    run.take([*fleet(2), ill("b1"), ill("w1", severity="warning"), node("n9", no_answer=NoAnswer(why="refused"))])
    assert bad_nodes(run) == {"b1", "n9"}


def test_one_plan_from_the_hardware_up() -> None:
    other = NodeFix(title="Install PyTorch", commands=("pip install 'torch=={{ 2 }}'",))
    overview = merged([*fleet(5), ill("f1", code="FRM001", fix=other), ill("d2"), ill("d1")])
    assert [(step.title, step.nodes.names, step.codes) for step in overview.plan] == [
        ("Install the driver 580.65.06", "d[1-2]", ("DRV001",)),
        ("Install PyTorch", "f1", ("FRM001",)),
    ]
    first, second = playbook_of(overview.plan)
    assert (first["hosts"], first["become"]) == ("d1,d2", True)
    assert first["tasks"][0]["ansible.builtin.shell"]["cmd"] == "sudo apt install -y nvidia-driver-580"
    assert "{{" not in json.dumps(second["tasks"])


def test_bad_lines_are_named_and_the_rest_is_read(tmp_path) -> None:
    good = lines(fleet(3))
    cut = lines([node("n4")])[:90]
    newer = lines([node("n5")]).replace(b'"schema":1', b'"schema":7')
    other = b'{"schema":9,"host":"n6","gpus":{"new":1}}\n'
    hostile = lines([node("evil\x1b[31m;rm -rf")])
    raw = good + newer + other + hostile + b"[1,2]\nplain text\n\n" + b"\xff\xfe\n" + b"x" * (1 << 21) + b"\n" + cut
    overview = merged_lines(tmp_path, raw)
    assert overview.answered == 3
    assert overview.unreadable_count == 8
    named = {one.host: one.reason for one in overview.unreadable if one.host}
    assert set(named) == {"n4", "n5", "n6"}
    assert "half-written" in named["n4"]
    assert "schema is 7" in named["n5"]
    assert "schema is 9" in named["n6"]
    assert {name for one in overview.silent for name in expanded(one.nodes.names)} == {"n4", "n5", "n6"}


def noted(overview) -> dict[str, str]:
    return {one.what: one.nodes.names if one.nodes else "" for one in overview.noted}


def test_odd_input_is_named(tmp_path) -> None:
    records = [
        *fleet(5), node("n1", fields={"driver": "570.1"}), node("n7", time="1999-01-01T00:00:00+00:00"),
        node("n8", time="soon"), node("n9", gpudoctor="0.9"),
    ]  # fmt: skip
    overview = merged_lines(tmp_path, lines(records), expected=tuple(f"n{number}" for number in range(1, 9)))
    assert noted(overview) == {"duplicate": "n1", "clock": "n7", "older": "n9", "unexpected": "n9"}
    assert overview.answered == 8
    assert differences(overview) == {"n1": [("driver", "570.1", "580.65.06")]}
    assert overview.taken == ("2026-11-22T22:00:00+00:00", "2026-11-22T22:00:00+00:00")


def run(tmp_path, raw: bytes, *arguments: str):
    (tmp_path / "run.jsonl").write_bytes(raw)
    return gpudoctor("fleet", "merge", "run.jsonl", *arguments, cwd=tmp_path)


#: Arguments, the exit code, and what is said.
COMMANDS = [
    (fleet(3), (), 0, "no problem found"),
    ([], (), 3, "nothing is known"),
    ([], ("--expect", "n[1-3]"), 3, "n[1-3]"),
    (fleet(2), ("--expect", "n[1-3]"), 1, "n3"),
    ([*fleet(2), ill("n3")], (), 1, "DRV001"),
    ([*fleet(2), ill("n3", severity="warning")], (), 0, "DRV001"),
    ([*fleet(2), ill("n3", severity="warning")], ("--fail-on", "warning"), 1, "DRV001"),
    (fleet(2), ("--expect", "n[1-"), 2, "no set of nodes"),
    (fleet(2), ("--expect", "@absent.txt"), 2, "absent.txt"),
    (fleet(2), ("--expect", "n[1-99999999999]"), 2, "no set of nodes"),
    (fleet(2), ("--golden", "absent.json"), 2, "absent.json"),
    (fleet(2), ("--golden", "run.jsonl"), 2, "holds 2 nodes"),
    (fleet(1), ("--earlier", "absent.jsonl"), 2, "absent.jsonl"),
]


@pytest.mark.parametrize(("records", "arguments", "code", "said"), COMMANDS)
def test_the_command(tmp_path, records, arguments, code, said) -> None:
    done = run(tmp_path, lines(records), *arguments)
    assert done.returncode == code, done.err
    assert said in done.out + done.err
    assert "Traceback" not in done.err


def test_the_playbook_is_written(tmp_path) -> None:
    done = run(tmp_path, lines([*fleet(2), ill("n3")]), "--playbook", "fix.yml")
    assert "Wrote fix.yml" in done.err
    assert json.loads((tmp_path / "fix.yml").read_text())[0]["hosts"] == "n3"
    again = run(tmp_path, lines(fleet(2)), "--playbook", "fix.yml")
    assert again.returncode == 2
    assert "--force" in again.err
    assert json.loads((tmp_path / "fix.yml").read_text())[0]["hosts"] == "n3"


def synthetic(count: int, seed: int):
    loader = importlib.machinery.SourceFileLoader("synthetic_fleet", str(SCRIPT))
    spec = importlib.util.spec_from_loader("synthetic_fleet", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module.Synthetic(count, seed)


def judged(made: dict, overview: dict) -> tuple[int, int, int]:
    """How much was wrong, how much of it was found, and how many false alarms there were."""
    slow = {(one["host"], one["gpu"]) for one in overview["slow"]}
    drift = {
        (host, one["differences"][0]["field"]) for one in overview["drift"] for host in expanded(one["nodes"]["names"])
    }
    wrong = set(made["slow"].items()) | {(host, field) for host, (field, _) in made["drifted"].items()}
    return len(wrong), len(wrong & (slow | drift)), len((slow | drift) - wrong)


@pytest.mark.parametrize(("count", "runs"), [(10, 10), (1000, 3)])
def test_recall_and_false_alarms(count, runs, tmp_path) -> None:
    rows = []
    for seed in range(runs):
        made = synthetic(count, seed)
        overview = merged_lines(tmp_path, b"".join(map(made.line, made.names)))
        rows.append(judged({"slow": made.slow, "drifted": made.drifted}, to_plain(overview)))
    wrong, found, false = (sum(row[place] for row in rows) for place in range(3))
    assert found >= 0.99 * wrong
    assert false < runs


@pytest.mark.full
@pytest.mark.timed
def test_a_hundred_thousand_nodes(tmp_path) -> None:
    """At most 10 s and 300 MB, nothing overlooked that matters, and time that grows with the nodes."""
    truth, file, out = tmp_path / "truth.json", tmp_path / "run.jsonl", tmp_path / "out.json"
    with file.open("wb") as stream:
        subprocess.run([sys.executable, SCRIPT, "100000", "--truth", truth], stdout=stream, check=True)
    began = time.monotonic()
    command = ["-m", "gpudoctor", "fleet", "merge", str(file), "--format", "json", "-o", str(out)]
    process = os.posix_spawn(sys.executable, [sys.executable, *command], os.environ)
    _, _, usage = os.wait4(process, 0)
    assert time.monotonic() - began <= 10
    assert usage.ru_maxrss <= 300 * 1024
    wrong, found, false = judged(json.loads(truth.read_text()), json.loads(out.read_text()))
    assert found >= 0.99 * wrong
    assert false < 1
