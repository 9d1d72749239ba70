"""Works out a TensorFlow's CUDA from the libraries it opens: libcudart.so.10.1, cudart64_101.dll.

From CUDA 11 on all minors share a name (libcudart.so.11.0), and TensorFlow was never built with CUDA 10.2.
"""

from msgspec import structs

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Source
from gpudoctor.facts.libraries import Libraries
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.versions import CudaVersion

_RUNTIME = re.compile(r"(?:libcudart\.so\.|cudart64_)(?P<major>8|9|10)\.?(?P<minor>\d)(?:\.dll)?")
_CUDNN = re.compile(r"(?:libcudnn\.so\.|cudnn64_)(?P<major>\d)(?:\.dll)?")
_CUBLAS_OF_10_1 = re.compile(r"libcublas\.so\.10|cublas64_10\.dll")


def with_opened_libraries(snapshot: Snapshot) -> Snapshot:
    """The snapshot with TensorFlow's CUDA, where its log names the libraries and nothing else states it."""
    libraries, frameworks = snapshot.libraries, snapshot.frameworks
    opened = (libraries.resolutions or ()) if isinstance(libraries, Libraries) else ()
    names = [one.soname for one in opened if one.framework == "tensorflow" and one.how == "opened"]
    cuda = _cuda_of(names)
    known = frameworks if isinstance(frameworks, Frameworks) else Frameworks()
    there = known.get("tensorflow")
    if cuda is None or (there is not None and (there.cuda is not None or there.variant not in (None, "cuda"))):
        return snapshot
    source = Source(kind="derived", where="the libraries that TensorFlow opens")
    made = there or Framework(name="tensorflow", source=source)
    made = structs.replace(made, variant="cuda", cuda=cuda, cudnn=made.cudnn or _cudnn_of(names))
    others = tuple(one for one in known.found if one.name != "tensorflow")
    return structs.replace(snapshot, frameworks=structs.replace(known, found=(*others, made)))


def _cuda_of(names: list[str]) -> CudaVersion | None:
    for name in names:
        if match := _RUNTIME.fullmatch(name):
            return CudaVersion(f"{match['major']}.{match['minor']}")
    return CudaVersion("10.1") if any(_CUBLAS_OF_10_1.fullmatch(name) for name in names) else None


def _cudnn_of(names: list[str]) -> str | None:
    return next((match["major"] for name in names if (match := _CUDNN.fullmatch(name))), None)
