"""BOX015: the NVIDIA Container Toolkit is installed, but its runtime is not registered with the container engine."""

from gpudoctor.rules._situation import is_contained
from gpudoctor.rules.sections import Container, Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen


@rule(
    "BOX015",
    name="ctk-not-configured",
    severity="info",
    when="gpus.nvidia, container.tools.engines.docker, container.tools.nvidia_toolkit",
)
def ctk_not_configured(gpus: Gpus, container: Container) -> Iterator[Problem]:
    """The NVIDIA Container Toolkit is installed, but its runtime is not registered with the container engine.

    What it means:
    docker run --runtime=nvidia, Compose files that name the runtime, and Kubernetes need the runtime "nvidia" in the
    settings of the engine that starts the containers: Docker, containerd, CRI-O. It is not there.

    Why it breaks:
    Installing the package does not change the engine's settings. docker run --gpus works without it.

    How to fix it:
    Let nvidia-ctk write the setting for that engine, and restart the engine.

    When to ignore it:
    When you start containers with --gpus, or through CDI.

    Sources:
    NVIDIA Container Toolkit, installation,
    https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html
    """
    tools = container.tools
    # WSL has the same Docker as Linux, unless it is Docker Desktop's, which needs none of this.
    if not gpus.nvidia or is_contained(container) or tools is None or "docker" not in tools.engines:
        return
    if (
        tools.docker_context == "desktop"
        or not tools.nvidia_toolkit
        or tools.docker_runtimes is None
        or "nvidia" in tools.docker_runtimes
    ):
        return
    steps = (run("nvidia-ctk", "runtime", "configure", "--runtime=docker"), run("systemctl", "restart", "docker"))
    yield problem(
        "The NVIDIA Container Toolkit is installed, but its runtime is not registered with Docker.",
        seen("NVIDIA Container Toolkit", "present"),
        seen("runtimes in Docker's settings", ", ".join(tools.docker_runtimes) or "none"),
        fix=by_hand("Register the runtime", *steps, needs_root=True),
    )
