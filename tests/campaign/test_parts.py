"""What of the campaign needs no machine: comparing, resuming, cutting into parts, judging numbers, the table."""

import json
import time

import pytest
from campaign import all_steps, numbers, run, summary
from campaign.here import Here
from campaign.results import Results, unpack
from campaign.side_by_side import FIELDS, compare, parse_rows
from campaign.steps import NotPossible, Outcome, Step, TimeUp, parts

GPU = {
    "index": 0, "name": "NVIDIA H200", "uuid": "GPU-1", "pci_bus_id": "0000:1a:00.0", "pci_id": "10de:2335",
    "capability": "9.0", "memory_total_mib": 143771, "memory_used_mib": 4, "ecc_enabled": True, "persistence": True,
    "compute_mode": "default", "power": {"limit": 700.0}, "pcie": {"width": 16}, "clock_sm_mhz": 345,
}  # fmt: skip
ROW = {
    "index": "0", "name": "NVIDIA H200", "uuid": "GPU-1", "pci.bus_id": "00000000:1A:00.0",
    "pci.device_id": "0x233510DE", "compute_cap": "9.0", "memory.total": "143771", "memory.used": "14",
    "ecc.mode.current": "Enabled", "persistence_mode": "Enabled", "compute_mode": "Default", "power.limit": "700.00",
    "pcie.link.width.current": "16", "clocks.sm": "1980", "temperature.gpu": "31", "mig.mode.current": "[N/A]",
}  # fmt: skip
BANNER = "| NVIDIA-SMI 580.159.03    Driver Version: 580.159.03    CUDA Version: 13.0 |"


def verdicts(gpu=GPU, row=ROW, **system):
    system = {"driver_version": "580.159.03", "cuda_version": "13.0", **system}
    return {one["fact"]: one["verdict"] for one in compare([gpu], [row], system, BANNER)}


def test_facts_that_agree():
    found = verdicts()
    equal = {fact for fact, verdict in found.items() if verdict == "equal"}
    assert equal == {*ROW, "driver_version", "cuda_version"} - {"clocks.sm", "temperature.gpu", "mig.mode.current"}
    assert (found["clocks.sm"], found["temperature.gpu"], found["mig.mode.current"]) == ("moves", "only-smi", "neither")


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("name", "NVIDIA H100"), ("memory.total", "143770"), ("memory.used", "600"), ("compute_cap", "8.9"),
        ("pci.device_id", "0x233010DE"), ("ecc.mode.current", "Disabled"), ("compute_mode", "Prohibited"),
        ("power.limit", "650.00"), ("persistence_mode", "what"), ("pcie.link.width.current", "8"),
    ],
)  # fmt: skip
def test_a_fact_that_differs(field, text):
    found = verdicts(row={**ROW, field: text})
    assert {fact for fact, verdict in found.items() if verdict == "differs"} == {field}


def test_a_gpu_that_only_one_of_them_lists():
    assert "only-nvml" in set(verdicts(row={**ROW, "pci.bus_id": "00000000:2B:00.0"}).values())
    assert verdicts(row={**ROW, "pci.bus_id": "00000000:2B:00.0"})["the GPU itself"] == "only-smi"
    assert verdicts(driver_version="570.86.15")["driver_version"] == "differs"


def test_rows_that_are_no_rows():
    assert parse_rows("0, NVIDIA H200\nNo devices were found\n\n", ["index", "name"]) == [
        {"index": "0", "name": "NVIDIA H200"}
    ]
    assert len(FIELDS) == len({field.path for field in FIELDS.values()}), "two fields are held against one fact"


@pytest.fixture
def results(tmp_path):
    (tmp_path / "out").mkdir()
    return Results(tmp_path / "out", lambda text: text.replace("secret", "removed"), tmp_path / "out.tar.gz")


def step(name, outcome=None, seconds=10.0):
    def do(_here):
        if isinstance(outcome, Exception):
            raise outcome
        return outcome or Outcome("as-expected", expected="a", named="a")

    return Step(name, "look", seconds, 1, do)


def here(results):
    return Here("/usr/bin/python3", results.folder, results, quick=True)


def test_every_way_in_which_a_step_ends(results):
    steps = tuple(
        step(name, outcome)
        for name, outcome in {
            "well": None, "lacks": NotPossible("no GPU"), "late": TimeUp("it hangs"), "broken": KeyError("x"),
        }.items()
    )  # fmt: skip
    run._do(steps, here(results), time.monotonic() + 60)
    rows = {row["step"]: row for row in summary.rows((*steps, step("never")), results.events)}
    states = {name: row["outcome"] for name, row in rows.items()}
    assert states == {
        "well": "as-expected", "lacks": "not-possible", "late": "cut-off", "broken": "broke", "never": "not-reached",
    }  # fmt: skip
    assert rows["lacks"]["words"] == "no GPU"
    assert "KeyError" in (results.folder / "files" / "broken.traceback.txt").read_text()
    text = summary.as_text(list(rows.values()), {"at": "today"})
    assert "not-possible: lacks: no GPU" in text
    assert "1 not-reached" in text


