"""LIB009: TensorFlow 2.16 to 2.18 cannot find the CUDA libraries installed with it."""

from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.recipes import tensorflow_for_gpus
from gpudoctor.rules._missing_libraries import copies_of, fixes_for
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Frameworks, Gpus, Libraries, Matrix, Scene
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen

#: Releases whose search path does not reach the installed nvidia packages in common set-ups.
AFFECTED = (numbers_of("tensorflow-own-libraries"), numbers_of("tensorflow-search-path-mended"))


@rule("LIB009", name="tf216-nvidia-libs-not-found", severity="error", when="frameworks.tensorflow.version, gpus.nvidia")
def tf216_nvidia_libs_not_found(
    gpus: Gpus, libraries: Libraries, frameworks: Frameworks, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """TensorFlow 2.16 to 2.18 cannot find the CUDA libraries installed with it.

    What it means:
    The nvidia packages of `tensorflow[and-cuda]` are there, but the loader finds most of them nowhere.

    Why it breaks:
    TensorFlow looks beside itself, in the folder `nvidia` of the same site-packages. Release 2.16.1 had a wrong path
    for that; later ones fail when the packages lie in another folder than TensorFlow.

    How to fix it:
    Update TensorFlow, or name the folders of the libraries in LD_LIBRARY_PATH.

    When to ignore it:
    If TensorFlow is meant to run on the processor.

    Sources:
    https://github.com/tensorflow/tensorflow/issues/63362
    https://www.tensorflow.org/install/pip
    """
    tensorflow = frameworks.get("tensorflow")
    numbers = release_numbers(tensorflow.version) if tensorflow else None
    if tensorflow is None or numbers is None or not AFFECTED[0] <= numbers < AFFECTED[1] or not gpus.nvidia:
        return
    missing = libraries.missing("tensorflow")
    there = tuple(one for one in missing if any(copy.origin == "pip" for copy in copies_of(one, libraries)))
    if len(there) < 2:
        return
    yield problem(
        f"{tensorflow.label} cannot find {len(there)} CUDA libraries that are installed in its environment.",
        *tuple(seen(f"{one.soname} is installed at", copies_of(one, libraries)[0].path) for one in there[:6]),
        subject=tensorflow.label,
        fixes=(tensorflow_for_gpus(scene, matrix), *fixes_for(scene, tensorflow, there, libraries, matrix)),
    )
