"""Packages with compiled parts for one line of torch, which their own metadata does not say.

Sources: the tables in the READMEs of github.com/pytorch/text and github.com/meta-pytorch/torchcodec (read 2026-11);
github.com/woct0rdho/triton-windows (README, and the notes of release 3.6.0); dgl: the names of the files in its wheel
2.1.0, and https://github.com/dmlc/dgl/issues/7450 for 2.2; torchao: torchao/__init__.py of its releases (the list of
0.16.0; from 0.17 on torch 2.11) and https://github.com/pytorch/ao/issues/2919.
"""

from typing import NamedTuple

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.finding import Severity
from gpudoctor.plan.places import install, safety, uninstall
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Framework, Package, Scene
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, by_hand, seen

Release = tuple[int, ...]

#: Line of the package, and the one line of torch that it is compiled for.
PAIRS: dict[str, dict[Release, Release]] = {
    "torchtext": dict(
        zip(
            [(0, minor) for minor in range(8, 19)],
            [*[(1, minor) for minor in range(7, 14)], *[(2, minor) for minor in range(4)]],
            strict=True,
        )
    ),
    "torchcodec": {
        (0, 1): (2, 5),
        (0, 2): (2, 6),
        (0, 3): (2, 7),
        (0, 4): (2, 7),
        (0, 5): (2, 7),
        (0, 6): (2, 8),
        (0, 7): (2, 8),
        (0, 8): (2, 9),
        (0, 9): (2, 9),
        (0, 10): (2, 10),
        (0, 11): (2, 11),
    },
}
#: From this line on they go with every torch from this one on.
STABLE: dict[str, tuple[Release, Release]] = {"torchcodec": ((0, 12), (2, 11))}
#: The oldest torch that knows a line of Triton. On Linux torch asks for its own, and that is told elsewhere.
TRITON: dict[Release, Release] = {
    (3, 0): (2, 4),
    (3, 1): (2, 4),
    (3, 2): (2, 6),
    (3, 3): (2, 7),
    (3, 4): (2, 8),
    (3, 5): (2, 9),
    (3, 6): (2, 10),
}
#: The newest torch that a line has a compiled part for.
ENDS: dict[str, dict[Release, Release]] = {"dgl": {(2, 1): (2, 2, 1), (2, 2): (2, 3, 0)}}
#: The one torch that the kernels in a release of torchao are compiled for; with another it leaves them out.
KERNELS: dict[Release, Release] = {
    (0, 13, 0): (2, 8, 0),
    (0, 14, 0): (2, 8, 0),
    (0, 14, 1): (2, 9, 0),
    (0, 15, 0): (2, 9, 1),
    (0, 16, 0): (2, 10, 0),
}
#: From here on they go with every torch from this one on.
FIRST_STABLE, ITS_TORCH = (0, 17), (2, 11)
#: Compiled by whoever made the image or the channel, against the torch that is beside it.
_UNFINISHED = re.compile(r"\d(?:a|b|rc)\d|dev|\+git")


class Misfit(NamedTuple):
    """What does not go together, in words, and what to do."""

    wants: str
    severity: Severity
    fix: Fix
    #: What of the package asks for it.
    part: str = ""
    otherwise: str = ""


def of_another_line(torch: Framework, scene: Scene) -> Iterator[Problem]:
    """The packages there that were made for another torch than this one."""
    have = release_numbers(torch.version)
    if _UNFINISHED.search(torch.version or ""):
        return
    for name in (*PAIRS, "triton-windows", "torchao", *ENDS):
        package = scene.find(name)
        if package is None or package.installer == "conda" or _UNFINISHED.search(package.version) or not have:
            continue
        if (misfit := _misfit(package, have, scene)) is None:
            continue
        label = f"{package.name} {package.version}"
        yield Problem(
            summary=f"{misfit.part}{label} needs torch {misfit.wants}, but torch {torch.version} is installed"
            f"{misfit.otherwise}.",
            subject=label,
            severity=misfit.severity,
            confidence="likely",
            evidence=(
                seen("torch", torch.version, torch.source),
                seen(package.name, package.version),
                seen(f"torch that {label} is made for", misfit.wants),
            ),
            fixes=(misfit.fix,),
        )