def test_a_step_that_no_longer_fits_is_left_for_the_next_run(results):
    run._do((step("long"), step("short")), here(results), time.monotonic() + 0.5)
    assert results.open_steps(["long", "short"]) == ["long", "short"]
    run._do((step("long"), step("short")), here(results), time.monotonic() + 60)
    assert results.open_steps(["long", "short"]) == []


def test_resuming(results):
    for name, state in {"done": "as-expected", "cut": "cut-off", "impossible": "not-possible"}.items():
        results.add({"event": "started", "step": name})
        results.add({"event": "ended", "step": name, "outcome": state})
    results.add({"event": "started", "step": "killed"})
    names = ["done", "cut", "impossible", "killed", "new"]
    assert results.open_steps(names) == ["new", "cut", "killed"]
    results.add({"event": "started", "step": "killed"})
    assert results.open_steps(names) == ["new", "cut"], "what killed the run twice is not begun again"


def test_a_line_that_was_cut_off_spoils_no_other(results):
    results.add({"event": "started", "step": "one"})
    with (results.folder / "results.jsonl").open("ab") as stream:
        stream.write(b'{"event": "ended", "step": "on')
    results.add({"event": "started", "step": "two"})
    again = Results(results.folder, str)
    assert [event["step"] for event in again.events] == ["one", "two"]


def test_nothing_secret_is_kept_and_json_stays_json(results):
    results.keep("a.json", json.dumps({"secret": ["secret", 1], "line": 'a "secret"\\'}))
    assert json.loads(results.read("a.json")) == {"removed": ["removed", 1], "line": 'a "removed"\\'}
    results.add({"event": "ended", "step": "one", "words": "secret"})
    assert "secret" not in (results.folder / "results.jsonl").read_text()


def test_the_archive_holds_everything(results, tmp_path):
    results.add({"event": "started", "step": "one"})
    results.keep("faults/one.json", "{}")
    results.pack()
    unpack(tmp_path / "out.tar.gz", tmp_path / "again")
    assert Results(tmp_path / "again", str).events == results.events
    assert (tmp_path / "again" / "files" / "faults" / "one.json").read_text() == "{}"


def test_no_part_is_longer_than_eight_minutes():
    found = parts(all_steps.STEPS, 480)
    assert [one for part in found for one in part] == list(all_steps.STEPS)
    assert all(sum(one.seconds for one in part) <= 480 for part in found)
    names = [one.name for one in all_steps.STEPS]
    assert len(names) == len(set(names))


def report(rate, low=2.0, high=2.2, **achieved):
    one = {"device": "gpu:0", "what": "memory", "unit": "B/s", "rate": rate, "peak": 4.8e12, "reference": 3.1e12}
    faster = {"network": "conv", "precision": "float32", "batch": 64, "input_size": 28, "ratio": 2.1}
    return {"conclusion": {"achieved": [{**one, **achieved}], "speedups": [{**faster, "low": low, "high": high}]}}


@pytest.mark.parametrize(
    ("repeats", "wrong"),
    [
        ([4.2e12, 4.3e12, 4.25e12], ""),
        ([4.2e12, 3.3e12, 4.25e12], "apart"),
        ([5.2e12, 5.1e12, 5.2e12], "cannot be"),
        ([1.2e12, 1.2e12, 1.21e12], "healthy"),
    ],
)
def test_rates(repeats, wrong):
    (row,) = numbers.rates([report(rate) for rate in repeats])
    assert wrong in row["wrong"]
    assert bool(wrong) == bool(row["wrong"])
    (noisy,) = numbers.rates([report(rate, noisy=True) for rate in repeats])
    assert not noisy["wrong"], "nothing is concluded from noise"


def test_intervals_that_do_not_meet():
    assert numbers.outside([report(1), report(1, 2.1, 2.3)]) == []
    assert len(numbers.outside([report(1), report(1, 2.5, 2.9)])) == 1


@pytest.mark.parametrize(
    ("states", "unwritten", "code"),
    [
        (["as-expected", "not-possible", "recorded", "not-reached"], [], 0),
        (["as-expected", "contradicts"], [], 1),
        (["as-expected", "broke"], [], 1),
        (["not-reached", "cut-off"], [], 3),
        (["as-expected"], ["results.jsonl: No space left on device"], 3),
    ],
)
def test_exit_codes(states, unwritten, code):
    assert summary.exit_code([{"outcome": state} for state in states], unwritten) == code
