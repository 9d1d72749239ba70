"""A wheel built from the sdist starts in an empty environment, on the oldest Python we support and the newest here."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.e2e.interpreters import interpreters

ROOT = Path(__file__).resolve().parents[2]
OLDEST = (3, 10)
COMMANDS = (
    ["--version"],
    ["--help"],
    ["rules"],
    ["explain", "DRV001"],
    ["check"],
    ["fix", "--format", "json"],
    ["plan", "torch", "jax"],
    ["install", "torch", "--cpu", "--venv", "new", "--dry-run", "--no-verify"],
    ["snapshot", "-o", "snapshot.json"],
    ["triage", "snapshot.json"],
    ["diff", "snapshot.json", "snapshot.json"],
    ["report", "--static", "--yes"],
    ["history"],
)


def pip(python, *arguments):
    subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "-q", *arguments], check=True, timeout=300)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """(sdist, wheel built from that sdist)."""
    folder = tmp_path_factory.mktemp("built")
    source = folder / "source"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        for name in listed.stdout.decode().split("\0")[:-1]:
            if (ROOT / name).exists():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, source / name)
    else:
        shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".venv*", ".git", "__pycache__"))
    code = "import hatchling.build as b, sys; print(b.build_sdist(sys.argv[1]))"
    builder = folder / "builder"
    subprocess.run([sys.executable, "-m", "venv", builder], check=True)
    pip(builder / "bin" / "python", "install", "hatchling")
    subprocess.run([builder / "bin" / "python", "-c", code, str(folder)], cwd=source, check=True)
    (sdist,) = folder.glob("*.tar.gz")
    pip(builder / "bin" / "python", "wheel", "--no-deps", "-w", str(folder), str(sdist))
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


def test_the_wheel_holds_the_matrix_and_nothing_else(built):
    sdist, wheel = built
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"gpudoctor"}
    assert "gpudoctor/compat/torch.json" in names
    assert "gpudoctor/py.typed" in names
    with tarfile.open(sdist) as archive:
        assert any(name.endswith("/compat/torch.json") for name in archive.getnames())


@pytest.mark.parametrize("which", ["oldest", "newest"])
def test_starts_in_an_empty_environment(built, tmp_path, which):
    found = interpreters()
    version = OLDEST if which == "oldest" else max(found)
    if version not in found:
        pytest.skip(f"Python {version} is not installed")
    subprocess.run([found[version], "-m", "venv", tmp_path / "empty"], check=True)
    python = tmp_path / "empty" / "bin" / "python"
    pip(python, "install", str(built[1]))
    command = str(tmp_path / "empty" / "bin" / "gpudoctor")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    for arguments in COMMANDS:
        done = subprocess.run([command, *arguments], capture_output=True, env=clean, cwd=tmp_path, check=False)
        assert done.returncode in (0, 1), (arguments, done.stderr)
        assert b"Traceback" not in done.stderr
    size = sum(path.stat().st_size for path in _installed(tmp_path / "empty"))
    assert size <= 15_000_000, f"{size:,} bytes with dependencies"


def _installed(environment):
    """Files of our dependencies and of ourselves; pip and setuptools came with the environment."""
    for path in environment.glob("lib/python*/site-packages/**/*"):
        package = path.relative_to(next(environment.glob("lib/python*/site-packages"))).parts[0]
        ours = not package.startswith(("pip", "setuptools", "_distutils", "distutils", "pkg_resources", "wheel"))
        if path.is_file() and ours and path.suffix != ".pyc":
            yield path
