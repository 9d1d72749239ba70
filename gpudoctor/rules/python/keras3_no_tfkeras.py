"""PYT010: the TensorFlow models of transformers need tf-keras, which is not installed."""

from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.places import safety, tf_keras
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Frameworks, Packages, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, seen

#: TensorFlow from 2.16 on brings Keras 3. transformers dropped its TensorFlow code with release 5.
FIRST_KERAS3 = numbers_of("tensorflow-own-libraries")
FIRST_WITHOUT_TENSORFLOW = numbers_of("transformers-without-tensorflow")


@rule("PYT010", name="keras3-no-tfkeras", severity="warning", when="frameworks.tensorflow, packages.transformers")
def keras3_no_tfkeras(packages: Packages, frameworks: Frameworks, scene: Scene) -> Iterator[Problem]:
    """The TensorFlow models of transformers need tf-keras, which is not installed.

    What it means:
    TensorFlow 2.16 and newer comes with Keras 3. The TensorFlow part of transformers up to release 4 needs Keras 2,
    which is now called tf-keras; release 5 has no TensorFlow part any more.

    Why it breaks:
    Importing such a model ends with "Your currently installed version of Keras is Keras 3, but this is not yet
    supported in Transformers". That happens to `pipeline` and `Trainer` too, as they look for TensorFlow.

    How to fix it:
    Install tf-keras of the same minor version as TensorFlow.

    When to ignore it:
    If you use neither of these. With USE_TF=0 transformers leaves TensorFlow alone.

    Sources:
    https://keras.io/getting_started/
    https://github.com/huggingface/transformers
    """
    tensorflow, transformers = frameworks.get("tensorflow"), packages.find("transformers")
    numbers = release_numbers(tensorflow.version) if tensorflow else None
    if tensorflow is None or numbers is None or numbers < FIRST_KERAS3 or transformers is None:
        return
    theirs = release_numbers(transformers.version)
    if theirs is None or theirs >= FIRST_WITHOUT_TENSORFLOW or not packages.lacks("tf-keras"):
        return
    wanted = f"tf-keras~={numbers[0]}.{numbers[1]}.0"
    yield problem(
        f"transformers {transformers.version} needs tf-keras for TensorFlow models, but it is not installed.",
        seen("tensorflow", tensorflow.version, tensorflow.source),
        seen("transformers", transformers.version),
        seen("tf-keras", "not installed"),
        subject="tf-keras",
        fix=Fix("Install tf-keras", safety(scene), tf_keras(scene, wanted)),
    )
