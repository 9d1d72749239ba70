"""Real environments are broken in ways that need no administrator to mend; `fix --apply` mends each, unattended."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpudoctor.apply.clone import clone
from tests.e2e.command import gpudoctor

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(sys.platform == "win32", reason="paths of a POSIX environment"),
]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """An environment with JAX for the CPU, from the package index that this machine is set up for."""
    path = tmp_path_factory.mktemp("sound") / "env"
    subprocess.run([sys.executable, "-m", "venv", path], check=True)
    subprocess.run([path / "bin" / "pip", "install", "-q", "jax==0.10.2", "numpy==2.4.6"], check=True)
    return path


def site(path):
    return next(Path(path).glob("lib/python3*/site-packages"))


def library_missing(path):
    next(site(path).glob("jaxlib/_jax*.so")).unlink()


def library_cut_short(path):
    whole = next(site(path).glob("jaxlib/libjax_common.so"))
    raw = whole.read_bytes()
    whole.unlink()
    whole.write_bytes(raw[: len(raw) // 2])


def library_empty(path):
    one = next(site(path).glob("jaxlib/_jax*.so"))
    one.unlink()
    one.touch()


def jaxlib_folder_gone(path):
    shutil.rmtree(site(path) / "jaxlib")


def numpy_half_there(path):
    shutil.rmtree(site(path) / "numpy" / "linalg")


def ml_dtypes_library_missing(path):
    next(site(path).glob("ml_dtypes/_ml_dtypes_ext*.so")).unlink()


BREAKS = [
    library_missing,
    library_cut_short,
    library_empty,
    jaxlib_folder_gone,
    numpy_half_there,
    ml_dtypes_library_missing,
]


@pytest.mark.parametrize("damage", BREAKS, ids=lambda damage: damage.__name__)
def test_broken_found_mended_and_proved(sound, tmp_path, damage):
    path = tmp_path / "env"
    clone(str(sound), str(path))
    damage(path)
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    assert gpudoctor("smoke", "--quick", "--python", str(path), env=state, timeout=300).returncode != 0, "it is broken"
    mended = gpudoctor("fix", "--python", str(path), "--apply", "--yes", env=state, timeout=500)
    assert mended.returncode == 0, mended.out + mended.err
    assert "Cured" in mended.out
    assert gpudoctor("smoke", "--quick", "--python", str(path), env=state, timeout=300).returncode == 0
