"""What the dry run said is what is installed and written down; an index that does not answer is given up in time."""

import hashlib
import os
import pty
import shutil
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from gpudoctor.apply import disk_space, dry_run_pip, dry_run_uv
from gpudoctor.apply.building import asking_once
from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.events import Asked, Progress, Proved, Stepped, Verified
from gpudoctor.apply.journal import load_changes
from gpudoctor.apply.sizes import sizer
from gpudoctor.apply.undo import undo
from gpudoctor.facts.fix import Run
from tests.apply.package_index import served
from tests.apply.wheels import copied, environment, offline, wheel

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX environments"),
    pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not installed"),
]
KIT, PART = "kit-2.0-py3-none-any.whl", "part-1.5-py3-none-any.whl"
MANAGERS = pytest.mark.parametrize("manager", ["pip", "uv"])


def command(manager, path, *words):
    start = ("uv", "pip", "install", "--python") if manager == "uv" else ()
    return (*start, f"{path}/bin/python", *(() if start else ("-m", "pip", "install")), *words)


def online(url, folder):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "VIRTUAL_ENV"))}
    return {
        **kept,
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": url,
        "PIP_CACHE_DIR": str(folder / "pip"),
        "UV_NO_CONFIG": "1",
        "UV_DEFAULT_INDEX": url,
        "UV_CACHE_DIR": str(folder / "uv"),
        "UV_LINK_MODE": "copy",
    }


def do(path, argv, variables, **fields):
    events = []
    work = Work(environment=path, kind="changed", steps=(Run(argv=argv),), variables=variables, **fields)
    end = carry_out(work, lambda _: (Proved(framework="kit", outcome="passed"),), events.append, sizer())
    return end, events


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@MANAGERS
def test_a_release_that_appears_after_the_dry_run_is_not_taken(bare, index, tmp_path, manager):
    path, folder, late = copied(bare, tmp_path / "env"), tmp_path / "index", tmp_path / "late"
    shutil.copytree(index, folder)
    late.mkdir()
    newer = wheel(late, "part", "1.6")

    def publishes(_):
        if any(method == "HEAD" for method, _ in there.asked):
            shutil.copy(newer, folder)

    with served(folder, fault=publishes) as there:
        end, events = do(path, command(manager, path, "kit==2.0"), online(there.url, tmp_path))
    assert end.outcome == "installed-and-proved", end.reason
    assert os.path.exists(folder / os.path.basename(newer))
    assert {"+ kit 2.0", "+ part 1.5"} <= set(end.changes)
    verified = next(event for event in events if isinstance(event, Verified))
    assert verified.known_bytes == sum(
        (index / name).stat().st_size for name in there.wheels() if "2.0" in name or "1.5" in name
    )


@MANAGERS
def test_the_archives_are_written_down(bare, index, tmp_path, manager):
    path = copied(bare, tmp_path / "env")
    with served(index) as there:
        end, _ = do(path, command(manager, path, "kit==2.0"), online(there.url, tmp_path))
    assert end.exit_code == 0, end.reason
    after = {one.name: one for one in load_changes(path)[-1].after}
    for name, file in (("kit", "kit-2.0-py3-none-any.whl"), ("part", "part-1.5-py3-none-any.whl")):
        assert (after[name].archive, after[name].url) == (
            sha256(index / file),
            there.url.replace("simple", f"files/{file}"),
        )
    # The next change knows where what it replaces came from.
    end, _ = do(path, command(manager, path, "kit==1.0"), offline(index))
    change = load_changes(path)[-1]
    assert {one.name: one for one in change.before}["kit"].archive == sha256(index / KIT)
    assert end.changes == ("kit 2.0 -> 1.0",)
    undo(change)


@MANAGERS
def test_a_file_that_was_named_is_written_down(bare, index, tmp_path, manager):
    path, file = copied(bare, tmp_path / "env"), index / "kit-1.0-py3-none-any.whl"
    end, _ = do(path, command(manager, path, str(file)), offline(index))
    assert end.exit_code == 0, end.reason
    kit = next(one for one in load_changes(path)[-1].after if one.name == "kit")
    assert kit.direct_url == f"file://{file}"
    assert kit.archive in (sha256(file), None)
    assert manager == "uv" or kit.archive == sha256(file)


