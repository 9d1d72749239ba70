"""FRM005: the installed torchvision, torchaudio or torchtext does not match the torch version."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.finding import Severity
from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.frameworks import companions
from gpudoctor.knowledge.matrix.offer_types import Pair
from gpudoctor.knowledge.matrix.pairs import in_words, pair_for, pair_of, pairs_of
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.places import install, safety, uninstall
from gpudoctor.plan.recipes import companions_of
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Matrix, Package, Packages, Scene
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, by_hand, problem, rule, seen

#: What another torch does to them: torch.compile fails, or torchao leaves out its kernels; the others do not start.
SEVERITIES: dict[str, Severity] = {
    "torchtext": "error",
    "torchcodec": "error",
    "triton-windows": "warning",
    "torchao": "info",
    "dgl": "error",
}
#: Compiled by whoever made the image or the channel, against the torch that is beside it.
_UNFINISHED = re.compile(r"\d(?:a|b|rc)\d|dev|\+git")


def of_another_line(torch: Framework, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The packages there that were made for another torch than this one."""
    have = _plain(torch.version)
    if _UNFINISHED.search(torch.version or "") or not have:
        return
    for name, severity in SEVERITIES.items():
        package = scene.find(name)
        if package is None or package.installer == "conda" or _UNFINISHED.search(package.version):
            continue
        pair = pair_of(name, _plain(package.version), matrix)
        if pair is None or is_met(pair.made_for, have):
            continue
        label, wants = f"{package.name} {package.version}", in_words(pair.made_for)
        what, left_out = (f"What is compiled in {label}", "; it is left out") if pair.is_optional else (label, "")
        yield problem(
            f"{what} needs torch {wants}, but torch {torch.version} is installed{left_out}.",
            seen("torch", torch.version, torch.source),
            seen(package.name, package.version),
            seen(f"torch that {label} is made for", wants),
            subject=label,
            severity=severity,
            confidence="likely",
            fix=_fix(package, pair, have, scene, matrix),
        )


def _fix(package: Package, pair: Pair, have: str, scene: Scene, matrix: Matrix) -> Fix:
    """The newest release of the package for this torch; or the torch of the package."""
    name = package.name
    if pair.made_for.startswith("<"):
        its = in_words(pair.made_for).split()[0]
        text = f"Install torch=={its} for it in an environment of its own, or a {name} made for this torch."
        return by_hand(f"Give {name} its torch", text)
    own = pair_for(name, have, matrix)
    if own is not None:
        options = ("--upgrade", "--no-deps") if own.releases.startswith(">") else ("--no-deps",)
        steps = install(scene, f"{name}{own.releases}", options=options)
        return Fix(f"Install the {name} of torch {have}", safety(scene), steps)
    if pair.is_optional:
        text = f"No {name} has kernels for torch {have}: take torch {in_words(pair.made_for)}, or do without them."
        return by_hand("Take the torch of the kernels, or do without them", text)
    text, newest = (
        f"There is no {name} for torch {have}: uninstall it, or take another torch.",
        pairs_of(name, matrix)[0],
    )
    if not newest.made_for.startswith(">") and not is_met(f"<={newest.made_for.lstrip('=').removesuffix('.*')}", have):
        last, its = in_words(newest.releases), in_words(newest.made_for)
        text = (
            f"{name} ended with {last}, for torch {its}. "
            f"A program that needs it: torch {its} in an environment of its own."
        )
    return Fix(f"Remove {name}", "review", (*uninstall(scene, name), Ask(text=text)))


def _plain(version: str | None) -> str:
    return ".".join(map(str, (release_numbers(version) or ())[:3]))


#: From these releases on a companion asks for "this torch or a newer one": its own, and that torch.
NO_UPPER_LIMIT = {
    "torchvision": (numbers_of("torchvision-any-torch"), numbers_of("torchvision-any-torch-begins")),
    "torchaudio": (numbers_of("torchaudio-any-torch"), numbers_of("torchaudio-any-torch")),
}


