"""PYT008 packages-unreadable."""

from collections.abc import Iterator

from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.python import Packages
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen


@rule("PYT008", name="packages-unreadable", severity="warning", since="0.1")
def packages_unreadable(packages: Packages) -> Iterator[Problem]:
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
        fixes=(
            Fix(
                title="Reinstall what they belong to",
                safety="manual",
                steps=(Ask(text="Reinstall these packages, and check who owns the files."),),
            ),
        ),
    )
