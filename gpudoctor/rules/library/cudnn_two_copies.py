"""LIB011 cudnn-two-copies."""

from collections.abc import Iterator

from gpudoctor.model.base import Gap
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.libraries import Libraries, Resolution
from gpudoctor.model.python import Packages
from gpudoctor.model.system import System
from gpudoctor.rules._builds import in_words
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen

#: dlib is linked to the cuDNN of a toolkit when it is compiled, and loads it at its import; the other imports dlib.
LINKED = ("dlib", "face-recognition")


@rule("LIB011", name="cudnn-two-copies", severity="warning", since="0.1")
def cudnn_two_copies(
    gpus: Gpus, libraries: Libraries, packages: Packages | Gap | None, host: System | Gap | None
) -> Iterator[Problem]:
    """A framework would load the parts of cuDNN from different copies.

    What it means:
    cuDNN 8 and newer is several libraries (libcudnn.so, libcudnn_ops.so, libcudnn_cnn.so …) that must be of one
    version. The loader would take some from one copy and some from another. On Windows a process has one DLL of a name:
    where torch brings its own cudnn64_8.dll and dlib is linked to a toolkit's, the one imported first decides.

    Why it breaks:
    cuDNN checks its parts: "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", or "Could not load library
    libcudnn_cnn_infer.so.8", or a crash.

    How to mend it:
    Keep one copy on the search path: the one in the environment.

    When to ignore it:
    If both copies are of the same version.

    Sources:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/
    """
    if not gpus.nvidia:
        return
    if isinstance(host, System) and host.os == "windows":
        yield from _on_windows(libraries, packages)
        return
    by_framework: dict[str, list[Resolution]] = {}
    for one in libraries.resolutions or ():
        if one.family == "cudnn" and one.path is not None and one.version is not None:
            by_framework.setdefault(one.framework, []).append(one)
    for framework, parts in by_framework.items():
        versions = sorted({str(part.version) for part in parts})
        if len(versions) < 2:
            continue
        yield Problem(
            summary=f"{framework} would load parts of cuDNN {in_words(versions)} together.",
            subject=framework,
            evidence=tuple(seen(part.soname, f"{part.version} from {part.path}") for part in parts),
            fixes=(
                Fix(
                    title="Keep one cuDNN on the search path",
                    safety="manual",
                    steps=(
                        Ask(text="Take the folder of the foreign copy out of LD_LIBRARY_PATH or uninstall that copy."),
                    ),
                ),
            ),
        )


def _on_windows(libraries: Libraries, packages: Packages | Gap | None) -> Iterator[Problem]:
    """A DLL that torch brings, and another version of it that a package compiled here is linked to."""
    linked = [name for name in LINKED if isinstance(packages, Packages) and packages.find(name) is not None]
    copies = [one for one in libraries.copies if one.family == "cudnn" and one.version is not None]
    own = next((one for one in copies if one.origin == "bundled"), None)
    if not linked or own is None:
        return
    others = [
        one for one in copies if one.origin != "bundled" and one.soname == own.soname and one.version != own.version
    ]
    if not others:
        return
    text = f"Import torch before {linked[0]}. For good: bring the toolkit's cuDNN to {own.version}."
    yield Problem(
        summary=f"{linked[0]} is linked to cuDNN {others[0].version}, and torch brings {own.version}; one program gets "
        "only one of them.",
        subject=own.soname,
        severity="error",
        confidence="likely",
        evidence=(
            seen("torch's copy", f"{own.version}, {own.path}"),
            *(seen("other copy", f"{one.version}, {one.path}") for one in others),
        ),
        fixes=(Fix(title="Keep to one cuDNN", safety="manual", steps=(Ask(text=text),)),),
    )
