"""The campaign: real pip and real uv against everything that goes wrong, each point on an environment of its own.

Whatever happens, the environment is afterwards as it was before, or complete and proved.
"""

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from gpudoctor.apply import journal
from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.events import Finished, Proved
from gpudoctor.apply.sizes import sizer
from gpudoctor.facts.fix import Run
from tests.apply.package_index import served
from tests.apply.test_faults import mounted
from tests.apply.test_kill import recovered
from tests.apply.user import SEED
from tests.apply.wheels import environment, offline, tree, wheel

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals, mounts and scripts of POSIX"),
    pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not installed"),
]
MANAGERS = pytest.mark.parametrize("manager", ["pip", "uv"])
KIT, PART = "kit-2.0-py3-none-any.whl", "part-1.5-py3-none-any.whl"
#: Patient enough for a loaded machine, and soon done with what does not answer.
HASTE = {"PIP_DEFAULT_TIMEOUT": "2", "PIP_RETRIES": "0", "UV_HTTP_TIMEOUT": "2", "UV_HTTP_RETRIES": "0"}


@pytest.fixture(scope="module")
def before(tmp_path_factory, index):
    """For each tool an environment with kit 1.0: pip needs itself in it."""
    made = {}
    for manager in ("pip", "uv"):
        path = environment(tmp_path_factory.mktemp(manager) / "env", pip=manager == "pip")
        argv = command(manager, path, "--quiet", "kit==1.0")
        subprocess.run(argv, check=True, env=offline(index), capture_output=True)
        made[manager] = path
    return made


def command(manager, path, *words):
    start = ("uv", "pip", "install", "--python") if manager == "uv" else ()
    return (*start, f"{path}/bin/python", *(() if start else ("-m", "pip", "install")), *words)


def fresh(before, manager, folder):
    path = str(folder / "env")
    shutil.copytree(before[manager], path, symlinks=True)
    return path


def online(url, folder, **more):
    """Variables with which pip and uv know that index only, and have a cache of their own."""
    known = {name: value for name, value in offline(folder).items() if not name.startswith(("PIP_", "UV_"))}
    return {
        **known,
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": url,
        "PIP_CACHE_DIR": str(folder / "pip"),
        "UV_NO_CONFIG": "1",
        "UV_DEFAULT_INDEX": url,
        "UV_CACHE_DIR": str(folder / "uv"),
        "UV_LINK_MODE": "copy",
        **HASTE,
        **more,
    }


def do(path, manager, variables, *words, outcome="passed", **fields):
    work = Work(
        environment=path,
        kind=fields.pop("kind", "changed"),
        steps=(Run(argv=command(manager, path, *(words or ("kit==2.0",)))),),
        wanted=fields.pop("wanted", ("kit",)),
        variables=variables,
        **fields,
    )
    end = carry_out(work, lambda _: (Proved(framework="kit", outcome=outcome),), lambda _: None, sizer())
    assert isinstance(end, Finished)
    return end


def is_whole(path, was, end):
    """As before, and nothing beside it; or complete and proved."""
    now = tree(path) if os.path.lexists(path) else None
    if end.outcome == "installed-and-proved":
        assert f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages/kit" in now
        return True
    assert end.exit_code in (6, 7)
    assert end.reason
    assert "Traceback" not in end.reason
    assert now == was
    assert [name for name in os.listdir(os.path.dirname(path)) if "gpudoctor" in name] == []
    return False


FILES = ("/simple/kit/", "/simple/part/", f"/files/{KIT}.metadata", f"/files/{KIT}", f"/files/{PART}")
NETWORK = [
    *itertools.product(("refuse", "cut"), FILES, ("at once",)),
    *itertools.product(("damage",), (f"/files/{KIT}.metadata", f"/files/{KIT}", f"/files/{PART}"), ("at once",)),
    *itertools.product(("hang",), ("/simple/kit/", f"/files/{KIT}.metadata", f"/files/{PART}"), ("at once",)),
    *itertools.product(("refuse", "cut", "damage"), (f"/files/{KIT}", f"/files/{PART}"), ("after the dry run",)),
]


@MANAGERS
@pytest.mark.parametrize(("fault", "where", "when"), NETWORK)
def test_the_network(before, index, tmp_path, manager, fault, where, when):
    path = fresh(before, manager, tmp_path)
    was, asked = tree(path), []

    def fails(address):
        asked.append(address)
        late = when == "at once" or any(one == "HEAD" for one, _ in there.asked)
        return fault if address == where and late else None

    with served(index, fault=fails) as there:
        end = do(path, manager, online(there.url, tmp_path))
    assert not is_whole(path, was, end) or where not in asked or fault == "cut" or where.endswith(".metadata")


@MANAGERS
@pytest.mark.parametrize("wrong", [KIT, PART])
def test_a_hash_that_is_not_that_of_the_file(before, index, tmp_path, manager, wrong):
    path = fresh(before, manager, tmp_path)
    was = tree(path)
    with served(index, hashes={wrong: "0" * 64}) as there:
        end = do(path, manager, online(there.url, tmp_path))
    assert not is_whole(path, was, end)
    assert "hash" in end.reason.lower()


