"""Lists devices and trains small networks with every installed framework, each in a child process."""

from msgspec import structs

from gpudoctor.facts.live import Live, Task
from gpudoctor.facts.python import Frameworks, Interpreter
from gpudoctor.host.background import Aside
from gpudoctor.host.children import stop_for_good
from gpudoctor.host.port import Host
from gpudoctor.probes.live.evidence import device_list, smoke_run, symptoms
from gpudoctor.probes.live.limits import memory_cap, threads_each
from gpudoctor.probes.live.plan import Process, at_a_time, installed, keras_backend, may_use_gpu, processes
from gpudoctor.probes.live.run import Asked, Outcome, run_tasks
from gpudoctor.probes.live.transcript import Listener

#: Seconds for the tasks of one framework; the first import from a slow disk takes the better part of it.
DEADLINE = 180.0
#: Of the deadline, what is left for training.
_TRAINING = 0.5
BOTH: tuple[Task, ...] = ("devices", "smoke")


class Interrupted(KeyboardInterrupt):
    """Ctrl-C. `live` is what was found until then; the children are gone, and no more can be started."""

    def __init__(self, live: Live) -> None:
        super().__init__()
        self.live = live


def prove(
    host: Host,
    interpreter: Interpreter,
    frameworks: Frameworks | None,
    *,
    tasks: tuple[Task, ...] = BOTH,
    only: tuple[str, ...] | None = None,
    devices: tuple[str, ...] | None = None,
    data: str = "generated",
    quick: bool = True,
    seconds: float | None = None,
    deadline: float = DEADLINE,
    on_event: Listener | None = None,
) -> Live:
    """Run `tasks` of every framework found, or of those named in `only`; `devices` gpu:0 …, cpu, or None for all.

    `seconds` for the trainings of a framework, `deadline` for all its tasks. To be called in the main thread, where
    Ctrl-C raises Interrupted. Raises nothing else: what goes wrong with a framework is in its AgentRun.
    """
    names = tuple(name for name in installed(frameworks) if only is None or name in only)
    work = processes(names, tasks, keras_backend(host))
    beside = at_a_time(host, len(work))
    asked = Asked(
        deadline=deadline,
        devices=devices,
        data=data,
        quick=quick,
        seconds=deadline * _TRAINING if seconds is None else seconds,
        threads=threads_each(host, beside),
        memory_cap=memory_cap(host, beside),
        turns=beside > 1 and may_use_gpu(host, frameworks, devices),
    )
    crew = _Crew(host, interpreter, asked, work, on_event)
    interrupted = crew.work(beside)
    live = _facts(crew.outcomes(), frameworks, data)
    if interrupted:
        raise Interrupted(live)
    return live


class _Crew:
    """Threads, each of which attends one process after another."""

    def __init__(
        self, host: Host, interpreter: Interpreter, asked: Asked, work: tuple[Process, ...], on_event: Listener | None
    ) -> None:
        self._host = host
        self._interpreter = interpreter
        self._asked = asked
        self._order = [one for process in work for one in process]
        self._waiting = list(work)
        self._on_event = on_event
        self._stopped = False
        self._outcomes: dict[tuple[str, Task], Outcome] = {}

    def work(self, beside: int) -> bool:
        """Do everything; whether it was interrupted."""
        hands = [Aside(self._attend) for _ in range(beside)]
        try:
            for hand in hands:
                hand.result()
        except KeyboardInterrupt:
            self._stopped = True
            stop_for_good()
            for hand in hands:
                hand.result()
        return self._stopped

    def outcomes(self) -> list[Outcome]:
        """All outcomes, in the order in which they were asked for."""
        return [self._outcomes[one] for one in self._order if one in self._outcomes]

    def _attend(self) -> None:
        while self._waiting and not self._stopped:
            try:
                process = self._waiting.pop(0)
            except IndexError:  # another thread took it
                return
            outcomes = run_tasks(self._host, self._interpreter, process, self._asked, self._on_event)
            self._note(process, outcomes)

    def _note(self, process: Process, outcomes: tuple[Outcome, ...]) -> None:
        """Keep the outcomes. A framework that was not reached because another one ended the process is run alone."""
        first = process[0][0]
        missed = tuple(
            one
            for one, outcome in zip(process, outcomes, strict=True)
            if not outcome.reached and one[0] != first and not self._stopped
        )
        for one, outcome in zip(process, outcomes, strict=True):
            if one not in missed:
                self._outcomes[one] = self._as_interrupted(outcome) if self._stopped else outcome
        if missed:
            self._waiting.append(missed)

    def _as_interrupted(self, outcome: Outcome) -> Outcome:
        if outcome.run.ending not in ("died", "not-started", "silent"):
            return outcome
        run = structs.replace(outcome.run, ending="interrupted", signal=None, code=None, reason=None)
        return structs.replace(outcome, run=run)


def _facts(outcomes: list[Outcome], frameworks: Frameworks | None, data: str) -> Live:
    found = {one.name: one.version for one in frameworks.found} if frameworks else {}
    lists = [one for one in outcomes if one.run.task == "devices"]
    runs = [one for one in outcomes if one.run.task == "smoke"]
    return Live(
        devices=tuple(device_list(one, found.get(one.run.framework)) for one in lists),
        smoke=tuple(smoke_run(one, found.get(one.run.framework), data) for one in runs),
        symptoms=tuple(symptom for one in outcomes for symptom in symptoms(one)),
    )
