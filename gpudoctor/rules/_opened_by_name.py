"""CUDA libraries that GPU packages open by name, and that exist nowhere here.

CuPy compiles its kernels with NVRTC, which it opens when it first needs it; ONNX Runtime's CUDA provider is loaded
with the first session; PaddlePaddle opens cuDNN with the first convolution. No import fails, so nothing that is linked
tells (for Linux, the walk through ONNX Runtime's own files does: see LIB002).
"""

import posixpath
import re
from collections.abc import Iterable
from typing import NamedTuple

from gpudoctor.facts.driver import Driver
from gpudoctor.facts.finding import Severity
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.knowledge.milestones import milestone, numbers_of
from gpudoctor.plan.places import install, replace, safety
from gpudoctor.rules._gpu_packages import dist_for
from gpudoctor.rules.builds import built_for_cuda, release_numbers
from gpudoctor.rules.sections import Framework, Frameworks, Gpus, Libraries, LibraryCopy, Packages, Scene, System
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, SetEnv, by_hand, problem, seen
from gpudoctor.sources.library_names import nvrtc_name

#: In the package's requirements from this release on: onnxruntime.ai, CUDA Execution Provider; docs.cupy.dev, Install.
ONNXRUNTIME_EXTRAS, CUPY_EXTRA = numbers_of("onnxruntime-cuda-extra"), milestone("cupy-looks-into-packages")
#: CUDA majors of which a library may be judged by its name, and that CuPy has packages for.
FIRST = 11


class Opened(NamedTuple):
    """A package, the library that stands for what it opens, its file names by system, and packages that bring it."""

    package: str
    family: str
    names: dict[str, str]
    #: conda's packages with that library: their folders on Windows are not searched.
    conda: tuple[str, ...]
    effect: str


_OPENED = (
    Opened(
        "onnxruntime",
        "cublaslt",
        {"windows": "cublasLt64_{}.dll"},
        ("cudatoolkit", "libcublas"),
        "it uses the CPU instead",
    ),
    Opened(
        "cupy",
        "nvrtc",
        {"linux": "{}", "windows": "nvrtc64_{}_0.dll"},
        ("cudatoolkit", "cuda-nvrtc"),
        "it cannot compile its kernels",
    ),
    # By the name without a number, from /usr/local/cuda/lib64 or LD_LIBRARY_PATH: PaddlePaddle/Paddle/issues/47872.
    Opened("paddle", "cudnn", {"linux": "libcudnn.so"}, ("cudnn",), "convolutions fail on the GPU"),
)


def of_packages(
    gpus: Gpus | None,
    libraries: Libraries,
    frameworks: Frameworks,
    packages: Packages,
    host: System | None,
    scene: Scene,
) -> Iterator[Problem]:
    """What cannot be there: all copies were looked for, and none has the name that the package opens."""
    looked = libraries.dlls is not None or libraries.resolutions is not None
    if gpus is None or not gpus.nvidia or host is None or not looked:
        return
    for row in _OPENED:
        found = frameworks.get(row.package)
        name = _name(row, found.cuda, host.os or "") if found is not None and found.variant == "cuda" else None
        # What its compiled part is linked to and does not get is told first (LIB025), and says more.
        if found is None or found.cuda is None or name is None or _lacks_what_it_is_linked_to(found, libraries):
            continue
        # Who computes with another framework may have the package for something else.
        others = [one for one in built_for_cuda(frameworks) if one.name != row.package]
        beside: Severity | None = "warning" if others else None
        of_family = [copy for copy in libraries.copies if copy.family == row.family]
        there = [copy for copy in of_family if f"{_file(copy)}.".startswith(f"{name.lower()}.")]
        walked = libraries.resolution(row.package, name)
        if walked is not None and walked.path is None and there:
            yield _off_its_way(found, name, there[0], row, libraries, beside)
            continue
        on_windows = host.os == "windows" and _is_of_torch(found.cuda, frameworks)
        if there or on_windows or (walked is not None and walked.path) or _is_brought(row, found.cuda, packages):
            continue
        yield problem(
            f"{found.label} opens {name}, which is nowhere to be found; {row.effect}.",
            seen(f"{found.label} is built for", f"CUDA {found.cuda}", found.source),
            *(seen("there is", copy.path) for copy in of_family[:3]),
            subject=found.label,
            severity=beside,
            confidence="likely",
            fixes=tuple(_fixes(found, found.cuda.major, of_family, scene)),
        )


def _lacks_what_it_is_linked_to(found: Framework, libraries: Libraries) -> bool:
    names = {found.name, found.dist}
    return any(one.package in names and one.absent for one in libraries.extensions or ())