@MANAGERS
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_wheel_that_is_cut_off(before, index, tmp_path, manager, part):
    path = fresh(before, manager, tmp_path)
    was = tree(path)
    folder = tmp_path / "index"
    shutil.copytree(index, folder)
    os.truncate(folder / KIT, int((index / KIT).stat().st_size * part))
    assert not is_whole(path, was, do(path, manager, offline(folder)))


@MANAGERS
@pytest.mark.parametrize("words", [("kit==9.9",), ("kit==2.0", "greedy"), ("nowhere",), ("kit==2.0", "part<1")])
@pytest.mark.parametrize("verify", [True, False])
def test_what_cannot_be_resolved(before, index, tmp_path, manager, words, verify):
    path = fresh(before, manager, tmp_path)
    was = tree(path)
    assert not is_whole(path, was, do(path, manager, offline(index), *words, verify=verify))


@MANAGERS
@pytest.mark.parametrize("way", ["beside", "in-place"])
@pytest.mark.parametrize("fields", [{"outcome": "failed"}, {"wanted": ("kit", "absent")}])
def test_what_does_not_work_once_it_is_there(before, index, tmp_path, manager, way, fields):
    path = fresh(before, manager, tmp_path)
    was = tree(path)
    assert not is_whole(path, was, do(path, manager, offline(index), way=way, **fields))


@MANAGERS
@pytest.mark.parametrize("free", [1, 3, 6, 12, 24])
def test_a_disk_with_little_room(before, tmp_path, manager, free):
    """In MiB beside the environment; the wheel is 5 MiB and unpacks to 40."""
    small, folder = tmp_path / "small", tmp_path / "index"
    small.mkdir()
    folder.mkdir()
    wheel(folder, "kit", "3.0", files={"kit/weights": os.urandom(1 << 19).hex() * 40})
    size = int(subprocess.run(["du", "-sk", before[manager]], capture_output=True, check=True).stdout.split()[0])
    mounted(small, f"{size // 1024 + free + 1}m")
    try:
        path = fresh(before, manager, small)
        was = tree(path)
        assert not is_whole(path, was, do(path, manager, offline(folder), "kit==3.0", verify=False))
    finally:
        subprocess.run(["umount", small], check=True)


@MANAGERS
def test_no_room_to_unpack(before, index, tmp_path, manager):
    """The temporary folder and the cache are full, the environment's disk is not."""
    small = tmp_path / "small"
    small.mkdir()
    path = fresh(before, manager, tmp_path)
    was = tree(path)
    mounted(small, "64k")
    try:
        variables = {**offline(index), "TMPDIR": str(small), "UV_CACHE_DIR": str(small), "PIP_CACHE_DIR": str(small)}
        is_whole(path, was, do(path, manager, variables, verify=False))
    finally:
        subprocess.run(["umount", small], check=True)


@MANAGERS
@pytest.mark.parametrize(
    ("words", "fields"),
    [(("kit==9.9",), {}), (("kit==2.0",), {"outcome": "failed"}), (("part",), {}), (("kit==9.9",), {"verify": False})],
)
def test_a_new_environment_that_fails_is_not_there(index, tmp_path, manager, words, fields):
    path = str(tmp_path / "deep" / "env")
    pip = ("--without-pip",) if manager == "uv" else ()
    make = Run(argv=(sys.executable, "-m", "venv", *pip, path))
    end = do(path, manager, offline(index), *words, kind="new", make=(make,), **fields)
    assert end.exit_code in (6, 7)
    assert os.listdir(tmp_path) == []


@MANAGERS
def test_ended_at_any_moment(before, index, tmp_path, manager):
    """SIGKILL, Ctrl-C and a polite SIGTERM, beside and in place, while the tool is at work."""
    was = tree(before[manager])
    moments, lasts = random.Random(f"{manager}{SEED}"), None
    ways = list(itertools.product((signal.SIGKILL, signal.SIGINT, signal.SIGTERM), ("beside", "in-place"), range(4)))
    for number, (ending, way, _) in enumerate([(None, "beside", 0), *ways]):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = fresh(before, manager, folder)
        asked = {"environment": path, "index": str(index), "way": way, "do": "change", "at": None}
        asked["argv"] = command(manager, path, "kit==2.0")
        begun = time.monotonic()
        victim = subprocess.Popen(
            [sys.executable, "-m", "tests.apply.victim", json.dumps(asked)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if ending is not None:
            time.sleep(moments.uniform(0.1, 1) * lasts)
            victim.send_signal(ending)
        code = victim.wait(180)
        if lasts is None:
            assert code == 0
            lasts = time.monotonic() - begun
        state = recovered(path, was, always_whole=way == "beside")
        assert ending in (None, signal.SIGKILL) or state not in journal.UNFINISHED
        shutil.rmtree(folder)


def test_there_are_fifty_points_for_each_tool():
    network, resolved, moments = len(NETWORK), 4 * 2, 3 * 2 * 4
    assert network + 2 + 3 + resolved + 2 * 2 + 5 + 1 + 4 + moments >= 50
