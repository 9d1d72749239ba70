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
    """TensorFlow built with CUDA 10 or older does not support Ampere and newer GPUs."""
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
