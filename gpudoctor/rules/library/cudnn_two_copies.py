"""LIB011: a program would mix cuDNN copies: parts of several, or those of two frameworks or packages."""

from collections.abc import Iterable
from itertools import permutations

from gpudoctor.facts.libraries import Resolution
from gpudoctor.rules.builds import built_for_cuda, in_words, needed_cudnn
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Gpus, Libraries, Matrix, Packages, Scene, System
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: dlib is linked to the cuDNN of a toolkit when it is compiled, and loads it at its import; the other imports dlib.
LINKED = ("dlib", "face-recognition")
#: Numbers of a version that cuDNN compares: 9.1.0 of 9.1.0.70.
COMPARED = 3


@rule("LIB011", name="cudnn-two-copies", severity="warning", when="gpus.nvidia")
def cudnn_two_copies(
    gpus: Gpus, libraries: Libraries, frameworks: Frameworks | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """A framework would mix parts of different cuDNN copies, or two frameworks each bring their own.

    What it means:
    cuDNN 8 and newer is several libraries (libcudnn.so, libcudnn_ops.so, libcudnn_cnn.so …) that must be of one
    version. The loader would take some from one copy and some from another: of parts that a package leaves out, those
    of the system's cuDNN. Or two frameworks find a copy each: a process has one library of a name, so a program that
    imports both gets that of the one imported first. On Windows the same holds for torch with its own cudnn64_8.dll
    beside dlib, which is linked to a toolkit's.

    Why it breaks:
    cuDNN checks its parts: "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", or "Could not load library
    libcudnn_cnn_infer.so.8", or a crash.

    JAX says "Found cuDNN version 8700, but JAX was built against version 8800" when torch was imported first.

    How to fix it:
    Keep one copy on the search path: the one in the environment. Remove the other (the distribution's package, a
    toolkit's files) or take its folder out of LD_LIBRARY_PATH. Of two frameworks, import the one with the newer cuDNN
    first, or install builds that share one.

    When to ignore it:
    If both copies are of the same version.

    Sources:
    https://docs.nvidia.com/deeplearning/cudnn/backend/latest/
    https://github.com/pytorch/pytorch/issues/188892 (a part of the system's cuDNN)
    https://github.com/jax-ml/jax/issues/18032 (two frameworks)
    """
    if not gpus.nvidia:
        return
    if isinstance(scene.host, System) and scene.host.os == "windows":
        yield from _on_windows(libraries, scene.packages)
        return
    by_framework: dict[str, list[Resolution]] = {}
    for one in libraries.resolutions or ():
        if one.family == "cudnn" and one.path is not None and one.version is not None:
            by_framework.setdefault(one.framework, []).append(one)
    for framework, parts in by_framework.items():
        versions = sorted({_compared(part) for part in parts})
        if len(versions) < 2:
            continue
        yield problem(
            f"{framework} would load parts of cuDNN {in_words(versions)} together.",
            *tuple(seen(part.soname, f"{part.version} from {part.path}") for part in parts),
            subject=framework,
            severity="error",
            fix=by_hand(
                "Keep one cuDNN on the search path",
                "Take the folder of the foreign copy out of LD_LIBRARY_PATH or uninstall that copy.",
            ),
        )

    if not by_framework or not isinstance(frameworks, Frameworks):
        return
    for first, second in permutations(built_for_cuda(frameworks), 2):
        yield from _of_two(first, second, by_framework, matrix, scene.host)


def _compared(part: Resolution) -> str:
    return ".".join(str(part.version).split(".")[:COMPARED])


def _of_two(
    first: Framework,
    second: Framework,
    by_framework: dict[str, list[Resolution]],
    matrix: Matrix,
    host: System | Gap | None,
) -> Iterator[Problem]:
    """The cuDNN that the second needs is newer than the first's, which it gets where the first is imported before."""
    needed = needed_cudnn(second, matrix, host)
    own, others = (_main(by_framework.get(one.name, ())) for one in (second, first))
    if needed is None or own is None or others is None or own.path == others.path or own.soname != others.soname:
        return
    have, brought = own.version, others.version
    if have is None or brought is None or have.minor < needed.minor or brought.minor >= needed.minor:
        return
    text = f"Import {second.name} before {first.name}, or install builds of the two that share one cuDNN."
    yield problem(
        f"{second.label} needs cuDNN {needed}; in a program that imports {first.label} first it gets that "
        f"one's {_compared(others)}.",
        *tuple(seen(f"{one.framework} takes {one.soname} from", one.path) for one in (others, own)),
        subject=f"{first.name} and {second.name}",
        fix=by_hand("Import the one with the newer cuDNN first", text),
    )


def _main(parts: Iterable[Resolution]) -> Resolution | None:
    return next((one for one in parts if one.soname.startswith("libcudnn.so")), None)


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
    yield problem(
        f"{linked[0]} is linked to cuDNN {others[0].version}, and torch brings {own.version}; one program gets "
        "only one of them.",
        seen("torch's copy", f"{own.version}, {own.path}"),
        *(seen("other copy", f"{one.version}, {one.path}") for one in others),
        subject=own.soname,
        severity="error",
        confidence="likely",
        fix=by_hand("Keep to one cuDNN", text),
    )
