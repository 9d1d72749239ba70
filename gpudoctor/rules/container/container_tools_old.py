"""BOX027: Docker Desktop, or the NVIDIA Container Toolkit, is older than the driver it has to pass on."""

from gpudoctor.rules._situation import is_contained
from gpudoctor.rules.sections import Container, Driver
from gpudoctor.rules.terms import Iterator, Problem, answer_seen, by_hand, problem, rule, seen

#: CUDA_ERROR_NOT_FOUND.
_NOT_FOUND = 500


@rule("BOX027", name="container-tools-old", severity="error", when="container.wsl, driver.cuda_init.code")
def container_tools_old(driver: Driver, container: Container) -> Iterator[Problem]:
    """Docker Desktop, or the NVIDIA Container Toolkit, is older than the driver it has to pass on.

    What it means:
    A container is given the files of the driver one by one, from a list in the NVIDIA Container Toolkit. In this one,
    under WSL, CUDA starts and answers "named symbol not found" (500).

    Why it breaks:
    From release 555 on, NVIDIA's driver for Windows has a library more, libnvdxgdmal.so.1. A toolkit before 1.14.4, and
    Docker Desktop before 4.31, do not know it and leave it out.

    How to fix it:
    Update Docker Desktop; where the engine runs inside WSL itself, the package nvidia-container-toolkit.

    When to ignore it:
    Never, if the container shall use the GPU.

    Sources:
    https://github.com/NVIDIA/nvidia-container-toolkit/issues/520
    https://docs.docker.com/desktop/release-notes/#4310
    """
    answer = driver.cuda_init
    if not is_contained(container) or container.wsl is None or answer is None or answer.code != _NOT_FOUND:
        return
    yield problem(
        "CUDA does not start in this container: the tools that give it the GPU are older than the driver.",
        answer_seen("The CUDA driver", answer),
        seen("driver", driver.release or "not known"),
        seen("container", f"{container.kind} under WSL"),
        subject="container",
        confidence="likely",
        fix=by_hand(
            "Update Docker Desktop, or the NVIDIA Container Toolkit",
            "Update Docker Desktop to 4.31 or newer; in Windows, run: wsl --update, then wsl --shutdown.",
            "Where the engine runs inside WSL itself, update nvidia-container-toolkit to 1.14.4 or newer there.",
        ),
    )
