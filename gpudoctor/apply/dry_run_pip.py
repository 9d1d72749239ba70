"""pip's dry run: `pip install --dry-run --report` (pip 22.2 and newer)."""

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from gpudoctor.apply.downloads import cache_option
from gpudoctor.apply.dry_run_result import Archive, Verification, sha256_of
from gpudoctor.apply.installer import Done, run
from gpudoctor.apply.installer_errors import is_try, unreachable
from gpudoctor.facts import lazy_re as re

#: Tries of a connection after the first, unless the user says otherwise: pip makes them anew for each package. Where an
#: index is lost quickly and something is not found without it, as many as uv's.
TRIES, MORE_TRIES = {"PIP_RETRIES": "1"}, {"PIP_RETRIES": "3"}
#: Seconds in which an index is lost quickly: it is refused, or its name is not known.
QUICK = 10.0
#: Seconds after the first try that failed, in which none succeeds, until the index is given up. With pip's own time for
#: a try (15 s) it gives up before, and goes on with the next index; a user may have set minutes for each.
INDEX_TIMEOUT_S = 60.0


#: What a pip says that has no dry run; the command itself, which others repeat when it failed, has these words, too.
_TOO_OLD = re.compile(r"no such option: --(?:dry-run|report)\b")

_ADDRESS = re.compile(r"https?://\S+")


class _GivenUpError(Exception):
    """The index does not answer."""


class _Patience:
    """Listens to pip, and ends it when it only tries again."""

    def __init__(self, tick: Callable[[], None]) -> None:
        self._tick = tick
        self._since: float | None = None
        self.began = time.monotonic()
        self.lines: list[str] = []

    def line(self, text: str) -> None:
        self.lines.append(text)
        if not is_try(text):
            self._since = None
        elif self._since is None:
            self._since = time.monotonic()

    def tick(self) -> None:
        self._tick()
        if self._since is not None and time.monotonic() - self._since > INDEX_TIMEOUT_S:
            raise _GivenUpError


def ask_pip(
    by: str, argv: tuple[str, ...], env: Mapping[str, str], keep_open: tuple[int, ...], tick: Callable[[], None]
) -> Verification:
    """What pip would install."""
    # Where a user allows one try only, pip does not say that it came to nothing.
    given = {name: value for name, value in env.items() if (name, value) != ("PIP_RETRIES", "0")}
    found = _ask(by, argv, {**TRIES, **given}, keep_open, tick)
    if found.unreachable and found.seconds < QUICK and "PIP_RETRIES" not in env:
        return _ask(by, argv, {**MORE_TRIES, **given}, keep_open, tick)
    return found


def _ask(
    by: str, argv: tuple[str, ...], env: Mapping[str, str], keep_open: tuple[int, ...], tick: Callable[[], None]
) -> Verification:
    with tempfile.TemporaryDirectory(prefix="gpudoctor-") as folder:
        report = os.path.join(folder, "report.json")
        patience = _Patience(tick)
        command = (*argv, *cache_option(env), "--dry-run", "--report", report)
        try:
            done = run(command, env=env, tell=patience.line, tick=patience.tick, keep_open=keep_open)
        except _GivenUpError:
            seconds = time.monotonic() - patience.began
            reason = "\n".join(unreachable(tuple(patience.lines), given_up=True))
            return Verification(by=by, refused=reason, unreachable=True, seconds=seconds)
        return _told(by, argv, done, report)


def _told(by: str, argv: tuple[str, ...], done: Done, report: str) -> Verification:
    if not done.ok:
        if _TOO_OLD.search("\n".join(done.lines)):
            return Verification(by="nothing: this pip is older than 22.2 and has no dry run", seconds=done.seconds)
        lost = bool(unreachable(done.lines))
        return Verification(by=by, refused=done.why or "it said nothing", unreachable=lost, seconds=done.seconds)
    try:
        with open(report, encoding="utf-8") as stream:
            told = json.load(stream)
        archives = tuple(_archive(item) for item in told["install"])
    except (OSError, ValueError, KeyError, TypeError):
        return Verification(by=by, seconds=done.seconds)
    return Verification(
        by=by,
        installs=tuple(f"{one.name}=={one.version}" for one in archives),
        archives=archives,
        without_index=bool(unreachable(done.lines)) and not _sites(argv) & _sites(one.url or "" for one in archives),
        seconds=done.seconds,
        release=str(told.get("pip_version", "")) or None,
    )


def _sites(words: Iterable[str]) -> set[str]:
    """The domains of the addresses in them: an index may keep its files on another host of its own."""
    hosts = (urlsplit(found[0]).hostname or "" for word in words if (found := _ADDRESS.search(word)))
    return {".".join(host.rsplit(".", 2)[-2:]) for host in hosts}


def _archive(item: dict[str, Any]) -> Archive:
    download, metadata = item["download_info"], item["metadata"]
    return Archive(
        name=str(metadata["name"]),
        version=str(metadata["version"]),
        url=str(download["url"]),
        sha256=sha256_of(download.get("archive_info")),
        direct=bool(item.get("is_direct")),
    )
