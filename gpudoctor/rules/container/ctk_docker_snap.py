"""BOX016: Docker was installed as a snap, which cannot use the host's NVIDIA Container Toolkit."""

from gpudoctor.rules._situation import is_bare
from gpudoctor.rules.sections import Container, Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen


@rule("BOX016", name="ctk-docker-snap", severity="warning", when="container.tools.docker_is_snap")
def ctk_docker_snap(gpus: Gpus, container: Container) -> Iterator[Problem]:
    """Docker was installed as a snap, which cannot use the host's NVIDIA Container Toolkit.

    What it means:
    A snap is shut off from most of the system. Docker in a snap does not find the toolkit that is installed outside.

    Why it breaks:
    docker run --gpus all fails, though the toolkit is installed and registered.

    How to fix it:
    Remove the snap and install Docker from its own packages.

    When to ignore it:
    When you do not use the GPU in containers.

    Sources:
    Docker Engine installation, https://docs.docker.com/engine/install/
    """
    tools = container.tools
    if not gpus.nvidia or not is_bare(container) or tools is None or not tools.docker_is_snap:
        return
    text = "Remove the snap (snap remove docker), then install Docker: https://docs.docker.com/engine/install/"
    yield problem(
        "Docker was installed as a snap, which cannot use the host's NVIDIA Container Toolkit.",
        seen("docker", f"{tools.engines.get('docker', 'present')} (snap)"),
        confidence="likely",
        fix=by_hand("Use Docker's own packages", text, needs_root=True),
    )
