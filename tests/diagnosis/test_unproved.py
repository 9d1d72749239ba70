"""What was run and is not proved is never called healthy; what was proved is said."""

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.live import AgentRun, DeviceList, ListedDevice, Live, SmokeRun, Thrown, Trial
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.report.terminal import Style, render_terminal
from gpudoctor.report.view import view_of
from gpudoctor.rules.load import load_rules
from tests.whole import driver, framework, gpu, machine

GPU = gpu("NVIDIA GeForce RTX 4090", "8.9")
TORCH = framework("torch", "2.8.0+cu128")
CPU_TORCH = framework("torch", "2.8.0+cpu")


def ran(task, ending="finished", **more):
    return AgentRun(framework="torch", task=task, ending=ending, **more)


def trial(device, outcome="passed", **more):
    return Trial(network="dense", device=device, outcome=outcome, **more)


def live(*trials, ending="finished", listing="finished", **more):
    gpus = [ListedDevice(name="cuda:0", kind="gpu", index=0)] if any("gpu" in t.device for t in trials) else []
    listed = DeviceList(
        framework="torch",
        run=ran("devices", listing),
        devices=(ListedDevice(name="cpu", kind="cpu"), *gpus),
        gpu_available=bool(gpus),
        built_with_cuda=True,
    )
    return Live(
        devices=(listed,), smoke=(SmokeRun(framework="torch", run=ran("smoke", ending, **more), trials=trials),)
    )


def report(live, *, with_gpu=True):
    parts = ([GPU], driver("580.65.06"), [TORCH]) if with_gpu else ([], None, [CPU_TORCH])
    snapshot = machine(*parts, live=live)
    matrix = load_matrix()
    return report_of(snapshot, diagnose(snapshot, matrix, load_rules()), matrix=matrix)


def text(live, **more):
    return " ".join(render_terminal(view_of(report(live, **more)), Style(width=500)).split())


def test_trained_on_gpu_and_cpu():
    proof = live(trial("gpu:0"), trial("cpu"))
    assert report(proof).verdict == "healthy"
    assert "Healthy. PyTorch trained on GPU 0 and the CPU." in text(proof)
    assert "No training was run" not in text(proof)


def test_trained_on_the_cpu_of_a_machine_without_a_gpu():
    proof = live(trial("cpu"))
    assert report(proof, with_gpu=False).verdict == "no-gpu"
    assert "OK: no GPU. PyTorch trained on the CPU." in text(proof, with_gpu=False)


#: Runs that prove nothing, or only a part.
UNPROVED = {
    "died": live(ending="died", signal="SIGSEGV"),
    "timed out": live(ending="timed-out"),
    "silent": live(ending="silent", code=0),
    "flooded": live(ending="flooded"),
    "out of memory": live(ending="out-of-memory"),
    "abandoned": live(ending="abandoned"),
    "interrupted": live(trial("gpu:0"), ending="interrupted"),
    "not started": live(ending="not-started", reason="no such program"),
    "failed": live(ending="failed", error=Thrown(type="ImportError", text="broken")),
    "ended after it passed": live(trial("gpu:0"), trial("cpu"), ending="died", signal="SIGABRT"),
    "a training failed": live(trial("gpu:0", "failed", detail="loss did not fall"), trial("cpu")),
    "one of several failed": live(trial("gpu:0"), trial("gpu:0", "failed", detail="ran on cpu"), trial("cpu")),
    "nothing trained": live(),
    "all skipped": live(trial("gpu:0", "skipped"), trial("cpu", "skipped")),
    "the CPU only": live(trial("cpu")),
    "the list did not end": live(trial("gpu:0"), trial("cpu"), listing="timed-out"),
}


@pytest.mark.parametrize("how", UNPROVED)
def test_unproved_is_not_healthy(how):
    judged = report(UNPROVED[how])
    assert judged.verdict in ("findings", "incomplete"), judged.verdict
    assert judged.exit_code != 0
    assert judged.unseen, "it is said what is not known"
    assert "Healthy" not in text(UNPROVED[how])


@pytest.mark.parametrize("how", ["died", "a training failed", "nothing trained", "silent"])
def test_without_a_gpu_neither(how):
    assert report(UNPROVED[how], with_gpu=False).verdict in ("findings", "incomplete")
