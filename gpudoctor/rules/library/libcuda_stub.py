"""LIB007 libcuda-stub."""

from collections.abc import Iterator

from gpudoctor.model.driver import Driver
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix
from gpudoctor.model.gpus import Gpus
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen


@rule("LIB007", name="libcuda-stub", severity="error", since="0.1")
def libcuda_stub(gpus: Gpus, driver: Driver) -> Iterator[Problem]:
    """The loader takes a stub in place of the NVIDIA driver's library.

    What it means:
    CUDA toolkits contain a folder `stubs` with an empty libcuda.so. It exists only so that programs can be linked on
    machines without a driver. Here it is found before the real one.

    Why it breaks:
    The stub answers every call with an error (CUDA_ERROR_STUB_LIBRARY, 34), so no program finds the GPU. The folder
    got into LD_LIBRARY_PATH, into /etc/ld.so.conf.d or into an image's environment.

    How to mend it:
    Take the stubs folder out of the search path, then run `ldconfig` if it was in /etc/ld.so.conf.d.

    When to ignore it:
    Never on a machine with a GPU.

    Sources:
    https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html (CUDA_ERROR_STUB_LIBRARY)
    """
    library = driver.library("libcuda.so.1") or driver.library("libcuda.so")
    if not gpus.nvidia or library is None or not library.stub:
        return
    yield Problem(
        summary=f"Programs load the stub {library.path} in place of the driver's libcuda, so they find no GPU.",
        subject=library.path,
        evidence=(seen("first libcuda on the search path", library.path, driver.source),),
        explains=("cuda-init-failed", "drv-lib-mismatch", "driver-not-answering"),
        fixes=(
            Fix(
                title="Take the stubs folder out of the library search path",
                safety="manual",
                steps=(
                    Ask(
                        text="Remove the folder from LD_LIBRARY_PATH where it is set (~/.bashrc, the image, a module)."
                    ),
                    Ask(text="If a file in /etc/ld.so.conf.d names it: remove that line and run ldconfig as root."),
                ),
            ),
        ),
    )
