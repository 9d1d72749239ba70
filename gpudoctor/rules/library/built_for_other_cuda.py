"""LIB026: a program was built for another CUDA or cuDNN than the one that is installed."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.libraries import Resolution
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.cuda_programs import cuda_program
from gpudoctor.plan.cuda_for_program import for_program, of_its_cuda
from gpudoctor.plan.toolkit_for_build import toolkit_for_build
from gpudoctor.rules._missing_libraries import FIRST_EXTRA
from gpudoctor.rules.builds import in_words, release_numbers
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Frameworks, Gap, Libraries, Live, Matrix, Scene, Toolkits
from gpudoctor.rules.terms import Evidence, Fix, Iterator, Problem, problem, rule, seen
from gpudoctor.sources.library_builds import cuda_of, cudnn_of
from gpudoctor.sources.library_names import family_of

#: /usr/local/cuda-10.1/lib64, CUDA\\v8.0\\bin
_IN_PATH = re.compile(r"cuda[-/\\]v?(\d{1,2}\.\d)\d?[/\\]", re.IGNORECASE)


@rule("LIB026", name="built-for-other-cuda", severity="error", since="0.2", when="libraries.resolutions")
def built_for_other_cuda(
    libraries: Libraries,
    toolkits: Toolkits | Gap | None,
    frameworks: Frameworks | Gap | None,
    live: Live | Gap | None,
    scene: Scene,
    matrix: Matrix,
) -> Iterator[Problem]:
    """A program was built for another CUDA or cuDNN than the one that is installed.

    What it means:
    A compiled program opens CUDA's libraries by names that carry a version: libcublas.so.11, cudart64_101.dll,
    libcudnn.so.8. It asks for those of the CUDA that it was built with, and this machine has another CUDA.

    Why it breaks:
    The libraries of another CUDA have other names, so the loader finds nothing: "cannot open shared object file",
    "cudart64_101.dll not found", "Error 126". Up to CUDA 10 each minor release has names of its own, from CUDA 11 on
    each major. A link under the wanted name does not help: the content differs. The CUDA that nvidia-smi shows is the
    newest that the driver serves, and brings no libraries.

    How to fix it:
    Install the build of the program for the CUDA that is there; or install the libraries that it asks for beside the
    others, and name their folder in LD_LIBRARY_PATH (on Windows in PATH). The driver need not be changed for it.

    When to ignore it:
    If the program is meant to run on the processor, and goes on without these libraries.

    Sources:
    https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/
    https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html#requirements
    https://www.tensorflow.org/install/source#gpu
    """
    # On a machine that was looked at, the loader's own search tells more.
    if not pasted(live):
        return
    askers = dict.fromkeys(one.framework for one in libraries.resolutions or () if one.path is None)
    for asker in askers:
        missing = libraries.missing(asker)
        here = _cudas(asker, toolkits, frameworks, libraries)
        other = [one for one in missing if _is_other(one, here, libraries)]
        cudnn = [one for one in missing if _is_other_cudnn(one, libraries)]
        if not other and not cudnn:
            continue
        names = tuple(dict.fromkeys(one.soname for one in (*other, *cudnn)))
        built = in_words(dict.fromkeys([*(f"CUDA {cuda_of(one.soname)}" for one in other), *map(_cudnn_words, cudnn)]))
        there = in_words(dict.fromkeys(one.value for one in _there(other, cudnn, here, libraries)))
        own = None if other else _both(asker, here, frameworks, scene)
        if not other and not here and own is None:
            own = of_its_cuda(asker, [one for one in dict.fromkeys(map(_cudnn_asked, cudnn)) if one], scene)
        fix = own or for_program(asker, names, tuple(here), scene, matrix, _release(asker, frameworks))
        yield problem(
            f"{_capital(missing[0].wanted_by)} was built for {built}; what is there is {there}.",
            seen("it did not find", ", ".join(names)),
            *_there(other, cudnn, here, libraries),
            subject=missing[0].wanted_by,
            confidence="likely",
            fixes=tuple(filter(None, (fix,))),
        )
        return


def _release(asker: str, frameworks: Frameworks | Gap | None) -> str | None:
    found = frameworks.get(asker) if isinstance(frameworks, Frameworks) else None
    return found.version if found else None


def _both(asker: str, here: list[CudaVersion], frameworks: Frameworks | Gap | None, scene: Scene) -> Fix | None:
    """A cuDNN is for one CUDA: that of the TensorFlow that asks for it, where the CUDA that is there is another."""
    found = frameworks.get("tensorflow") if isinstance(frameworks, Frameworks) and asker == "tensorflow" else None
    numbers = release_numbers(found.version) if found else None
    if found is None or found.cuda is None or found.cudnn is None or numbers is None or numbers >= FIRST_EXTRA:
        return None
    if not here or found.cuda in here:
        return None
    return toolkit_for_build(found.cuda, found.cudnn, scene)


def _capital(title: str) -> str:
    """Packages keep their names."""
    return f"T{title[1:]}" if title.startswith("the ") else title


def _cudas(
    asker: str, toolkits: Toolkits | Gap | None, frameworks: Frameworks | Gap | None, libraries: Libraries
) -> list[CudaVersion]:
    """What is there for it: torch's own for what is linked to torch, else the toolkits'."""
    program = cuda_program(asker)
    torch = frameworks.get("torch") if isinstance(frameworks, Frameworks) else None
    of_torch = [torch.cuda] if torch is not None and torch.cuda is not None else []
    if program is not None and program.of_torch and of_torch:
        return of_torch
    found = toolkits.found if isinstance(toolkits, Toolkits) else ()
    folders = (_IN_PATH.search(copy.path) for copy in libraries.copies)
    stated = [
        *(of_torch if program is None else ()),
        *(one.version for one in found if one.version is not None),
        *(CudaVersion(one[1]) for one in folders if one),
    ]
    finer = {one.major for one in stated if "." in one.text}
    return [one for one in dict.fromkeys(stated) if "." in one.text or one.major not in finer]


def _is_other(one: Resolution, here: list[CudaVersion], libraries: Libraries) -> bool:
    """Something is there, and none of it is of a CUDA that has that name."""
    span = cuda_of(one.soname)
    if span is None:
        return False
    family = family_of(one.soname)
    listed = [(copy.family, own) for copy in libraries.copies if (own := cuda_of(copy.soname))]
    of_family = [own for name, own in listed if name == family]
    if of_family:
        # Files say more than words.
        return not any(map(span.overlaps, of_family))
    return bool(here) and not any(map(span.holds, here)) and not any(span.overlaps(own) for _, own in listed)


def _holds(asked: Resolution, cuda: CudaVersion) -> bool:
    span = cuda_of(asked.soname)
    return span is not None and span.holds(cuda)


def _is_other_cudnn(one: Resolution, libraries: Libraries) -> bool:
    wanted, there = cudnn_of(one.soname), _cudnns(libraries)
    return wanted is not None and bool(there) and wanted not in there


def _cudnns(libraries: Libraries) -> list[int]:
    copies = [one for one in libraries.copies if one.family == "cudnn"]
    majors = (one.version.major if one.version else cudnn_of(one.soname) for one in copies)
    return list(dict.fromkeys(major for major in majors if major))


def _cudnn_asked(one: Resolution) -> int | None:
    return cudnn_of(one.soname)


def _cudnn_words(one: Resolution) -> str:
    return f"cuDNN {_cudnn_asked(one)}"


def _there(
    other: list[Resolution], cudnn: list[Resolution], here: list[CudaVersion], libraries: Libraries
) -> tuple[Evidence, ...]:
    families = {family_of(one.soname) for one in other}
    listed = [seen("what is there", one.soname) for one in libraries.copies if one.family in families]
    cudas = [seen("what is there", f"CUDA {one}") for one in here if not any(_holds(asked, one) for asked in other)]
    cudas = (cudas or listed) if other else []
    return (*cudas[:4], *(seen("what is there", f"cuDNN {one}") for one in (_cudnns(libraries) if cudnn else ())))