def _misfit(package: Package, have: Release, scene: Scene) -> Misfit | None:
    line = (release_numbers(package.version) or ())[:2]
    if package.name in PAIRS:
        first, oldest = STABLE.get(package.name, (None, None))
        if first and oldest and line >= first:
            fix = _pair(package.name, have, scene)
            return Misfit(f"{_text(oldest)} or newer", "error", fix) if have[:2] < oldest else None
        wanted = PAIRS[package.name].get(line)
        is_fit = wanted is None or wanted == have[:2]
        return None if is_fit or wanted is None else Misfit(_text(wanted), "error", _pair(package.name, have, scene))
    if package.name in ENDS:
        newest = ENDS[package.name].get(line)
        is_fit = newest is None or have[:3] <= newest
        return (
            None if is_fit or newest is None else Misfit(f"{_text(newest)} at most", "error", _older(package, newest))
        )
    if package.name == "torchao":
        return _torchao((release_numbers(package.version) or ())[:3], have, scene)
    floor = TRITON.get(line)
    return Misfit(f"{_text(floor)} or newer", "warning", _triton(have, scene)) if floor and floor > have[:2] else None


def _torchao(release: Release, have: Release, scene: Scene) -> Misfit | None:
    """What torchao does without its kernels it still does: a note."""
    wants, exact = KERNELS.get(release), f"{_text(have[:3])}"
    if release[:2] >= FIRST_STABLE:
        wants = None if have[:2] >= ITS_TORCH else ITS_TORCH
    if wants is None or wants == have[:3]:
        return None
    newest = max((own for own, torch in KERNELS.items() if torch == have[:3]), default=None)
    if have[:2] >= ITS_TORCH:
        steps = install(scene, f"torchao>={_text(FIRST_STABLE)}", options=("--upgrade", "--no-deps"))
    elif newest is not None:
        steps = install(scene, f"torchao=={_text(newest)}", options=("--no-deps",))
    else:
        text = f"No torchao has kernels for torch {exact}: take torch {_text(wants)}, or do without them."
        fix = by_hand("Take the torch of the kernels, or do without them", text)
        return _without_kernels(wants, fix)
    return _without_kernels(
        wants, Fix(title=f"Install the torchao of torch {exact}", safety=safety(scene), steps=steps)
    )


def _without_kernels(wants: Release, fix: Fix) -> Misfit:
    text = _text(wants) + " or newer" * (wants == ITS_TORCH)
    return Misfit(text, "info", fix, "What is compiled in ", "; it is left out")


def _pair(name: str, have: Release, scene: Scene) -> Fix:
    """The newest line of the package for this torch; torchtext ended with the one for torch 2.3."""
    lines = [line for line, torch in PAIRS[name].items() if torch == have[:2]]
    if lines:
        steps = install(scene, f"{name}=={_text(max(lines))}.*", options=("--no-deps",))
        return Fix(title=f"Install the {name} of torch {_text(have[:2])}", safety=safety(scene), steps=steps)
    if have[:2] < max(PAIRS[name].values()):
        text = f"There is no {name} for torch {_text(have[:2])}: uninstall it, or take another torch."
        return Fix(title=f"Remove {name}", safety="review", steps=(*uninstall(scene, name), Ask(text=text)))
    if name == "torchtext":
        text = (
            "torchtext ended with 0.18, for torch 2.3. A program that needs it: torch==2.3.1 in an environment of its"
        )
        return Fix(title=f"Remove {name}", safety="review", steps=(*uninstall(scene, name), Ask(text=f"{text} own.")))
    steps = install(scene, name, options=("--upgrade", "--no-deps"))
    return Fix(title=f"Install a current {name}", safety=safety(scene), steps=steps)


def _triton(have: Release, scene: Scene) -> Fix:
    too_new = min(line for line, torch in TRITON.items() if torch > have[:2])
    steps = install(scene, f"triton-windows<{_text(too_new)}", options=("--upgrade",))
    return Fix(title=f"Install the Triton of torch {_text(have[:2])}", safety=safety(scene), steps=steps)


def _older(package: Package, newest: Release) -> Fix:
    text = (
        f"Install torch=={_text(newest)} for it in an environment of its own, or a {package.name} made for this torch."
    )
    return by_hand(f"Give {package.name} its torch", text)


def _text(release: Release) -> str:
    return ".".join(map(str, release))
