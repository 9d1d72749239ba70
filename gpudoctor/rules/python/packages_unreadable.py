"""PYT008: an installed package's metadata cannot be read."""

from msgspec.structs import replace

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.fix import Write
from gpudoctor.facts.python import Broken
from gpudoctor.plan.recipes import reinstall
from gpudoctor.rules.sections import Package, Packages, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, run, seen

#: What a file without its content is told with; where it may not be read, another owner is to be asked.
_DAMAGED = ("it is empty", "it is missing", "it is no text", "it says no version")
#: What is left behind, whole: ~umpy-1.26.4.dist-info of a cut-off uninstall, the record of another release.
_INTERRUPTED = re.compile(r"[/\\]~[^/\\]*$")
_LEFT = re.compile(r"[/\\](?:~[^/\\]*|[^/\\]+-[^-/\\]+\.dist-info)$")


@rule("PYT008", name="packages-unreadable", severity="warning", when="packages.broken")
def packages_unreadable(packages: Packages, scene: Scene) -> Iterator[Problem]:
    """An installed package's metadata cannot be read.

    What it means:
    Each installed package has a folder that describes it (its .dist-info). Some of these are damaged or may not be
    read, so the report says nothing about those packages.

    Why it breaks:
    An installation was interrupted, a file belongs to another user (after `sudo pip install`), or the disk has errors.
    pip stumbles over them too: "Ignoring invalid distribution".

    How to fix it:
    Reinstall the package. Leftovers whose names begin with "~" can be deleted.

    When to ignore it:
    If the package has nothing to do with the GPU.

    Sources:
    https://packaging.python.org/en/latest/specifications/recording-installed-packages/
    """
    if not packages.broken:
        return
    yield problem(
        _summary(packages),
        *tuple(seen(broken.path, broken.reason) for broken in packages.broken[:5]),
        fix=_fix(packages, scene),
    )


def _summary(packages: Packages) -> str:
    count = len(packages.broken)
    if all(_INTERRUPTED.search(one.path) for one in packages.broken):
        return f"pip was interrupted when it took packages away, and left {count} of their folders behind."
    if count > 1:
        return f"The metadata of {count} installed packages cannot be read."
    return "An installed package's metadata cannot be read."


def _fix(packages: Packages, scene: Scene) -> Fix:
    """Install what they belong to anew, where the folders' names tell, and it is the user's to write."""
    left = tuple(one.path for one in packages.broken if _LEFT.search(one.path))
    if left and len(left) == len(packages.broken) and scene.os in ("linux", "macos") and not scene.is_shared:
        return Fix("Delete what pip left behind", "safe", (run("rm", "-r", *left),))
    title = "Reinstall what they belong to"
    owners = tuple(package for one in packages.broken if (package := _owner(one, scene)) is not None)
    if len(owners) < len(packages.broken) or scene.is_shared:
        text = "Reinstall these packages, and check who owns the files."
        return by_hand(title, text)
    anew = reinstall(scene, tuple(package.name for package in owners), title)
    # pip ends with "UnicodeDecodeError" on what is no text: it is told what it would have read, as far as it needs it.
    told = tuple(
        Write(path=one.path, text=f"Metadata-Version: 2.1\nName: {package.name}\nVersion: {package.version}\n")
        for one, package in zip(packages.broken, owners, strict=True)
        if one.path.endswith("METADATA")
    )
    return replace(anew, steps=(*told, *anew.steps)) if anew.safety != "manual" else anew


def _owner(broken: Broken, scene: Scene) -> Package | None:
    """The distribution of a damaged METADATA or RECORD, by its folder: torch, of torch-2.6.0.dist-info/METADATA."""
    match = re.search(r"(?:^|[/\\])([^/\\~][^/\\]*?)-[^-/\\]+\.dist-info[/\\](?:METADATA|RECORD)$", broken.path)
    if match is None or not broken.reason.startswith(_DAMAGED):
        return None
    return scene.find(re.sub(r"[-_.]+", "-", match[1]).lower())
