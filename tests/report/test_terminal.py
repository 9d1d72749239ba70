"""The terminal report: the same verdict at any width, in any encoding, with or without colour."""

import re

import msgspec
import pytest

from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.codec import decode_snapshot, encode
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.finding import Diagnosis, Evidence, Finding, Skipped
from gpudoctor.facts.fix import Ask, Fix, Run, SetEnv
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.report.github import render_github
from gpudoctor.report.html import render_html
from gpudoctor.report.terminal import Style, render_terminal
from gpudoctor.report.view import view_of

LONG = "https://download.pytorch.org/whl/cu126"
CAUSE = Finding(
    code="FRM003",
    name="arch-too-old-for-build",
    severity="error",
    summary="torch 2.9.0+cu130 holds no code for the GPU: compute capability 6.1 is older than any it was built for.",
    evidence=(Evidence(fact="built for", value="sm_75, sm_80", source=Source(kind="file", where="libtorch_cuda.so")),),
    fixes=(
        Fix(
            title="install the build for CUDA 12.6",
            safety="safe",
            steps=(
                Run(
                    argv=("/opt/an/environment/bin/python", "-m", "pip", "install", "torch==2.9.0", "--index-url", LONG)
                ),
            ),
        ),
        Fix(
            title="or a newer card", safety="manual", steps=(Ask(text="Buy one."),), needs_root=True, needs_reboot=True
        ),
    ),
)
FOLLOWS = Finding(code="SMK001", name="x", severity="error", summary="Training fails.", because_of=("FRM003",))
NOTE = Finding(code="FRM010", name="y", severity="info", summary="A note.")
SNAPSHOT = Snapshot(
    gpus=Gpus(
        devices=(
            Gpu(
                vendor="nvidia",
                index=0,
                name="GeForce GTX 1080 Ti",
                capability=Capability("6.1"),
                memory_total_mib=11264,
            ),
            Gpu(
                vendor="nvidia",
                index=1,
                name="GeForce GTX 1080 Ti",
                capability=Capability("6.1"),
                memory_total_mib=11264,
            ),
        )
    ),
    driver=Driver(release=DriverRelease("580.65.06"), module_flavour="proprietary"),
    frameworks=None,
)


def view(*findings, snapshot=SNAPSHOT, skipped=()):
    return view_of(report_of(snapshot, Diagnosis(findings=findings, skipped=skipped)))


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_fits_the_width_but_never_breaks_a_command(width):
    text = plain(render_terminal(view(CAUSE, FOLLOWS, NOTE), Style(width=width)))
    for line in text.splitlines():
        assert len(line) <= width or line.strip().startswith("/opt/an/environment/bin/python")
    assert f"    /opt/an/environment/bin/python -m pip install torch==2.9.0 --index-url {LONG}\n" in text


def test_order_stack_headline_cause_commands_consequences():
    text = plain(render_terminal(view(CAUSE, FOLLOWS, NOTE), Style(width=80)))
    places = [text.index(part) for part in ("Hardware", "Driver", "CUDA", "Libraries", "Python", "Framework")]
    places += [text.index(part) for part in ("1 error", "FRM003", "built for", "Fix:", "Consequences", "note FRM010")]
    assert places == sorted(places)
    assert "2 x GeForce GTX 1080 Ti (11 GB, compute capability 6.1)" in text
    assert "needs root, then a reboot" in text


def test_a_hostile_name_in_the_stack_cannot_steer_the_terminal():
    gpus = Gpus(devices=(Gpu(vendor="nvidia", index=0, name="RTX\x1b[2J\x07\nHealthy"),))
    text = render_terminal(view(snapshot=Snapshot(gpus=gpus)), Style(width=100))
    assert "\x1b[2J" not in text and "\x07" not in text
    assert r"RTX\x1b[2J\x07\nHealthy" in text


def test_ascii_only_when_asked():
    assert plain(render_terminal(view(CAUSE), Style(unicode=False))).isascii()


def test_quiet_is_the_verdict_and_its_causes():
    lines = plain(render_terminal(view(CAUSE, FOLLOWS, NOTE), Style(verbosity=-1))).splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("FRM003 ")


def test_verbose_adds_sources_and_rules_that_could_not_judge():
    skipped = (Skipped(code="LIB001", gap=Gap(reason="no permission")),)
    quiet = plain(render_terminal(view(CAUSE, skipped=skipped), Style()))
    verbose = plain(render_terminal(view(CAUSE, skipped=skipped), Style(verbosity=1)))
    assert "libtorch_cuda.so" not in quiet and "libtorch_cuda.so" in verbose
    assert "LIB001" not in quiet and "LIB001  no permission" in verbose


def test_what_was_not_seen_is_said():
    text = plain(render_terminal(view(snapshot=Snapshot(gpus=Gap(reason="the PCI bus was locked"))), Style()))
    assert "Inconclusive" in text and "the PCI bus was locked" in text and "not seen" in text


def test_no_verdict_does_not_say_that_nothing_is_wrong_beside_a_warning():
    warned = Finding(code="ENV001", name="z", severity="warning", summary="A warning.")
    text = plain(render_terminal(view(warned, snapshot=Snapshot(gpus=Gap(reason="locked"))), Style(width=100)))
    assert "Inconclusive" in text and "1 warning" in text and "No problem" not in text


def test_a_variable_says_where_it_belongs():
    fix = Fix(title="Set it", safety="safe", steps=(SetEnv(name="A", value="1", where="~/.profile"),))
    cause = Finding(code="ENV001", name="z", severity="error", summary="Unset.", fixes=(fix,))
    assert "    In ~/.profile:\n    export A=1\n" in plain(render_terminal(view(cause), Style()))


def test_a_saved_report_draws_the_same():
    again = decode_snapshot(encode(SNAPSHOT))
    assert render_terminal(view(CAUSE, snapshot=again), Style()) == render_terminal(view(CAUSE), Style())


def test_which_gpu_is_meant_stands_before_the_sentence():
    hot = Finding(
        code="GPU011",
        name="hot",
        severity="warning",
        summary="This GPU is too hot.",
        subject="GPU 1 (GeForce GTX 1080 Ti)",
    )
    text = plain(render_terminal(view(hot), Style(width=100)))
    assert "  GPU 1 (GeForce GTX 1080 Ti): This GPU is too hot.\n" in text
    named = plain(render_terminal(view(msgspec.structs.replace(hot, summary=f"{hot.subject} is too hot.")), Style()))
    assert named.count("GPU 1 (GeForce GTX 1080 Ti)") == 1


def test_the_ways_out_of_a_note_say_what_they_are():
    slow = Fix(title="Number the GPUs alike", safety="safe", steps=(SetEnv(name="CUDA_DEVICE_ORDER", value="PCI"),))
    shown = view(msgspec.structs.replace(NOTE, fixes=(slow,)))
    assert "Fix:" not in render_github(shown) + render_html(shown, ())
    text = plain(render_terminal(shown, Style()))
    assert "note FRM010: A note.\n  Number the GPUs alike:\n    export CUDA_DEVICE_ORDER=PCI\n" in text
