"""LIB001: a framework would load a cuDNN that does not fit the one it was built with."""

from gpudoctor.facts.libraries import Resolution
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.plan.cudnn import newest_cudnn_for
from gpudoctor.plan.nvidia_libraries import owners_of_the_same
from gpudoctor.plan.places import install, nvidia_gpus, safety, wheel_platform
from gpudoctor.plan.toolkit_for_build import toolkit_for_build
from gpudoctor.rules._cudnn import taken_cudnn
from gpudoctor.rules._missing_libraries import FIRST_EXTRA
from gpudoctor.rules._unmet_requirements import elsewhere
from gpudoctor.rules.builds import built_for_cuda, is_conda, needed_cudnn, release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Gpus, Libraries, LibraryCopy, Matrix, Scene, Toolkits
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen

#: Distributions that conda names otherwise.
CONDA_NAMES = {"torch": "pytorch"}
#: Dots in a version with all its four numbers, 9.10.2.21.
EXACT = 3


@rule("LIB001", name="cudnn-too-old", severity="error", when="frameworks.found.variant=cuda")
def cudnn_too_old(
    libraries: Libraries, frameworks: Frameworks, toolkits: Toolkits | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """A framework would load a cuDNN that does not fit the one it was built with.

    What it means:
    A framework built with cuDNN 9.3 needs cuDNN 9.3 or a newer 9.x. The copy that the loader finds first is older, or
    of another major version: a newer one does not do either.

    Why it breaks:
    Frameworks check this when they first use cuDNN. TensorFlow and JAX say "Loaded runtime CuDNN library: X but source
    was compiled with: Y"; PyTorch says "cuDNN version incompatibility". Usually an older copy lies on the search path
    before the right one, or another package has replaced the files.

    How to fix it:
    Bring cuDNN to the needed version (pip's nvidia-cudnn, conda's cudnn, or the copy in the toolkit or system), or take
    the other copy off the search path. TensorFlow before 2.14 takes that of the toolkit or of conda.

    When to ignore it:
    Never, if the framework is to use the GPU.

    Sources:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/developer/forward-compatibility.html
    https://github.com/pytorch/pytorch/blob/main/torch/backends/cudnn/__init__.py
    """
    has_gpu = isinstance(scene.gpus, Gpus) and bool(scene.gpus.nvidia)
    for framework in built_for_cuda(frameworks):
        # The table is of PyPI's and PyTorch's builds; a conda build has the cuDNN that its channel chose.
        names = (framework.name, framework.dist, CONDA_NAMES.get(framework.name))
        of_conda = is_conda(scene.packages, *filter(None, names))
        needed = None if of_conda and framework.cudnn is None else needed_cudnn(framework, matrix, scene.host)
        taken = taken_cudnn(framework, libraries)
        if needed is None or taken is None or taken.version is None:
            continue
        have = taken.version
        if have.major == needed.major and have.minor >= needed.minor:
            continue
        yield problem(
            f"{framework.label} was built with cuDNN {needed}, but would load cuDNN {have}.",
            seen("built with cuDNN", needed, framework.source),
            seen("would load", f"cuDNN {have} from {taken.path}"),
            subject=framework.label,
            severity=None if has_gpu else "warning",
            confidence="certain" if isinstance(taken, Resolution) else "likely",
            fix=_fix(scene, framework, needed, taken, matrix, toolkits),
        )


def _fix(
    scene: Scene,
    framework: Framework,
    needed: LibraryVersion,
    taken: Resolution | LibraryCopy,
    matrix: Matrix,
    toolkits: Toolkits | Gap | None,
) -> Fix:
    major = framework.cuda.major if framework.cuda else None
    if taken.origin == "pip" and major is not None:
        wanted = f"nvidia-cudnn-cu{major}{_range(scene, framework, needed, matrix)}"
        if others := owners_of_the_same(scene, (wanted,)):
            return elsewhere(framework.label, others)
        return Fix(
            f"Bring cuDNN to {needed.major}.{needed.minor} or newer",
            safety(scene),
            install(scene, wanted, options=("--upgrade",)),
        )
    numbers = release_numbers(framework.version)
    named = {one.version for one in toolkits.found if one.version} if isinstance(toolkits, Toolkits) else set()
    cuda = framework.cuda or (named.pop() if len(named) == 1 else None)
    if framework.name == "tensorflow" and cuda and numbers and numbers < FIRST_EXTRA:
        return toolkit_for_build(cuda, f"{needed.major}.{needed.minor}", scene, cudnn_only=True)
    text = f"Take the folder of {taken.path} off the library search path of this program, or update that copy."
    return by_hand("Let the right cuDNN be found first", text)


def _range(scene: Scene, framework: Framework, needed: LibraryVersion, matrix: Matrix) -> str:
    """PyTorch pins one cuDNN. The others admit newer ones, but not such as have no code for the machine's GPUs."""
    if framework.name == "torch" and needed.text.count(".") == EXACT:
        return f"=={needed}"
    capabilities = [one for gpu in nvidia_gpus(scene) if (one := matrix.capability(gpu)) is not None]
    asked = f">={needed.major}.{needed.minor},<{needed.major + 1}"
    major, oldest = framework.cuda.major if framework.cuda else 0, min(capabilities, default=None)
    pin = newest_cudnn_for(major, asked, oldest, wheel_platform(scene.host), matrix) if oldest is not None else None
    return f"=={pin}" if pin else asked
