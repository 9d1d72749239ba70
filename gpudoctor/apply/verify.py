"""The installer's own dry run, with the user's own index settings; and how much it would download."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

from gpudoctor.apply.installer import Done, run
from gpudoctor.model.base import Fact

_WOULD = re.compile(r"\s*[+~]\s+(?P<what>\S+==\S+|\S+ @ .*|\S+).*")
#: Options of `uv pip install` that take a value and that `uv pip compile` does not have, or that name the environment.
_NOT_FOR_COMPILE = {"--target", "--prefix"}
_FLAGS_NOT_FOR_COMPILE = {"--force-reinstall", "--reinstall", "--system"}


class Wheel(Fact, frozen=True, kw_only=True):
    """A file that would be installed."""

    name: str
    version: str
    url: str | None = None
    size: int | None = None


class Verification(Fact, frozen=True, kw_only=True):
    """What the dry run said. `refused` says why it would not install; None: it would."""

    by: str
    installs: tuple[str, ...] = ()
    wheels: tuple[Wheel, ...] | None = None
    refused: str | None = None
    seconds: float = 0.0

    @property
    def download_bytes(self) -> int | None:
        """Bytes to download; None where the index does not say."""
        if self.wheels is None or any(wheel.size is None for wheel in self.wheels):
            return None
        return sum(wheel.size or 0 for wheel in self.wheels)

    @property
    def biggest(self) -> int:
        """Bytes of the largest file, as far as known."""
        return max((wheel.size or 0 for wheel in self.wheels or ()), default=0)


#: The size of the file at an address, where that can be told.
Sizer = Callable[[str], int | None]


def is_install(argv: tuple[str, ...]) -> bool:
    """Whether this command is one of those that can be verified: `uv pip install`, `python -m pip install`."""
    return _is_uv(argv) or _is_pip(argv)


def _is_uv(argv: tuple[str, ...]) -> bool:
    return os.path.basename(argv[0]) in ("uv", "uv.exe") and argv[1:3] == ("pip", "install")


def _is_pip(argv: tuple[str, ...]) -> bool:
    """Also where it is run through another program: conda run --prefix P python -m pip install."""
    return any(argv[at : at + 3] == ("-m", "pip", "install") for at in range(min(10, len(argv))))


def verify(
    argv: tuple[str, ...], env: Mapping[str, str], size_of: Sizer, keep_open: tuple[int, ...] = ()
) -> Verification:
    """Ask the installer what `argv`, an install command, would do."""
    if _is_uv(argv):
        return _uv(argv, env, keep_open)
    return _pip(argv, env, size_of, keep_open)


def _uv(argv: tuple[str, ...], env: Mapping[str, str], keep_open: tuple[int, ...]) -> Verification:
    by = "uv pip install --dry-run"
    lines: list[str] = []
    done = run((*argv, "--dry-run", "--color", "never"), env=env, tell=lines.append, keep_open=keep_open)
    if not done.ok:
        return Verification(by=by, refused=_reason(done), seconds=done.seconds)
    would = (match["what"] for line in lines if (match := _WOULD.fullmatch(line)) is not None)
    installs = tuple(would)
    return Verification(by=by, installs=installs, wheels=_locked(argv, env, installs), seconds=done.seconds)


def _locked(argv: tuple[str, ...], env: Mapping[str, str], installs: tuple[str, ...]) -> tuple[Wheel, ...] | None:
    """The files with their sizes, as uv writes them into a pylock.toml; None where it cannot."""
    options, wanted = [], []
    words = iter(argv[3:])
    for word in words:
        if word in _NOT_FOR_COMPILE:
            next(words, None)
        elif word in _FLAGS_NOT_FOR_COMPILE:
            continue
        elif word.startswith("-"):
            options.append(word)
            if word in ("-r", "--requirements", "-c", "--constraints", "-e", "--editable"):
                return None
            if "=" not in word and word in _TAKE_A_VALUE:
                options.append(next(words, ""))
        else:
            wanted.append(word)
    with tempfile.TemporaryDirectory(prefix="gpudoctor-") as folder:
        asked, told = os.path.join(folder, "wanted.in"), os.path.join(folder, "pylock.toml")
        with open(asked, "w", encoding="utf-8") as stream:
            stream.writelines(f"{requirement}\n" for requirement in wanted)
        command = (argv[0], "pip", "compile", "--quiet", "--format", "pylock.toml", "-o", told, *options, asked)
        if not run(command, env=env, tell=lambda _: None).ok:
            return None
        with open(told, "rb") as locked:
            return _wheels(_toml(locked.read()), {one.partition("==")[0].lower() for one in installs})


_TAKE_A_VALUE = frozenset(
    (
        *("--python", "-p", "--index", "--default-index", "--index-url", "-i", "--extra-index-url", "--find-links"),
        *("-f", "--index-strategy", "--torch-backend", "--prerelease", "--resolution", "--exclude-newer"),
        *("--only-binary", "--no-binary", "--upgrade-package", "-P"),
    )
)


def _toml(raw: bytes) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    parsed: dict[str, Any] = tomllib.loads(raw.decode())
    return parsed


def _wheels(lock: dict[str, Any], names: set[str]) -> tuple[Wheel, ...]:
    found = []
    for package in lock.get("packages", ()):
        if package.get("name", "").lower() in names:
            files = package.get("wheels") or [package.get("sdist") or package.get("archive") or {}]
            found.append(
                Wheel(
                    name=package["name"],
                    version=str(package.get("version", "")),
                    url=files[0].get("url"),
                    size=max((file["size"] for file in files if "size" in file), default=None),
                )
            )
    return tuple(found)


def _pip(argv: tuple[str, ...], env: Mapping[str, str], size_of: Sizer, keep_open: tuple[int, ...]) -> Verification:
    by = "pip install --dry-run"
    with tempfile.TemporaryDirectory(prefix="gpudoctor-") as folder:
        report = os.path.join(folder, "report.json")
        command = (*argv, "--dry-run", "--quiet", "--report", report)
        # Unless the user says otherwise: as many tries as uv's, so that an index that does not answer is soon said.
        done = run(command, env={"PIP_RETRIES": "3", **env}, tell=lambda _: None, keep_open=keep_open)
        if not done.ok:
            if "no such option: --report" in "\n".join(done.lines) or "--dry-run" in done.why:
                return Verification(by="nothing: this pip is older than 22.2 and has no dry run", seconds=done.seconds)
            return Verification(by=by, refused=_reason(done), seconds=done.seconds)
        try:
            with open(report, encoding="utf-8") as stream:
                wheels = tuple(_reported(item, size_of) for item in json.load(stream)["install"])
        except (OSError, ValueError, KeyError, TypeError):
            return Verification(by=by, seconds=done.seconds)
    installs = tuple(f"{wheel.name}=={wheel.version}" for wheel in wheels)
    return Verification(by=by, installs=installs, wheels=wheels, seconds=done.seconds)


def _reported(item: dict[str, Any], size_of: Sizer) -> Wheel:
    url = str(item["download_info"]["url"])
    metadata = item["metadata"]
    return Wheel(name=str(metadata["name"]), version=str(metadata["version"]), url=url, size=size_of(url))


def _reason(done: Done) -> str:
    return done.why or "it said nothing"
