"""PYT008 packages-unreadable."""

import re
from collections.abc import Iterator

from gpudoctor.model.base import Gap
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.python import Interpreter, Packages
from gpudoctor.model.system import System
from gpudoctor.plan.places import Scene
from gpudoctor.plan.recipes import reinstall
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen


@rule("PYT008", name="packages-unreadable", severity="warning", since="0.1")
def packages_unreadable(
    packages: Packages, interpreter: Interpreter | Gap | None, host: System | Gap | None
) -> Iterator[Problem]:
    """The record of an installed package cannot be read.

    What it means:
    Each installed package has a folder that describes it (its .dist-info). Some of these are damaged or may not be
    read, so the report says nothing about those packages.

    Why it breaks:
    An installation was interrupted, a file belongs to another user (after `sudo pip install`), or the disk has errors.
    pip stumbles over them too: "Ignoring invalid distribution".

    How to mend it:
    Reinstall the package. Leftovers whose names begin with "~" can be deleted.

    When to ignore it:
    If the package has nothing to do with the GPU.

    Sources:
    https://packaging.python.org/en/latest/specifications/recording-installed-packages/
    """
    if not packages.broken:
        return
    count = len(packages.broken)
    yield Problem(
        summary=f"The records of {count} installed packages cannot be read."
        if count > 1
        else "The record of an installed package cannot be read.",
        evidence=tuple(seen(broken.path, broken.reason) for broken in packages.broken[:5]),
        fixes=(_fix(packages, Scene(host=host, interpreter=interpreter, packages=packages)),),
    )


def _fix(packages: Packages, scene: Scene) -> Fix:
    """Install what they belong to anew, where the folders' names tell, and it is the user's to write."""
    title = "Reinstall what they belong to"
    names = tuple(name for broken in packages.broken if (name := _owner(broken.path)) and scene.find(name) is not None)
    if len(names) == len(packages.broken) and not scene.is_shared:
        return reinstall(scene, names, title)
    return Fix(
        title=title,
        safety="manual",
        steps=(Ask(text="Reinstall these packages, and check who owns the files."),),
    )


def _owner(path: str) -> str | None:
    """The distribution that a metadata folder or file belongs to: torch, of …/torch-2.6.0.dist-info/METADATA."""
    match = re.search(r"(?:^|[/\\])([^/\\~][^/\\]*?)-[^-/\\]+\.dist-info(?:[/\\]|$)", path)
    return re.sub(r"[-_.]+", "-", match[1]).lower() if match else None
