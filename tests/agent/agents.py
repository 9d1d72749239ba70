"""Runs the real agents in real environments, and reads what they told into the types that the rules judge."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import gpudoctor
from gpudoctor.facts.codec import from_plain
from gpudoctor.facts.live import DeviceList, Stage, Thrown, Trial

FOLDER = Path(gpudoctor.__file__).parent / "agent"
MARK = "@gpudoctor "
QUIET = {"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2", "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}


@dataclass
class Told:
    """All that an agent told."""

    answers: list[dict]
    code: int
    printed: str

    def facts(self, kind):
        return [answer["value"] for answer in self.answers if answer.get("fact") == kind]

    @property
    def trials(self):
        return [from_plain(value, Trial) for value in self.facts("trial")]

    @property
    def devices(self):
        """The last list, which is the whole one; every one must be readable."""
        return [from_plain(value, DeviceList) for value in self.facts("devices")][-1]

    @property
    def stages(self):
        ends = [{**answer, "name": answer["end"]} for answer in self.answers if "end" in answer]
        for end in ends:
            end.pop("end")
        return [from_plain(end, Stage) for end in ends]

    @property
    def last_begun(self):
        return [answer["begin"] for answer in self.answers if "begin" in answer][-1]

    @property
    def failed(self):
        found = [answer["failed"] for answer in self.answers if "failed" in answer]
        return from_plain(found[0], Thrown) if found else None

    @property
    def done(self):
        return bool(self.answers) and self.answers[-1].get("done") is True


def run_agent(python, *scripts, request=None, env=None, folder=FOLDER, timeout=240):
    """Run one agent, or several tasks one after the other in one process."""
    names = [f"{folder}/{scripts[0]}.py"] if len(scripts) == 1 else [f"{folder}/run_tasks.py", *scripts]
    asked = {"threads": 2, "cwd": "/", **(request or {})}
    done = subprocess.run(
        [python, *names],
        input=json.dumps(asked).encode(),
        capture_output=True,
        env={**os.environ, **QUIET, **(env or {})},
        timeout=timeout,
        check=False,
    )
    lines = done.stdout.decode().splitlines()
    answers = [json.loads(line[len(MARK) :]) for line in lines if line.startswith(MARK)]
    return Told(answers=answers, code=done.returncode, printed=done.stderr.decode(errors="replace"))