@MANAGERS
def test_an_index_that_never_answers_is_given_up(bare, tmp_path, monkeypatch, manager):
    monkeypatch.setattr(dry_run_pip, "INDEX_TIMEOUT_S", 1.0)
    monkeypatch.setattr(dry_run_uv, "TIMEOUT", "1")
    path = copied(bare, tmp_path / "env")
    wheel(tmp_path, "kit", "1.0")
    with served(tmp_path, fault=lambda _: "hang") as there:
        variables = {
            **online(there.url, tmp_path),
            "PIP_DEFAULT_TIMEOUT": "2",
            "PIP_RETRIES": "99",
            "UV_HTTP_RETRIES": "1",
        }
        begun = time.monotonic()
        end, events = do(path, command(manager, path, "kit"), variables)
    assert time.monotonic() - begun < 60
    assert (end.outcome, end.exit_code) == ("refused", 6)
    first, second = end.reason.splitlines()
    assert first.startswith(f"The package index could not be reached at {there.url}: ")
    assert second.startswith("It was tried for ")
    assert any(isinstance(event, Progress) for event in events)


@pytest.mark.parametrize(
    ("wish", "outcome", "told", "words"),
    [
        ("kit==2.0", "installed-and-proved", [Stepped], ""),
        ("greedy", "refused", [Stepped, Asked], "uv pip install --dry-run says that it cannot be installed"),
        ("gone", "refused", [Stepped], "The package index could not be reached at "),
    ],
)
def test_where_nothing_is_uv_is_asked_only_why_it_failed(index, tmp_path, wish, outcome, told, words):
    """There is nothing that it could break, and resolving twice takes as long as the whole installing."""
    path = environment(tmp_path / "env", pip=False)
    with served(index) as there:
        url = there.url if wish != "gone" else "http://127.0.0.1:9/simple"
        end, events = do(path, command("uv", path, wish), online(url, tmp_path), wanted=("kit",))
    assert (end.outcome, end.unreachable) == (outcome, wish == "gone"), end.reason
    assert words in (end.reason or "")
    assert [type(one) for one in events if isinstance(one, Asked | Stepped)] == told
    fetched = [address for how, address in there.asked if how == "GET" and address.endswith(".whl")]
    assert sorted(fetched) == [f"/files/{file}" for file in (KIT, PART)][: 2 * (wish == "kit==2.0")]


def test_what_uv_begins_to_download_needs_room(tmp_path, monkeypatch):
    monkeypatch.setattr(disk_space.shutil, "disk_usage", lambda _: SimpleNamespace(free=2_000_000_000))
    announced = disk_space.Announced(str(tmp_path), {"UV_CACHE_DIR": str(tmp_path)})
    announced.heard("Resolved 20 packages in 1s")
    announced.heard("Downloading numpy (16.1MiB)")
    with pytest.raises(disk_space.NoRoom, match=r"2\.00 GB free"):
        announced.heard("Downloading nvidia-cublas-cu12 (1.2GiB)")


def test_the_size_is_said_before_anyone_is_asked(index, tmp_path):
    """On a terminal, with a wheel that calls itself torch; the answer is no."""
    wheel(tmp_path, "torch", "2.13.0+cpu")
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    path = str(tmp_path / "env")
    argv = [sys.executable, "-m", "gpudoctor", "install", "torch==2.13.0", "--cpu", "--venv", path, "--manager", "uv"]
    with served(tmp_path) as there:
        mirror = there.url.replace("/simple", "/whl")
        argv += ["--torch-index", mirror, "--python", sys.executable]
        leader, follower = pty.openpty()
        child = subprocess.Popen(
            argv, stdin=follower, stdout=follower, stderr=follower, env={**online(there.url, tmp_path), **state}
        )
        os.close(follower)
        told = b""
        while b"Go ahead?" not in told:
            told += os.read(leader, 4096)
        os.write(leader, b"n\n")
        code = child.wait(30)
        os.close(leader)
    text = told.decode()
    assert code == 6
    assert "1 package, 1 MB to download" in text.partition("Go ahead?")[0]
    assert "GB needed" in text
    assert not os.path.exists(path)


@pytest.mark.parametrize(("port", "expected"), [(None, {}), (9, {"PIP_RETRIES": "0"})])
def test_a_named_index_that_did_not_answer_is_not_waited_for_at_each_package(port, expected, index, bare, tmp_path):
    """Port 9 discards: nothing listens there."""
    path = copied(bare, tmp_path / "env")
    with served(index) as site:
        named = f"http://127.0.0.1:{port}/simple" if port else site.url
        variables = {**online(site.url, tmp_path), "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": str(index)}
        argv = command("pip", path, "kit==2.0", "--index-url", named)
        found = dry_run_pip.ask_pip("pip", argv, {**variables, "PIP_RETRIES": "1"}, (), lambda: None)
    assert found.refused is None
    assert set(found.installs) == {"kit==2.0", "part==1.5"}
    assert asking_once(found) == expected
