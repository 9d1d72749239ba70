"""From what an agent tells to facts: any order, any end, nothing lost and nothing invented."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpudoctor.facts.live import AgentRun, Stage, Trial
from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.host.port import Ran
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.live.evidence import device_list, smoke_run, symptoms
from gpudoctor.probes.live.plan import keras_backend, may_use_gpu, processes
from gpudoctor.probes.live.run import Asked, Outcome, run_agent
from gpudoctor.probes.live.transcript import MARK, Told, Transcript

BOTH = ("devices", "smoke")
TARGET = Interpreter(executable="/env/bin/python", chosen_by="--python")


def line(**answer):
    return MARK + json.dumps(answer).encode() + b"\n"


ERRAND = {"task": "devices", "framework": "torch"}
TALK = (
    b"\nbanner of a framework\n"
    + line(fact="task", value=ERRAND)
    + line(begin="import torch")
    + line(end="import torch", outcome="passed", seconds=1.5)
    + line(fact="devices", value={"framework": "torch", "devices": [{"name": "cpu", "kind": "cpu"}]})
    + line(begin="list")
    + line(end="list", outcome="failed", seconds=0.1, error={"type": "RuntimeError", "text": "no"})
    + line(fact="task", value={"task": "smoke", "framework": "torch"})
    + line(begin="train dense float32 on cpu")
    + line(fact="trial", value={"network": "dense", "device": "cpu", "outcome": "passed", "accuracy": 0.99})
    + line(end="train dense float32 on cpu", outcome="passed", seconds=0.5)
    + line(done=True, peak_mib=321)
)


def told(raw, pieces=(), tasks=(("torch", "devices"), ("torch", "smoke"))):
    transcript = Transcript(tasks)
    start = 0
    for end in [*sorted({piece % (len(raw) + 1) for piece in pieces}), len(raw)]:
        transcript.feed(raw[start:end])
        start = end
    return transcript


def as_told(transcript):
    return [(part.stages, part.facts, part.failed) for part in transcript.parts], transcript.done, transcript.peak_mib


@given(st.lists(st.integers(0, 2000), max_size=30))
def test_it_may_come_in_any_pieces(pieces):
    assert as_told(told(TALK, pieces)) == as_told(told(TALK))


@given(st.binary(max_size=300), st.integers(0, 2000))
def test_nothing_that_is_written_breaks_it(noise, at):
    told(TALK[:at] + noise + b"\n" + TALK[at:])
    told(MARK + noise + b"\n" + TALK)


def test_stages_and_facts_go_to_their_task():
    devices, smoke = told(TALK).parts
    assert [(stage.name, stage.outcome) for stage in devices.stages] == [("import torch", "passed"), ("list", "failed")]
    assert [stage.name for stage in smoke.stages] == ["train dense float32 on cpu"]
    assert [fact.kind for fact in smoke.facts] == ["trial"]


def test_a_stage_that_did_not_end_is_unfinished():
    cut = TALK[: TALK.index(b'{"end": "list"')]
    (devices, smoke) = told(cut).parts
    assert devices.stages[-1] == Stage(name="list", outcome="unfinished")
    assert smoke.began is None


def test_a_framework_that_forked_tells_twice():
    twice = line(begin="import") + line(begin="import") + line(end="import", outcome="passed") * 2 + line(done=True)
    (part,) = told(twice, tasks=(("jax", "devices"),)).parts
    assert [stage.outcome for stage in part.stages] == ["passed", "passed"]


def outcome(task, *facts, printed="", **run):
    facts = tuple(Told(kind, value) for kind, value in facts)
    fields = {"framework": "torch", "task": task, "ending": "finished", **run}
    return Outcome(run=AgentRun(**fields), facts=facts, printed=printed)


def test_the_last_list_counts():
    first = {"framework": "torch", "version": "2.0"}
    listed = device_list(outcome("devices", ("devices", first), ("devices", {**first, "gpu_available": False})), "1.9")
    assert (listed.version, listed.gpu_available, listed.run.ending) == ("2.0", False, "finished")
    assert device_list(outcome("devices", ending="died"), "1.9").devices is None


def test_a_training_that_cannot_be_read_is_not_passed_over():
    good = {"network": "dense", "device": "cpu", "outcome": "passed"}
    run = smoke_run(outcome("smoke", ("trial", good), ("trial", {"network": "conv"})), None, "generated")
    assert (run.run.ending, run.proved) == ("failed", False)
    assert smoke_run(outcome("smoke", ("trial", good)), None, "generated").proved


def test_messages_are_found_with_their_place():
    error = {"type": "RuntimeError", "text": "CUDA error: no kernel image is available for execution on the device"}
    trial = {"network": "dense", "device": "gpu:1", "outcome": "failed", "error": error}
    found = list(symptoms(outcome("smoke", ("trial", trial), printed=f"noise\n{error['text']}\n")))
    assert [symptom.where for symptom in found][:1] == ["smoke torch on gpu:1"]
    assert all(symptom.framework == "torch" for symptom in found)


def test_the_log_says_when_it_was_cut():
    run = smoke_run(outcome("smoke", printed="all fine\n" * 3 + "ERROR: bad\n"), None, "generated").run
    assert "ERROR: bad" in run.log
    assert run.log_cut


def test_keras_goes_where_its_backend_is():
    names = ("tensorflow", "torch", "jax", "keras")
    with_torch = processes(names, BOTH, "torch")
    assert [[framework for framework, task in one if task == "smoke"] for one in with_torch] == [
        ["tensorflow"],
        ["torch", "keras"],
        ["jax"],
    ]
    assert processes(("keras",), ("smoke",), "jax") == ((("keras", "smoke"),),)
    assert [one[0] for one in processes(("torch",), BOTH, "tensorflow")] == [("torch", "devices")]


def test_the_backend_of_keras():
    assert keras_backend(RecordedHost(env={"KERAS_BACKEND": "jax"})) == "jax"
    settings = {"/k/keras.json": '{"backend": "torch"}'}
    assert keras_backend(RecordedHost(settings, env={"KERAS_HOME": "/k"})) == "torch"
    for text in ("", "{", "[]", '{"backend": 5}', '{"backend": "openvino"}'):
        assert keras_backend(RecordedHost({"/k/keras.json": text}, env={"KERAS_HOME": "/k"})) == "tensorflow"


def test_turns_are_taken_only_where_two_could_meet():
    here = RecordedHost({"/dev/nvidiactl": ""})
    gpu, cpu = (Frameworks(found=(Framework(name="torch", variant=variant),)) for variant in ("cuda", "cpu"))
    assert may_use_gpu(here, gpu, None)
    assert not may_use_gpu(here, cpu, None)
    assert not may_use_gpu(here, gpu, ("cpu",))
    assert not may_use_gpu(RecordedHost(), gpu, None)


def test_a_trial_is_as_the_model_has_it():
    value = {"network": "dense", "device": "cpu", "outcome": "passed", "placed_on": "cpu"}
    assert Told("trial", value).as_fact(Trial) == Trial(**value)
    assert Told("trial", {"network": 5}).as_fact(Trial) is None


class Played(RecordedHost):
    """A host whose one child says `words` and ends as `ran` says; `kills` are the kernel's counts before and after."""

    def __init__(self, ran, words=b"", kills=(0, 0)):
        super().__init__()
        self.ran, self.words, self.kills, self.asked = ran, words, list(kills), None

    def read_text(self, path, **_):
        return f"pgfault 1\noom_kill {self.kills.pop(0)}\n" if path == "/proc/vmstat" else None

    def run(self, argv, *, timeout, stdin, watch, **_):
        self.asked = json.loads(stdin)
        watch.finish(self.words)
        return Ran(argv=argv, seconds=timeout, **self.ran)


