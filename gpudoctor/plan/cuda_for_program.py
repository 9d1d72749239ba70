"""Fixes for a program whose CUDA libraries are missing: its build for the CUDA here, or those libraries."""

import posixpath
import shlex
from collections.abc import Iterator

from gpudoctor.facts.fix import Ask, Fix, Run
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.cuda_programs import CudaProgram, cuda_program
from gpudoctor.knowledge.matrix.offer_types import EngineBuild, Extension
from gpudoctor.knowledge.matrix.pairs import engine_rows
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.plan.compatibility import numpy1_of_release
from gpudoctor.plan.paddle_for_cuda import paddle_for_cuda
from gpudoctor.plan.places import CHANNEL, install, nvidia_gpus, safety, wheel_platform
from gpudoctor.plan.specifiers import meets
from gpudoctor.plan.this_machine import machine_here
from gpudoctor.sources.library_builds import CudaSpan, cuda_of, cudnn_of
from gpudoctor.sources.library_names import DISTS, family_of

#: NVIDIA has no packages of libraries for an older CUDA, and conda-forge's cudatoolkit is of these.
_FIRST_WHEELS = 11
_CUDATOOLKIT = (CudaVersion(milestone("conda-cudatoolkit-begins")), CudaVersion(milestone("conda-cudatoolkit-ends")))
_NEWER_TENSORFLOW = (
    "Or take a TensorFlow that brings its own CUDA libraries along: "
    f"`pip install 'tensorflow[and-cuda]>={milestone('tensorflow-cuda-extra')}'`."
)
#: The last CUDA with libcusolver.so.10.
_BEFORE_CUSOLVER = CudaVersion(milestone("cuda-cusolver-renamed"))
#: What cuDNN is taken for where nothing tells the CUDA.
_USUAL = CudaVersion(f"{milestone('cuda-of-most-drivers')}.0")
#: The first cuDNN of which NVIDIA has packages; the one before is for CUDA up to 10.2.
_FIRST_CUDNN = 8
#: Families whose packages keep -cu13.
_WITH_SUFFIX = ("cudnn", "nccl", "cusparselt", "nvshmem")
_WITHOUT_SUFFIX = 13
_BUILT_WITH = (
    '`python -c "import paddle; print(paddle.version.cuda(), paddle.version.cudnn())"` prints the CUDA and the cuDNN '
    "that this PaddlePaddle was built with."
)
_ARCHIVES = "https://developer.nvidia.com/cuda-toolkit-archive, https://developer.nvidia.com/cudnn-archive"


def for_program(
    asker: str,
    names: tuple[str, ...],
    here: tuple[CudaVersion, ...],
    scene: Scene,
    matrix: Matrix,
    release: str | None = None,
) -> Fix | None:
    """What to do where a program did not find the libraries `names`, and the CUDAs `here` are what there is.

    `release` is the program's, where it is known.
    """
    program = cuda_program(asker)
    spans = [span for name in names if (span := cuda_of(name))]
    # What was built for a CUDA that is there is no other build's matter.
    others = () if any(span.holds(one) for one in here for span in spans) else sorted(here, reverse=True)
    own = [wanted for cuda in others if (wanted := _build(program, cuda, scene, matrix, release))]
    beside = _beside(program, names, here, scene, matrix)
    aside = tuple(Ask(text=one) for one in program.say) if program else ()
    title = program.title if program and program.id == asker else asker
    if own:
        requirement, index, cuda = own[0]
        steps = install(scene, requirement, *_bounds(requirement, scene, matrix), index=index)
        other = _or_keep_it(beside)
        steps = (*steps, *aside, *((other,) if other else ()))
        return Fix(title=f"Install the build of {title} for CUDA {cuda}", safety=safety(scene), steps=steps)
    if program and program.say and not (program.table or program.packages):
        other = None if program.of_torch else _or_keep_it(beside)
        return Fix(title=program.say[0], safety="manual", steps=(*aside[1:], *((other,) if other else ())))
    if beside is None:
        return None
    if program and program.table == "tensorflow" and scene.os != "windows":
        aside = (Ask(text=_NEWER_TENSORFLOW),)
    if program is None and others:
        aside = (Ask(text=f"Or take a build of the program for CUDA {max(others)}."),)
    return Fix(title=beside.title, safety=beside.safety, steps=(*beside.steps, *aside))


