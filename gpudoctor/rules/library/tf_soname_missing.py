"""LIB002: a framework does not find a CUDA library that it needs, on its search path or anywhere."""

from gpudoctor.facts.libraries import Resolution
from gpudoctor.knowledge.matrix.pairs import engine_build
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.places import install, safety
from gpudoctor.plan.toolkit_for_build import toolkit_for_build
from gpudoctor.rules._ctranslate2 import of_ctranslate2
from gpudoctor.rules._cuda_programs import engine_fixes, majors_of_packages, toolkits_by_major
from gpudoctor.rules._gpu_packages import dist_for
from gpudoctor.rules._missing_libraries import copies_of, fixes_for, package_of, where_looked
from gpudoctor.rules._opened_by_name import of_packages
from gpudoctor.rules._situation import known
from gpudoctor.rules._windows import copies_of_dll, dlls_of, has_toolkit
from gpudoctor.rules.builds import built_for_cuda, in_words, release_numbers
from gpudoctor.rules.sections import (
    Framework,
    Frameworks,
    Gap,
    Gpus,
    Libraries,
    Matrix,
    Packages,
    Scene,
    System,
    Toolkits,
)
from gpudoctor.rules.terms import Ask, Evidence, Fix, Iterator, Problem, by_hand, problem, rule, seen

#: The driver's own libraries: when they are missing, the rules of the driver say so.
DRIVER_LIBRARIES = ("libcuda.so", "libnvidia-ml.so", "nvcuda")
#: Libraries that frameworks do without, for several GPUs or faster inference.
OPTIONAL = ("libnvinfer", "libnccl", "libnvshmem", "libcufile", "libcupti", "libnvToolsExt")
#: Of these, what torch does not start without where its own libraries are linked to it.
LINKED = ("libnccl", "libcupti")


@rule("LIB002", name="tf-soname-missing", severity="error", when="frameworks.found.variant=cuda")
def tf_soname_missing(
    gpus: Gpus | None,
    libraries: Libraries,
    frameworks: Frameworks,
    toolkits: Toolkits | Gap | None,
    scene: Scene,
    matrix: Matrix,
) -> Iterator[Problem]:
    """A CUDA library that a framework needs is not on its search path.

    What it means:
    TensorFlow and JAX open the CUDA libraries by name when they start. One or more of these names lead nowhere, so the
    framework uses the processor. TensorFlow says "Cannot dlopen some GPU libraries" and lists no GPU.

    Why it breaks:
    Either the library is not installed: `pip install tensorflow` alone brings none of them. Or it is installed in a
    folder where the loader does not look: TensorFlow 2.21.0 from `tensorflow[and-cuda]` has cuSOLVER installed and
    leaves its folder out of the search path. CTranslate2, which faster-whisper runs on, looks into no package at all:
    "Could not load library libcudnn_ops_infer.so.8", "Unable to load any of {libcudnn_cnn.so.9.1.0 ...}". A package
    for one CUDA beside the toolkit of another finds none of its libraries: CuPy's build for CUDA 12 opens
    libnvrtc.so.12 where there is libnvrtc.so.13, ONNX Runtime's for CUDA 13 cublasLt64_13.dll.

    How to fix it:
    Install the CUDA libraries that the program was built for; for TensorFlow take its extra (and-cuda); or link what is
    installed into a folder where the program looks; or name its folder in LD_LIBRARY_PATH. The finding says which
    applies. An update of the package may take the link away with its folder; `gpudoctor check` then says so again.

    When to ignore it:
    If the framework is meant to run on the processor.

    Sources:
    https://www.tensorflow.org/install/pip
    https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html
    https://docs.cupy.dev/en/stable/install.html
    https://github.com/SYSTRAN/faster-whisper#gpu
    https://man7.org/linux/man-pages/man8/ld.so.8.html
    """
    if isinstance(scene.packages, Packages):
        yield from of_packages(gpus, libraries, frameworks, scene.packages, known(scene.host), scene)
    if isinstance(scene.host, System) and scene.host.os == "windows":
        if isinstance(scene.packages, Gap):
            return
        yield from _on_windows(gpus, libraries, frameworks, toolkits, scene.packages, scene)
        return
    yield from _of_onnxruntime(gpus, libraries, frameworks, toolkits, scene, matrix)
    yield from of_ctranslate2(gpus, libraries, frameworks, scene)
    for framework in built_for_cuda(frameworks):
        missing = _missing(framework, libraries)
        unreachable = tuple(one for one in missing if copies_of(one, libraries))
        has_gpu = gpus is not None and bool(gpus.nvidia)
        if not missing or not (has_gpu or unreachable):
            continue
        names = in_words(one.soname for one in missing)
        lost = "installed, but not where it looks" if len(unreachable) == len(missing) else "not found"
        lost = "there, but damaged" if all(one.unusable for one in missing) else lost
        yield problem(
            f"{framework.label} needs {names}, which {'is' if len(missing) == 1 else 'are'} {lost}.",
            *(seen(f"{one.soname} wanted by", one.wanted_by) for one in missing),
            *where_looked(framework, libraries),
            *filter(None, (_found(one, libraries, framework) for one in missing)),
            subject=framework.label,
            severity=None if has_gpu else "info",
            fixes=fixes_for(scene, framework, missing, libraries, matrix),
        )


def _missing(framework: Framework, libraries: Libraries) -> tuple[Resolution, ...]:
    names = ("jax", "jaxlib", framework.name) if framework.name.startswith("jax") else (framework.name,)
    found = (one for name in dict.fromkeys(names) for one in libraries.missing(name))
    return tuple(one for one in found if not one.soname.startswith((*DRIVER_LIBRARIES, *OPTIONAL)) or _is_linked(one))


