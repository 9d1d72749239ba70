"""BOX021: WSL's driver libraries are there, and the loader does not find them."""

from collections.abc import Iterator

from gpudoctor.model.driver import Driver
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Fix, SetEnv
from gpudoctor.model.system import Container
from gpudoctor.rules._consequences import NO_CUDA
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import answer_seen, seen

FOLDER = "/usr/lib/wsl/lib"


@rule("BOX021", name="wsl-libcuda-path", severity="error", since="0.1")
def wsl_libcuda_path(driver: Driver, container: Container) -> Iterator[Problem]:
    """WSL has Windows' driver libraries, but programs do not find them.

    What it means:
    WSL shows the libraries of Windows' NVIDIA driver in /usr/lib/wsl/lib. The loader of this distribution does not
    look there.

    Why it breaks:
    The file /etc/ld.so.conf.d/ld.wsl.conf is missing, or this is a distribution (such as NixOS) or a container that
    works otherwise.

    How to mend it:
    Put the folder on LD_LIBRARY_PATH, or add it to the loader's settings and run ldconfig.

    When to ignore it:
    Never, if you want to use the GPU in WSL.

    Sources:
    CUDA on WSL user guide, https://docs.nvidia.com/cuda/wsl-user-guide/
    """
    if container.wsl is None or not container.wsl.driver_library:
        return
    missing = [answer for answer in (driver.nvml, driver.cuda_init) if answer and answer.outcome == "no-library"]
    if not missing:
        return
    yield Problem(
        summary="WSL has Windows' driver libraries, but programs do not find them.",
        evidence=(seen(f"{FOLDER}/libcuda.so.1", "present"), answer_seen("Loading the library", missing[0])),
        explains=("no-gpu", "nvml-library-missing", *NO_CUDA),
        fixes=(
            Fix(
                title="Let programs look there",
                safety="safe",
                steps=(SetEnv(name="LD_LIBRARY_PATH", value=FOLDER, where="~/.profile"),),
            ),
        ),
    )
