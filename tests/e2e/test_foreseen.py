"""`install` before it asks: what comes along, what changes, whom it breaks; a solution that suits all, if there is."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.apply.package_index import served
from tests.apply.wheels import copied, environment, wheel
from tests.e2e.command import gpudoctor

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX environments")
MANAGERS = pytest.mark.parametrize(
    "manager",
    ["pip", pytest.param("uv", marks=pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not installed"))],
)
#: On the index. jax 0.6.2 and 0.4.38 are releases that the matrix knows; numbers stands for NumPy, which they need.
INDEX = (
    *(("numbers", version, ()) for version in ("1.26", "2.0", "2.4")),
    ("jax", "0.6.2", ("numbers>=2.0",)),
    ("jax", "0.4.38", ("numbers",)),
    ("compiled", "0.60", ("numbers<2.1",)),
    ("older", "1.0", ("numbers<2",)),
    ("brings", "1.0", ("jax",)),
    *(("setuptools", version, ()) for version in ("80.0", "84.0")),
    ("tensorboard", "2.18.0", ("setuptools",)),
    ("brings-old", "1.0", ("jax==0.4.38",)),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("index")
    for name, version, requires in INDEX:
        wheel(path, name, version, requires=requires, files={f"{name.replace('-', '_')}/only.txt": version})
    return path


@pytest.fixture(scope="module")
def index(folder):
    with served(folder) as running:
        yield running


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return environment(tmp_path_factory.mktemp("made") / "env")


def variables(index, tmp_path):
    cleared = {name: "" for name in os.environ if name.startswith(("PIP_", "UV_"))}
    return {
        **cleared,
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_INDEX_URL": index.url,
        "PIP_CACHE_DIR": str(tmp_path / "pip"),
        "UV_NO_CONFIG": "1",
        "UV_DEFAULT_INDEX": index.url,
        "UV_CACHE_DIR": str(tmp_path / "uv"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }


def with_packages(made, tmp_path, folder, *packages):
    path = copied(made, tmp_path / "env")
    if packages:
        argv = (
            f"{path}/bin/python",
            "-m",
            "pip",
            "install",
            "-q",
            "--no-index",
            "--find-links",
            str(folder),
            *packages,
        )
        subprocess.run(argv, check=True, env={**os.environ, "PIP_CONFIG_FILE": os.devnull})
    return path


def install(path, index, tmp_path, manager, *words):
    done = gpudoctor(
        *("install", *words, "--cpu", "--python", path, "--manager", manager, "--json"),
        env=variables(index, tmp_path),
        cwd=tmp_path,
        timeout=120,
    )
    assert "Traceback" not in done.out + done.err, done.err
    return done.returncode, [json.loads(line) for line in done.out.splitlines()], done.err


def told(events, kind, field):
    return next((event[field] for event in events if event["event"] == kind), [])


@MANAGERS
@pytest.mark.parametrize(
    ("present", "words", "code", "requirements", "breaks"),
    [
        # One release of what both need serves both.
        (("numbers==1.26", "compiled"), ("jax",), 0, {"jax==0.6.2", "numbers<2.1"}, ()),
        # The newest of what is asked for needs more than what is installed allows: an older one does not.
        (("numbers==1.26", "older"), ("jax",), 0, {"jax==0.4.38", "numbers<2"}, ()),
        # There is no solution.
        (("numbers==1.26", "older"), ("jax==0.6.2",), 6, None, ("older needs numbers<2, and 2.4 would be installed",)),
        (("numbers==1.26", "older"), ("jax==0.6.2", "--allow-breaking"), 0, {"jax==0.6.2"}, ("older needs numbers<2",)),
        # What does not agree before is nobody's doing here.
        (("numbers==2.4", "brings-old"), ("jax==0.4.38",), 0, {"jax==0.4.38"}, ()),
        # What comes along is chosen, too; and what bounds it bounds the choice.
        ((), ("brings",), 0, {"jax==0.6.2", "brings"}, ()),
        ((), ("brings-old",), 0, {"jax==0.4.38", "brings-old"}, ()),
        ((), ("jax", "brings-old"), 0, {"jax==0.4.38", "brings-old"}, ()),
        ((), ("jax==0.6.2", "brings-old"), 6, None, ()),
        ((), ("jax", "numbers<2.1"), 0, {"jax==0.6.2", "numbers<2.1"}, ()),
        (("jax==0.4.38",), ("brings",), 0, {"brings"}, ()),
        # What comes needs more than it states, or breaks what does.
        (("setuptools==84.0",), ("jax", "tensorboard"), 0, {"jax==0.6.2", "tensorboard", "setuptools<82"}, ()),
        (("tensorboard", "setuptools==80.0"), ("jax", "setuptools==84.0"), 6, None, None),
    ],
)
def test_what_is_installed_and_what_is_asked_for_agree(
    made, folder, index, tmp_path, manager, present, words, code, requirements, breaks
):
    path = with_packages(made, tmp_path, folder, *present)
    got, events, said = install(path, index, tmp_path, manager, *words, "--dry-run")
    assert got == code, (events[-1], said)
    if requirements is not None:
        assert set(told(events, "planned", "plan")["requirements"]) == requirements
    if breaks is None:
        return
    assert len(told(events, "changes", "breaks")) == len(breaks)
    assert all(wanted in found for wanted, found in zip(breaks, told(events, "changes", "breaks"), strict=True))


@MANAGERS
def test_what_would_change_is_said_before(made, folder, index, tmp_path, manager):
    path = with_packages(made, tmp_path, folder, "numbers==1.26", "compiled")
    _, events, _ = install(path, index, tmp_path, manager, "jax", "--dry-run")
    assert told(events, "changes", "changes") == ["+ jax 0.6.2", "numbers 1.26 -> 2.0"]
    assert [event["event"] for event in events].index("changes") < [e["event"] for e in events].index("verified")


@MANAGERS
@pytest.mark.parametrize("words", [("jax==0.4.38",), ("numbers",), ("-r", "r.txt")])
def test_what_is_there_is_not_installed_again(made, folder, index, tmp_path, manager, words):
    path = with_packages(made, tmp_path, folder, "jax==0.4.38")
    (tmp_path / "r.txt").write_text("numbers\n")
    code, events, _ = install(path, index, tmp_path, manager, *words, "--yes")
    assert (code, events[-1]["outcome"], events[-1]["id"]) == (0, "nothing-to-do", None)
    assert {event["event"] for event in events} == {"finished"}
    assert not (tmp_path / "state").exists()
