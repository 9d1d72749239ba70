"""Packages with compiled parts for one line of torch, which their own metadata does not say: compat/pairs.json."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.finding import Severity
from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.matrix.offer_types import Pair
from gpudoctor.knowledge.matrix.pairs import in_words, pair_for, pair_of, pairs_of
from gpudoctor.plan.places import install, safety, uninstall
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Framework, Matrix, Package, Scene
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, by_hand, problem, seen

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
