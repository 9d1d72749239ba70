"""The untouched machine: what gpudoctor says of it, how long that takes, and whether nvidia-smi says the same."""

import json
import statistics
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from campaign.here import Here, answer_of, roots
from campaign.side_by_side import FIELDS, compare, parse_rows
from campaign.steps import Outcome, agrees

#: What each framework says of itself, asked in a process of its own.
_ASKED = {
    "torch": "import torch; out = (torch.__version__, torch.cuda.device_count())",
    "jax": "import jax; out = (jax.__version__, sum(one.platform == 'gpu' for one in jax.devices()))",
    "cupy": "import cupy; out = (cupy.__version__, cupy.cuda.runtime.getDeviceCount())",
    "tensorflow": "import tensorflow as tf; out = (tf.__version__, len(tf.config.list_physical_devices('GPU')))",
}
_PRESENT = "import importlib.util, sys; print([one for one in sys.argv[1:] if importlib.util.find_spec(one)])"
#: Runs a program, then says how long it took and the most memory that one of its processes held (KiB on Linux).
_MEASURED = """
import json, resource, subprocess, sys, time
began = time.monotonic()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
seconds, used = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"code": code, "seconds": seconds, "cpu_seconds": used.ru_utime + used.ru_stime,
                  "peak_mib": used.ru_maxrss / 1024}))
"""


def machine(here: Here) -> Outcome:
    """Who is here: the target's frameworks, each with the GPUs that it sees."""
    ran = here.run(here.python, "-c", _PRESENT, *_ASKED)
    present = [name for name in _ASKED if f"'{name}'" in ran.text]
    with ThreadPoolExecutor(2 if here.quick else len(_ASKED)) as pool:
        asked = present[:1] if here.quick else present
        told = dict(zip(asked, pool.map(lambda name: _told(here, name), asked), strict=True))
    listed = ((here.snapshot.get("gpus") or {}).get("devices")) or ()
    names = [gpu.get("name") or gpu.get("pci_id") or "a GPU" for gpu in listed if gpu.get("vendor") == "nvidia"]
    release = (here.snapshot.get("driver") or {}).get("release")
    seen = (f"{name} {one.get('version', '?')} ({one.get('gpus', 0)} GPUs)" for name, one in told.items())
    frameworks = ", ".join(seen)
    words = f"{', '.join(names) or 'no GPU'}; driver {release or 'none'}; {frameworks or 'no framework'}"
    return Outcome("recorded", words, facts={"words": words, "gpus": names, "frameworks": told, "present": present})


def _told(here: Here, name: str) -> dict[str, Any]:
    ran = here.program(f"{_ASKED[name]}; print('\\n@', *out)")
    line = next((line for line in reversed(ran.text.splitlines()) if line.startswith("@ ")), None)
    if line is None:
        return {"error": ran.describe(), "said": ran.stderr.decode("utf-8", "replace")[-300:]}
    version, count = line.split()[1:]
    return {"version": version, "gpus": int(count)}


def snapshot(here: Here) -> Outcome:
    """The facts of the machine, as a user would send them."""
    found = here.ask("snapshot", "--python", here.python)
    here.results.keep("snapshot.json", json.dumps(found, indent=1))
    return Outcome("recorded", f"{len(found)} sections")


def check_static(here: Here) -> Outcome:
    """A static check: what it finds, and how long it takes, thrice after a first time."""
    report = here.check("--static")
    here.results.keep("check-static.json", json.dumps(report, indent=1))
    command = (*here.doctor, "check", "--static", "--quiet", "--python", here.python)
    runs = [answer_of(here.program(_MEASURED, *command), "check --static, timed") for _ in range(3)]
    timed = {what: round(statistics.median(one[what] for one in runs), 3) for what in ("seconds", "peak_mib")}
    return _untouched(report, {**timed, "runs": runs}, f"{timed['seconds']} s, {timed['peak_mib']:.0f} MiB; ")


def check(here: Here) -> Outcome:
    """The whole check: static, then devices and a small training by each framework."""
    report = here.check()
    here.results.keep("check.json", json.dumps(report, indent=1))
    return _untouched(report, {}, "")


def _untouched(report: dict[str, Any], facts: dict[str, Any], before: str) -> Outcome:
    """Nothing may be found on a machine that nobody has broken; without a GPU it is only recorded."""
    found = [f"{one['code']} {one['name']}" for one in report["diagnosis"].get("findings", ())]
    crashed = [one["code"] for one in report["diagnosis"].get("crashed", ())]
    facts = {**facts, "verdict": report["verdict"], "roots": roots(report), "findings": found, "crashed": crashed}
    well = report["verdict"] == "healthy" and not found and not crashed
    words = f"{before}{report['verdict']}, {len(found)} findings{': ' if found else ''}{', '.join(found)}"
    if report["verdict"] == "no-gpu" and not roots(report) and not crashed:
        return Outcome("recorded", words, facts=facts)
    return Outcome(agrees(well), words, "healthy", ", ".join(roots(report)), facts)


