"""Rewrites the build path inside scripts and settings once an environment has moved to its place.

The two paths differ by one piece in the middle (`.gpudoctor-ID/`), which occurs nowhere else, so that taking it out is
right whatever quoting surrounds the path.
"""

import base64
import csv
import hashlib
import io
import os
from collections.abc import Iterator

#: Files that name the path are small texts.
BIGGEST = 4 * 1024 * 1024
_TEXTS = (".pth", ".egg-link", ".cfg", ".json", ".pc", ".sh", ".fish", ".csh", ".ps1", ".bat", ".txt", ".py", ".cmake")


def rewrite_paths(tree: str, piece: str) -> tuple[str, ...]:
    """Take `piece` out of the texts of the environment in `tree`; returns the files that had it. Raises OSError."""
    marks = {piece.encode(), piece.replace("\\", "/").encode(), piece.replace("\\", "\\\\").encode()}
    candidates = tuple(_candidates(tree))
    changed = tuple(path for path in candidates if _without(path, marks))
    records = (path for path in candidates if path.endswith(f".dist-info{os.sep}RECORD"))
    for record in records if changed else ():
        _correct(record, set(changed))
    return changed


def _candidates(tree: str) -> Iterator[str]:
    """Files that may name the path: all beside the interpreter, settings, path files, metadata, kernels' descriptions.

    The modules of packages do not, and there may be a hundred thousand.
    """
    for folder, folders, names in os.walk(tree):
        in_packages = os.path.basename(folder) in ("site-packages", "dist-packages")
        if in_packages:
            folders[:] = [name for name in folders if name.endswith((".dist-info", ".egg-info"))]
        is_bin = os.path.basename(folder) in ("bin", "Scripts")
        yield from (os.path.join(folder, name) for name in names if is_bin or name.endswith(_TEXTS) or "." not in name)


def _without(path: str, marks: set[bytes]) -> bool:
    """Whether the file had the piece; it is written anew without."""
    if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > BIGGEST:
        return False
    with open(path, "rb") as stream:
        raw = stream.read()
    found = [mark for mark in marks if mark in raw]
    if not found:
        return False
    for mark in found:
        raw = raw.replace(mark, b"")
    beside = f"{path}.gpudoctor"
    with open(beside, "xb") as stream:
        stream.write(raw)
    status = os.stat(path)
    os.chmod(beside, status.st_mode & 0o7777)
    os.utime(beside, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.replace(beside, path)
    return True


def _correct(record: str, changed: set[str]) -> None:
    """Write the new hashes and sizes of the changed files into a RECORD (packaging.python.org, recording installs)."""
    site = os.path.dirname(os.path.dirname(record))
    names = {os.path.basename(path) for path in changed}
    ends = [f"{name}{end}" for name in names for end in (",", '"')]  # a row begins with the path
    with open(record, newline="", encoding="utf-8") as stream:
        text = stream.read()
    if not any(end in text for end in ends):
        return
    rows = list(csv.reader(io.StringIO(text, newline="")))
    dirty = False
    for row in rows:
        if not row or os.path.basename(row[0]) not in names:
            continue
        path = os.path.normpath(os.path.join(site, row[0]))
        if path in changed and len(row) == 3 and row[1]:
            with open(path, "rb") as stream:
                raw = stream.read()
            digest = base64.urlsafe_b64encode(hashlib.sha256(raw).digest()).decode().rstrip("=")
            row[1:], dirty = [f"sha256={digest}", str(len(raw))], True
    if dirty:
        beside = f"{record}.gpudoctor"
        with open(beside, "x", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows(rows)
        os.replace(beside, record)
