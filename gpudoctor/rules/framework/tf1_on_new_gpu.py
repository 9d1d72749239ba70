"""FRM020: TensorFlow built with CUDA 10 or older does not support Ampere and newer GPUs."""

from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.plan.constraints import AMPERE, FIRST_CUDA
from gpudoctor.plan.recipes import tensorflow_for_gpus
from gpudoctor.rules.builds import in_words, release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Gpus, Matrix, Scene
from gpudoctor.rules.terms import Ask, Iterator, Problem, by_hand, problem, rule, seen

#: The first cuDNN with code for Ampere: https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-800/release-notes
FIRST_CUDNN = 8
NVIDIA_BUILD = (
    Ask(text="In a container: https://catalog.ngc.nvidia.com/orgs/nvidia/containers/tensorflow (tags with tf1)."),
    Ask(
        text="On Linux in an environment with Python 3.8: pip install nvidia-pyindex, then nvidia-tensorflow[horovod]."
    ),
)


@rule("FRM020", name="tf1-on-new-gpu", severity="error", when="frameworks.tensorflow.variant=cuda, gpus.nvidia")
def tf1_on_new_gpu(gpus: Gpus, frameworks: Frameworks, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """TensorFlow built with CUDA 10 or older does not support Ampere and newer GPUs.

    What it means:
    TensorFlow before 2.4 uses CUDA 10 or older. The GPU is of a later generation. It may start after a long pause, and
    then hangs, gives wrong numbers, or fails in cuBLAS or cuDNN.

    Why it breaks:
    The driver can compile TensorFlow's own PTX for the new GPU, but cuBLAS and cuDNN of CUDA 10 have no code for it.

    How to fix it:
    Use TensorFlow 2.4 or newer. For code that needs TensorFlow 1.15, NVIDIA maintained a build of it for new GPUs, as a
    container (the tags with tf1).

    When to ignore it:
    Never, if TensorFlow is to use this GPU.

    Sources:
    https://docs.nvidia.com/cuda/ampere-compatibility-guide/
    https://docs.nvidia.com/deeplearning/frameworks/tensorflow-release-notes/
    https://github.com/NVIDIA/tensorflow (the build of 1.15 as a package)
    """
    tensorflow = frameworks.get("tensorflow")
    if tensorflow is None or tensorflow.variant != "cuda" or not _is_old(tensorflow):
        return
    libraries = f"CUDA {tensorflow.cuda}" if tensorflow.cuda else f"cuDNN {tensorflow.cudnn}"
    capable = [(gpu, matrix.capability(gpu)) for gpu in gpus.nvidia]
    newer = [(gpu, capability) for gpu, capability in capable if capability is not None and capability >= AMPERE]
    if not newer:
        return
    names = in_words(gpu.label for gpu, _ in newer)
    yield problem(
        f"{tensorflow.label} uses {libraries}, whose libraries have no code for {names}: it may "
        "start only after minutes, and then hang or compute wrongly.",
        seen("TensorFlow was built with", libraries, tensorflow.source),
        *(seen(f"{gpu.label}: compute capability", capability, gpu.source) for gpu, capability in newer),
        subject=tensorflow.label,
        fixes=(
            tensorflow_for_gpus(scene, matrix),
            *((by_hand("Keep TensorFlow 1.15, as NVIDIA built it", *NVIDIA_BUILD),) if _is_first(tensorflow) else ()),
        ),
    )


def _is_first(tensorflow: Framework) -> bool:
    """TensorFlow 1, or of a release that is not known."""
    return (release_numbers(tensorflow.version) or (1,)) < (2,)


def _is_old(tensorflow: Framework) -> bool:
    """Built with a CUDA before Ampere's, which a cuDNN before 8 is for, too."""
    if tensorflow.cuda is not None:
        return tensorflow.cuda < FIRST_CUDA
    cudnn = LibraryVersion.parse(tensorflow.cudnn)
    return cudnn is not None and cudnn.major < FIRST_CUDNN
