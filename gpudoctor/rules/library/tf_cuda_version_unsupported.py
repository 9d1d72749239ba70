"""LIB018: the installed CUDA toolkit is not the version this TensorFlow was built with."""

from msgspec.structs import replace

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.libraries import Toolkit
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.plan.cuda_for_program import tensorflow_for_cuda
from gpudoctor.plan.recipes import tensorflow_for_gpus
from gpudoctor.plan.toolkit_for_build import toolkit_for_build
from gpudoctor.rules._missing_libraries import FIRST_EXTRA
from gpudoctor.rules._windows import copies_of_dll, dlls_of
from gpudoctor.rules.builds import in_words, is_jetson, release_numbers
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Gpus, Libraries, Live, Matrix, Scene, System, Toolkits
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, problem, rule, seen

#: Libraries that TensorFlow does without.
OPTIONAL = ("libcuda.so", "libnvinfer", "libnccl", "libcupti")
#: The name in TensorFlow's message that it does not find a library.
SAID = re.compile(r"library '?(lib[\w.-]+?)'?(?:;|,|\s|$)")
#: From CUDA 11 on, the libraries of one major have one name.
FIRST_MAJOR_NAMES = 11
#: But cuSOLVER, which got its name in 11.1 (release notes of CUDA 11.1).
RENAMED_AFTER = CudaVersion(milestone("cuda-cusolver-renamed"))


@rule("LIB018", name="tf-cuda-version-unsupported", severity="error")
def tf_cuda_version_unsupported(
    gpus: Gpus,
    libraries: Libraries,
    toolkits: Toolkits,
    frameworks: Frameworks,
    live: Live | Gap | None,
    scene: Scene,
    matrix: Matrix,
) -> Iterator[Problem]:
    """The installed CUDA toolkit is not the version this TensorFlow was built with.

    What it means:
    TensorFlow opens CUDA's libraries by names that carry a version, such as libcudart.so.10.1. The toolkit on this
    machine is of another version, and its libraries have other names.

    Why it breaks:
    TensorFlow before 2.14 brings no CUDA along and takes exactly one version: 2.4 wants CUDA 11.0 (libcusolver.so.10;
    CUDA 11.1 and later have libcusolver.so.11), 2.1 to 2.3 want 10.1, 1.15 wants 10.0. It says "Could not load dynamic
    library" and uses the processor. A link under the wanted name does not help, as the content differs.

    How to fix it:
    Install the CUDA version it asks for beside the other one, use a container of that release, or a newer TensorFlow
    that brings its CUDA along.

    When to ignore it:
    If TensorFlow is meant to run on the processor.

    Sources:
    https://www.tensorflow.org/install/source#gpu
    """
    tensorflow = frameworks.get("tensorflow")
    numbers = release_numbers(tensorflow.version) if tensorflow else None
    if tensorflow is None or tensorflow.cuda is None or tensorflow.variant != "cuda" or is_jetson(scene.host):
        return
    on_windows = isinstance(scene.host, System) and scene.host.os == "windows"
    missing = _missing_dlls(tensorflow, libraries) if on_windows else _missing(libraries, live)
    versions = [one for one in toolkits.found if one.version is not None]
    if not gpus.nvidia or not versions or numbers is None or numbers >= FIRST_EXTRA:
        return
    has_none = any("cudart" in name or "cublas" in name for name in missing)
    has_none = has_none and not any(_fits(one, tensorflow) for one in versions)
    if not has_none and not _wants_other_cusolver(missing, versions):
        return
    has = in_words(f"CUDA {one.version}" for one in versions)
    yield problem(
        f"{tensorflow.label} needs CUDA {tensorflow.cuda}, but this machine has {has}.",
        seen("built with CUDA", tensorflow.cuda, tensorflow.source),
        *(seen("toolkit", f"CUDA {one.version} in {one.root}", one.source) for one in versions),
        # A text says what was not found, if it does: its line is quoted.
        seen("opens" if libraries.excerpt and on_windows else "not found", ", ".join(missing)),
        subject=tensorflow.label,
        fixes=(
            _either(toolkit_for_build(tensorflow.cuda, tensorflow.cudnn, scene), versions, scene, matrix),
            *(() if on_windows else (tensorflow_for_gpus(scene, matrix),)),
        ),
    )


def _either(fix: Fix, versions: list[Toolkit], scene: Scene, matrix: Matrix) -> Fix:
    """Or the TensorFlow that was built for the CUDA that is there."""
    cuda = max(one.version for one in versions if one.version)
    wanted = tensorflow_for_cuda(cuda, scene, matrix)
    if wanted is None:
        return fix
    other = Ask(text=f"Or keep CUDA {cuda}: {scene.python} -m pip install {wanted}")
    return replace(fix, steps=(*fix.steps, other))


def _wants_other_cusolver(missing: tuple[str, ...], versions: list[Toolkit]) -> bool:
    """CUDA 11.0 has libcusolver.so.10, every later 11 has .so.11: TensorFlow 2.4 wants the one, 2.5 the other."""
    is_first = {one.version == RENAMED_AFTER for one in versions if one.version and one.version.major == 11}
    return ("libcusolver.so.10" in missing and is_first == {False}) or (
        "libcusolver.so.11" in missing and is_first == {True}
    )


def _missing(libraries: Libraries, live: Live | Gap | None) -> tuple[str, ...]:
    names = [one.soname for one in libraries.missing("tensorflow")]
    if not any(one.framework == "tensorflow" for one in libraries.resolutions or ()):
        said = (SAID.search(one.text) for one in pasted(live) if one.signature == "tf-library-missing")
        names += [match[1] for match in said if match]
    return tuple(name for name in names if not name.startswith(OPTIONAL))


def _missing_dlls(tensorflow: Framework, libraries: Libraries) -> tuple[str, ...]:
    """On native Windows, where the loader's search is not worked out: what no known folder has."""
    return tuple(name for name in dlls_of(tensorflow) if not copies_of_dll(name, libraries))


def _fits(toolkit: Toolkit, tensorflow: Framework) -> bool:
    if toolkit.version is None or tensorflow.cuda is None:
        return True
    if tensorflow.cuda.major >= FIRST_MAJOR_NAMES:
        return toolkit.version.major == tensorflow.cuda.major
    return toolkit.version == tensorflow.cuda
