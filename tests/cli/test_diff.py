"""`gpudoctor diff`: what changed, most suspicious first."""

import json
from pathlib import Path

import msgspec
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.diagnosis.compare import compare
from gpudoctor.facts.base import Gap
from gpudoctor.facts.codec import encode
from gpudoctor.facts.system import Environ
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from tests.tickets.stated import FOLDER
from tests.whole import driver, framework, gpu, machine

CARD = gpu("NVIDIA GeForce RTX 3090", "8.6")


def healthy(**changes):
    facts = {
        "driver": driver("550.54.14"),
        "frameworks": (framework("torch", "2.5.1+cu124"),),
        "environ": Environ(variables={"LD_LIBRARY_PATH": "/usr/lib", "HF_HOME": "/data"}),
    }
    return machine((CARD,), **{**facts, **changes})


def compared(before, after):
    return compare(before, after, load_matrix(), load_rules())


def changed(comparison) -> dict[str, tuple[str | None, str | None]]:
    return {one.change.what: (one.change.before, one.change.after) for one in comparison.suspects}


def test_nothing_changed() -> None:
    comparison = compared(healthy(), healthy())
    assert comparison.suspects == ()
    assert comparison.appeared == ()


def test_the_change_that_brings_a_finding_comes_first() -> None:
    after = healthy(
        driver=driver("570.86.10"),
        frameworks=(framework("torch", "2.6.0+cpu"),),
        environ=Environ(variables={"LD_LIBRARY_PATH": "/usr/lib:/opt/lib", "HF_HOME": "/data"}),
    )
    comparison = compared(healthy(), after)
    first = comparison.suspects[0]
    assert (first.change.what, first.change.before, first.change.after) == ("torch", "2.5.1+cu124", "2.6.0+cpu")
    assert first.brings == ("FRM001",)
    assert [one.name for one in comparison.appeared] == ["torch-cpu-only"]
    assert changed(comparison)["driver"] == ("550.54.14", "570.86.10")
    path = next(one.change for one in comparison.suspects if one.change.what == "LD_LIBRARY_PATH")
    assert (path.gained, path.lost) == (("/opt/lib",), ())
    assert all(not one.brings for one in comparison.suspects[1:])


def test_a_driver_that_became_too_old_is_suspected_and_not_the_framework() -> None:
    comparison = compared(healthy(), healthy(driver=driver("470.82.01")))
    assert comparison.suspects[0].change.section == "driver"
    assert "FRM016" in comparison.suspects[0].brings


def test_what_is_mended_is_told() -> None:
    before = healthy(frameworks=(framework("torch", "2.5.1+cpu"),))
    comparison = compared(before, healthy())
    assert [one.name for one in comparison.gone] == ["torch-cpu-only"]
    assert comparison.appeared == ()


def test_what_one_did_not_see_is_not_a_change() -> None:
    unseen = msgspec.structs.replace(healthy(), environ=Gap(reason="not recorded"), driver=Gap(reason="not recorded"))
    comparison = compared(healthy(), unseen)
    assert {name for name, _ in comparison.not_compared} == {"environ", "driver"}
    assert comparison.suspects == ()


def test_an_excerpt_lacks_nothing() -> None:
    short = healthy(environ=Environ(variables={"LD_LIBRARY_PATH": "/usr/lib"}, excerpt=True))
    assert compared(healthy(), short).suspects == ()


def test_the_command(tmp_path: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_bytes(encode(healthy()))
    after.write_bytes(encode(healthy(frameworks=(framework("torch", "2.6.0+cpu"),))))
    shown = CliRunner().invoke(cli, ["diff", str(before), str(after)])
    assert shown.exit_code == 1
    assert "torch 2.5.1+cu124" in shown.output
    assert "undoing this alone takes back FRM001" in shown.output
    assert CliRunner().invoke(cli, ["diff", str(after), str(before)]).exit_code == 0
    told = json.loads(CliRunner().invoke(cli, ["diff", str(before), str(after), "--format", "json"]).output)
    assert told["suspects"][0]["brings"] == ["FRM001"]


def test_pasted_texts_are_compared_by_what_both_state() -> None:
    texts = [str(FOLDER / f"{name}.txt") for name in ("torch-51858", "torch-122924")]
    shown = CliRunner().invoke(cli, ["diff", *texts])
    assert shown.exit_code == 1
    assert "driver 535.98" in shown.output
    assert "version of Python 3.9.16" in shown.output


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_bytes(b"")
    shown = CliRunner().invoke(cli, ["diff", str(path), str(path)])
    assert shown.exit_code == 3
    assert "cannot be compared: it is empty" in shown.output