def _bounds(requirement: str, scene: Scene, matrix: Matrix) -> tuple[str, ...]:
    """What a release of TensorFlow needs of NumPy and protobuf, which it does not ask for itself."""
    name, _, release = requirement.partition("==")
    if not name.startswith("tensorflow"):
        return ()
    numpy = numpy1_of_release("tensorflow", release, machine_here(scene, matrix), matrix)
    protobuf = matrix.tf_protobuf(release)
    works = f"protobuf{protobuf.works}" if protobuf is not None and protobuf.works else ""
    return tuple(filter(None, (works, f"numpy{numpy}" if numpy else "")))


def its_folder(cuda: CudaVersion, scene: Scene) -> Fix:
    """The CUDA that is there has the libraries: the loader does not look into its folder."""
    if scene.os == "windows":
        name, value = "PATH", f"$env:ProgramFiles\\NVIDIA GPU Computing Toolkit\\CUDA\\v{cuda}\\bin"
        typed = f'$env:PATH = "{value};$env:PATH"'
    else:
        name, typed = "LD_LIBRARY_PATH", f"export LD_LIBRARY_PATH=/usr/local/cuda-{cuda}/lib64:$LD_LIBRARY_PATH"
    where = Ask(text=f"In the shell that starts the program: {typed}")
    cudnn = Ask(text="cuDNN's own folder, too, where that is another; with conda it is the environment's lib.")
    return Fix(title=f"Name the folder of CUDA {cuda} in {name}", safety="manual", steps=(where, cudnn))


def of_its_cuda(asker: str, cudnns: list[int], scene: Scene) -> Fix | None:
    """One release of cuDNN is for several CUDAs: what to do where nothing tells which the program was built with."""
    program = cuda_program(asker)
    if program is not None and program.table != "paddle":
        return None
    asking, wanted = program.title if program else "the program", " and ".join(map(str, cudnns))
    text = f"Its documentation names both; they are at {_ARCHIVES}. {_name_folder('their folders', scene)}"
    steps = (Ask(text=text), *((Ask(text=_BUILT_WITH),) if program else ()))
    title = f"Install the CUDA that {asking} was built with, and its cuDNN {wanted}"
    return Fix(title=title, safety="manual", steps=steps)


def _or_keep_it(beside: Fix | None) -> Ask | None:
    if beside is None or beside.safety == "manual":
        return None
    typed = (
        f"`{shlex.join(one.argv)}`." if isinstance(one, Run) else one.text
        for one in beside.steps
        if isinstance(one, (Run, Ask))
    )
    return Ask(text=f"Or keep it: {beside.title}. {' '.join(typed)}")


def _build(
    program: CudaProgram | None, cuda: CudaVersion, scene: Scene, matrix: Matrix, release: str | None
) -> tuple[str, str | None, CudaVersion] | None:
    """What to ask pip for, the index that has it, and the CUDA that it is for."""
    if program is None:
        return None
    if program.table == "tensorflow":
        wanted = tensorflow_for_cuda(cuda, scene, matrix)
        return (wanted, None, cuda) if wanted else None
    if program.table == "paddle":
        return paddle_for_cuda(cuda, release, scene, matrix)
    if program.table == "engines":
        row = _engine(program, cuda.major, matrix)
        return (f"{row.package}{row.releases}", None, cuda) if row else None
    if program.table == "extensions":
        found = _extension(program.package, cuda, scene, matrix)
        return (found, None, cuda) if found else None
    wanted = program.package_for(cuda)
    return (wanted, None, cuda) if wanted else None


