"""The pip of the target, the pip that typing `pip` starts, and the package managers at hand."""

import re

from gpudoctor.facts.base import Fact, Gap
from gpudoctor.host.port import Host
from gpudoctor.probes.reading import names_in
from gpudoctor.probes.target.choice import path_rules

MANAGERS = ("uv", "conda", "mamba", "micromamba", "poetry", "pixi", "pipenv", "pipx")
PROJECT_FILES = (
    "uv.lock",
    "poetry.lock",
    "pixi.toml",
    "pixi.lock",
    "Pipfile.lock",
    "environment.yml",
    "conda-lock.yml",
)
#: A Windows launcher is about 100 kB with its script behind it.
LAUNCHER_LIMIT = 1024 * 1024


class PipFacts(Fact, frozen=True, kw_only=True):
    """pip in the target, and pip on PATH with the interpreter in its first line."""

    version: str | None = None
    on_path: str | None = None
    on_path_interpreter: str | None = None


def read_pip(host: Host, site_dirs: tuple[str, ...]) -> PipFacts:
    """Both pips; neither is run."""
    on_path = host.which("pip") or host.which("pip3")
    raw = host.read(on_path, limit=LAUNCHER_LIMIT) if on_path is not None else None
    interpreter = parse_shebang(raw) if isinstance(raw, bytes) else None
    if interpreter is not None and not interpreter.startswith("/") and "\\" not in interpreter:
        interpreter = host.which(interpreter)
    return PipFacts(version=pip_version(host, site_dirs), on_path=on_path, on_path_interpreter=interpreter)


def pip_version(host: Host, site_dirs: tuple[str, ...]) -> str | None:
    """The version of the first pip on the search path, by its metadata folder's name; None where it cannot start."""
    for folder in site_dirs:
        for name in names_in(host, folder) or ():
            match = re.fullmatch(r"pip-([^-]+)(?:\.dist-info|(?:-py[\d.]+)?\.egg(?:-info)?)", name)
            if match is not None:
                return match.group(1) if _can_start(host, folder, name) else None
    return None


def _can_start(host: Host, folder: str, metadata: str) -> bool:
    """Whether the files that pip begins with are there: an uninstall that was cut off leaves a part of them."""
    inside = (metadata,) if metadata.endswith(".egg") else ()
    names = host.list(path_rules(host).join(folder, *inside, "pip"))
    if isinstance(names, Gap):
        return True
    # Before pip 10 it was pip/commands, since then pip/_internal/commands.
    there = frozenset(names or ())
    return {"__main__.py", "_vendor"} <= there and bool({"_internal", "commands"} & there)


def parse_shebang(raw: bytes) -> str | None:
    """The Python that a script starts with: its path, or a bare name that env looks up. None where it is no Python.

    Three forms: `#!python`; a shell line that starts Python, which installers write where the path is long or has
    spaces; and a Windows launcher, an .exe with the script appended.
    """
    start = raw.rfind(b"#!") if raw.startswith(b"MZ") else 0
    if start < 0 or not raw.startswith(b"#!", start):
        return None
    head = raw[start : start + 4096].decode("utf-8", "replace").splitlines()
    first = head[0][2:].strip()
    if first in ("/bin/sh", "/usr/bin/sh") and len(head) > 1:
        match = re.match(r"""'''exec' (?:"([^"]+)"|'([^']+)'|(\S+)) "\$0" """, head[1])
        return next((group for group in match.groups() if group), None) if match else None
    quoted = re.match(r'"([^"]+)"', first)
    words = [quoted.group(1)] if quoted else first.split() if "\\" not in first else [first.split(".exe")[0] + ".exe"]
    if words and words[0].endswith("/env"):
        words = [word for word in words[1:] if word != "-S"]
    name = re.split(r"[/\\]", words[0])[-1] if words else ""
    return words[0] if re.match(r"(python|pypy)[\d.]*t?(\.exe)?$", name) else None


def find_managers(host: Host) -> tuple[str, ...]:
    """The package managers that can be started; conda also where only its shell function is."""
    found = [name for name in MANAGERS if host.which(name) is not None]
    conda = host.env.get("CONDA_EXE")
    if "conda" not in found and conda and host.stat(conda) is not None:
        found.append("conda")
    return tuple(found)


def find_project_files(host: Host) -> tuple[str, ...]:
    """The lock and project files of package managers in the working directory."""
    join = path_rules(host).join
    return tuple(name for name in PROJECT_FILES if host.stat(join(host.cwd, name)) is not None)
