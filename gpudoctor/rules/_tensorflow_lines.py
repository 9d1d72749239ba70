"""Packages compiled for another TensorFlow than the installed one (tensorflow-io …): compat/pairs.json.

tensorflow-text has the numbers of its TensorFlow (README of github.com/tensorflow/text).
"""

from gpudoctor.facts.finding import Severity
from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.matrix.offer_types import Pair
from gpudoctor.knowledge.matrix.pairs import in_words, pair_for, pair_of
from gpudoctor.plan.places import install, safety, uninstall
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Framework, Matrix, Package, Scene
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, problem, seen

TEXT = "tensorflow-text"
OF_TENSORFLOW = (TEXT, "tensorflow-io", "tensorflow-addons")


def of_another_tensorflow(tensorflow: Framework | None, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The packages there that were made for another TensorFlow than this one."""
    have = _line(tensorflow.version if tensorflow else None)
    for name in OF_TENSORFLOW:
        package = scene.find(name)
        line = _line(package.version) if package else ""
        if tensorflow is None or package is None or package.installer == "conda" or not have or not line:
            continue
        pair = _same_number(line) if name == TEXT else pair_of(name, line, matrix)
        if pair is not None and not is_met(pair.made_for, have):
            yield _problem(package, tensorflow, have, pair, scene, matrix)


def _same_number(line: str) -> Pair:
    return Pair(package=TEXT, releases=f"=={line}.*", of="tensorflow", made_for=f"=={line}.*")


def _problem(package: Package, tensorflow: Framework, have: str, pair: Pair, scene: Scene, matrix: Matrix) -> Problem:
    label = f"{package.name} {package.version}"
    # What is not compiled of tensorflow-io and tensorflow-addons may work on.
    severity: Severity | None = None if package.name == TEXT else "warning"
    return problem(
        f"{label} was not built for the installed TensorFlow {tensorflow.version}.",
        seen("tensorflow", tensorflow.version, tensorflow.source),
        seen(package.name, package.version),
        seen("TensorFlow that it is made for", in_words(pair.made_for)),
        subject=label,
        severity=severity,
        confidence="certain" if severity is None else "likely",
        fix=_fix(package, have, pair, scene, matrix),
    )


def _fix(package: Package, have: str, pair: Pair, scene: Scene, matrix: Matrix) -> Fix:
    own = _same_number(have) if package.name == TEXT else pair_for(package.name, have, matrix)
    if own is not None:
        steps = install(scene, f"{package.name}{own.releases}", options=("--no-deps",))
        return Fix(f"Install the {package.name} of TensorFlow {have}", safety(scene), steps)
    last = in_words(pair.made_for).split()[-1]
    text = (
        f"There is no {package.name} for TensorFlow {have}. "
        f"A program that needs it: TensorFlow {last} beside it, in an environment of its own."
    )
    return Fix(f"Remove {package.name}", "review", (*uninstall(scene, package.name), Ask(text=text)))


def _line(version: str | None) -> str:
    return ".".join(map(str, (release_numbers(version) or ())[:2]))