def _engine(program: CudaProgram, major: int, matrix: Matrix) -> EngineBuild | None:
    return next((row for row in engine_rows(program.package, matrix) if row.cuda == major), None)


def _extension(package: str, cuda: CudaVersion, scene: Scene, matrix: Matrix) -> str | None:
    for row in matrix.table("extensions"):
        is_one = isinstance(row, Extension) and row.package == package and cuda.major in row.cuda
        if is_one and _runs_on(row.requires_python, scene):
            return f"{row.dist or row.package}=={row.versions[0]}"
    return None


def _runs_on(pythons: str, scene: Scene) -> bool:
    return not pythons or scene.python_minor is None or meets(f"{scene.python_minor}.99", pythons)


def tensorflow_for_cuda(cuda: CudaVersion, scene: Scene, matrix: Matrix) -> str | None:
    """The newest release that opens that CUDA's libraries, or brings its own of that major."""
    platform = wheel_platform(scene.host) or ("windows-x86_64" if scene.os == "windows" else "linux-x86_64")
    later = None
    for row in matrix.tensorflow_builds(platform=platform):
        if row.build != "gpu" or row.cuda is None or row.defect or not _has_its_names(cuda, row.cuda):
            continue
        if scene.python_minor is not None and row.pythons and scene.python_minor not in row.pythons:
            continue
        wanted = f"{row.dist}{'[and-cuda]' if row.and_cuda else ''}=={row.last}"
        if row.cuda <= cuda:
            return wanted
        later = wanted if row.dist == "tensorflow" or later is None else later
    # Of those for a later minor the first, as its libraries have the same names.
    return later


def _has_its_names(cuda: CudaVersion, built: CudaVersion) -> bool:
    """From CUDA 11 on the libraries of one major have one name, but cuSOLVER's, which came with 11.1."""
    if "." not in cuda.text:
        return False
    if built.major < _FIRST_WHEELS or cuda.major < _FIRST_WHEELS or _BEFORE_CUSOLVER in (built, cuda):
        return built == cuda
    return built.major == cuda.major


def _beside(
    program: CudaProgram | None, names: tuple[str, ...], here: tuple[CudaVersion, ...], scene: Scene, matrix: Matrix
) -> Fix | None:
    """The libraries that were asked for, beside what is there: NVIDIA's packages, conda's, else a toolkit."""
    spans = [span for name in names if (span := cuda_of(name))]
    cudnns = sorted({major for name in names if (major := cudnn_of(name))})
    if not spans and not cudnns:
        return None
    there = [one for one in here if "." in one.text and all(span.holds(one) for span in spans)]
    cuda = max(there) if there else _latest_of(spans) if spans else max(here, default=_USUAL)
    if cuda is None:
        # One name for several CUDAs.
        return None
    if any(matrix.predates(cuda, one) for gpu in nvidia_gpus(scene) if (one := matrix.capability(gpu))):
        # Its compiler, cuBLAS and cuDNN have no code for the GPU.
        title = program.title if program else "the program"
        return Fix(
            title=f"Take a newer build of {title}: CUDA {cuda} is older than this GPU", safety="manual", steps=()
        )
    of_cuda = [f"CUDA {_words(spans)}"] if spans and not there else []
    label = " and ".join((*of_cuda, *(f"cuDNN {one}" for one in cudnns))) or f"CUDA {cuda}"
    title = f"Install the libraries of {label}{' beside what is there' if here else ', which it asks for'}"
    is_tensorflow = program is not None and program.table == "tensorflow"
    is_first_of_11 = any(span.last == (_FIRST_WHEELS, 0) for span in spans)
    of_wheels = cuda.major >= _FIRST_WHEELS and not is_first_of_11 and all(one >= _FIRST_CUDNN for one in cudnns)
    if of_wheels and not (is_tensorflow and cuda.major == _FIRST_WHEELS):
        wanted = tuple(dict.fromkeys(_packages(_all_of(program, names, cuda.major, matrix), cuda.major)))
        if wanted:
            folders = ", ".join(dict.fromkeys(_folder(one, scene) for one in wanted))
            steps = (*install(scene, *wanted), Ask(text=_name_folder(folders, scene)))
            return Fix(title=title, safety=safety(scene), steps=steps)
    first, last = _CUDATOOLKIT
    if first <= cuda <= last and all(one >= _FIRST_CUDNN or cuda.major < _FIRST_WHEELS for one in cudnns):
        # As TensorFlow's own page has it for its last releases with CUDA 11.
        of_11 = ("cudatoolkit=11.2", "cudnn=8.1.0") if cuda.major == _FIRST_WHEELS and not is_first_of_11 else None
        cudnn = f"cudnn={cudnns[-1]}" if cudnns else "cudnn"
        words = of_11 or (f"cudatoolkit={cuda.major}.{cuda.minor}", cudnn)
        conda = Run(argv=("conda", "install", "--channel", CHANNEL, *words))
        folder = "%CONDA_PREFIX%\\Library\\bin" if scene.os == "windows" else "$CONDA_PREFIX/lib"
        return Fix(title=title, safety="review", steps=(conda, Ask(text=_name_folder(folder, scene))))
    text = f"Take it from {_ARCHIVES}, without its driver. {_name_folder('its folder', scene)}"
    return Fix(title=title, safety="manual", steps=(Ask(text=text),))


