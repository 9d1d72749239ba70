"""PYT019: a requirement of an installed package is missing, or is installed in a version that does not suit it."""

import re

from gpudoctor.facts.python import Unmet
from gpudoctor.knowledge.frameworks import AT_START, descriptors
from gpudoctor.knowledge.matrix.pairs import pair_for
from gpudoctor.plan.places import TENSORFLOWS, conda, install, safety
from gpudoctor.plan.specifiers import agree
from gpudoctor.rules._unmet_requirements import TRITONS, is_gpu_requirement, is_newer, is_older, requirements_of
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.sections import Frameworks, Gap, Live, Matrix, Packages, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen

#: Installers whose packages say in Requires-Dist what they need; conda's and the system's have records of their own.
_INSTALLERS = ("pip", "uv", "poetry", "pdm", "pipenv")
#: Which build of these fits the machine is judged by other rules, so no command changes them here.
_FRAMEWORKS = frozenset(
    name for one in descriptors() if not one.backends for name in (*one.packages, *one.parts, *one.companions)
)
#: What a framework is made of, by whose release its companions are chosen: jaxlib of jax.
_PARTS = {part: one.name for one in descriptors() for part in one.parts}
#: What dependency-version, tf-protobuf and the rules on Keras tell of frameworks, beside what these import at start.
_OF_FRAMEWORKS = _FRAMEWORKS | {"h5py", "keras", "protobuf", "scipy", "tensorflow-estimator"}


