"""FRM017: the package tensorflow-gpu was requested, but it no longer exists."""

from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.recipes import tensorflow_for_gpus
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Gap, Interpreter, Matrix, Packages, Scene, Wish
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen

#: The last release of tensorflow-gpu is 2.11.0; 2.12.0 only fails to install.
LAST_LINE = numbers_of("tensorflow-gpu-ends")


@rule(
    "FRM017",
    name="tf-gpu-package-removed",
    severity="error",
    when="packages.tensorflow-gpu or wish.requirements or interpreter.pins.package=tensorflow-gpu",
)
def tf_gpu_package_removed(wish: Wish, packages: Packages, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The package tensorflow-gpu was requested, but it no longer exists.

    What it means:
    `tensorflow-gpu` was a package of its own up to release 2.11. Since then `tensorflow` is the GPU build on Linux, and
    the extra `and-cuda` brings the CUDA libraries.

    Why it breaks:
    `pip install tensorflow-gpu` stops with an error on purpose: the name is only a placeholder now.

    How to fix it:
    Ask for `tensorflow[and-cuda]` instead, in requirement files and lock files too.

    When to ignore it:
    If you need a release up to 2.11 and have its Python (3.10 or older). conda-forge's package of that name is no such
    placeholder.

    Sources:
    The project page of tensorflow-gpu on the package index (its last release, 2.12.0, only says so)
    https://www.tensorflow.org/install/pip
    """
    installed = packages.find("tensorflow-gpu")
    # conda-forge keeps a package of that name: it asks for a GPU build of tensorflow.
    by_conda = installed is not None and installed.installer == "conda"
    is_stub = installed is not None and not by_conda and (release_numbers(installed.version) or ()) > (*LAST_LINE, 9)
    asked = _asked(wish, scene.interpreter) if installed is None else ()
    if not is_stub and not asked:
        return
    named = seen("installed", f"tensorflow-gpu {installed.version}") if installed else seen("asked for", asked[0])
    yield problem(
        "The package tensorflow-gpu no longer exists; its successor is tensorflow[and-cuda].",
        named,
        subject="tensorflow-gpu",
        fix=tensorflow_for_gpus(scene, matrix, remove=("tensorflow-gpu",)),
    )


def _asked(wish: Wish, interpreter: Interpreter | Gap | None) -> tuple[str, ...]:
    """Who asks for it: the user, or a file of the project (for a release that does not exist)."""
    pins = interpreter.pins or () if isinstance(interpreter, Interpreter) else ()
    files = tuple(
        f"tensorflow-gpu{pin.wanted} ({pin.file})"
        for pin in pins
        if pin.package == "tensorflow-gpu" and (release_numbers(pin.wanted.lstrip("=")) or (9,)) > (*LAST_LINE, 9)
    )
    return (*(one.text for one in wish.of("tensorflow-gpu")), *files)
