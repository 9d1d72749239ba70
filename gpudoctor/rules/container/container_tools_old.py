"""BOX027: the container engine's GPU support is older than the driver."""

from gpudoctor.rules._situation import is_contained
from gpudoctor.rules.sections import Container, Driver
from gpudoctor.rules.terms import Iterator, Problem, answer_seen, by_hand, problem, rule, seen

#: CUDA_ERROR_NOT_FOUND.
_NOT_FOUND = 500


@rule("BOX027", name="container-tools-old", severity="error", when="container.wsl, driver.cuda_init.code")
def container_tools_old(driver: Driver, container: Container) -> Iterator[Problem]:
    """Docker Desktop, or the NVIDIA Container Toolkit, is older than the driver it has to pass on."""
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
