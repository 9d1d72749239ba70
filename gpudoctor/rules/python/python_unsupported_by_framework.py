"""PYT001: the framework has no build for this Python version."""

from gpudoctor.facts.wish import Requirement
from gpudoctor.knowledge.frameworks import computing, names_and_packages, planned
from gpudoctor.plan.places import wheel_platform
from gpudoctor.rules._pythons import in_order, known_pythons, minor_of, python_fix, shared_pythons, wanted_releases
from gpudoctor.rules._situation import known
from gpudoctor.rules._unresolvable import NoMatch, looked_for
from gpudoctor.rules.builds import dotted, release_numbers
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Interpreter, Live, Matrix, Scene, System, Wish
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, by_hand, problem, rule, seen


@rule(
    "PYT001",
    name="python-unsupported-by-framework",
    severity="error",
    when="live.symptoms.signature=no-matching-distribution|cuda-build-not-on-index"
    " or wish.requirements or interpreter.pins or not frameworks.torch",
)
def python_unsupported_by_framework(
    interpreter: Interpreter,
    host: System,
    wish: Wish,
    frameworks: Frameworks | Gap | None,
    live: Live | Gap | None,
    scene: Scene,
    matrix: Matrix,
) -> Iterator[Problem]:
    """The framework has no build for this Python version.

    What it means:
    Frameworks are published ready-made for certain Python versions. For the examined Python there is none: of the
    release you ask for, or of any release.

    Why it breaks:
    A new Python appears each October, and frameworks follow months later; old Pythons are dropped after a few years.
    pip then says "No matching distribution found" or "Could not find a version that satisfies the requirement".

    How to fix it:
    Make an environment with a Python that is supported, and install there. uv and conda can install such a Python
    beside the system's own.

    When to ignore it:
    If you build the framework yourself, or your distribution brings its own build.

    Sources:
    https://github.com/pytorch/pytorch/blob/main/RELEASE.md
    https://www.tensorflow.org/install/pip
    """
    python, platform = minor_of(interpreter.version), wheel_platform(host)
    if python is None or platform is None or interpreter.implementation not in (None, "CPython", "cpython"):
        return
    in_vain = () if interpreter.bits == 32 else looked_for(live)
    if not in_vain and (isinstance(scene.packages, Gap) or isinstance(frameworks, Gap)):
        return
    installed, found = known(scene.packages), known(frameworks)
    for name in planned():
        if installed is not None and installed.find(name) is not None:
            continue
        vain = next((one for one in in_vain if names_and_packages().get(one.package) == name), None)
        asked = (*_asked(vain, name), *wish.of(name), *_pinned(interpreter, name), *_locked(interpreter, name))
        for requirement in asked:
            versions = wanted_releases(requirement, matrix)
            pythons = in_order(p for version in versions for p in matrix.pythons(name, version, platform) or ())
            if pythons and python not in pythons:
                fix = python_fix(pythons, scene, host, matrix, requirement)
                yield _problem(interpreter, requirement.text, pythons, fix, requirement.text)
                break
        else:
            newest = matrix.newest(name)
            others = [one for one in matrix.pythons(name, newest or "", platform) or () if one != python]
            if vain is not None and vain.offered == () and not vain.comparisons and others:
                any_release = Requirement(subject=name, comparisons=(), text=name)
                yield _none_there(interpreter, vain.package, python_fix(others, scene, host, matrix, any_release))
    has_gpu = isinstance(scene.gpus, Gpus) and bool(scene.gpus.nvidia)
    has_framework = found is not None and any(found.get(name) for name in computing())
    if in_vain or not has_gpu or has_framework or any(wish.of(name) for name in computing()):
        return
    pythons = known_pythons(platform, matrix)
    if pythons and python not in pythons:
        advised = shared_pythons(planned()[:2], platform, matrix)
        fix = python_fix(advised or pythons, scene, host, matrix)
        yield _problem(interpreter, "PyTorch, TensorFlow or JAX", pythons, fix, None)


def _asked(vain: NoMatch | None, name: str) -> Iterator[Requirement]:
    """What an installer was asked for and did not find."""
    if vain is not None and vain.comparisons:
        text = name + ",".join(f"{sign}{version}" for sign, version in vain.comparisons)
        yield Requirement(subject=name, comparisons=vain.comparisons, text=text)


def _none_there(interpreter: Interpreter, asked: str, fix: Fix) -> Problem:
    """The index has builds, and none for this Python: a Python that is newer than the index's builds, mostly."""
    python = minor_of(interpreter.version)
    look = Ask(text="python -m pip debug --verbose shows which wheels this Python accepts, and from which index.")
    return problem(
        f"The package index in use has no build of {asked} for this Python, {python}, and this system.",
        seen("Python", f"{interpreter.version} ({interpreter.executable})"),
        seen(f"versions of {asked} that would fit", "none, according to the installer"),
        subject=f"Python {interpreter.version}",
        confidence="likely",
        fixes=(fix, by_hand("See what it looks for", look)),
    )


def _pinned(interpreter: Interpreter, name: str) -> Iterator[Requirement]:
    """Exact versions that a file of the project asks for."""
    for pin in interpreter.pins or ():
        version = pin.wanted.removeprefix("==").strip().partition("+")[0]
        if pin.package == name and not pin.is_locked and pin.wanted.startswith("==") and dotted(version) == version:
            text = f"{name}=={version} ({pin.file})"
            yield Requirement(subject=name, comparisons=(("==", version),), text=text)


def _locked(interpreter: Interpreter, name: str) -> Iterator[Requirement]:
    """The version of a lock file, where it holds one for all systems."""
    pins = [pin for pin in interpreter.pins or () if pin.package == name and pin.is_locked]
    versions = {dotted(pin.wanted) for pin in pins}
    version = versions.pop() if len(versions) == 1 else None
    if version is not None:
        text = f"{name}=={version} ({pins[0].file})"
        yield Requirement(subject=name, comparisons=(("==", version),), text=text)


def _problem(interpreter: Interpreter, what: str, pythons: tuple[str, ...], fix: Fix, asked: str | None) -> Problem:
    is_newer = (release_numbers(interpreter.version) or ()) > (release_numbers(pythons[-1]) or ())
    there = f"the newest is for Python {pythons[-1]}" if is_newer else f"there are for Python {', '.join(pythons)}"
    return problem(
        f"No build of {what} is known for Python {minor_of(interpreter.version)}; {there}.",
        seen("Python", f"{interpreter.version} ({interpreter.executable})"),
        seen("builds are known for Python", ", ".join(pythons)),
        *((seen("asked for", asked),) if asked else ()),
        subject=f"Python {interpreter.version}",
        severity="warning" if is_newer and asked is None else None,
        confidence="likely" if is_newer and asked is None else "certain",
        fix=fix,
    )
