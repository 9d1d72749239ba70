"""PYT015 keras3-legacy-model."""

from collections.abc import Iterator

from gpudoctor.model.base import Gap
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Fix, SetEnv
from gpudoctor.model.python import Frameworks, Interpreter, Packages
from gpudoctor.model.system import Environ, System
from gpudoctor.plan.places import Scene, install, safety
from gpudoctor.rules._builds import release_numbers
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen
from gpudoctor.rules.python.keras3_no_tfkeras import FIRST_KERAS3

VARIABLE = "TF_USE_LEGACY_KERAS"


@rule("PYT015", name="keras3-legacy-model", severity="warning", since="0.1")
def keras3_legacy_model(
    packages: Packages,
    frameworks: Frameworks,
    environ: Environ,
    interpreter: Interpreter | Gap | None,
    host: System | Gap | None,
) -> Iterator[Problem]:
    """TensorFlow is told to use Keras 2, which is not installed.

    What it means:
    TF_USE_LEGACY_KERAS=1 makes TensorFlow 2.16 and newer use Keras 2 instead of Keras 3, for models that were saved
    with it. Keras 2 is the package tf-keras, and it is not installed.

    Why it breaks:
    The first use of tf.keras ends with "Keras cannot be imported. Check that it is installed" or asks for tf_keras.

    How to mend it:
    Install tf-keras of TensorFlow's minor version, or unset the variable and convert the model.

    When to ignore it:
    If nothing uses tf.keras.

    Sources:
    https://keras.io/getting_started/#tensorflow--keras-2-backwards-compatibility
    """
    tensorflow = frameworks.get("tensorflow")
    numbers = release_numbers(tensorflow.version) if tensorflow else None
    if tensorflow is None or numbers is None or numbers < FIRST_KERAS3 or len(numbers) < 2:
        return
    if (environ.get(VARIABLE) or "").lower() not in ("1", "true") or not packages.lacks("tf-keras"):
        return
    scene = Scene(host=host, interpreter=interpreter, packages=packages)
    wanted = f"tf-keras~={numbers[0]}.{numbers[1]}.0"
    yield Problem(
        summary=f"{VARIABLE} is set, and tf-keras is not installed, so tf.keras cannot be used.",
        subject="tf-keras",
        evidence=(seen(VARIABLE, environ.get(VARIABLE)), seen("tf-keras", "not installed")),
        explains=("keras3-no-tfkeras",),
        fixes=(
            Fix(title="Install tf-keras", safety=safety(scene), steps=install(scene, wanted)),
            Fix(
                title="Use Keras 3",
                safety="safe",
                steps=(SetEnv(name=VARIABLE, value=None),),
                undo=f"export {VARIABLE}=1",
            ),
        ),
    )
