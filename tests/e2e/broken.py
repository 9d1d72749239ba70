"""Copies of real environments, broken for real: their files are links, so nothing is ever written in place."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.live.environments import environment

#: Distributions and import packages of the frameworks; a copy has only those that it is for.
_FRAMEWORKS = {
    "torch": ("torch", "torchgen", "functorch", "torchvision"),
    "tensorflow": ("tensorflow", "tensorflow_cpu", "tensorboard", "tensorboard_data_server", "libclang", "clang"),
    "keras": ("keras",),
    "jax": ("jax", "jaxlib"),
}


class Copy:
    """A copy of an environment, with the ways to break it."""

    def __init__(self, name: str, folder: Path, *, only: tuple[str, ...] = ()) -> None:
        source = Path(environment(name)).parent.parent
        self.folder = folder / name
        self.python = str(self.folder / "bin" / "python")
        site = next(source.glob("lib/python3*/site-packages"))
        self.site = self.folder / site.relative_to(source)
        self.env: dict[str, str] = {}
        self.cwd = folder / "work"
        self.cwd.mkdir()
        left_out = {one for name, parts in _FRAMEWORKS.items() if only and name not in only for one in parts}
        self.site.mkdir(parents=True)
        shutil.copytree(source / "bin", self.folder / "bin", symlinks=True)
        shutil.copy(source / "pyvenv.cfg", self.folder / "pyvenv.cfg")
        kept = [str(one) for one in site.iterdir() if one.name.partition("-")[0] not in left_out]
        subprocess.run(["cp", "-al", *kept, str(self.site)], check=True)

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
        uv = str(Path(sys.executable).with_name("uv"))
        environment = {**os.environ, "UV_LINK_MODE": "copy"}
        command = [uv, "pip", verb, "--python", self.python, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr
