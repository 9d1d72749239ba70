"""What changed between two snapshots, most suspicious first."""

import msgspec

from gpudoctor.diagnosis.compare import compare
from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import Environ
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
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


def test_an_effect_that_grew_worse_is_new_and_one_that_grew_milder_is_not() -> None:
    """py-no-ssl is an error only where a framework is still to be installed."""
    ours = healthy().interpreter
    mild = healthy(interpreter=msgspec.structs.replace(ours, has_ssl=False))
    grave = msgspec.structs.replace(mild, frameworks=None, packages=None)
    assert "py-no-ssl" in {one.name for one in compared(mild, grave).appeared}
    assert "py-no-ssl" not in {one.name for one in compared(grave, mild).appeared}
    assert "py-no-ssl" not in {one.name for one in compared(mild, mild).appeared}
