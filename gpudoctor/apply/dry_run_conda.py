"""Dry runs of conda, mamba and micromamba, read from their JSON output."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from gpudoctor.apply.dry_run_result import Archive, Verification
from gpudoctor.apply.installer import run

#: A solver explains a conflict in one line of JSON.
LONGEST = 1_000_000


def ask_conda(
    by: str, argv: tuple[str, ...], env: Mapping[str, str], keep_open: tuple[int, ...], tick: Callable[[], None]
) -> Verification:
    """What conda would install."""
    lines: list[str] = []
    command = (*argv, "--dry-run", "--json")
    done = run(command, env=env, tell=lines.append, tick=tick, keep_open=keep_open, longest=LONGEST)
    told = _told(lines)
    if not done.ok:
        reason = str(told.get("message") or told.get("error") or done.why).strip()
        return Verification(by=by, refused=reason or "it said nothing", seconds=done.seconds)
    actions = told.get("actions") or {}
    fetched = tuple(_archive(one) for one in actions.get("FETCH") or ())
    return Verification(
        by=by,
        installs=tuple(f"{one['name']}=={one['version']}" for one in actions.get("LINK") or ()),
        archives=fetched if told else None,
        to_download=len(fetched) if told else None,
        seconds=done.seconds,
    )


def _told(lines: list[str]) -> dict[str, Any]:
    """The object; warnings may stand before it."""
    start = next((number for number, line in enumerate(lines) if line.startswith("{")), len(lines))
    try:
        found = json.loads("\n".join(lines[start:]))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _archive(told: dict[str, Any]) -> Archive:
    # No file of a package index: pip's pins and the wheels that are installed later have nothing to do with it.
    return Archive(
        name=str(told.get("name", "")),
        version=str(told.get("version", "")),
        url=told.get("url"),
        size=told.get("size"),
        sha256=told.get("sha256"),
        direct=True,
    )
