"""PYT015: a Keras 2 model meets Keras 3, or TensorFlow is set to use Keras 2, which is not installed."""

from gpudoctor.facts.live import Symptom
from gpudoctor.plan.places import safety, tf_keras
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.python.keras3_no_tfkeras import FIRST_KERAS3
from gpudoctor.rules.sections import Environ, Framework, Frameworks, Gap, Live, Packages, Scene
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, SetEnv, by_hand, problem, rule, seen

VARIABLE = "TF_USE_LEGACY_KERAS"


@rule(
    "PYT015",
    name="keras3-legacy-model",
    severity="warning",
    when="environ.TF_USE_LEGACY_KERAS or live.symptoms.signature=keras3-other-format",
)
def keras3_legacy_model(
    frameworks: Frameworks | Gap | None, environ: Environ | Gap | None, live: Live | Gap | None, scene: Scene
) -> Iterator[Problem]:
    """A Keras 2 model meets Keras 3, or TensorFlow is set to use Keras 2, which is not installed.

    What it means:
    TensorFlow 2.16 and newer bring Keras 3, which reads files that end in .keras or .h5, but no folder that Keras 2
    saved (SavedModel). TF_USE_LEGACY_KERAS=1 makes them use Keras 2 again, which is the package tf-keras.

    Why it breaks:
    Keras 3 says "File format not supported" of such a folder. With the variable and without the package, the first
    use of tf.keras ends with "Keras cannot be imported. Check that it is installed" or asks for tf_keras.

    How to fix it:
    Install tf-keras of TensorFlow's minor version and set TF_USE_LEGACY_KERAS=1, or convert the model: load it once
    with Keras 2 and save it as a .keras file. For answers only, keras.layers.TFSMLayer loads the folder as it is.

    When to ignore it:
    If nothing uses tf.keras, or that model.

    Sources:
    https://keras.io/getting_started/#tensorflow--keras-2-backwards-compatibility
    https://keras.io/guides/migrating_to_keras_3/
    """
    met = next((one for one in pasted(live) if one.signature == "keras3-other-format"), None)
    tensorflow = frameworks.get("tensorflow") if isinstance(frameworks, Frameworks) else None
    numbers = release_numbers(tensorflow.version) if tensorflow else None
    has_keras3 = numbers is not None and numbers >= FIRST_KERAS3 and len(numbers) > 1
    wanted = f"tf-keras~={numbers[0]}.{numbers[1]}.0" if has_keras3 and numbers else None
    if met is not None and (numbers is None or has_keras3):
        yield _other_format(met, tensorflow, wanted, scene)
        return
    if wanted is None or not isinstance(scene.packages, Packages) or not isinstance(environ, Environ):
        return
    if (environ.get(VARIABLE) or "").lower() not in ("1", "true") or not scene.packages.lacks("tf-keras"):
        return
    yield problem(
        f"{VARIABLE} is set but tf-keras is not installed, so tf.keras cannot be used.",
        seen(VARIABLE, environ.get(VARIABLE)),
        seen("tf-keras", "not installed"),
        subject="tf-keras",
        fixes=(
            Fix("Install tf-keras", safety(scene), tf_keras(scene, wanted)),
            Fix("Use Keras 3", "safe", (SetEnv(name=VARIABLE, value=None),), undo=f"export {VARIABLE}=1"),
        ),
    )


def _other_format(met: Symptom, tensorflow: Framework | None, wanted: str | None, scene: Scene) -> Problem:
    """Nothing of the environment is at fault: the model is of another Keras."""
    convert = Ask(text="Load the model once with Keras 2 (TensorFlow 2.15), and save it: model.save('model.keras')")
    only_ask = Ask(text="For answers only: keras.layers.TFSMLayer(FOLDER, call_endpoint='serving_default')")
    fixes: tuple[Fix, ...] = (by_hand("Convert the model", convert, only_ask),)
    if wanted is not None:
        steps = (*tf_keras(scene, wanted), SetEnv(name=VARIABLE, value="1"))
        fixes = (Fix("Use Keras 2 for it", "review", steps, undo=f"unset {VARIABLE}"), *fixes)
    return problem(
        "The model was made with Keras 2, which Keras 3 cannot read.",
        seen(met.where or "the pasted text", met.text),
        *((seen("tensorflow", tensorflow.version, tensorflow.source),) if tensorflow else ()),
        subject="keras",
        severity="info",
        confidence="likely",
        fixes=fixes,
    )
