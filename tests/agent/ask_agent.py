"""Running an agent as the product does, with the interpreter of an environment, and reading what it tells."""

import json
import os
import subprocess
import time
from pathlib import Path

import msgspec

import gpudoctor
from gpudoctor.facts.codec import DOTTED_TYPES
from gpudoctor.facts.live import DeviceList, Stage, Trial

AGENT = Path(gpudoctor.__file__).parent / "agent"
MARK = "@gpudoctor "


class Told:
    """What an agent told, each fact in the type that the product has for it; `wall` is in seconds."""

    def __init__(self, done: subprocess.CompletedProcess[str], wall: float) -> None:
        self.wall, self.code, self.printed = wall, done.returncode, done.stderr
        answers = [json.loads(line[len(MARK) :]) for line in done.stdout.splitlines() if line.startswith(MARK)]
        strange = [line for line in done.stdout.splitlines() if line and not line.startswith(MARK)]
        assert not strange, f"the channel has been printed to: {strange}"
        ends = [dict(answer, name=answer["end"]) for answer in answers if "end" in answer]
        self.stages = {end["name"]: _read(end, Stage) for end in ends}
        self.begun = [answer["begin"] for answer in answers if "begin" in answer]
        facts = [(answer["fact"], answer["value"]) for answer in answers if "fact" in answer]
        self.devices = [_read(value, DeviceList) for kind, value in facts if kind == "devices"]
        self.trials = [_read(value, Trial) for kind, value in facts if kind == "trial"]
        self.unexpected = [answer["failed"] for answer in answers if "failed" in answer]
        self.finished = bool(answers) and answers[-1].get("done") is True

    def trial(self, network, precision="float32", device="cpu", mode=None):
        (found,) = [
            trial
            for trial in self.trials
            if (trial.network, trial.precision, trial.device) == (network, precision, device)
            and mode in (None, trial.mode)
        ]
        return found


def ask(python, script, env=None, timeout=300, code=None, arguments=(), **request) -> Told:
    """What the agent tells; `code`: Python lines that are run before it, to break something."""
    start = [str(AGENT / f"{script}.py")]
    if code is not None:
        lines = f"import sys; sys.path.insert(0, {str(AGENT)!r})\nimport {script} as agent\n"
        lines += "from agent_channel import Channel\n"
        start = ["-c", f"{lines}{code}\nChannel().run(agent.main)"]
    began = time.perf_counter()
    try:
        done = subprocess.run(
            [python, "-B", *start, *arguments],
            input=json.dumps({"cwd": os.devnull, **request}),
            capture_output=True,
            text=True,
            env={**os.environ, **(env or {})},
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        out = (late.stdout or b"").decode()
        done = subprocess.CompletedProcess(late.cmd, -9, out, "")
    return Told(done, time.perf_counter() - began)


def crowding() -> float:
    """How many times longer things take here than on a machine that does nothing else; at least 1."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _read(value, kind):
    """As the product reads it; a field that the type lacks is our mistake."""
    fields = {field.name for field in msgspec.structs.fields(kind)}
    unknown = {*value} - fields - {"end"}
    assert not unknown, f"{kind.__name__} has no {unknown}"
    return msgspec.convert(value, kind, dec_hook=_decode)


def _decode(kind, value):
    assert kind in DOTTED_TYPES
    return kind(value)
