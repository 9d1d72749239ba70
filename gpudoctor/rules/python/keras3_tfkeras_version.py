"""PYT011: the installed tf-keras does not match the installed TensorFlow."""

from gpudoctor.plan.places import safety, tf_keras
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Frameworks, Packages, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, seen


@rule("PYT011", name="keras3-tfkeras-version", severity="warning", when="frameworks.tensorflow, packages.tf-keras")
def keras3_tfkeras_version(packages: Packages, frameworks: Frameworks, scene: Scene) -> Iterator[Problem]:
    """The installed tf-keras does not match the installed TensorFlow.

    What it means:
    tf-keras (Keras 2) is released together with TensorFlow and carries the same minor version. These two differ.

    Why it breaks:
    tf-keras calls inner parts of its own TensorFlow. With another one, imports or training fail.

    How to fix it:
    Install the tf-keras of TensorFlow's minor version.

    When to ignore it:
    If nothing imports tf_keras.

    Sources:
    The project page of tf-keras on the package index
    https://keras.io/getting_started/
    """
    tensorflow, legacy = frameworks.get("tensorflow"), packages.find("tf-keras")
    if tensorflow is None or legacy is None:
        return
    ours, theirs = release_numbers(tensorflow.version), release_numbers(legacy.version)
    if ours is None or theirs is None or ours[:2] == theirs[:2]:
        return
    wanted = f"tf-keras~={ours[0]}.{ours[1]}.0"
    yield problem(
        f"tf-keras {legacy.version} does not match TensorFlow {tensorflow.version}.",
        seen("tensorflow", tensorflow.version, tensorflow.source),
        seen("tf-keras", legacy.version),
        subject="tf-keras",
        fix=Fix(
            "Install the tf-keras of this TensorFlow",
            safety(scene),
            tf_keras(scene, wanted),
            undo=f"install tf-keras=={legacy.version}",
        ),
    )
