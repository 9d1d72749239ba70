"""PYT017: a package has a version with which an installed framework or GPU package does not work."""

from gpudoctor.facts.finding import Severity
from gpudoctor.facts.python import Package, Unmet
from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.companion_bounds import bounds_of
from gpudoctor.knowledge.frameworks import AT_START
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.places import install, safety
from gpudoctor.rules._failing_package import broken_package, named_module, package_of
from gpudoctor.rules._unmet_requirements import complete, is_older
from gpudoctor.rules.builds import is_conda, release_numbers
from gpudoctor.rules.failures import failures
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Live, Packages, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, seen

#: What they import later, and no program gets far without.
_SOON: dict[str, frozenset[str]] = {
    "jax": frozenset({"scipy"}),
    "tensorflow": frozenset({"h5py", "keras", "tensorflow-estimator"}),
}
#: The first TensorFlow with a Keras 2 beside it, the last that imports it at once, and the first with Keras 3.
_APART, _LATE = numbers_of("tensorflow-keras-apart"), numbers_of("tensorflow-keras-late")
_KERAS_3 = numbers_of("tensorflow-own-libraries")
_KERAS_3_TOO = numbers_of("tensorflow-keras-3-too")
#: What is told elsewhere: by tf-protobuf, by jax-plugin-version, and of keras below.
_TOLD_ELSEWHERE = (("tensorflow", "protobuf"), ("jax", "jaxlib"))
#: Triton under its names, its first release without triton.ops, and the first bitsandbytes that does without (wheels).
_TRITONS = ("triton", "triton-windows", "pytorch-triton")
_OPS_END, _WITHOUT_OPS = numbers_of("triton-without-ops"), numbers_of("bitsandbytes-without-triton-ops")


@rule(
    "PYT017",
    name="dependency-version",
    severity="error",
    when="packages.unmet or packages.keras or packages.bitsandbytes or frameworks.tensorflow or frameworks.jaxlib"
    " or host.os=windows",
)
def dependency_version(
    packages: Packages, frameworks: Frameworks, live: Live | Gap | None, scene: Scene
) -> Iterator[Problem]:
    """A package that a framework needs at start-up has a version it does not accept.

    What it means:
    The framework names, in its own metadata, which releases it works with. The installed one is older, or the
    framework failed in it.

    Why it breaks:
    Imports end with "cannot import name ..." or "module compiled against ...". It happens when another package, or a
    person, installed an older release, or a much newer one. TensorFlow 2.6.0 itself asks for any Keras 2, and pip takes
    the newest: "cannot import name 'dtensor'". bitsandbytes up to 0.45.0 imports a module that Triton 3.2 has not:
    "No module named 'triton.ops'". Some old releases set no bound at all: TensorFlow before 2.5 and Keras before 2.4
    cannot read a model's file with h5py 3 ("'str' object has no attribute 'decode'"), and TensorFlow before 2.7 fails
    with NumPy 1.20 or newer. PyTorch's wheels for Windows and Python 3.10 were compiled for a newer NumPy than others.

    How to fix it:
    Install a release that the framework accepts, as below.

    When to ignore it:
    If the framework works all the same. A release that is newer than a framework admits is only told where it fails.

    Sources:
    https://packaging.python.org/en/latest/specifications/core-metadata/#requires-dist-multiple-use
    https://github.com/intel/ipex-llm/pull/7106 (keras)
    https://github.com/bitsandbytes-foundation/bitsandbytes/issues/1492
    https://github.com/tensorflow/tensorflow/issues/44467 (h5py), 47242 (NumPy)
    https://github.com/pytorch/pytorch/issues/100690 (NumPy), https://github.com/jax-ml/jax/issues/17693 (ml_dtypes)
    """
    yield from _breaking_companions(frameworks, packages, scene)
    yield from _keras_of_another_release(frameworks, packages, scene)
    yield from _triton_without_ops(packages, scene)
    for name, at_start in AT_START.items():
        framework = frameworks.get(name)
        if framework is None or is_conda(packages, owner := framework.dist or name):
            continue
        for one in packages.unmet:
            is_told = (name, one.requirement) in _TOLD_ELSEWHERE or _is_numpy_2(one) or _is_keras_2(one, framework)
            if one.package != owner or one.found is None or is_told:
                continue
            severity = _severity(one, framework, live, scene)
            if severity is not None and one.requirement in at_start | _SOON.get(name, frozenset()):
                yield problem(
                    f"{framework.label} needs {one.requirement} {one.wanted}, but {one.found} is installed.",
                    seen(f"{owner} needs", f"{one.requirement}{one.wanted}"),
                    seen(one.requirement, one.found),
                    subject=name,
                    severity=severity,
                    fix=complete(scene, owner, _asked_by_all(one, packages)),
                )


