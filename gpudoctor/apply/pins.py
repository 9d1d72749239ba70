"""Turns the result of a dry run into version pins, so that the same versions are installed.

The requirements stay as they are: the installer still checks what each package asks for, and notes which were asked for
by name.
"""

import os

from gpudoctor.apply.dry_run_result import Verification

NAME = "verified.txt"


def pinned(argv: tuple[str, ...], found: Verification | None, folder: str) -> tuple[str, ...]:
    """The install command, held to what its dry run said; as it is where that names nothing, or hashes hold it."""
    if "--require-hashes" in argv or any(os.path.basename(word).startswith("pylock.") for word in argv):
        return argv
    pins = _pins(found) if found is not None else []
    if not pins:
        return argv
    path = os.path.join(folder, NAME)
    with open(path, "w", encoding="utf-8") as stream:
        stream.writelines(pins)
    return (*argv, "-c", path)


def _pins(found: Verification) -> list[str]:
    if found.archives is None:
        # uv was not asked for the files, as all of them are in its cache; "(from file://...)" stands behind a version.
        return [f"{text}\n" for text in found.installs if "==" in text and " " not in text]
    return [f"{one.name}=={one.version}\n" for one in found.archives if one.version and not one.direct]
