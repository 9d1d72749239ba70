"""A change that would install nothing is not made."""

import os
import shutil
import subprocess
import sys

import pytest

from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.events import Copying, Proved
from gpudoctor.apply.journal import load_changes
from gpudoctor.apply.sizes import sizer
from gpudoctor.facts.fix import Run
from tests.apply.wheels import copied, offline, tree

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="folders of POSIX"),
    pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not installed"),
]
UV = ("uv", "pip", "install", "--python")


@pytest.fixture(scope="module")
def there(bare, index, tmp_path_factory):
    path = copied(bare, tmp_path_factory.mktemp("there") / "env")
    subprocess.run([*UV, f"{path}/bin/python", "-q", "kit==2.0"], check=True, env=offline(index))
    return path


@pytest.mark.parametrize("manager", ["pip", "uv"])
@pytest.mark.parametrize(
    ("words", "gone", "outcome"),
    [
        (("kit>=1.0,>=2.0",), None, "nothing-to-do"),
        (("kit==2.0", "part"), None, "nothing-to-do"),
        # What is asked for is there, and something that it needs is not.
        (("kit==2.0",), "part", "installed-and-proved"),
        (("kit==1.0",), None, "installed-and-proved"),
        (("--force-reinstall", "kit==2.0"), None, "installed-and-proved"),
    ],
)
def test_nothing_is_copied_switched_or_recorded(there, index, tmp_path, manager, words, gone, outcome):
    path = copied(there, tmp_path / "env")
    if gone is not None:
        for name in os.listdir(f"{path}/lib"):
            shutil.rmtree(f"{path}/lib/{name}/site-packages/{gone}-1.5.dist-info")
    before, events = tree(path), []
    start = (*UV, f"{path}/bin/python") if manager == "uv" else (f"{path}/bin/python", "-m", "pip", "install")
    work = Work(environment=path, kind="changed", steps=(Run(argv=(*start, *words)),), variables=offline(index))
    end = carry_out(work, lambda _: (Proved(framework="kit", outcome="passed"),), events.append, sizer())
    assert (end.outcome, end.exit_code) == (outcome, 0), end.reason
    nothing = outcome == "nothing-to-do"
    assert bool(load_changes(path)) is not nothing
    assert any(isinstance(event, Copying) for event in events) is not nothing
    assert not nothing or tree(path) == before


@pytest.mark.parametrize(
    ("link", "outcome"),
    [
        ("../part/mended.so", "nothing-to-do"),
        ("../elsewhere/mended.so", "installed-and-proved"),
        (None, "installed-and-proved"),
    ],
)
def test_a_link_that_is_there_is_not_made_again(there, index, tmp_path, link, outcome):
    """A release that a link mends: the packages are there, and the link may be gone."""
    path = copied(there, tmp_path / "env")
    made = f"{path}/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages/kit/mended.so"
    if link is not None:
        os.symlink(link, made)
    steps = (Run(argv=(*UV, f"{path}/bin/python", "kit==2.0")), Run(argv=("ln", "-sf", "../part/mended.so", made)))
    work = Work(environment=path, kind="changed", steps=steps, variables=offline(index))
    end = carry_out(work, lambda _: (Proved(framework="kit", outcome="passed"),), lambda _: None, sizer())
    assert end.outcome == outcome, end.reason
    assert os.readlink(made) == "../part/mended.so"