@rule("PYT019", name="requirement-unmet", severity="warning", when="packages.unmet")
def requirement_unmet(
    packages: Packages, frameworks: Frameworks | None, live: Live | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """A requirement of an installed package is missing, or is installed in a version that does not suit it.

    What it means:
    Packages name, in their own metadata, which versions of others they work with. Here some of these are not met:
    `pip check` lists the same.

    Why it breaks:
    pip and uv see to it that what they install agrees, and do not ask what else is there. A newer NumPy under Numba,
    for example, ends with "Numba needs NumPy 2.0 or less" when it is imported.

    How to fix it:
    Install a version that all of them accept, as below; of what goes with JAX (flax, optax, chex) a release for the JAX
    that is there. Where there is none, upgrade or remove one of them, or give it an environment of its own. Some
    releases need what they do not state: pkg_resources, which setuptools has no more since release 82.

    When to ignore it:
    If the program that needs the package works: bounds are often narrower than they have to be.

    Sources:
    https://pip.pypa.io/en/stable/cli/pip_check/
    https://packaging.python.org/en/latest/specifications/core-metadata/#requires-dist-multiple-use
    https://setuptools.pypa.io/en/stable/history.html#v82-0-0
    """
    known = frameworks or Frameworks()
    proved = {run.framework for run in live.smoke if run.proved} if isinstance(live, Live) else set()
    broken = tuple(one for one in packages.unmet if _counts(one, packages, known, proved))
    if not broken:
        return
    yield problem(
        _summary(broken, packages),
        *tuple(
            seen(
                f"{one.package} needs {one.requirement}{one.wanted}",
                f"{one.requirement} {one.found}" if one.found else "not installed",
            )
            for one in broken[:12]
        ),
        fixes=tuple(_fixes(broken, scene, matrix)),
    )


def _counts(one: Unmet, packages: Packages, frameworks: Frameworks, proved: set[str]) -> bool:
    """It is known to be required, known not to be met, and no other rule's."""
    owner = packages.find(one.package)
    if owner is None or owner.installer not in _INSTALLERS or one.files is not None:
        return False
    if one.found is None and (packages.excerpt or one.requirement in TENSORFLOWS):
        return False
    if is_gpu_requirement(one.requirement):
        # CUDA libraries serve what asks for older ones; Triton does not serve another torch.
        return one.requirement in TRITONS and is_newer(one)
    return not _is_of_a_framework(one, frameworks, proved)


def _is_of_a_framework(one: Unmet, frameworks: Frameworks, proved: set[str]) -> bool:
    """Another rule tells of it. A release newer than a framework admits counts until the framework is proved."""
    framework = next((found for found in frameworks.found if one.package in (found.dist, found.name)), None)
    if framework is None:
        return False
    if one.requirement in _OF_FRAMEWORKS or framework.name in proved or one.found is None or is_older(one):
        return one.requirement in _OF_FRAMEWORKS | AT_START.get(framework.name, frozenset())
    return one.requirement == "numpy"


def _summary(broken: tuple[Unmet, ...], packages: Packages) -> str:
    first = broken[0]
    if len(broken) == 1:
        owner = packages.find(first.package)
        label = f"{first.package} {owner.version if owner else ''}".strip()
        needed = f"{first.requirement}{first.wanted}"
        if first.found:
            return f"{label} needs {needed}, but {first.found} is installed."
        return f"{label} needs {needed}, which is not installed."
    names = tuple(dict.fromkeys(one.package for one in broken))
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    listed = ", ".join(names[:4]) + more if more else in_words(names)
    return f"What {listed} {'requires' if len(names) == 1 else 'require'} does not agree with what is installed."


def _fixes(broken: tuple[Unmet, ...], scene: Scene, matrix: Matrix) -> Iterator[Fix]:
    """One command for what some version suits all who ask for it; of the rest, who stands in the way."""
    suits: list[Unmet] = []
    clashes: list[str] = []
    others: list[str] = []
    upgrades: list[str] = []
    for name in dict.fromkeys(one.requirement for one in broken):
        asked = tuple(one for one in broken if one.requirement == name)
        together = tuple(dict.fromkeys(text for one in asked for text in (one.wanted, *one.others) if text))
        if name in _FRAMEWORKS and (releases := _for_the_framework(asked, matrix)):
            others += releases
        elif name in _FRAMEWORKS and all(map(is_older, asked)):
            owners = in_words(dict.fromkeys(one.package for one in asked))
            upgrades.append(
                f"Upgrade {name} ({name}{in_words(dict.fromkeys(together))}), or install an older {owners}."
            )
        elif name in _FRAMEWORKS or not _agree(together):
            clashes.append(f"{in_words(dict.fromkeys(one.package for one in asked))} (for {name})")
        else:
            suits += [*asked, *(Unmet(package="", requirement=name, wanted=text) for text in together)]
    if suits or others:
        yield _install(tuple(dict.fromkeys((*requirements_of(tuple(suits)), *others))), scene)
    if upgrades:
        yield by_hand("Bring the two together", " ".join(upgrades))
    if clashes:
        text = f"Upgrade or remove {in_words(clashes)}, or give it an environment of its own."
        yield by_hand("Change who requires it", text)


def _for_the_framework(asked: tuple[Unmet, ...], matrix: Matrix) -> tuple[str, ...]:
    """The releases of who asks that go with the framework as it is; empty where those of one are not known."""
    name, release = asked[0].requirement, (asked[0].found or "").partition("+")[0]
    found = [(one.package, pair_for(one.package, release, matrix)) for one in asked]
    if not release or not all(pair is not None and pair.of == _PARTS.get(name, name) for _, pair in found):
        return ()
    return (*(f"{package}{pair.releases}" for package, pair in found if pair is not None), f"{name}=={release}")


def _agree(specifiers: tuple[str, ...]) -> bool:
    # Imported here: only where there is a conflict.
    from packaging.specifiers import InvalidSpecifier

    try:
        return agree(*specifiers)
    except InvalidSpecifier:
        return False


def _install(wanted: tuple[str, ...], scene: Scene) -> Fix:
    title = "Install versions that all of them accept"
    by_conda = tuple(text for text in wanted if _is_condas(text, scene))
    by_pip = tuple(text for text in wanted if text not in by_conda)
    steps = (conda(scene.interpreter, "install", *by_conda),) if by_conda else ()
    return Fix(title, safety(scene), (*steps, *(install(scene, *by_pip) if by_pip else ())))


def _is_condas(wanted: str, scene: Scene) -> bool:
    name = re.split(r"[<>=!~]", wanted, maxsplit=1)[0]
    found = scene.find(name)
    return found is not None and found.installer == "conda"
