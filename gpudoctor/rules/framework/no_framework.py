"""FRM010: no deep-learning framework is installed in the examined Python."""

from gpudoctor.knowledge.frameworks import computing
from gpudoctor.plan.recipes import tensorflow_for_gpus, torch_for_gpus
from gpudoctor.rules.sections import Frameworks, Gpus, Interpreter, Matrix, Scene
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: What is no framework for training, and uses a GPU all the same.
OTHERS = ("jax-cuda-plugin", "cupy", "onnxruntime", "ctranslate2", "mxnet")

ANY = by_hand(
    "If you want one",
    "To make an environment with the build that fits this machine (tensorflow and jax likewise): "
    "gpudoctor install torch --venv env",
)


@rule(
    "FRM010",
    name="no-framework",
    severity="info",
    when="not frameworks.torch, not frameworks.tensorflow, not frameworks.jax",
)
def no_framework(
    interpreter: Interpreter, frameworks: Frameworks | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """No deep-learning framework is installed in the examined Python.

    What it means:
    The Python that was examined has neither PyTorch nor TensorFlow nor JAX. If you did install one, it is in another
    Python or another virtual environment.

    Why it breaks:
    Nothing is broken. Each Python environment has its own packages, and another one may be active than you think.

    How to fix it:
    Activate the environment you mean, or name its interpreter with `--python`. Or install a framework here.

    When to ignore it:
    If this Python is not meant to have one.

    Sources:
    https://docs.python.org/3/library/venv.html
    """
    if frameworks is not None and any(frameworks.get(name) is not None for name in (*computing(), *OTHERS)):
        return
    has_gpu = isinstance(scene.gpus, Gpus) and bool(scene.gpus.nvidia)
    yield problem(
        f"No deep-learning framework is installed for {interpreter.executable}.",
        seen("Python", f"{interpreter.executable} ({interpreter.version or 'version not known'})"),
        seen("chosen by", interpreter.chosen_by),
        fixes=(torch_for_gpus(scene, matrix), tensorflow_for_gpus(scene, matrix)) if has_gpu else (ANY,),
    )
