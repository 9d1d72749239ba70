"""What stays: the machine for tests/machines, real messages for the knowledge, a row for the table of references."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from campaign.here import Here
from campaign.numbers import rates
from campaign.steps import NotPossible, Outcome, agrees
from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.host.machine import Machine, dump_machine, load_machine
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.probes.take import take_snapshot
from gpudoctor.rules.load import load_rules

_RECORD = (
    "import runpy, sys; sys.path[:0] = {folders!r}; sys.argv = sys.argv[1:]\n"
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)
#: Rates of a bench, and the columns and units of the table.
_COLUMNS = {
    "memory": ("memory_bandwidth_gbs", 1e9),
    "float32": ("fp32_tflops", 1e12),
    "bfloat16": ("bf16_tflops", 1e12),
}


def recording(here: Here) -> Outcome:
    """The whole machine in one file that anybody can look at again, and that is judged as the machine was."""
    script = Path(__file__).resolve().parents[1] / "record_machine.py"
    folders = [folder for folder in sys.path[:2] if str(here.scratch) in folder]
    command = (sys.executable, "-B", "-c", _RECORD.format(folders=folders), str(script), "linux-gpu-recorded")
    # Lists of files are kept whole: which lines of them are compared depends on how long all of them are.
    where = ("--folder", str(here.scratch / "machines"), "--force", "--cap", str(8 << 20))
    ran = here.run(*command, "--python", here.python, *where)
    file = here.scratch / "machines" / "linux-gpu-recorded" / "machine.json"
    if not file.exists():
        raise ValueError(f"record_machine {ran.describe()}: {ran.stderr.decode('utf-8', 'replace')[-300:]}")
    here.results.keep("machine.json", cleaned(file.read_bytes(), here.results.cleaned).decode(), is_clean=True)
    kept = here.results.read("machine.json")
    if kept is None:
        raise ValueError("the recording could not be written")
    named, before = replayed(kept.encode(), here.python), here.baseline()
    words = f"{len(kept) / 1e6:.1f} MB; replayed: {', '.join(named) or 'nothing found'}"
    state = agrees(named == before)
    return Outcome(state, words, ", ".join(before) or "none", ", ".join(named) or "none")


def cleaned(raw: bytes, clean: Callable[[str], str]) -> bytes:
    """A recorded machine with every text cleaned, what its programs printed included; libraries stay as they are."""

    def value_of(value: Any) -> Any:
        if isinstance(value, str):
            return clean(value)
        if isinstance(value, bytes):
            try:
                return clean(value.decode("utf-8")).encode()
            except UnicodeDecodeError:
                return value
        if isinstance(value, dict):
            # A wheel's list of its files must go on to name them as they are; record_machine has taken out people.
            return {key: item if key.endswith("/RECORD") else value_of(item) for key, item in value.items()}
        return [value_of(item) for item in value] if isinstance(value, list | tuple) else value

    plain = value_of(msgspec.to_builtins(load_machine(raw), builtin_types=(bytes,)))
    return dump_machine(msgspec.convert(plain, Machine, builtin_types=(bytes,)))


def replayed(raw: bytes, python: str | None) -> list[str]:
    """The root causes that are found on a recorded machine."""
    snapshot = take_snapshot(RecordedHost.load(raw), python)
    found = diagnose(snapshot, load_matrix(), load_rules()).root_causes
    return list(dict.fromkeys(one.name for one in found if one.severity != "info"))


def messages(here: Here) -> Outcome:
    """All messages that were met, with what they are known as; those not known are what the knowledge lacks."""
    ended = [event for event in here.results.ended().values() if "last_line" in event.get("facts", {})]
    if not ended:
        raise NotPossible("no program ended with a message")
    found = [
        {"program": event["step"], "line": event["facts"]["last_line"], "known_as": event["facts"]["messages"]}
        for event in ended
    ]
    here.results.keep("messages.json", json.dumps(found, indent=1, ensure_ascii=False))
    unknown = [one["program"] for one in found if not one["known_as"]]
    words = f"{len(found)} messages, {len(unknown)} not known{': ' if unknown else ''}{', '.join(unknown)}"
    return Outcome(agrees(not unknown), words)


def reference(here: Here) -> Outcome:
    """The measured rates as a row of compat/gpu_reference.json, to be looked at before it is put there."""
    texts = [here.results.read(f"bench-{number}.json") for number in (1, 2, 3)]
    reports = [json.loads(text) for text in texts if text]
    gpus = [one for report in reports for one in report["bench"].get("devices", ()) if one["name"] != "cpu"]
    if not gpus:
        raise NotPossible("no GPU was measured")
    row = reference_row(reports, gpus[0])
    here.results.keep("reference-row.json", json.dumps(row, indent=1))
    return Outcome("recorded", json.dumps(row))


def reference_row(reports: list[dict[str, Any]], gpu: dict[str, Any]) -> dict[str, Any]:
    """Medians of the repeats, as the table has them: GB/s and TFLOP/s."""
    row: dict[str, Any] = {"name": gpu.get("product")}
    for one in rates(reports):
        if one["device"] == gpu["name"] and one["what"] in _COLUMNS:
            column, unit = _COLUMNS[one["what"]]
            row[column] = round(one["median"] / unit, 1)
    first = reports[0]
    program = f"{first['bench']['framework']} {first['bench'].get('version')}"
    return {**row, "notes": f"gpudoctor bench, {program}, {len(reports)} runs, {first['taken_at'][:10]}"}
