"""FRM015: a CPU-only TensorFlow is installed, which uses no GPU."""

from gpudoctor.facts.python import Overlap
from gpudoctor.knowledge.frameworks import computing
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.recipes import tensorflow_for_gpus
from gpudoctor.rules._package_overlaps import keep_one
from gpudoctor.rules.builds import gpu_names, is_conda, is_jetson, release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Gpus, Matrix, Package, Packages, Scene, System
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, by_hand, problem, rule, seen

#: Builds that reach the GPU by another way than CUDA.
OTHER_BACKENDS = ("tensorflow-directml", "tensorflow-rocm")
#: From this release on TensorFlow has no GPU on native Windows: tf-windows-native.
FIRST_WITHOUT_GPU_ON_WINDOWS = numbers_of("tensorflow-without-windows-gpu")


@rule("FRM015", name="tf-cpu-only", severity="error", when="frameworks.tensorflow.variant=cpu, gpus.nvidia")
def tf_cpu_only(gpus: Gpus, frameworks: Frameworks, host: System, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """A CPU-only TensorFlow is installed, which uses no GPU.

    What it means:
    The TensorFlow in this environment contains no CUDA code, so it lists no GPU. This is the package
    `tensorflow-cpu`, the `tensorflow` wheel for ARM Linux, or a build of conda or of your own without CUDA.

    Why it breaks:
    TensorFlow has separate builds for processor and GPU. The Linux x86-64 package `tensorflow` is the GPU build;
    `tensorflow-cpu` and the ARM wheels are not. conda has builds of both kinds under one name, and its choice shows
    in the build string: mkl and eigen are for the processor. Where `tensorflow` and `tensorflow-gpu` 1.x are both
    installed, the files of the one installed last are on the disk. (From 2.11 on native Windows has no GPU build: see
    tf-windows-native.)

    How to fix it:
    Remove the CPU build and install `tensorflow[and-cuda]` of a release that fits this Python, driver and GPU.
    On ARM Linux use NVIDIA's TensorFlow container, as there are no GPU wheels.

    When to ignore it:
    If TensorFlow is meant to stay on the processor in this environment. That is likely where PyTorch or JAX already
    uses the GPU, so this is then only a note.

    Sources:
    https://www.tensorflow.org/install/pip
    https://docs.nvidia.com/deeplearning/frameworks/tensorflow-release-notes/
    https://github.com/tensorflow/tensorflow/issues/47147 (conda on Windows)
    """
    tensorflow = frameworks.get("tensorflow")
    if tensorflow is None or tensorflow.variant != "cpu" or not gpus.nvidia or is_jetson(host):
        return
    numbers = release_numbers(tensorflow.version)
    on_windows = host.os == "windows" and numbers is not None and numbers < FIRST_WITHOUT_GPU_ON_WINDOWS
    if not (host.os == "linux" or on_windows) or tensorflow.dist in OTHER_BACKENDS:
        return
    hidden = _hidden(tensorflow, scene.packages)
    beside = hidden or _beside(tensorflow, scene.packages)
    others = [one.name for one in frameworks.found if one.name in computing() and one.variant == "cuda"]
    others = [name for name in others if name != tensorflow.name]
    yield problem(
        f"tensorflow and {beside.name} are both installed: the last one counts, and tensorflow is for the CPU."
        if beside and not hidden
        else f"{tensorflow.label} is a CPU-only build, so it cannot use {gpu_names(gpus)}.",
        seen("TensorFlow build", f"{tensorflow.dist or 'tensorflow'}, no CUDA", tensorflow.source),
        *(seen("GPU", gpu.label, gpu.source) for gpu in gpus.nvidia),
        *(seen("GPU build of another framework", name) for name in others),
        *((seen("installed too, and overwritten by it", f"{hidden.name} {hidden.version}"),) if hidden else ()),
        subject=tensorflow.label,
        confidence="certain" if beside is hidden else "likely",
        severity="info" if others else None,
        not_leading_to=() if hidden else ("files-overwritten",),
        fix=keep_one(tensorflow.dist or "tensorflow", beside.name, scene)
        if beside
        else _on_windows(tensorflow, scene)
        if on_windows
        else tensorflow_for_gpus(scene, matrix, remove=(tensorflow.dist or "tensorflow",)),
    )


def _hidden(tensorflow: Framework, packages: Packages | Gap | None) -> Package | None:
    """A distribution of the GPU build whose files the CPU build has overwritten: both own the same ones."""
    if not isinstance(packages, Packages):
        return None
    names = {name for one in _looked_at(packages) for name in (one.first, one.second)}
    builds = ("tensorflow-gpu",) if tensorflow.dist == "tensorflow" else ("tensorflow", "tensorflow-gpu")
    return next((packages.find(name) for name in builds if name in names), None)


def _looked_at(packages: Packages) -> tuple[Overlap, ...]:
    """What two packages share, by their files; a list alone does not tell whose are on the disk."""
    overlaps = () if isinstance(packages.overlaps, Gap) else packages.overlaps
    return tuple(one for one in overlaps if one.files is not None)


def _beside(tensorflow: Framework, packages: Packages | Gap | None) -> Package | None:
    """The GPU build of the same release that is listed, too, where nobody looked whose files are on the disk."""
    if not isinstance(packages, Packages) or _looked_at(packages):
        return None
    other = packages.find("tensorflow-gpu") if tensorflow.dist == "tensorflow" else None
    return other if other and other.version == tensorflow.version else None


def _on_windows(tensorflow: Framework, scene: Scene) -> Fix:
    """Up to 2.10 TensorFlow reaches the GPU on Windows, with a CUDA and a cuDNN that it does not bring along."""
    if is_conda(scene.packages, "tensorflow"):
        text = (
            "Name the GPU build: conda search tensorflow lists builds; those that begin with gpu or cuda have it. "
            f"Where none of {tensorflow.version} does, remove tensorflow with conda and install "
            f"tensorflow=={tensorflow.version} with pip, which is the GPU build on Windows."
        )
    else:
        text = "Replace it with tensorflow of the same release from the package index, the GPU build on Windows."
    cuda = "Install the CUDA and cuDNN of that release (https://www.tensorflow.org/install/source_windows#gpu)."
    steps = (Ask(text=text), Ask(text=cuda))
    return by_hand(f"Install the GPU build of {tensorflow.label}", *steps)
