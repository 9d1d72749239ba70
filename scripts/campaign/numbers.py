"""Measured numbers: repeated, held against each other, against the peaks, and against what healthy GPUs reach."""

import json
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from campaign.here import Here
from campaign.steps import NotPossible, Outcome, agrees
from gpudoctor.facts.bench import MOST_DRIFT, TOO_LOW

REPEATS = 3
#: Seconds of one small operation, from call to call, without and with waiting for the GPU; medians of 1000.
_LATENCY = """
import json, statistics, time, torch
x, y = torch.ones(1, device="cuda"), torch.ones(1, device="cuda")
def timed(wait):
    found = []
    for _ in range(1100):
        began = time.perf_counter(); x.add_(y)
        if wait: torch.cuda.synchronize()
        found.append(time.perf_counter() - began)
    torch.cuda.synchronize()
    return statistics.median(found[100:])
print(json.dumps({"launch": timed(False), "launch_and_wait": timed(True)}))
"""


def bench(number: int) -> Callable[[Here], Outcome]:
    """A step that measures for a minute; its JSON is kept under its number."""

    def step(here: Here) -> Outcome:
        name = here.any_framework() if here.quick else here.with_gpu("torch", "jax", "tensorflow")
        file = here.scratch / f"bench-{number}.json"
        ran = here.run(
            *here.doctor, "bench", "--quiet", "--framework", name, "--seconds", "4" if here.quick else "60",
            "--python", here.python, "--json", str(file), "--force",
        )  # fmt: skip
        if not file.exists():
            raise ValueError(f"bench {ran.describe()}: {ran.stderr.decode('utf-8', 'replace')[-300:]}")
        text = file.read_text(encoding="utf-8")
        here.results.keep(f"bench-{number}.json", text)
        report = json.loads(text)
        found = [finding["name"] for finding in report.get("findings", ())]
        conclusion = report["conclusion"]
        noisy, timings = conclusion.get("noisy", 0), conclusion.get("timings", 0)
        gpu = any(device["name"] != "cpu" for device in report["bench"].get("devices", ()))
        words = f"{timings} timings, {noisy} noisy; {', '.join(found) or 'nothing found'}{'' if gpu else '; no GPU'}"
        if not gpu:
            return Outcome("recorded", words)
        return Outcome(agrees(not found), words, "none", ", ".join(found) or "none")

    return step


def numbers(here: Here) -> Outcome:
    """The repeats beside each other: each rate's spread, its share of the peak and of what healthy ones reach."""
    texts = [here.results.read(f"bench-{number}.json") for number in range(1, REPEATS + 1)]
    reports = [json.loads(text) for text in texts if text]
    if not reports:
        raise NotPossible("nothing was measured")
    table = rates(reports)
    wrong = [f"{row['device']} {row['what']}: {row['wrong']}" for row in table if row["wrong"]]
    apart = outside(reports)
    here.results.keep("numbers.json", json.dumps({"rates": table, "speedups_outside": apart}, indent=1))
    if not any(row["device"] != "cpu" for row in table):
        raise NotPossible(f"no GPU was measured; {len(reports)} repeats on the CPU are kept")
    words = f"{len(reports)} repeats, {len(table)} rates; {'; '.join([*wrong, *apart]) or 'all agree'}"
    return Outcome(agrees(not (wrong or apart)), words)


def rates(reports: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each rate over the repeats: median and spread, with what is wrong with it, in words; "" is nothing."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for report in reports:
        for one in report["conclusion"].get("achieved", ()):
            found.setdefault((one["device"], one["what"]), []).append(one)
    return [_rate(device, what, ones) for (device, what), ones in found.items()]


def _rate(device: str, what: str, ones: list[dict[str, Any]]) -> dict[str, Any]:
    values = [one["rate"] for one in ones]
    middle, peak, healthy = statistics.median(values), ones[0].get("peak"), ones[0].get("reference")
    drift = max(values) / min(values) - 1 if min(values) > 0 else 0.0
    sure = device != "cpu" and all(not one.get("noisy") and one.get("telling", True) for one in ones)
    wrong = []
    if sure and drift > MOST_DRIFT:
        wrong.append(f"the repeats are {drift:.0%} apart")
    if sure and peak and middle > peak:
        wrong.append(f"{middle / peak:.0%} of the peak cannot be")
    if sure and healthy and middle < TOO_LOW * healthy:
        wrong.append(f"{middle / healthy:.0%} of what healthy ones reach")
    return {
        "device": device, "what": what, "unit": ones[0]["unit"], "rates": values, "median": middle, "drift": drift,
        "of_peak": middle / peak if peak else None, "of_healthy": middle / healthy if healthy else None,
        "wrong": ", ".join(wrong),
    }  # fmt: skip


def outside(reports: Sequence[dict[str, Any]]) -> list[str]:
    """The speed-ups that another repeat found outside of the interval which one stated."""
    by_case: dict[str, list[dict[str, Any]]] = {}
    for report in reports:
        for one in report["conclusion"].get("speedups", ()):
            case = f"{one['network']} {one['precision']} batch {one['batch']} input {one['input_size']}"
            by_case.setdefault(case, []).append(one)
    found = []
    for case, ones in by_case.items():
        sure = [one for one in ones if not one.get("noisy")]
        if sure and max(one["low"] for one in sure) > min(one["high"] for one in sure):
            found.append(f"{case}: {', '.join(format(one['ratio'], '.2f') for one in sure)} times")
    return found


def latency(here: Here) -> Outcome:
    """How long it takes to start one small operation, three times."""
    here.with_gpu("torch")
    runs = [json.loads(here.program(_LATENCY).text) for _ in range(REPEATS)]
    words = ", ".join(f"{run['launch'] * 1e6:.1f} µs ({run['launch_and_wait'] * 1e6:.1f} with waiting)" for run in runs)
    return Outcome("recorded", words, facts={"runs": runs})


def xids(here: Here) -> Outcome:
    """What the driver wrote to the kernel log, the errors of our own programs included."""
    here.gpus  # noqa: B018 - raises where there is none
    log = (here.ask("snapshot", "--python", here.python).get("driver") or {}).get("kernel_log")
    if not isinstance(log, list):
        raise NotPossible("the kernel log may not be read here")
    found = [line["text"] for line in log]
    here.results.keep("kernel-log.txt", "\n".join(found) + "\n")
    known = sorted({line["xid"] for line in log if line.get("xid") is not None})
    return Outcome(
        "recorded", f"{len(found)} lines; Xids: {', '.join(map(str, known)) or 'none'}", facts={"xids": known}
    )