def _is_linked(one: Resolution) -> bool:
    return one.framework == "torch" and one.how == "linked" and one.soname.startswith(LINKED)


def _found(one: Resolution, libraries: Libraries, framework: Framework) -> Evidence | None:
    if one.unusable:
        return seen(f"{one.soname} is no library that can be loaded", one.unusable)
    copies = copies_of(one, libraries)
    if copies:
        owner = f" (package {copies[0].dist})" if copies[0].dist else ""
        return seen(f"{one.soname} is installed at", f"{copies[0].path}{owner}")
    package = package_of(one, framework)
    if libraries.excerpt:
        return seen(f"{one.soname} comes with", package) if package else None
    return seen(f"{one.soname} is installed", f"no; it comes with {package}" if package else "no")


def _of_onnxruntime(
    gpus: Gpus | None,
    libraries: Libraries,
    frameworks: Frameworks,
    toolkits: Toolkits | Gap | None,
    scene: Scene,
    matrix: Matrix,
) -> Iterator[Problem]:
    """ONNX Runtime takes what torch or its own preload_dlls() has loaded; somewhere the libraries must be."""
    runtime = frameworks.get("onnxruntime")
    if runtime is None or runtime.variant != "cuda" or gpus is None or not gpus.nvidia:
        return
    wanted = _missing(runtime, libraries)
    missing = tuple(one for one in wanted if not copies_of(one, libraries))
    torch = frameworks.get("torch")
    if wanted and not missing and (torch is None or torch.variant != "cuda"):
        yield _left_to_the_program(runtime, wanted, libraries)
    if not missing:
        return
    yield problem(
        f"{runtime.label} needs {in_words(one.soname for one in missing)}, not found; it uses the CPU instead.",
        *tuple(seen(f"{one.soname} wanted by", one.wanted_by) for one in missing),
        subject=runtime.label,
        fixes=tuple(_fixes_of_onnxruntime(runtime, missing, frameworks, toolkits, scene, matrix)),
    )


def _left_to_the_program(runtime: Framework, wanted: tuple[Resolution, ...], libraries: Libraries) -> Problem:
    """They are in pip's packages, where the loader does not look, and no torch loads them first."""
    loads = (release_numbers(runtime.version) or ()) >= numbers_of("onnxruntime-loads-packages")
    text = "Put the lib folders of these packages into LD_LIBRARY_PATH: release 1.20 and older do not look there."
    if loads:
        text = "Call onnxruntime.preload_dlls() in your program before it makes its first session."
    return problem(
        f"{runtime.label} does not find {in_words(one.soname for one in wanted)}: installed, but not where it looks.",
        *filter(None, (_found(one, libraries, runtime) for one in wanted)),
        subject=runtime.label,
        severity="warning" if loads else None,
        confidence="likely",
        fix=by_hand(f"Let {runtime.label} find its libraries", text),
    )


def _fixes_of_onnxruntime(
    runtime: Framework,
    missing: tuple[Resolution, ...],
    frameworks: Frameworks,
    toolkits: Toolkits | Gap | None,
    scene: Scene,
    matrix: Matrix,
) -> Iterator[Fix]:
    build = engine_build("onnxruntime-gpu", runtime.version or "", matrix)
    major = runtime.cuda.major if runtime.cuda else build.cuda if build else None
    installed = set(toolkits_by_major(toolkits))
    here = majors_of_packages(scene.packages, frameworks) - {major} | (set() if major in installed else installed)
    if build is not None and here:
        yield from engine_fixes("onnxruntime-gpu", runtime.version or "", build, tuple(sorted(here)), scene, matrix)
        return
    wanted = tuple(dict.fromkeys(name for one in missing if (name := dist_for(one.family, major))))
    loads = (release_numbers(runtime.version) or ()) >= numbers_of("onnxruntime-loads-packages")
    if loads or frameworks.get("torch"):
        text = "In your program, import torch first, or call onnxruntime.preload_dlls() (from release 1.21 on)."
    else:
        text = "Release 1.20 and older do not look into these packages: put their lib folders into LD_LIBRARY_PATH."
    load = Ask(text=text)
    if wanted:
        yield Fix(f"Install the CUDA libraries of {runtime.label}", safety(scene), (*install(scene, *wanted), load))


def _on_windows(
    gpus: Gpus | None,
    libraries: Libraries,
    frameworks: Frameworks,
    toolkits: Toolkits | Gap | None,
    packages: Packages | Gap | None,
    scene: Scene,
) -> Iterator[Problem]:
    """TensorFlow for native Windows brings no CUDA along; without any toolkit, conda's too, its DLLs are nowhere."""
    if isinstance(packages, Packages) and packages.find("cudatoolkit") is not None:
        return
    tensorflow = frameworks.get("tensorflow")
    if tensorflow is None or tensorflow.variant != "cuda" or gpus is None or not gpus.nvidia or has_toolkit(toolkits):
        return
    missing = tuple(name for name in dlls_of(tensorflow) if not copies_of_dll(name, libraries))
    if not missing or len(missing) < len(dlls_of(tensorflow)):
        return
    yield problem(
        f"{tensorflow.label} needs {in_words(missing)}, which {'is' if len(missing) == 1 else 'are'} nowhere "
        "to be found.",
        seen("built with CUDA", tensorflow.cuda, tensorflow.source),
        seen("CUDA toolkits", "none found"),
        subject=tensorflow.label,
        confidence="likely",
        fix=toolkit_for_build(tensorflow.cuda, tensorflow.cudnn, scene) if tensorflow.cuda else None,
    )
