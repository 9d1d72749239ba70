"""Messages of Keras, and of what expects another Keras."""

from gpudoctor.signatures.catalogue import signature

SIGNATURES = (
    signature(
        "keras3-transformers",
        r"keras 3, but this is not yet supported in transformers|no module named '?tf_keras"
        r"|install the backwards-compatible "
        r"tf-keras",
        needles=("not yet supported in transformers", "tf_keras", "tf-keras"),
        meaning="The TensorFlow models of transformers need the package tf-keras beside Keras 3.",
        causes={"keras3-no-tfkeras": 0.85, "keras3-tfkeras-version": 0.25},
        ask="pip list | grep -i keras",
        source="https://github.com/keras-team/tf-keras",
    ),
    signature(
        "tf-keras-broken",
        r"tf_keras[/\\.]__internal__",
        needles=("tf_keras",),
        meaning="The installed tf-keras does not fit the installed TensorFlow.",
        causes={"keras3-tfkeras-version": 0.8, "keras3-no-tfkeras": 0.2},
        ask="pip list | grep -i -E 'keras|tensorflow'",
        source="https://github.com/keras-team/tf-keras",
    ),
    signature(
        "keras3-other-format",
        r"keras 3 only supports v3|legacy savedmodel format is not\b|tfsmlayer\("
        r"|unrecognized keyword arguments passed to [^\n]{0,60}(?:time_major|batch_input_shape|input_length)"
        r"|keras 3[^\n]{0,60}not supported[^\n]{0,30}savedmodel|filepath provided must end in `?\.(?:keras|weights)"
        r"|only instances of `?keras\.layer`? can be added to a sequential model",
        needles=(
            "keras 3 only supports",
            "savedmodel",
            "tfsmlayer",
            "unrecognized keyword",
            "must end in",
            "keras.layer",
        ),
        meaning="A model that was made with Keras 2 is used with Keras 3, which reads and writes other formats.",
        causes={"keras3-legacy-model": 0.9, "keras-version": 0.2},
        ask="pip list | grep -i -E 'keras|tensorflow'",
        source="https://keras.io/guides/migrating_to_keras_3/",
    ),
    signature(
        "keras-too-new",
        r"keras requires tensorflow 2\.\d+ or higher|keras 3 [^\n]{0,40}requires tensorflow"
        r"|cannot import name '\w+' from '(?:tensorflow\.)?keras|module 'keras[\w.]*' has no attribute",
        needles=("keras requires tensorflow", "keras 3", "from 'keras", "from 'tensorflow.keras", "module 'keras"),
        meaning="The installed Keras does not fit the program or the installed TensorFlow.",
        causes={
            "keras-version": 0.6,
            "keras3-tfkeras-version": 0.3,
            "keras3-legacy-model": 0.3,
            "dependency-conflict": 0.2,
        },
        ask="pip list | grep -i -E 'keras|tensorflow'",
        source="https://keras.io/getting_started/#compatibility-matrix",
    ),
)
