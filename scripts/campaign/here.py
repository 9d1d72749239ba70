"""What a step gets: gpudoctor as a child process, the machine as it is, its own deadline, and where results go."""

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from campaign.results import Results
from campaign.steps import NotPossible, TimeUp
from gpudoctor.host.children import run
from gpudoctor.host.port import Ran

#: gpudoctor as its console script starts it, from folders that are named.
_START = "import sys; sys.path[:0] = {folders!r}; from gpudoctor.__main__ import run; run()"
#: Bytes kept of what a child prints.
_MOST = 32 << 20


class Here:
    """The machine on which the campaign runs."""

    def __init__(self, python: str, scratch: Path, results: Results, *, quick: bool) -> None:
        self.python, self.scratch, self.results, self.quick = python, scratch, results, quick
        self.env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        self.until = 0.0
        folders = [folder for folder in sys.path[:2] if str(scratch) in folder or Path(folder, "compat").is_dir()]
        self.doctor = (sys.executable, "-B", "-c", _START.format(folders=folders))
        self._snapshot: dict[str, Any] | None = None

    @property
    def left(self) -> float:
        """Seconds of the step that are left. Raises TimeUp when there are none."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeUp
        return left

    def run(self, *argv: str, env: Mapping[str, str | None] | None = None, stdin: str = "") -> Ran:
        """Run a child until the step's deadline. `env` is set on top of ours; None takes a variable away."""
        changed = {**self.env, **(env or {})}
        kept = {name: value for name, value in changed.items() if value is not None}
        ran = run(argv, timeout=self.left, env=kept, stdin=stdin.encode(), cap=_MOST)
        if ran.outcome in ("timed-out", "abandoned"):
            raise TimeUp(f"{argv[-1][:60]} {ran.describe()}")
        return ran

    def ask(self, *words: str, env: Mapping[str, str | None] | None = None, stdin: str = "") -> dict[str, Any]:
        """What gpudoctor answers as JSON. Raises ValueError, with what it said, where it answered otherwise."""
        ran = self.run(*self.doctor, *words, env=env, stdin=stdin)
        return answer_of(ran, " ".join(words))

    def check(self, *words: str, env: Mapping[str, str | None] | None = None) -> dict[str, Any]:
        """A check of the target, as JSON."""
        return self.ask("check", "--format", "json", "--python", self.python, *words, env=env)

    def program(self, code: str, *words: str, env: Mapping[str, str | None] | None = None) -> Ran:
        """Run a program with the target's interpreter."""
        return self.run(self.python, "-c", code, *words, env=env)

    def tool(self, name: str) -> str:
        """The path of a program of the system. Raises NotPossible."""
        folders = ("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/nvidia/bin", "/usr/lib/wsl/lib")
        path = next((f"{folder}/{name}" for folder in self.env.get("PATH", "").split(":") if _runs(folder, name)), None)
        path = path or next((f"{folder}/{name}" for folder in folders if _runs(folder, name)), None)
        if path is None:
            raise NotPossible(f"there is no {name}")
        return path

    @property
    def is_root(self) -> bool:
        """Whether views of the file system can be made without a user namespace."""
        return os.geteuid() == 0

    @property
    def snapshot(self) -> dict[str, Any]:
        """All facts of the untouched machine, UUIDs included; looked for once."""
        if self._snapshot is None:
            self._snapshot = self.ask("snapshot", "--python", self.python, "--keep", "all")
        return self._snapshot

    @property
    def gpus(self) -> list[dict[str, Any]]:
        """The NVIDIA GPUs that NVML lists. Raises NotPossible where there is none."""
        section = self.snapshot.get("gpus") or {}
        found = [gpu for gpu in section.get("devices", ()) if gpu.get("vendor") == "nvidia" and "index" in gpu]
        if not found:
            raise NotPossible("no GPU: NVML lists none")
        return found

    def with_gpu(self, *names: str) -> str:
        """The first of these frameworks that sees a GPU. Raises NotPossible."""
        facts = self.results.facts("machine").get("frameworks")
        if facts is None:
            raise NotPossible("the step machine, which asks the frameworks, was not done")
        for name in names:
            if facts.get(name, {}).get("gpus"):
                return name
        seen = ", ".join(f"{name} {told.get('version') or told.get('error', '?')}" for name, told in facts.items())
        raise NotPossible(f"no GPU for {' or '.join(names)}: {seen or 'no framework is installed'}")

    def any_framework(self) -> str:
        """The first framework that the target has. Raises NotPossible."""
        present = self.results.facts("machine").get("present")
        if not present:
            raise NotPossible("no framework is installed" if present == [] else "the step machine was not done")
        return str(next((name for name in present if name != "cupy"), present[0]))

    def baseline(self) -> list[str]:
        """Names of what a static check finds on the untouched machine, root causes only."""
        saved = self.results.facts("check-static").get("roots")
        found: list[str] = roots(self.check("--static")) if saved is None else saved
        return found


def answer_of(ran: Ran, asked: str) -> dict[str, Any]:
    """The JSON that a child printed. Raises ValueError."""
    try:
        answer: dict[str, Any] = json.loads(ran.text)
    except ValueError:
        said = ran.stderr.decode("utf-8", "replace").strip()[-400:]
        raise ValueError(f"{asked}: {ran.describe()}: {said or ran.text[:200]}") from None
    return answer


def roots(report: dict[str, Any]) -> list[str]:
    """Names of the errors and warnings that follow from nothing else, in the report's order."""
    findings = report["diagnosis"].get("findings", ())
    names = (one["name"] for one in findings if one["severity"] != "info" and not one.get("because_of"))
    return list(dict.fromkeys(names))


def _runs(folder: str, name: str) -> bool:
    path = os.path.join(folder, name)
    return os.path.isabs(path) and os.path.isfile(path) and os.access(path, os.X_OK)
