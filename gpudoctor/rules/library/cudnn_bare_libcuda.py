"""LIB023: a cuDNN 8 opens libcuda.so, but only libcuda.so.1 exists."""

from gpudoctor.facts.libraries import Resolution
from gpudoctor.rules._bare_libcuda import in_vain
from gpudoctor.rules._situation import wsl_of
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus, Libraries
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, run, seen

NEWER = by_hand(
    "Use a newer build, whose cuDNN does not open that name", "torch 2.1 and newer for CUDA 12 bring cuDNN 8.9 or 9."
)


@rule("LIB023", name="cudnn-bare-libcuda", severity="warning", when="gpus.nvidia, libraries.libcuda_of_cudnn")
def cudnn_bare_libcuda(
    gpus: Gpus, driver: Driver, libraries: Libraries, container: Container | Gap | None
) -> Iterator[Problem]:
    """A cuDNN 8 opens libcuda.so, but only libcuda.so.1 exists.

    What it means:
    The driver's library is found under the name that programs use, libcuda.so.1. The cuDNN of this framework opens it
    by the name without a version, which is nowhere on its way.

    Why it breaks:
    The name libcuda.so is a link for compilers. Some driver packages and ways to hand a GPU to a container (CDI, Slurm)
    leave it out. CUDA starts; the first convolution ends the program with "Could not load library
    libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file". cuDNN 8.9 and newer do without.

    How to fix it:
    Make a link libcuda.so to libcuda.so.1 beside cuDNN's own files, where it looks first. Or install a build with a
    newer cuDNN.

    When to ignore it:
    If nothing you run uses convolutions.

    Sources:
    https://github.com/ahmetoner/whisper-asr-webservice/issues/205 (podman), https://github.com/lbcb-sci/herro/issues/76
    https://github.com/facebookresearch/nougat/issues/105 (the link beside cuDNN's files)
    """
    found = driver.library("libcuda.so.1")
    if not gpus.nvidia or wsl_of(container) is not None or libraries.libcuda_of_cudnn is None or found is None:
        return
    for cudnn, frameworks in in_vain(libraries, None).values():
        yield problem(
            f"cuDNN {cudnn.version} opens libcuda.so, but only libcuda.so.1 exists: the first convolution fails.",
            seen("cuDNN", f"{cudnn.path}, {cudnn.version}"),
            seen("libcuda.so", "not found by it"),
            seen("driver library", found.path, driver.source),
            subject=frameworks,
            confidence="likely",
            fixes=(_link(cudnn, found.path), NEWER),
        )


def _link(cudnn: Resolution, library: str) -> Fix:
    """Files of a package look for others in their own folder; those of the system look where the loader does."""
    of_package = cudnn.origin == "pip"
    folder = (cudnn.path if of_package and cudnn.path else library).rpartition("/")[0]
    return Fix(
        "Give the driver's library that name, too",
        "review",
        (run("ln", "-s", library, f"{folder}/libcuda.so"),),
        needs_root=not of_package,
        undo=f"rm {folder}/libcuda.so",
    )
