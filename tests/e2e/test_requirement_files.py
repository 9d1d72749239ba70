"""`install -r FILE` beside plain pip and uv: the same versions, the same refusals, the same indexes asked."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.apply.package_index import served
from tests.apply.wheels import environment, wheel
from tests.e2e.command import gpudoctor
from tests.e2e.requirement_files import BESIDE, FILES, OWN, PROJECT, USUAL

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX environments")
UV = pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not installed")
#: What uv refuses, or passes over, in a file: with it these are refused by name, as uv would install something else.
PIPS_ONLY = {"trusted", "pre-releases", "prefer binary", "config settings"}
#: Where uv would install what has no hash, or looks at hashes later only; with us hashes are what they are to pip.
STRICTER = {"wrong hash of a framework", "hash of one only"}
#: All files by both installers; otherwise uv is asked about every fourth, as each takes seconds.
WHOLE = os.environ.get("GPUDOCTOR_ALL_FILES") == "1"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """The current folder, with the files that others name."""
    folder = tmp_path_factory.mktemp("work")
    for name, text in {**BESIDE, **{f"lib/{name}": text for name, text in PROJECT.items()}}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    for name, packages in {"usual": USUAL, "own": OWN, "wheels": USUAL[:2]}.items():
        (folder / name).mkdir()
        for package, version, requires in packages:
            wheel(folder / name, package, version, requires=requires)
    wheel(folder / "wheels", "part", "1.1")
    shutil.copytree(folder / "lib", folder / "repository")
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@x.example", "-C", str(folder / "repository"))
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "first")):
        subprocess.run((*git, *words), check=True)
    return folder


@pytest.fixture(scope="module")
def indexes(work):
    with served(work / "usual") as usual, served(work / "own") as own:
        yield usual, own


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    return os.path.join(environment(tmp_path_factory.mktemp("venv") / "env"), "bin", "python")


class Answer:
    """What an installer did, or gpudoctor made it do, with one file."""

    def __init__(self, done, installs, indexes):
        self.said = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
        self.agreed = done.returncode == 0
        self.installs = {re.sub(r" @ .*|==", " ", one).strip() for one in installs} if self.agreed else set()
        self.asked = {
            (number, path.split("/")[2])
            for number, index in enumerate(indexes)
            for _, path in index.asked
            if path.startswith("/simple/")
        }
        for index in indexes:
            index.asked.clear()

    def is_as(self, plain):
        """The same, from the same indexes; what is refused may be so before any is asked."""
        same_asked = self.asked == plain.asked if plain.agreed else self.asked <= plain.asked
        return (self.agreed, self.installs, same_asked) == (plain.agreed, plain.installs, True)

    def __repr__(self):
        return f"{'agreed' if self.agreed else 'refused'} {sorted(self.installs)} {sorted(self.asked)}\n{self.said}"


def variables(work, indexes, manager):
    usual, own = indexes
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "VIRTUAL_ENV"))}
    cache = {"PIP_CACHE_DIR": str(work / "pip-cache"), "UV_CACHE_DIR": str(work / "uv-cache")}
    shutil.rmtree(work / "uv-cache", ignore_errors=True)
    shutil.rmtree(work / "pip-cache", ignore_errors=True)
    return {
        **kept,
        **cache,
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_INDEX_URL": usual.url,
        "UV_NO_CONFIG": "1",
        "UV_DEFAULT_INDEX": usual.url,
        "WANTED": "1.0",
        "OTHER_INDEX": own.url,
        "XDG_STATE_HOME": str(work / "state"),
    }


def write(work, indexes, text):
    usual, own = indexes
    digest = {name: hashlib.sha256((work / "usual" / name).read_bytes()).hexdigest() for name in usual.wheels("aa")}
    filled = text.format(
        usual=usual.url,
        own=own.url,
        wheels=work / "wheels",
        work=work,
        aa=digest["aa-1.0-py3-none-any.whl"],
        aa15=digest["aa-1.5-py3-none-any.whl"],
        zero="0" * 64,
    )
    (work / "requirements.txt").write_text(filled, encoding="utf-8")


def plain(python, work, indexes, manager):
    env = variables(work, indexes, manager)
    if manager == "pip":
        report = work / "report.json"
        report.unlink(missing_ok=True)
        argv = (python, "-I", "-m", "pip", "install", "--dry-run", "--report", str(report), "-r", "requirements.txt")
        done = subprocess.run(argv, env=env, cwd=work, capture_output=True, check=False)
        told = json.loads(report.read_text())["install"] if report.exists() else []
        return Answer(done, [f"{one['metadata']['name']}=={one['metadata']['version']}" for one in told], indexes)
    argv = ("uv", "pip", "install", "--python", python, "--dry-run", "-r", "requirements.txt")
    done = subprocess.run(argv, env=env, cwd=work, capture_output=True, check=False)
    installs = re.findall(r"^ [+~] (\S+)", done.stderr.decode(), re.MULTILINE)
    return Answer(done, installs, indexes)


def ours(python, work, indexes, manager):
    env = variables(work, indexes, manager)
    words = ("-r", "requirements.txt", "--python", python, "--manager", manager, "--dry-run", "--json", "--cpu")
    cleared = {name: "" for name in os.environ if name.startswith(("PIP_", "UV_"))}
    done = gpudoctor("install", *words, env={**cleared, **env}, cwd=work, timeout=120)
    assert "Traceback" not in done.out + done.err, done.err
    events = [json.loads(line) for line in done.out.splitlines()]
    # What was asked last is what is done.
    found = [event["installs"] for event in events if event["event"] == "verified"]
    return Answer(done, found[-1] if found else [], indexes)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_what_it_is_to_pip(python, work, indexes, name):
    write(work, indexes, FILES[name])
    expected = plain(python, work, indexes, "pip")
    found = ours(python, work, indexes, "pip")
    assert found.is_as(expected), f"{found}\nbut pip: {expected}"


@UV
@pytest.mark.parametrize("name", FILES if WHOLE else [*FILES][::4])
def test_a_file_is_what_it_is_to_uv_or_refused_by_name(python, work, indexes, name):
    write(work, indexes, FILES[name])
    expected = plain(python, work, indexes, "uv")
    found = ours(python, work, indexes, "uv")
    if name in PIPS_ONLY:
        assert (found.agreed, "uv does not read" in found.said, found.asked) == (False, True, set())
    elif name in STRICTER:
        assert (found.agreed, found.asked <= expected.asked) == (False, True), found
    else:
        assert found.is_as(expected), f"{found}\nbut uv: {expected}"
