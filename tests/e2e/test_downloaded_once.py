"""The whole `install`, from its first question to the proof: no file is fetched twice, and no dry run is made twice."""

import shutil
import sys
from collections import Counter
from pathlib import Path

import pip
import pytest

from tests.apply.package_index import served
from tests.apply.wheels import copied, environment, wheel
from tests.e2e.command import gpudoctor
from tests.e2e.test_foreseen import variables

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX environments")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("index")
    wheel(path, "kit", "1.0", requires=("part",))
    wheel(path, "part", "1.5")
    return path


PIPS = ["the pip of this venv", pytest.param("the pip of these tests", marks=pytest.mark.full)]


@pytest.fixture(scope="module", params=PIPS)
def made(request, tmp_path_factory):
    """Python brings one from the year of its release; dry runs of before pip 23.3 fetch wheels."""
    path = environment(tmp_path_factory.mktemp("made") / "env")
    if request.param == "the pip of these tests":
        site = next(Path(path).glob("lib/python*/site-packages"))
        for there in site.glob("pip*"):
            shutil.rmtree(there)
        own = Path(pip.__file__).parent
        for here in (own, *own.parent.glob("pip-*.dist-info")):
            shutil.copytree(here, site / here.name)
    return path


@pytest.mark.parametrize("cache", ["kept", "PIP_NO_CACHE_DIR", "no-cache-dir in pip.conf"])
def test_pip_fetches_each_wheel_once(made, folder, cache, tmp_path):
    env = copied(made, tmp_path / "env")
    with served(folder) as index:
        asked = {**variables(index, tmp_path), "PIP_TRUSTED_HOST": "127.0.0.1"}
        if cache == "PIP_NO_CACHE_DIR":
            asked["PIP_NO_CACHE_DIR"] = "1"
        if cache.endswith("pip.conf"):
            (tmp_path / "pip.conf").write_text("[global]\nno-cache-dir = true\n")
            asked |= {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), "PIP_CACHE_DIR": ""}
        done = gpudoctor(
            *("install", "kit", "--python", env, "--manager", "pip", "--yes"), env=asked, cwd=tmp_path, timeout=120
        )
    assert done.returncode == 0, done.err  # there is no framework to be proved
    fetched = Counter(address for how, address in index.asked if how == "GET" and address.endswith(".whl"))
    assert fetched == {"/files/kit-1.0-py3-none-any.whl": 1, "/files/part-1.5-py3-none-any.whl": 1}


def noting(folder, *, refusing="nothing"):
    """The folder of a uv that writes down what it is asked, and refuses one option."""
    real = shutil.which("uv")
    if real is None:
        pytest.skip("uv is not installed")
    programs = folder / "programs"
    programs.mkdir()
    refusal = f'case "$*" in *{refusing}*) echo "error: {refusing}"; exit 2;; esac'
    (programs / "uv").write_text(f'#!/bin/sh\necho "$*" >> "{folder}/asked"\n{refusal}\nexec "{real}" "$@"\n')
    (programs / "uv").chmod(0o755)
    return programs


@pytest.mark.parametrize("words", [("--python", "env"), ("--venv", "new")])
def test_the_installer_is_asked_once(made, folder, words, tmp_path):
    copied(made, tmp_path / "env")
    programs = noting(tmp_path)
    with served(folder) as index:
        asked = {**variables(index, tmp_path), "PATH": f"{programs}:/usr/bin:/bin"}
        done = gpudoctor("install", "kit", *words, "--manager", "uv", "--yes", env=asked, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.err
    lines = (tmp_path / "asked").read_text().splitlines()
    assert sum(line.startswith("pip install") and "--dry-run" in line for line in lines) == 1


@pytest.mark.parametrize(("refusing", "calls"), [("nothing", 2), ("--offline", 3)])
def test_what_uv_has_it_does_not_ask_the_index_for_again(made, folder, refusing, calls, tmp_path):
    programs = noting(tmp_path, refusing=refusing)
    with served(folder) as index:
        asked = {**variables(index, tmp_path), "PATH": f"{programs}:/usr/bin:/bin"}
        for name in ("first", "second"):
            (tmp_path / "asked").unlink(missing_ok=True)
            words = ("install", "kit", "--venv", name, "--manager", "uv", "--yes")
            done = gpudoctor(*words, env=asked, cwd=tmp_path, timeout=120)
            assert done.returncode == 0, done.err
    lines = [line for line in (tmp_path / "asked").read_text().splitlines() if line.startswith("pip install")]
    assert (len(lines), "--offline" in lines[1]) == (calls, True)
    assert "error: --offline" not in done.out + done.err
    assert list((tmp_path / "second").glob("lib/python*/site-packages/kit-1.0.dist-info"))