def _latest_of(spans: list[CudaSpan]) -> CudaVersion | None:
    """A CUDA that has all of the names: the last minor of 10, else any of the major; None where it is not decided."""
    first = max(span.first for span in spans)
    last = min(span.last for span in spans)
    if last[0] < _FIRST_WHEELS:
        return CudaVersion(f"{last[0]}.{last[1]}")
    first = max(first, (_FIRST_WHEELS, 0))
    return CudaVersion(f"{first[0]}.{first[1]}") if first[0] == last[0] else None


def _words(spans: list[CudaSpan]) -> str:
    return str(max(spans, key=lambda span: span.first))


def _all_of(program: CudaProgram | None, names: tuple[str, ...], major: int, matrix: Matrix) -> tuple[str, ...]:
    """With those that it asks for next."""
    row = _engine(program, major, matrix) if program and program.table == "engines" else None
    cudnn = (f"libcudnn.so.{row.cudnn}",) if row and row.cudnn and not any(map(cudnn_of, names)) else ()
    return (*names, *(program.libraries if program else ()), *cudnn)


def _packages(names: tuple[str, ...], major: int) -> Iterator[str]:
    for name in names:
        family = family_of(name) or ""
        if family in DISTS:
            suffix = f"-cu{major}" if major < _WITHOUT_SUFFIX or family in _WITH_SUFFIX else ""
            pin = f"=={cudnn_of(name)}.*" if family == "cudnn" and cudnn_of(name) else ""
            yield f"{DISTS[family]}{suffix}{pin}"
            if family == "cudnn":
                # It is linked to cuBLAS, and pip brings it along.
                yield f"{DISTS['cublas']}{f'-cu{major}' if major < _WITHOUT_SUFFIX else ''}"


def _folder(package: str, scene: Scene) -> str:
    name = package.partition("=")[0].removeprefix("nvidia-")
    is_plain = "-cu1" not in name
    part = f"cu{_WITHOUT_SUFFIX}" if is_plain else name.rpartition("-cu")[0].replace("-", "_")
    inner = "bin" if scene.os == "windows" else "lib"
    path = posixpath.join("<SITE_PACKAGES>", "nvidia", part, inner)
    return path.replace("/", "\\") if scene.os == "windows" else path


def _name_folder(folder: str, scene: Scene) -> str:
    variable = "PATH" if scene.os == "windows" else "LD_LIBRARY_PATH"
    return f"Put {folder} on {variable}, before the program starts."
