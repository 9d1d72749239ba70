"""What frameworks import while they are imported themselves."""

#: What each framework imports while it is imported itself, found by hiding them one by one from torch 2.13, TensorFlow
#: 2.21, Keras 3.15 and JAX 0.10; of what it does not declare, or imports only later (sympy, h5py), nothing is said.
AT_START: dict[str, frozenset[str]] = {
    "jax": frozenset({"jaxlib", "ml-dtypes", "numpy", "opt-einsum"}),
    "keras": frozenset({"absl-py", "ml-dtypes", "numpy", "optree", "packaging", "rich"}),
    "tensorflow": frozenset({
        "absl-py", "astunparse", "flatbuffers", "gast", "ml-dtypes", "numpy", "opt-einsum", "packaging", "protobuf",
        "requests", "six", "termcolor", "typing-extensions", "wrapt",
    }),
    "torch": frozenset({"typing-extensions"}),
}  # fmt: skip
#: What is imported when it is first used, and few programs do without: tf.keras.
SOON: dict[str, frozenset[str]] = {"tensorflow": frozenset({"keras"})}
