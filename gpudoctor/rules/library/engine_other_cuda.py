"""LIB027: ONNX Runtime or CTranslate2 was built for another CUDA or cuDNN than the one installed."""

from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.matrix.pairs import engine_build
from gpudoctor.rules._cuda_programs import engine_fixes, majors_of_packages, toolkits_by_major
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Libraries, Live, Matrix, Packages, Scene, Toolkits
from gpudoctor.rules.terms import Iterator, Problem, problem, rule, seen

#: By the program: the messages with which it says that it could not load its GPU part.
SAID = {
    "onnxruntime-gpu": ("onnxruntime-provider", "onnxruntime-cuda-path"),
    "ctranslate2": ("library-not-found-or-loaded", "cudnn-handle-invalid"),
}


@rule(
    "LIB027",
    name="engine-other-cuda",
    severity="error",
    since="0.2",
    when="frameworks.onnxruntime or frameworks.ctranslate2 or packages.onnxruntime-gpu or packages.ctranslate2",
)
def engine_other_cuda(
    toolkits: Toolkits | Gap | None,
    libraries: Libraries | Gap | None,
    frameworks: Frameworks | Gap | None,
    live: Live | Gap | None,
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
    said = {one.signature for one in pasted(live)} if isinstance(live, Live) else set()
    found = toolkits_by_major(toolkits)
    brought = majors_of_packages(scene.packages, frameworks)
    for name, messages in SAID.items():
        release = _release(name, scene.packages, frameworks)
        build = engine_build(name, release, matrix) if release is not None else None
        if release is None or build is None:
            continue
        is_said = bool(said.intersection(messages))
        if not is_said and not _is_shown(name, scene.packages, toolkits, libraries, frameworks, scene.gpus):
            continue
        cudnns = _cudnns(libraries)
        here = {*found} if is_said else {*found, *brought, *_copied(libraries)}
        fitting = {build.cuda} if is_said else {build.cuda, *build.also_for}
        is_other = bool(here) and not fitting.intersection({*here, *brought})
        is_other_cudnn = is_said and bool(cudnns) and build.cudnn is not None and build.cudnn not in cudnns
        if not (is_other or is_other_cudnn):
            continue
        beside = f" and cuDNN {build.cudnn}" if build.cudnn else ""
        numbers = {major: found[major].version if major in found else major for major in sorted(here)}
        words = [f"CUDA {one}" for one in numbers.values()] if is_other else []
        words += [f"cuDNN {one}" for one in cudnns.values()] if is_other_cudnn else []
        yield problem(
            f"{name} {release} is built for CUDA {build.cuda}{beside}, and what is here is {in_words(words)}.",
            seen(f"CUDA of {name} {build.releases}", f"{build.cuda}{beside}"),
            *(seen("toolkit", f"CUDA {one.version} in {one.root}", one.source) for one in found.values()),
            *(seen("packages for", f"CUDA {one}") for one in sorted(brought) if not is_said),
            *(seen("cuDNN", one) for one in cudnns.values()),
            subject=f"{name} {release}",
            confidence="likely",
            fixes=tuple(engine_fixes(name, release, build, tuple(here) if is_other else (), scene, matrix)),
        )


def _is_shown(
    name: str,
    packages: Packages | Gap | None,
    toolkits: Toolkits | Gap | None,
    libraries: Libraries | Gap | None,
    frameworks: Frameworks | Gap | None,
    gpus: Gpus | Gap | None,
) -> bool:
    """Nobody says that it fails, but all that could bring its CUDA was looked at, and its own way was not followed."""
    whole = isinstance(packages, Packages) and not packages.excerpt
    whole = whole and not isinstance(toolkits, Gap) and not (toolkits is not None and toolkits.excerpt)
    if not whole or not isinstance(libraries, Libraries) or not isinstance(gpus, Gpus) or not gpus.nvidia:
        return False
    program = name.removesuffix("-gpu")
    engine = frameworks.get(program) if isinstance(frameworks, Frameworks) else None
    walked = any(one.framework == program for one in libraries.resolutions or ())
    return engine is not None and engine.variant == "cuda" and not walked


def _copied(libraries: Libraries | Gap | None) -> set[int]:
    """Majors of which there is a copy of cuBLAS, which both open."""
    copies = libraries.copies if isinstance(libraries, Libraries) else ()
    return {one.cuda_major for one in copies if one.family in ("cublas", "cublaslt") and one.cuda_major is not None}


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