def _off_its_way(
    found: Framework, name: str, copy: LibraryCopy, row: Opened, libraries: Libraries, severity: Severity | None
) -> Problem:
    """The loader was followed: the file is in a folder where it does not look for this package."""
    folder = posixpath.dirname(copy.path)
    value = ":".join(dict.fromkeys((folder, *libraries.search_path)))
    return problem(
        f"{found.label} opens {name}, which is installed, but not where it looks; {row.effect}.",
        seen(f"{name} is installed at", copy.path),
        seen("LD_LIBRARY_PATH", ":".join(libraries.search_path) or "not set"),
        subject=found.label,
        severity=severity,
        confidence="likely",
        fix=Fix("Add the folder for this program", "safe", (SetEnv(name="LD_LIBRARY_PATH", value=value),)),
    )


def _name(row: Opened, cuda: CudaVersion | None, os: str) -> str | None:
    if cuda is None or cuda.major < FIRST or os not in row.names:
        return None
    if row.family != "nvrtc":
        return row.names[os].format(cuda.major)
    name = nvrtc_name(cuda.major)
    number = {11: "112"}.get(cuda.major, f"{cuda.major}0")
    return row.names[os].format(name if os == "linux" else number)


def _is_brought(row: Opened, cuda: CudaVersion, packages: Packages) -> bool:
    """A package that holds it is installed, wherever it put the file; or that is not known."""
    own = dist_for(row.family, cuda.major)
    return not packages.lacks(*row.conda, *((own,) if own else ()))


def _is_of_torch(cuda: CudaVersion, frameworks: Frameworks) -> bool:
    """PyTorch's builds for Windows bring the DLLs of their CUDA along."""
    torch = frameworks.get("torch")
    return torch is not None and torch.cuda is not None and torch.cuda.major == cuda.major


def _file(copy: LibraryCopy) -> str:
    """The file's name without what follows its SONAME: libnvrtc.so.12 of libnvrtc.so.12.4.127."""
    return (copy.soname or re.split(r"[/\\]", copy.path)[-1]).lower()


def _fixes(found: Framework, major: int, others: list[LibraryCopy], scene: Scene) -> Iterator[Fix]:
    if found.name == "paddle":
        yield _paddle(found)
        return
    yield from _cupy(found, major, others, scene) if found.name == "cupy" else _onnxruntime(found, scene)


def _paddle(paddle: Framework) -> Fix:
    """What pip has is called by a number only; the development package has the name without one."""
    major = (paddle.cudnn or "").partition(".")[0]
    package = f" (libcudnn{major}-dev)" if major else ""
    first = f"Install NVIDIA's cuDNN {major or 'of its time'} for CUDA {paddle.cuda}"
    text = f"{first} with its development files{package}: they have the name libcudnn.so."
    folder = "Its folder must be /usr/local/cuda/lib64, or stand in LD_LIBRARY_PATH."
    return by_hand(f"Install the cuDNN of {paddle.label}", text, folder)


def _onnxruntime(runtime: Framework, scene: Scene) -> Iterator[Fix]:
    numbers = release_numbers(runtime.version)
    if numbers is None or numbers < ONNXRUNTIME_EXTRAS:
        text = f"Install CUDA {runtime.cuda} and its cuDNN, and put their bin folders in PATH."
        yield by_hand(f"Install the CUDA that {runtime.label} was built with", text)
        return
    load = Ask(text="In your program, call onnxruntime.preload_dlls() before the first session.")
    wanted = f"{runtime.dist}[cuda,cudnn]=={runtime.version}"
    yield Fix(f"Install the CUDA libraries of {runtime.label}", safety(scene), (*install(scene, wanted), load))


def _cupy(cupy: Framework, major: int, others: Iterable[LibraryCopy], scene: Scene) -> Iterator[Fix]:
    """The build for the CUDA that is there; or NVRTC as a package, which CuPy knows of from release 14 on."""
    reached = scene.driver.cuda.major if isinstance(scene.driver, Driver) and scene.driver.cuda else major
    there = {int(m.group(1)) for copy in others if (m := re.search(r"(?:\.so\.|64_)(1[1-9])", _file(copy)))}
    for other in sorted((one for one in there if one <= reached), reverse=True):
        steps = replace(scene, (cupy.dist or "cupy",), f"cupy-cuda{other}x")
        yield Fix(f"Install CuPy for CUDA {other}, which is here", safety(scene), steps)
    if major > FIRST:
        steps = install(scene, f"cupy-cuda{major}x[ctk]>={CUPY_EXTRA}", options=("--upgrade",))
        yield Fix(f"Install CuPy {CUPY_EXTRA} with the libraries of CUDA {major}", safety(scene), steps)
    else:
        text = f"Install the toolkit of CUDA {cupy.cuda}, and let LD_LIBRARY_PATH name its lib64 folder."
        yield by_hand(f"Install CUDA {cupy.cuda}", text)
