"""BOX025: Docker commands go to Docker Desktop, which has no GPU support on Linux."""

from gpudoctor.rules._situation import is_bare
from gpudoctor.rules.sections import Container, Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen


@rule("BOX025", name="ctk-docker-desktop", severity="warning", when="container.tools.docker_context=desktop")
def ctk_docker_desktop(gpus: Gpus, container: Container) -> Iterator[Problem]:
    """Docker commands go to Docker Desktop, which has no GPU support on Linux.

    What it means:
    On Linux, Docker Desktop runs its containers in a virtual machine. The machine's GPU is not in it, and it does not
    read the settings of this machine either. Installing Docker Desktop switches the docker command over to it.

    Why it breaks:
    docker run --gpus all fails ("could not select device driver", "load library failed"), though the driver and
    NVIDIA's container toolkit are installed.

    How to fix it:
    Use the Docker Engine of the machine itself: docker context use default. Images and containers of Docker Desktop
    are not in it; pull or build them anew.

    When to ignore it:
    When you do not use the GPU in containers.

    Sources:
    https://github.com/NVIDIA/nvidia-container-toolkit/issues/814;
    https://github.com/docker/roadmap/issues/497
    """
    tools = container.tools
    if not gpus.nvidia or not is_bare(container) or tools is None or tools.docker_context != "desktop":
        return
    engine = "If there is no Docker Engine beside Docker Desktop, install it: https://docs.docker.com/engine/install/"
    switch = by_hand(
        "Use the machine's own Docker Engine",
        run("docker", "context", "use", "default"),
        engine,
        undo="docker context use desktop-linux",
    )
    yield problem(
        "Docker commands go to Docker Desktop, which has no GPU support on Linux.",
        seen("docker context", "Docker Desktop's"),
        confidence="likely",
        fix=switch,
    )