@rule(
    "FRM005",
    name="torch-companion-version",
    severity="error",
    when="frameworks.torch.version,"
    f" frameworks.found.name={'|'.join(companions())} or packages.installed.name={'|'.join(SEVERITIES)}",
)
def torch_companion_version(frameworks: Frameworks, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The installed torchvision, torchaudio or torchtext does not match the torch version.

    What it means:
    torchvision before 0.29.1 and torchaudio before 2.11 are each compiled against one torch release, torchtext,
    torchcodec before 0.12 and dgl against one or a few; newer ones go with any torch from 2.14 (torchvision) or 2.11
    on. The installed ones are no such pair. Triton for Windows works with a torch of its time or newer.

    Why it breaks:
    The compiled parts call functions that another torch does not have. The import fails with "undefined symbol", or
    operators are missing ("operator torchvision::nms does not exist"), "Could not load libtorchcodec", "Cannot find DGL
    C++ graphbolt library". torchcodec, dgl and the last torchtext do not tell pip which torch they need. With a Triton
    that is too new, torch.compile ends with "cannot import name 'AttrsDescriptor'".

    How to fix it:
    Install the release that belongs to your torch. The command below names it.

    When to ignore it:
    If you compiled the companion yourself against this torch.

    Sources:
    https://github.com/pytorch/vision#installation
    https://docs.pytorch.org/audio/stable/installation.html
    https://github.com/pytorch/text and https://github.com/meta-pytorch/torchcodec (their tables)
    https://github.com/dmlc/dgl/issues/7247
    https://github.com/woct0rdho/triton-windows/releases/tag/v3.6.0-windows.post24
    """
    torch = frameworks.get("torch")
    if torch is None or torch.version is None:
        return
    for name in companions():
        companion = frameworks.get(name)
        severity = severity_of(torch, companion, scene.packages, matrix) if companion is not None else None
        if companion is None or severity is None:
            continue
        wanted = _torch_wanted(companion, scene.packages, matrix)
        yield problem(
            f"{companion.label} needs torch {' or '.join(wanted)}, but torch {torch.version} is installed.",
            seen("torch", torch.version, torch.source),
            seen(name, companion.version, companion.source),
            seen(f"torch that {companion.label} is made for", ", ".join(wanted)),
            subject=companion.label,
            severity=severity,
            # The companion of another release comes from another index, too.
            not_leading_to=() if severity == "error" else ("torch-companion-cuda",),
            fix=companions_of(scene, matrix, torch, (name,)),
        )
    yield from of_another_line(torch, scene, matrix)


def severity_of(
    torch: Framework, companion: Framework, packages: Packages | Gap | None, matrix: Matrix
) -> Severity | None:
    """How badly the two releases go together; None where they do, or where that is not known."""
    if torch.version is None or companion.version is None or _has_no_upper_limit(torch, companion):
        return None
    wanted = _torch_wanted(companion, packages, matrix)
    # A torch older than the table's first row may go with companions that the table lists for its first row only.
    have, oldest = release_numbers(torch.version), release_numbers(matrix.oldest_torch_with_companions)
    return None if have is None or (oldest and have < oldest) else _severity(wanted, torch.version)


def _has_no_upper_limit(torch: Framework, companion: Framework) -> bool:
    first, oldest_torch = NO_UPPER_LIMIT[companion.name]
    return (release_numbers(companion.version) or ()) >= first and (
        release_numbers(torch.version) or ()
    ) >= oldest_torch


def _torch_wanted(companion: Framework, packages: Packages | Gap | None, matrix: Matrix) -> tuple[str, ...]:
    """The torch releases it is made for: its own unmet requirement, else the matrix."""
    for unmet in packages.unmet if isinstance(packages, Packages) else ():
        if unmet.package == companion.name and unmet.requirement == "torch" and unmet.wanted.startswith("=="):
            return (unmet.wanted.removeprefix("=="),)
    return matrix.torch_for(companion.name, companion.version or "")


def _severity(wanted: tuple[str, ...], version: str) -> Severity | None:
    """Patch releases of one line keep their interface; other lines do not."""
    have = release_numbers(version)  # (1, 2) of "torch 1.2", as people write it
    releases = [numbers for one in wanted if (numbers := release_numbers(one))]
    if have is None or not releases or any(numbers[: len(have)] == have for numbers in releases):
        return None
    return "warning" if any(numbers[:2] == have[:2] for numbers in releases) else "error"
