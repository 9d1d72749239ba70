"""Packages with compiled parts for one line of TensorFlow, which pip does not hold them to.

Sources: the tables in the READMEs of github.com/tensorflow/io and github.com/tensorflow/addons (read 2026-11); for
tensorflow-addons 0.23, its metadata. tensorflow-text has the numbers of its TensorFlow (README of
github.com/tensorflow/text).
"""

from gpudoctor.facts.finding import Severity
from gpudoctor.plan.places import install, safety, uninstall
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Framework, Package, Scene
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, seen

Line = tuple[int, ...]

#: Line of tensorflow-io, and the line of TensorFlow that it is compiled for.
IO: dict[Line, Line] = {
    **{(0, minor): (1, 13) for minor in (4, 5, 6)},
    (0, 7): (1, 14),
    (0, 8): (1, 15),
    **{(0, 9 + 2 * step + odd): (2, step) for step in range(5) for odd in (0, 1)},
    **dict.fromkeys([(0, 18), (0, 19)], (2, 5)),
    **dict.fromkeys([(0, 20), (0, 21)], (2, 6)),
    **dict.fromkeys([(0, 22), (0, 23)], (2, 7)),
    **dict.fromkeys([(0, 24), (0, 25)], (2, 8)),
    (0, 26): (2, 9),
    (0, 27): (2, 10),
    **dict.fromkeys([(0, minor) for minor in range(28, 32)], (2, 11)),
    (0, 32): (2, 12),
    **dict.fromkeys([(0, 33), (0, 34)], (2, 13)),
    (0, 35): (2, 14),
    (0, 36): (2, 15),
    (0, 37): (2, 16),
}
#: Line of tensorflow-addons, and the first and last line of TensorFlow that its Python code works with.
ADDONS: dict[Line, tuple[Line, Line]] = {
    (0, 6): ((2, 0), (2, 0)),
    (0, 7): ((2, 1), (2, 1)),
    (0, 8): ((2, 1), (2, 1)),
    (0, 9): ((2, 1), (2, 2)),
    (0, 10): ((2, 2), (2, 2)),
    (0, 11): ((2, 2), (2, 3)),
    (0, 12): ((2, 3), (2, 4)),
    **{(0, minor): ((2, minor - 10), (2, minor - 8)) for minor in range(13, 23)},
    (0, 23): ((2, 13), (2, 15)),
}


def of_another_tensorflow(tensorflow: Framework | None, scene: Scene) -> Iterator[Problem]:
    """The packages there that were made for another TensorFlow than this one."""
    have = (release_numbers(tensorflow.version if tensorflow else None) or ())[:2]
    for name, made_for in (("tensorflow-text", _text), ("tensorflow-io", _io), ("tensorflow-addons", _addons)):
        package = scene.find(name)
        line = (release_numbers(package.version) or ())[:2] if package else ()
        if tensorflow is None or package is None or package.installer == "conda" or not have or not line:
            continue
        span = made_for(line)
        if span is not None and not span[0] <= have <= span[1]:
            yield _problem(package, tensorflow, have, span, scene)


def _text(line: Line) -> tuple[Line, Line] | None:
    return line, line


def _io(line: Line) -> tuple[Line, Line] | None:
    return (IO[line], IO[line]) if line in IO else None


def _addons(line: Line) -> tuple[Line, Line] | None:
    return ADDONS.get(line)


def _problem(package: Package, tensorflow: Framework, have: Line, span: tuple[Line, Line], scene: Scene) -> Problem:
    label = f"{package.name} {package.version}"
    # What is not compiled of tensorflow-io and tensorflow-addons may work on.
    severity: Severity | None = None if package.name == "tensorflow-text" else "warning"
    return Problem(
        summary=f"{label} was not built for the installed TensorFlow {tensorflow.version}.",
        subject=label,
        severity=severity,
        confidence="certain" if severity is None else "likely",
        evidence=(
            seen("tensorflow", tensorflow.version, tensorflow.source),
            seen(package.name, package.version),
            seen("TensorFlow that it is made for", " to ".join(dict.fromkeys(map(_dotted, span)))),
        ),
        fixes=(_fix(package, have, span, scene),),
    )


def _fix(package: Package, have: Line, span: tuple[Line, Line], scene: Scene) -> Fix:
    line = _fitting(package.name, have)
    if line is not None:
        title = f"Install the {package.name} of TensorFlow {_dotted(have)}"
        steps = install(scene, f"{package.name}=={_dotted(line)}.*", options=("--no-deps",))
        return Fix(title=title, safety=safety(scene), steps=steps)
    text = f"There is no {package.name} for TensorFlow {_dotted(have)}. A program that needs it: tensorflow=="
    text += f"{_dotted(span[1])}.* beside it, in an environment of its own."
    return Fix(title=f"Remove {package.name}", safety="review", steps=(*uninstall(scene, package.name), Ask(text=text)))


def _fitting(name: str, have: Line) -> Line | None:
    """The newest line of a package for a line of TensorFlow."""
    if name == "tensorflow-text":
        return have
    spans = {line: (one, one) for line, one in IO.items()} if name == "tensorflow-io" else ADDONS
    return max((line for line, (first, last) in spans.items() if first <= have <= last), default=None)


def _dotted(line: Line) -> str:
    return ".".join(map(str, line))