def _breaking_companions(frameworks: Frameworks, packages: Packages, scene: Scene) -> Iterator[Problem]:
    """What a release is known to fail with, though its metadata admits it."""
    keras = packages.find("keras")
    there = [(one.name, one.version) for one in frameworks.found if one.name != "keras" and one.version]
    for name, version in (*there, *((("keras", keras.version),) if keras else ())):
        wheel = "" if is_conda(packages, name, "pytorch") else f"{scene.os} {scene.python_minor}"
        for row in bounds_of(name, version, wheel):
            companion = packages.find(row.companion)
            if companion is None or is_met(row.allowed, companion.version) or _is_numpy_abi(companion):
                continue
            yield problem(
                f"{name} {version} works with {row.requirement}, but {companion.version} is installed.",
                seen(f"{name} {version} works with", row.requirement),
                seen(row.companion, companion.version),
                subject=name,
                confidence="likely",
                fix=Fix(f"Install {row.companion} of its time", safety(scene), install(scene, row.requirement)),
            )


def _is_numpy_abi(companion: Package) -> bool:
    """NumPy 2 is numpy2-abi's."""
    return companion.name == "numpy" and (release_numbers(companion.version) or ()) >= (2,)


def _keras_of_another_release(frameworks: Frameworks, packages: Packages, scene: Scene) -> Iterator[Problem]:
    """Keras 2 as a package of its own is one release for each of TensorFlow's; 2.6 asked for "any 2 from 2.6 on"."""
    tensorflow, keras = frameworks.get("tensorflow"), packages.find("keras")
    ours = (release_numbers(tensorflow.version) or ())[:2] if tensorflow else ()
    theirs = (release_numbers(keras.version) or ())[:2] if keras else ()
    if tensorflow is None or keras is None or not theirs or not _APART <= ours < _KERAS_3 or ours == theirs:
        return
    if ours >= _KERAS_3_TOO and theirs >= (3,) and not any(one.requirement == "keras" for one in packages.unmet):
        return
    wanted = f"keras~={ours[0]}.{ours[1]}.0"
    yield problem(
        f"{tensorflow.label} needs keras {ours[0]}.{ours[1]}, but {keras.version} is installed.",
        seen("tensorflow", tensorflow.version, tensorflow.source),
        seen("keras", keras.version),
        subject="tensorflow",
        # From 2.13 on tf.keras is imported when it is used, and Keras 3 can be used on its own.
        severity="warning" if ours > _LATE and theirs >= (3,) else "error",
        fix=Fix("Install the keras of this TensorFlow", safety(scene), install(scene, wanted)),
    )


def _triton_without_ops(packages: Packages, scene: Scene) -> Iterator[Problem]:
    """Triton 3.2 dropped the module triton.ops; bitsandbytes imports it up to 0.45.0."""
    bnb = packages.find("bitsandbytes")
    triton = next((one for name in _TRITONS if (one := packages.find(name)) is not None), None)
    ours, theirs = (release_numbers(one.version) if one else None for one in (bnb, triton))
    if bnb is None or triton is None or not ours or not theirs or ours >= _WITHOUT_OPS or theirs < _OPS_END:
        return
    steps = install(scene, "bitsandbytes>=0.45.1", options=("--upgrade",))
    yield problem(
        f"bitsandbytes {bnb.version} imports triton.ops, which {triton.name} {triton.version} lacks.",
        seen("bitsandbytes", bnb.version),
        seen(triton.name, triton.version),
        subject="bitsandbytes",
        confidence="likely",
        fix=Fix("Install a current bitsandbytes", safety(scene), steps),
    )


def _asked_by_all(one: Unmet, packages: Packages) -> tuple[Unmet, ...]:
    """What all say who do not accept the installed release: one release must suit them."""
    return tuple(
        other
        for other in packages.unmet
        if other.requirement == one.requirement
        and (other == one or (other.found is not None and not is_conda(packages, other.package)))
    )


def _is_keras_2(one: Unmet, framework: Framework) -> bool:
    return one.requirement == "keras" and (release_numbers(framework.version) or ())[:2] < _KERAS_3


def _is_numpy_2(one: Unmet) -> bool:
    """NumPy 2 with what was compiled for NumPy 1: numpy2-abi tells. A NumPy 2 that is too old is another matter."""
    if one.requirement != "numpy" or is_older(one) or is_met(one.wanted, "2.0.0"):
        return False
    return (release_numbers(one.found) or ()) >= (2,)


def _severity(one: Unmet, framework: Framework, live: Live | Gap | None, scene: Scene) -> Severity | None:
    """An error where the framework failed in it; a warning where it is older, and the framework was not proved."""
    if isinstance(live, Live):
        of_it = [failure for failure in failures(live) if (failure.framework or "").split(" ")[0] == framework.name]
        named = {package_of(module, scene) for failure in of_it if (module := named_module(failure))}
        if one.requirement in named | {broken_package(failure, scene) for failure in of_it}:
            return "error"
        if any(run.framework == framework.name and run.proved for run in live.smoke):
            return None
    return "warning" if is_older(one) else None
