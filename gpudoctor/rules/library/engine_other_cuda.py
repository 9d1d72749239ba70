"""LIB027: a program that opens CUDA's libraries says that it found none, and the CUDA here is of another major."""

from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.matrix.engines import engine_build, engine_rows
from gpudoctor.knowledge.matrix.offer_types import EngineBuild
from gpudoctor.plan.places import install, safety
from gpudoctor.rules._gpu_packages import cuda_packages
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Frameworks, Gap, Libraries, Live, Matrix, Packages, Scene, Toolkits
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen

#: By the program: the messages with which it says that it could not load its GPU part.
SAID = {
    "onnxruntime-gpu": ("onnxruntime-provider", "onnxruntime-cuda-path"),
    "ctranslate2": ("library-not-found-or-loaded", "cudnn-handle-invalid"),
}


@rule("LIB027", name="engine-other-cuda", severity="error", since="0.2", when="live.symptoms")
def engine_other_cuda(
    packages: Packages | Gap | None,
    toolkits: Toolkits | Gap | None,
    libraries: Libraries | Gap | None,
    frameworks: Frameworks | Gap | None,
    live: Live,
    scene: Scene,
    matrix: Matrix,
) -> Iterator[Problem]:
    """ONNX Runtime or CTranslate2 was built for another CUDA or cuDNN than the one installed.

    What it means:
    Both open the CUDA libraries of a toolkit, or of other packages, and bring none. Each release is built for one
    major of CUDA, and only that major's libraries have the names that it opens. What is here is of another major.

    Why it breaks:
    The loader finds no library of that name: "Failed to create CUDAExecutionProvider", "LoadLibrary failed with error
    126", "Library cublas64_12.dll is not found". The program goes on with the processor, or ends. That nvidia-smi
    shows a newer CUDA does not help: it names what the driver admits.

    How to fix it:
    Install the release that was built for the CUDA which is here, or the CUDA that this release wants beside it.

    When to ignore it:
    If the program is meant to use the processor.

    Sources:
    https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html#requirements
    https://github.com/OpenNMT/CTranslate2/blob/master/CHANGELOG.md
    """
    said = {one.signature for one in pasted(live)}
    for name, messages in SAID.items():
        release = _release(name, packages, frameworks) if said.intersection(messages) else None
        build = engine_build(name, release, matrix) if release is not None else None
        if release is None or build is None:
            continue
        found = toolkits.found if isinstance(toolkits, Toolkits) else ()
        here = {one.version.major: one for one in found if one.version is not None}
        cudnns = _cudnns(libraries)
        is_other = bool(here) and build.cuda not in {*here, *_others(packages, frameworks)}
        is_other_cudnn = bool(cudnns) and build.cudnn is not None and build.cudnn not in cudnns
        if not (is_other or is_other_cudnn):
            continue
        beside = f" and cuDNN {build.cudnn}" if build.cudnn else ""
        words = [f"CUDA {one.version}" for one in here.values()] if is_other else []
        words += [f"cuDNN {one}" for one in cudnns.values()] if is_other_cudnn else []
        yield problem(
            f"{name} {release} is built for CUDA {build.cuda}{beside}, and what is here is {in_words(words)}.",
            seen(f"CUDA of {name} {build.releases}", f"{build.cuda}{beside}"),
            *(seen("toolkit", f"CUDA {one.version} in {one.root}", one.source) for one in here.values()),
            *(seen("cuDNN", one) for one in cudnns.values()),
            subject=f"{name} {release}",
            confidence="likely",
            fixes=tuple(_fixes(name, release, build, tuple(here) if is_other else (), scene, matrix)),
        )


def _release(name: str, packages: Packages | Gap | None, frameworks: Frameworks | Gap | None) -> str | None:
    """That of the package, else what is stated of the program."""
    package = packages.find(name) if isinstance(packages, Packages) else None
    program = frameworks.get(name.removesuffix("-gpu")) if isinstance(frameworks, Frameworks) else None
    if package is not None:
        return package.version
    return program.version if program is not None and program.variant != "cpu" else None


def _cudnns(libraries: Libraries | Gap | None) -> dict[int, LibraryVersion]:
    """What is known of cuDNN, by major."""
    copies = libraries.copies if isinstance(libraries, Libraries) else ()
    return {one.version.major: one.version for one in copies if one.family == "cudnn" and one.version is not None}


def _others(packages: Packages | Gap | None, frameworks: Frameworks | Gap | None) -> set[int]:
    """Majors that come with packages: of NVIDIA's own, and of frameworks whose libraries a process may have loaded."""
    found = frameworks.found if isinstance(frameworks, Frameworks) else ()
    wheels = cuda_packages(packages) if isinstance(packages, Packages) else ()
    return {*wheels, *(one.cuda.major for one in found if one.cuda is not None)}


def _fixes(
    name: str, release: str, build: EngineBuild, here: tuple[int, ...], scene: Scene, matrix: Matrix
) -> Iterator[Fix]:
    fitting = next((row for row in engine_rows(name, matrix) if row.cuda in here), None)
    if fitting is not None:
        cudnn = f", with cuDNN {fitting.cudnn}" if fitting.cudnn else ""
        yield Fix(
            title=f"Install the releases for CUDA {fitting.cuda}{cudnn}",
            safety=safety(scene),
            steps=install(scene, f"{name}{fitting.releases}"),
        )
    cudnn = f" and cuDNN {build.cudnn}" if build.cudnn else ""
    text = f"Install CUDA {build.cuda}{cudnn} beside the other one; its folder goes into PATH (Linux: LD_LIBRARY_PATH)."
    yield by_hand(f"Install the CUDA that {name} {release} was built for", text)
