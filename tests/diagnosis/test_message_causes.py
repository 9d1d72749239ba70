"""A cause that only a pasted message names: told in place of the failure where it is likely and alone; else not."""

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.facts.fix import Ask
from gpudoctor.facts.live import AgentRun, DeviceList, Live
from gpudoctor.facts.system import System
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.recognition import recognise
from gpudoctor.rules.load import load_rules
from tests.whole import driver, gpu, machine

CUDNN = "Loaded runtime CuDNN library: 7.4.1 but source was compiled with: 7.6.0."
HEADER = "/usr/bin/ld: cannot find -lcuda: No such file or directory"
ZLIB = "Could not locate zlibwapi.dll. Please make sure it is in your library path!"
EITHER = "nvidia-smi: NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."


def found(*lines, **changes):
    live = Live(symptoms=recognise("\n".join(lines), where="the report"))
    snapshot = machine((gpu("NVIDIA GeForce RTX 3090", "8.6"),), driver("580.95.05"), **{"live": live, **changes})
    return diagnose(snapshot, load_matrix(), load_rules()).findings


def roots(*lines, **changes):
    return [one.name for one in found(*lines, **changes) if not one.because_of and one.severity != "info"]


@pytest.mark.parametrize(
    ("line", "host", "name"),
    [
        (HEADER, None, "triton-libcuda-link"),
        (ZLIB, System(os="windows"), "win-zlibwapi-missing"),
        # What the system excludes is not told.
        (ZLIB, None, "library-not-loaded"),
        # None is usual.
        (EITHER, None, "driver-reports-error"),
    ],
)
def test_what_a_message_names(line, host, name):
    assert roots(line, **({"host": host} if host else {})) == [name]


def test_it_is_likely_with_the_message_and_what_its_page_says():
    cause, effect = [one for one in found(HEADER) if one.severity != "info"]
    assert (cause.told, cause.confidence, cause.severity) == (True, "likely", "warning")
    assert HEADER in [one.value for one in cause.evidence]
    fix = cause.fixes[0]
    assert fix.title != cause.summary
    assert "Make a link" in " ".join([fix.title, *(one.text for one in fix.steps if isinstance(one, Ask))])
    assert effect.because_of == (cause.code,)


def test_what_was_run_here_is_judged_by_the_facts():
    run = AgentRun(framework="tensorflow", task="devices", ending="failed", log=(CUDNN,))
    live = Live(symptoms=recognise(CUDNN), devices=(DeviceList(framework="tensorflow", run=run),))
    assert [one for one in found(live=live) if one.told] == []
