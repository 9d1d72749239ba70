"""Collects what an agent reports on its channel while it runs (the protocol: agent/agent_channel.py)."""

import json
import time
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec

from gpudoctor.facts.base import Fact
from gpudoctor.facts.codec import from_plain
from gpudoctor.facts.live import Stage, Task, Thrown

_F = TypeVar("_F", bound=Fact)

MARK = b"@gpudoctor "
#: The stage in which an agent waits for others to be done with the GPU (agent/run_tasks.py).
WAITING = "wait for the GPU"


class Event(NamedTuple):
    """What happens while frameworks are run, for whoever watches. `stage` None: the task itself."""

    framework: str
    task: Task
    happens: Literal["begins", "ends"]
    stage: str | None = None
    #: How a stage ended: passed, failed, skipped; how a task ended: finished, failed.
    outcome: str | None = None


Listener = Callable[[Event], None]


class Told(NamedTuple):
    """A fact that an agent told: its kind (devices, trial, …) and its fields."""

    kind: str
    value: dict[str, Any]

    def as_fact(self, kind: type[_F]) -> _F | None:
        """The typed fact; None where its fields are not as the type wants them, which is a bug of the agent."""
        try:
            return from_plain(self.value, kind)
        except (msgspec.ValidationError, ValueError):
            return None


class Part:
    """One task as far as it was told."""

    def __init__(self, framework: str, task: Task) -> None:
        self.framework = framework
        self.task = task
        self.facts: list[Told] = []
        self.failed: Thrown | None = None
        self.began: float | None = None
        self.ended: float | None = None
        self._stages: list[Stage] = []

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages in the order in which they began; those that did not end are unfinished."""
        return tuple(self._stages)

    def begin_stage(self, name: str) -> None:
        """A stage begins."""
        self._stages.append(Stage(name=name, outcome="unfinished"))

    def end_stage(self, stage: Stage) -> None:
        """A stage ended: the last one of that name that is unfinished."""
        for index in range(len(self._stages) - 1, -1, -1):
            if self._stages[index].name == stage.name and self._stages[index].outcome == "unfinished":
                self._stages[index] = stage
                return


class Transcript:
    """What one process told, task by task."""

    def __init__(self, tasks: tuple[tuple[str, Task], ...], on_event: Listener | None = None) -> None:
        self.parts = tuple(Part(framework, task) for framework, task in tasks)
        self.done = False
        self.peak_mib: int | None = None
        #: Whether it waits for its turn.
        self.waits = False
        self._at = self.parts[0]
        self._rest = b""
        self._on_event = on_event

    @property
    def framework(self) -> str:
        """The framework that is under way."""
        return self._at.framework

    def feed(self, output: bytes) -> None:
        """Take in more of the channel."""
        *lines, self._rest = (self._rest + output).split(b"\n")
        for line in lines:
            if line.startswith(MARK):
                try:
                    answer = json.loads(line[len(MARK) :])
                except ValueError:  # two processes wrote at once: a framework that forked
                    continue
                if isinstance(answer, dict):
                    self._take(answer)

    def close(self) -> None:
        """The process has ended, and with it the task that was under way."""
        self._at.ended = time.monotonic()
        self._say("ends", outcome="failed" if self._at.failed or not self.done else "finished")

    def _take(self, answer: dict[str, Any]) -> None:
        if "begin" in answer:
            self._begin(str(answer["begin"]))
        elif "end" in answer:
            self._end(answer)
        elif "fact" in answer:
            self._fact(str(answer["fact"]), answer.get("value"))
        elif "failed" in answer:
            self._at.failed = _thrown(answer["failed"])
        elif answer.get("done"):
            peak = answer.get("peak_mib")
            self.done, self.peak_mib = True, peak if isinstance(peak, int) else None

    def _begin(self, name: str) -> None:
        self.waits = name == WAITING
        self._at.begin_stage(name)
        self._say("begins", name)

    def _end(self, answer: dict[str, Any]) -> None:
        self.waits = False
        fields = {**answer, "name": str(answer["end"])}
        fields.pop("end")
        stage = Told("stage", fields).as_fact(Stage)
        if stage is not None:
            self._at.end_stage(stage)
            self._say("ends", stage.name, stage.outcome)

    def _fact(self, kind: str, value: object) -> None:
        if not isinstance(value, dict):
            return
        if kind == "task":
            self._switch(value)
        elif kind == "failed":
            self._at.failed = _thrown(value)
        else:
            self._at.facts.append(Told(kind, value))

    def _switch(self, value: dict[str, Any]) -> None:
        for part in self.parts:
            if (part.framework, part.task) == (value.get("framework"), value.get("task")) and part.began is None:
                now = time.monotonic()
                if self._at is not part and self._at.began is not None:
                    self._at.ended = now
                    self._say("ends", outcome="failed" if self._at.failed else "finished")
                self._at = part
                part.began = now
                self._say("begins")
                return

    def _say(self, happens: Literal["begins", "ends"], stage: str | None = None, outcome: str | None = None) -> None:
        if self._on_event is not None:
            self._on_event(Event(self._at.framework, self._at.task, happens, stage, outcome))


def _thrown(value: object) -> Thrown:
    found = Told("thrown", value).as_fact(Thrown) if isinstance(value, dict) else None
    return found or Thrown(type="Exception", text="")