def devices(here: Here) -> Outcome:
    """Whether NVML, the CUDA driver and every framework see the same GPUs."""
    count = len(here.gpus)
    found = here.ask("devices", "--quiet", "--format", "json", "--python", here.python)
    here.results.keep("devices.json", json.dumps(found, indent=1))
    view = found["view"]
    hidden = [
        f"{sight['viewer']} does not see {row['device']}: {sight.get('why', 'no reason named')}"
        for row in view["rows"] if row["kind"] == "gpu" for sight in row["sights"] if sight["state"] != "seen"
    ]  # fmt: skip
    rows = sum(row["kind"] == "gpu" for row in view["rows"])
    if rows != count:
        hidden.append(f"{rows} GPUs in the table, {count} by NVML")
    return Outcome(agrees(not hidden), "; ".join(hidden), facts={"gpus": rows})


def smoke(here: Here) -> Outcome:
    """Every framework trains in every precision on every device."""
    framework = here.any_framework()
    words = ("--quick", "--device", "cpu", framework) if here.quick else ()
    ran = here.run(*here.doctor, "smoke", "--quiet", "--format", "json", "--python", here.python, *words)
    found = answer_of(ran, "smoke")
    here.results.keep("smoke.json", json.dumps(found, indent=1))
    trials = [(run["framework"], trial) for run in found["runs"] for trial in run.get("trials", ())]
    count = {state: sum(trial["outcome"] == state for _, trial in trials) for state in ("passed", "failed", "skipped")}
    on_gpu = sorted({f"{trial['precision']}" for _, trial in trials if "gpu" in trial["device"]})
    failed = [
        f"{name} {trial['network']} {trial.get('precision', 'float32')} on {trial['device']}: {trial.get('detail', '')}"
        for name, trial in trials if trial["outcome"] == "failed"
    ]  # fmt: skip
    failed += [
        f"{run['framework']}: {run['run']['ending']}" for run in found["runs"] if run["run"]["ending"] != "finished"
    ]
    numbers = ", ".join(f"{number} {state}" for state, number in count.items())
    place = f"on the GPU: {', '.join(on_gpu)}" if on_gpu else "no GPU was trained on"
    facts = {**count, "precisions_on_gpu": on_gpu}
    well = bool(found["passed"]) and not failed
    return Outcome(agrees(well), "; ".join([numbers, place, *failed]), facts=facts)


def side_by_side(here: Here) -> Outcome:
    """NVML's facts beside those of nvidia-smi; whatever both tell must be the same."""
    gpus = here.gpus
    tool = here.tool("nvidia-smi")
    fields, refused = list(FIELDS), []
    while True:
        ran = here.run(tool, f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits")
        # "Field "x" is not a valid field to query.": drivers differ in what they know.
        unknown = next(
            (field for field in fields if f'"{field}"' in ran.text + ran.stderr.decode(errors="replace")), None
        )
        if ran.ok or unknown is None or len(fields) == 1:
            break
        fields.remove(unknown)
        refused.append(unknown)
    table = here.run(tool)
    here.results.keep("nvidia-smi.csv", ",".join(fields) + "\n" + ran.text)
    here.results.keep("nvidia-smi.txt", table.text + table.stderr.decode("utf-8", "replace"))
    here.results.keep("nvidia-smi-q.txt", here.run(tool, "-q").text)
    release = (here.snapshot.get("driver") or {}).get("release")
    cuda = (here.snapshot.get("driver") or {}).get("cuda")
    found = compare(gpus, parse_rows(ran.text, fields), {"driver_version": release, "cuda_version": cuda}, table.text)
    here.results.keep("side-by-side.json", json.dumps(found, indent=1))
    counts = {verdict: sum(row["verdict"] == verdict for row in found) for verdict in ("equal", "differs", "moves")}
    differing = [
        f"{row['fact']}: NVML {row['nvml']}, nvidia-smi {row['smi']}" for row in found if row["verdict"] == "differs"
    ]
    words = f"{counts['equal']} facts equal, {len(differing)} differ{': ' if differing else ''}{'; '.join(differing)}"
    if not counts["equal"]:
        return Outcome("contradicts", f"nvidia-smi told nothing that could be compared: {ran.describe()}")
    state = agrees(not differing)
    return Outcome(state, words, facts={**counts, "not_known_to_this_driver": refused})
