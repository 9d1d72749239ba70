"""uv's dry run, and the files and sizes from the pylock.toml (PEP 751) that it writes."""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from gpudoctor.apply.dry_run_result import Archive, Verification
from gpudoctor.apply.installer import run
from gpudoctor.apply.installer_errors import unreachable
from gpudoctor.facts import lazy_re as re
from gpudoctor.knowledge.installer_options import options_in, short_forms_in
from gpudoctor.sources.toml import parse_toml

_WOULD = re.compile(r"\s*[+~]\s+(?P<what>\S+==\S+|\S+ @ .*|\S+).*")
_DOWNLOAD = re.compile(r"\s*Would download (?P<number>\d+) packages?")
#: Options of `uv pip install` that take a value and that `uv pip compile` does not have, or that name the environment.
_NOT_FOR_COMPILE = {"--target", "--prefix"}
_FLAGS_NOT_FOR_COMPILE = {"--force-reinstall", "--reinstall", "--system"}
_FILES = {"-r", "--requirement", "--requirements"}
_EDITABLE = {"-e", "--editable"}
#: Seconds without an answer, for pages and metadata, unless the user says otherwise; uv tries four times.
_TIMEOUTS = ("UV_HTTP_TIMEOUT", "UV_REQUEST_TIMEOUT", "HTTP_TIMEOUT")
TIMEOUT = "12"


def ask_uv(
    by: str, argv: tuple[str, ...], env: Mapping[str, str], keep_open: tuple[int, ...], tick: Callable[[], None]
) -> Verification:
    """What uv would install; not from which files."""
    lines: list[str] = []
    if not any(name in env for name in _TIMEOUTS):
        env = {**env, "UV_HTTP_TIMEOUT": TIMEOUT}
    command = (*argv, "--dry-run", "--color", "never")
    with _leaving_no_lock(argv):
        done = run(command, env=env, tell=lines.append, tick=tick, keep_open=keep_open)
    if not done.ok:
        lost = bool(unreachable(done.lines))
        return Verification(by=by, refused=done.why or "it said nothing", unreachable=lost, seconds=done.seconds)
    installs = tuple(match["what"] for line in lines if (match := _WOULD.fullmatch(line)) is not None)
    downloads = (int(match["number"]) for line in lines if (match := _DOWNLOAD.match(line)))
    return Verification(
        by=by,
        installs=installs,
        archives=None if installs else (),
        to_download=next(downloads, 0),
        seconds=done.seconds,
    )


@contextmanager
def _leaving_no_lock(argv: tuple[str, ...]) -> Iterator[None]:
    """Remove the empty lock file that uv makes lock file in the virtual environment that it is asked about."""
    python = argv[argv.index("--python") + 1] if "--python" in argv[:-1] else ""
    folder = os.path.dirname(os.path.dirname(python))
    path = os.path.join(folder, ".lock")
    ours = os.path.isfile(os.path.join(folder, "pyvenv.cfg")) and not os.path.lexists(path)
    try:
        yield
    finally:
        with suppress(OSError):
            if ours and os.path.getsize(path) == 0:
                os.unlink(path)


def locked(argv: tuple[str, ...], env: Mapping[str, str], installs: tuple[str, ...]) -> tuple[Archive, ...] | None:
    """The files with their sizes and hashes; None where uv cannot name them."""
    options, wanted, files = _for_compile(argv[3:])
    with tempfile.TemporaryDirectory(prefix="gpudoctor-") as folder:
        asked, told = os.path.join(folder, "wanted.in"), os.path.join(folder, "pylock.toml")
        with open(asked, "w", encoding="utf-8") as stream:
            stream.writelines(f"{requirement}\n" for requirement in wanted)
        command = (argv[0], "pip", "compile", "--quiet", "--format", "pylock.toml", "-o", told, *options, asked, *files)
        if not run(command, env=env, tell=lambda _: None).ok:
            return None
        with open(told, "rb") as locked:
            return _archives(parse_toml(locked.read()), installs)


def _for_compile(words: tuple[str, ...]) -> tuple[list[str], list[str], list[str]]:
    """The options, requirements and files of requirements of an install command, as `uv pip compile` takes them."""
    options: list[str] = []
    wanted: list[str] = []
    files: list[str] = []
    valued = options_in("compile").keys() | short_forms_in("compile").keys()
    rest = iter(words)
    for word in rest:
        if word in _NOT_FOR_COMPILE:
            next(rest, None)
        elif word in _FLAGS_NOT_FOR_COMPILE:
            continue
        elif word in _FILES:
            files.append(next(rest, ""))
        elif word in _EDITABLE:
            wanted.append(f"-e {next(rest, '')}")
        elif word.startswith("-"):
            options += [word, next(rest, "")] if "=" not in word and word in valued else [word]
        else:
            wanted.append(word)
    return options, wanted, files


def _archives(lock: dict[str, Any], installs: tuple[str, ...]) -> tuple[Archive, ...] | None:
    """Those of what would be installed; None where one of them is not in the lock file at that version."""
    locked = {one.name.lower(): one for one in map(_archive, lock.get("packages", ()))}
    found = []
    for text in installs:
        name, _, version = text.partition(" @ ")[0].partition("==")
        one = locked.get(name.lower())
        if one is None or version not in ("", one.version):
            return None
        found.append(one)
    return tuple(found)


def _archive(package: dict[str, Any]) -> Archive:
    files = package.get("wheels") or [package.get("sdist") or package.get("archive") or {}]
    largest = max(files, key=lambda file: file.get("size", 0))
    sizes = [file["size"] for file in files if "size" in file]
    only = files[0] if len(files) == 1 else {}
    return Archive(
        name=str(package.get("name", "")),
        version=str(package.get("version", "")),
        url=largest.get("url"),
        size=max(sizes, default=None),
        sha256=only.get("hashes", {}).get("sha256"),
        direct="archive" in package,
    )
