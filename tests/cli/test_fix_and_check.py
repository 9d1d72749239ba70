"""`fix` and `check` agree: the same look gives the same exit code, and every cause is fixed or named as not fixed."""

import json

import pytest

from gpudoctor.facts.codec import encode
from tests.cases.load import cases
from tests.e2e.command import gpudoctor
from tests.live.fakes import MODULE, fake_environment

CASES = {case.id: case for case in cases()}
#: What shows only when a framework is run, as what its import does; and one that is well.
DEATHS = {
    "an exception": "raise ImportError('libcudart.so.12: cannot open shared object file')",
    "a signal": "os.abort()",
    "an exit": "os._exit(3)",
}


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """An environment whose torch has the files of a CPU build, and does what FAKE_TORCH says."""
    folder = tmp_path_factory.mktemp("fakes") / "env"
    interpreter = fake_environment(folder)
    (site,) = folder.glob("lib/python*/site-packages")
    files = {
        "torch/__init__.py": MODULE.format(name="TORCH"),
        "torch/version.py": "__version__ = '2.6.0+cpu'\ncuda = None\nhip = None\n",
        "torch-2.6.0+cpu.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 2.6.0+cpu\n",
    }
    for path, text in files.items():
        (site / path).parent.mkdir(exist_ok=True)
        (site / path).write_text(text, encoding="utf-8")
    return interpreter.executable


def errors(document) -> set[str]:
    return {one["code"] for one in document["diagnosis"]["findings"] if one["severity"] == "error"}


def consequences(document) -> set[str]:
    return {one["code"] for one in document["diagnosis"]["findings"] if one.get("because_of")}


def said(command, *words, env=None):
    """The exit code, the report and standard error."""
    done = gpudoctor(command, *words, "--format", "json", env=env)
    return done.returncode, json.loads(done.out.splitlines()[-1] if "--apply" in words else done.out), done.err


@pytest.mark.parametrize("death", DEATHS)
def test_what_only_a_run_shows(python, death):
    env = {"FAKE_TORCH": DEATHS[death]}
    ran, report, _ = said("check", "--python", python, env=env)
    assert (ran, bool(errors(report))) == (1, True)
    looked, static, _ = said("check", "--static", "--python", python, env=env)
    planned, plan, _ = said("fix", "--python", python, env=env)
    assert planned == looked == 0
    assert errors(plan) == errors(static) == set()
    told = gpudoctor("fix", "--python", python, env=env)
    assert "no framework was run" in told.err
    done = gpudoctor("fix", "--apply", "--yes", "--python", python, env=env)
    assert done.returncode == ran, done.out + done.err
    assert any(code in done.out for code in errors(report)), done.out
    assert "Nothing to fix" not in done.out


@pytest.mark.parametrize("name", sorted(CASES)[::25])
def test_a_saved_look(name, tmp_path):
    path = tmp_path / "snapshot.json"
    path.write_bytes(encode(CASES[name].snapshot()))
    checked, report, _ = said("check", "--from", str(path))
    fixed, plan, _ = said("fix", "--from", str(path))
    assert fixed == checked
    assert errors(plan) == errors(report)
    made = plan["plan"]
    named = {code for one in made.get("fixes", ()) for code in one["cures"]}
    named |= {one["code"] for one in made.get("unresolved", ())}
    named |= {code for one in made.get("conflicts", ()) for code in one["codes"]}
    assert {code for code in errors(report) if code not in consequences(report)} <= named
