"""Thirty broken environments: is the cause found, does `fix --apply` mend it with the package index alone, is it worse?

Some 60 GB pass through the network and the disk, so it is not part of any gate:
GPUDOCTOR_THIRTY=results.jsonl pytest -n 0 tests/e2e/test_thirty.py
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.command import gpudoctor
from tests.e2e.test_break_and_mend import tree
from tests.e2e.thirty import TEN, THIRTY, Case
from tests.fake_driver import compiled_driver, machine  # noqa: F401

RESULTS = os.environ.get("GPUDOCTOR_THIRTY")
pytestmark = pytest.mark.skipif(not RESULTS, reason="takes hours; GPUDOCTOR_THIRTY says where results go")
#: That a pretended GPU computes nothing.
OF_THE_PRETENCE = ("SMK", "GPU", "DRV", "HST", "PRF")


class Ward:
    """A patient, and what is done with it."""

    def __init__(self, case: Case, folder: Path, fake_driver) -> None:
        self.patient = case.make(folder)
        case.break_it(self.patient)
        self.case, folder = case, self.patient.folder.parent
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        own = {"PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": "", "UV_NO_CONFIG": "1"}
        state = {"XDG_STATE_HOME": str(folder / "state"), "PYTHONUSERBASE": str(folder / "user"), "PATH": path}
        self.env = {**own, **state, **self.patient.env, **case.env}
        if case.gpu:
            variables = fake_driver.environment(machine(case.gpu, 1, driver=case.driver))
            self.env |= {name: variables[name] for name in ("LD_LIBRARY_PATH", "FAKE_DRIVER")}

    def asked(self, *words: str):
        """gpudoctor's answer."""
        where = ("--python", str(self.patient.folder))
        return gpudoctor(*words, *where, env=self.env, cwd=str(self.patient.cwd), timeout=1800)

    def findings(self, *words: str) -> list[dict]:
        """What check finds."""
        report = json.loads(self.asked("check", "--format", "json", *words).out)
        return [one for one in report["diagnosis"]["findings"] if one["severity"] != "info"]

    def works(self) -> bool:
        """Whether the program that shows the cure runs."""
        env = {**os.environ, **self.env}
        argv = (self.patient.python, "-c", self.case.cured)
        return subprocess.run(argv, env=env, capture_output=True, check=False, timeout=300).returncode == 0

    def conflicts(self) -> set[str]:
        """What uv says of requirements that are not met."""
        argv = ("uv", "pip", "check", "--python", self.patient.python)
        done = subprocess.run(argv, env={**os.environ, **self.env}, capture_output=True, text=True, check=False)
        found = re.findall(r"The package `(\S+)` requires `([^`]+)`", done.stderr)
        own = (self.patient.site / "tensorflow" / "__init__.py").exists()
        # What is brought by tensorflow-cpu goes by another name.
        return {
            f"{owner} requires {what}" for owner, what in found if not (own and re.match("tensorflow[<>=!~]", what))
        }


def codes(findings: list[dict]) -> set[str]:
    return {one["code"] for one in findings if not one["code"].startswith(OF_THE_PRETENCE)}


@pytest.fixture(autouse=True)
def _nothing_stays(tmp_path):
    """Environments of gigabytes."""
    yield
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.mark.parametrize("name", {**THIRTY, **TEN})
def test_one(name, tmp_path, fake_driver):
    case, begun = {**THIRTY, **TEN}[name], time.monotonic()
    ward = Ward(case, tmp_path, fake_driver)
    found, conflicts = ward.findings(), ward.conflicts()
    roots = [one["name"] for one in found if not one.get("because_of")]
    if not case.by_hand:
        assert conflicts or not ward.works(), "it is not broken"
    before = tree(ward.patient.folder)
    mended = ward.asked("fix", "--apply", "--yes", "--format", "json")
    told = [json.loads(line) for line in mended.out.splitlines() if line.startswith("{")]
    ids = [one["id"] for one in told if one["event"] == "finished" and one.get("id")]
    after = ward.findings()
    real = [one for one in roots if not one.startswith(("framework-lists", "gpu-", "smoke"))]
    result = {
        "name": name,
        "roots": roots,
        "diagnosed": bool(real) and real[0] in case.truth,
        "cured": (not case.by_hand) and ward.works() and not ward.conflicts() & conflicts,
        "by_hand": case.by_hand,
        "worse": sorted(codes(after) - codes(found)) + sorted(ward.conflicts() - conflicts),
        "remains": [f"{one['code']} {one['summary']}" for one in after],
        "exit": mended.returncode,
        "changes": len(ids),
        "commands": [one for one in told if one["event"] in ("asked", "stepped", "finished")],
        "said": mended.err[-3000:],
    }
    for _ in ids:
        back = ward.asked("undo", "--yes")
        result["undo_said"] = back.err[-500:] if back.returncode else ""
    now = tree(ward.patient.folder)
    result["undone"] = now == before
    if now != before:
        result["differs"] = sorted(key for key in {*now, *before} if now.get(key) != before.get(key))[:10]
    result["seconds"] = round(time.monotonic() - begun)
    with open(str(RESULTS), "a", encoding="utf-8") as lines:
        lines.write(json.dumps(result) + "\n")
    assert result["diagnosed"], roots
    assert result["cured"] or case.by_hand, mended.err
    assert not result["worse"], result["worse"]
    assert result["undone"], result["differs"]
