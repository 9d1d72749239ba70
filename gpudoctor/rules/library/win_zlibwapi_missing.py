"""LIB022: on Windows, cuDNN 8 needs zlibwapi.dll, which was not found."""

from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.milestones import milestone
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Libraries, Packages, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

NAME = "zlibwapi.dll"
#: Packages that load the cuDNN of a toolkit, beside TensorFlow.
USERS = ("paddlepaddle-gpu", "onnxruntime-gpu", "mxnet-cu112", "tensorrt")
#: NVIDIA's installation guide asks for zlib from 8.3 on; cuDNN 9 links it in.
FIRST, LAST = LibraryVersion(milestone("cudnn-zlib")), LibraryVersion(milestone("cudnn-zlib-linked-in"))


@rule("LIB022", name="win-zlibwapi-missing", severity="error")
def win_zlibwapi_missing(
    gpus: Gpus, libraries: Libraries, frameworks: Frameworks | None, packages: Packages | Gap | None, host: System
) -> Iterator[Problem]:
    """On Windows, cuDNN 8 needs zlibwapi.dll, which was not found.

    What it means:
    cuDNN from 8.3 to 8.9 for Windows needs the library zlib under the name zlibwapi.dll, and does not bring it.

    Why it breaks:
    The program ends without a Python error: "Could not locate zlibwapi.dll. Please make sure it is in your library
    path!" PyTorch brings the file; TensorFlow with a cuDNN of your own does not.

    How to fix it:
    Get the file from where NVIDIA's guide for that cuDNN says, and put it in a folder of PATH. Do not take DLLs from
    download sites.

    When to ignore it:
    If nothing but PyTorch uses cuDNN here.

    Sources:
    https://docs.nvidia.com/deeplearning/cudnn/archives/cudnn-897/install-guide/index.html
    """
    if host.os != "windows" or not gpus.nvidia or libraries.dlls is None:
        return
    if not _uses_cudnn(frameworks, packages) or libraries.dlls.get(NAME, "not looked") is not None:
        return
    copy = next(
        (
            one
            for one in libraries.copies
            if one.family == "cudnn" and one.origin != "bundled" and one.version and FIRST <= one.version < LAST
        ),
        None,
    )
    if copy is None:
        return
    text = f"Follow NVIDIA's guide for cuDNN {copy.version} and put {NAME} in a folder of PATH."
    yield problem(
        f"cuDNN {copy.version} needs {NAME}, which is not on this machine.",
        seen("cuDNN", f"{copy.version}, {copy.path}"),
        seen(NAME, "not found"),
        subject=NAME,
        fix=by_hand(f"Add {NAME}", text),
    )


def _uses_cudnn(frameworks: Frameworks | None, packages: Packages | Gap | None) -> bool:
    tensorflow = frameworks.get("tensorflow") if frameworks is not None else None
    if tensorflow is not None and tensorflow.variant == "cuda":
        return True
    return isinstance(packages, Packages) and any(packages.find(name) for name in USERS)
