"""HST001: there is too little free disk space to install a framework."""

from gpudoctor.facts.system import Space
from gpudoctor.knowledge.frameworks import computing
from gpudoctor.rules._situation import GIB, known, os_of
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, System
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, SetEnv, by_hand, problem, rule, run, seen

#: Room that an installation takes, by what the place is for: (with a GPU build, without), in GiB. A CUDA build of
#: PyTorch downloads some 3 GB of wheels, which pip keeps in the temporary folder until all are there, and unpacks to
#: about twice that; a CPU build is a few hundred MB. Sizes of the wheels of torch 2.15 and TensorFlow 2.21, 2026-11.
NEEDS_GIB = {"temp": (3, 1), "environment": (7, 2)}
#: Less than this, and nearly every program that writes a file fails.
FULL_BYTES = 64 * 1024 * 1024
#: Less, and not even the largest wheels of a build with CUDA can be downloaded; or, without a GPU, none at all.
HOPELESS_BYTES = (1536 * 1024 * 1024, 200 * 1024 * 1024)


@rule("HST001", name="disk-tmp-small", severity="error", when="host.spaces")
def disk_tmp_small(host: System, gpus: Gpus | Gap | None, frameworks: Frameworks | Gap | None) -> Iterator[Problem]:
    """There is too little free disk space to install a framework.

    What it means:
    pip first downloads all packages into the temporary folder and then unpacks them into the environment. One of the
    two has less free space than PyTorch or TensorFlow with CUDA takes.

    Why it breaks:
    The installation ends with "No space left on device" (Errno 28), often though another disk is empty: /tmp can be a
    small disk in memory (tmpfs).

    How to fix it:
    Let pip use another folder for its temporary files (TMPDIR), clear pip's cache, or free space.

    When to ignore it:
    When everything you need is installed.

    Sources:
    pip documentation, caching, https://pip.pypa.io/en/stable/topics/caching/; sizes of the wheels on the package index
    """
    found = known(frameworks)
    installed = bool(found and any(found.get(name) for name in computing()))
    with_gpu = bool(isinstance(gpus, Gpus) and gpus.nvidia)
    short = [space for space in host.spaces or () if _is_short(space, with_gpu=with_gpu, installed=installed)]
    if not short:
        return
    limit = FULL_BYTES if installed else HOPELESS_BYTES[0 if with_gpu else 1]
    full = any(space.free is not None and space.free < limit for space in short)
    yield problem(
        _summary(short, full=full),
        *tuple(seen(f"free in {space.path}", _size(space)) for space in short),
        subject=short[0].path,
        severity="error" if full else "warning",
        confidence="certain" if full else "likely",
        fixes=_fixes(short, _roomy(host, short, with_gpu=with_gpu), windows=os_of(host) == "windows"),
    )


def _is_short(space: Space, *, with_gpu: bool, installed: bool) -> bool:
    """Once a framework is installed, only a full disk counts."""
    if space.purpose not in NEEDS_GIB or space.free is None:
        return False
    if installed:
        return space.free < FULL_BYTES
    return space.free < NEEDS_GIB[space.purpose][0 if with_gpu else 1] * GIB


def _summary(short: list[Space], *, full: bool) -> str:
    where = " and ".join(dict.fromkeys(space.path for space in short))
    if full:
        return f"There is hardly any disk space left in {where}."
    return f"There is too little free disk space in {where} to install a framework."


def _size(space: Space) -> str:
    kind = f", {space.filesystem}" if space.filesystem else ""
    return f"{(space.free or 0) / GIB:.1f} GiB{kind}"


def _roomy(host: System, short: list[Space], *, with_gpu: bool) -> Space | None:
    """A place of the user's own with room enough for pip's temporary files, beside what else is to go there."""
    need = NEEDS_GIB["temp"][0 if with_gpu else 1] * GIB
    own = (one for one in host.spaces or () if one.purpose in ("cache", "home", "environment") and one not in short)
    return next((space for space in own if space.free is not None and space.free >= need), None)


def _fixes(short: list[Space], roomy: Space | None, *, windows: bool) -> tuple[Fix, ...]:
    cache = Fix("Clear pip's cache", "review", (run("python", "-m", "pip", "cache", "purge"),))
    if all(space.purpose != "temp" for space in short):
        return (cache, by_hand("Free space", "Delete what you do not need."))
    variable = "TEMP" if windows else "TMPDIR"
    step: SetEnv | Ask = Ask(text=f"Set the variable {variable} to a folder with enough room, then install again.")
    if roomy is not None:
        step = SetEnv(name=variable, value=roomy.path)
    return (Fix("Let pip use another temporary folder", "safe", (step,)), cache)