IMPORTING = line(fact="task", value=ERRAND) + line(begin="import torch")
DONE = IMPORTING + line(end="import torch", outcome="passed") + line(done=True)


def stuck(outcome, where):
    return {"outcome": outcome, "state": "D", "wchan": where}


GONE = {"outcome": "not-started", "reason": "there is no such program"}
KILLED = {"outcome": "signalled", "signal": "SIGKILL"}
#: name: (how the child ended, what it told, the kernel's counts, ending, words of the reason)
ENDS = {
    "well": ({"outcome": "exited", "code": 0}, DONE, (3, 3), "finished", None),
    "well, and slow to go": ({"outcome": "timed-out"}, DONE, (3, 3), "finished", None),
    "well, and cannot be ended": (stuck("abandoned", "nvidia_close"), DONE, (0, 0), "abandoned", "nvidia_close"),
    "killed by the kernel": (KILLED, IMPORTING, (3, 4), "out-of-memory", "the kernel"),
    "killed by someone": (KILLED, IMPORTING, (3, 3), "died", None),
    "killed for its size": ({**KILLED, "overgrown": True}, IMPORTING, (3, 3), "out-of-memory", "too much memory"),
    "killed for its words": ({**KILLED, "truncated": True}, IMPORTING, (3, 3), "flooded", "printed too much"),
    "crashed": ({"outcome": "signalled", "signal": "SIGSEGV"}, IMPORTING, (3, 4), "died", None),
    "late": ({"outcome": "timed-out"}, IMPORTING, (0, 0), "timed-out", None),
    "late in the driver": (stuck("timed-out", "nvidia_ioctl"), IMPORTING, (0, 0), "timed-out", "sleep in nvidia_ioctl"),
    "stuck": (stuck("abandoned", "os_acquire"), IMPORTING, (0, 0), "abandoned", "os_acquire"),
    "without a word": ({"outcome": "exited", "code": 0}, IMPORTING, (0, 0), "silent", None),
    "no such program": (GONE, b"", (0, 0), "not-started", "no such program"),
}  # fmt: skip


@pytest.mark.parametrize("how", ENDS)
def test_an_end_is_classed(how):
    ran, words, kills, ending, reason = ENDS[how]
    host = Played(ran, words, kills)
    run, _ = run_agent(host, TARGET, "torch", "devices", Asked(deadline=7, devices=("cpu",)))
    assert (run.ending, run.device) == (ending, "cpu")
    assert (reason in (run.reason or "")) if reason else run.reason is None
    assert (run.stopped_in == "import torch") == (words == IMPORTING)
    assert (run.signal is not None) == (ending == "died")
    assert host.asked["devices"] == ["cpu"]


def test_what_gpudoctor_cannot_run_is_not_started():
    run, facts = run_agent(Played({"outcome": "exited", "code": 0}), TARGET, "theano", "smoke", Asked(deadline=7))
    assert (run.ending, facts) == ("not-started", ())
