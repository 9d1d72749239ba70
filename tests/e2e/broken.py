"""Copies of real environments, broken for real: their files are links, so nothing is ever written in place."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.interpreters import interpreters
from tests.live.environments import environment

#: Distributions and import packages of the frameworks; a copy has only those that it is for.
_FRAMEWORKS = {
    "torch": ("torch", "torchgen", "functorch", "torchvision"),
    "tensorflow": ("tensorflow", "tensorflow_cpu", "tensorboard", "tensorboard_data_server", "libclang", "clang"),
    "keras": ("keras",),
    "jax": ("jax", "jaxlib"),
}


class Patient:
    """An environment, with the ways to break it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder / name
        self.python = str(self.folder / "bin" / "python")
        self.env: dict[str, str] = {}
        self.cwd = folder / "work"
        self.cwd.mkdir()

    @property
    def site(self) -> Path:
        """Where its packages are."""
        return next(self.folder.glob("lib/python3*/site-packages"))

    def write(self, path: str, content: str | bytes) -> None:
        """A new file in the place of the old one, below site-packages."""
        target = self.site / path
        target.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)

    def delete(self, path: str) -> None:
        """Delete files or folders below site-packages, by pattern."""
        found = list(self.site.glob(path))
        assert found, path
        for one in found:
            shutil.rmtree(one) if one.is_dir() else one.unlink()

    def truncate(self, path: str, size: int = 4096) -> None:
        """Cut a file off."""
        (target,) = self.site.glob(path)
        with target.open("rb") as file:
            beginning = file.read(size)
        self.write(str(target.relative_to(self.site)), beginning)

    def uv(self, verb: str, *arguments: str) -> None:
        """Install or uninstall with uv."""
        run_uv("pip", verb, "--python", self.python, *arguments)


class Copy(Patient):
    """A copy of an environment that was made by venv and pip; `by_uv`: in one that uv made."""

    def __init__(self, name: str, folder: Path, *, only: tuple[str, ...] = (), by_uv: bool = False) -> None:
        super().__init__(folder, name)
        source = Path(environment(name)).parent.parent
        site = next(source.glob("lib/python3*/site-packages"))
        left_out = {one for name, parts in _FRAMEWORKS.items() if only and name not in only for one in parts}
        if by_uv:
            run_uv("venv", "--python", str(source / "bin" / "python"), str(self.folder))
            left_out.add("pip")  # setuptools and wheel are there where a package requires them, as torch does
        else:
            (self.folder / site.relative_to(source)).mkdir(parents=True)
            shutil.copytree(source / "bin", self.folder / "bin", symlinks=True)
            shutil.copy(source / "pyvenv.cfg", self.folder / "pyvenv.cfg")
        there = {one.name for one in self.site.iterdir()}
        kept = [one for one in site.iterdir() if one.name.partition("-")[0] not in left_out and one.name not in there]
        subprocess.run(["cp", "-al", *map(str, kept), str(self.site)], check=True)


class Built(Patient):
    """An environment made by uv, from the package index that this machine is set up for."""

    def __init__(self, folder: Path, python: tuple[int, int], *wanted: str) -> None:
        super().__init__(folder, "env")
        found = interpreters().get(python)
        if found is None:
            pytest.skip(f"there is no Python {python[0]}.{python[1]} on this machine")
        run_uv("venv", "--python", found, str(self.folder))
        if wanted:
            self.uv("install", "--compile-bytecode", *wanted)


def run_uv(*arguments: str) -> None:
    """Run uv, which must succeed; nothing that it installs is shared with its cache."""
    uv = str(Path(sys.executable).with_name("uv"))
    environment = {**os.environ, "UV_LINK_MODE": "copy"}
    done = subprocess.run([uv, *arguments], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
