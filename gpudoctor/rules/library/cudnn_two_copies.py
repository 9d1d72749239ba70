"""LIB011 cudnn-two-copies."""

from collections.abc import Iterator

from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.libraries import Libraries, Resolution
from gpudoctor.rules._builds import in_words
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen


@rule("LIB011", name="cudnn-two-copies", severity="warning", since="0.1")
def cudnn_two_copies(gpus: Gpus, libraries: Libraries) -> Iterator[Problem]:
    """A framework would load the parts of cuDNN from different copies.

    What it means:
    cuDNN 8 and newer is several libraries (libcudnn.so, libcudnn_ops.so, libcudnn_cnn.so …) that must be of one
    version. The loader would take some from one copy and some from another.

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
