"""BOX003: Docker or Podman is installed without the NVIDIA Container Toolkit, so containers cannot use the GPU."""

from gpudoctor.rules._situation import is_bare
from gpudoctor.rules.sections import Container, Gpus
from gpudoctor.rules.terms import Ask, Iterator, Problem, Run, by_hand, problem, rule, run, seen

GUIDE = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html"

#: Engines that need the toolkit; Apptainer and Enroot bring the driver in by themselves.
ENGINES = ("docker", "podman", "nerdctl")


@rule("BOX003", name="ctk-missing", severity="warning", when="gpus.nvidia, container.tools.nvidia_toolkit=False")
def ctk_missing(gpus: Gpus, container: Container) -> Iterator[Problem]:
    """Docker or Podman is installed without the NVIDIA Container Toolkit, so containers cannot use the GPU.

    What it means:
    A container engine cannot hand a GPU to a container by itself. The NVIDIA Container Toolkit teaches it to.

    Why it breaks:
    Without it docker run --gpus all ends with: could not select device driver "" with capabilities: [[gpu]].

    How to fix it:
    Install the package nvidia-container-toolkit from NVIDIA's repository, register it with the engine, and restart the
    engine.

    When to ignore it:
    When you do not use the GPU in containers. Programs outside containers are not affected.

    Sources:
    NVIDIA Container Toolkit, installation,
    https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html
    """
    tools = container.tools
    if not gpus.nvidia or not is_bare(container) or tools is None or tools.nvidia_toolkit is not False:
        return
    found = {name: path for name, path in sorted(tools.engines.items()) if name in ENGINES}
    if not found:
        return
    engines = " and ".join(found)
    steps: tuple[Run | Ask, ...] = (Ask(text=f"Install nvidia-container-toolkit from NVIDIA's repository: {GUIDE}"),)
    if "docker" in tools.engines:
        steps += (run("nvidia-ctk", "runtime", "configure", "--runtime=docker"), run("systemctl", "restart", "docker"))
    if "podman" in tools.engines:
        steps += (run("nvidia-ctk", "cdi", "generate", "--output=/etc/cdi/nvidia.yaml"),)
    yield problem(
        f"{engines.capitalize()} cannot give containers a GPU: the NVIDIA Container Toolkit is missing.",
        *(seen(name, path) for name, path in found.items()),
        seen("NVIDIA Container Toolkit", "not found"),
        fix=by_hand("Install the NVIDIA Container Toolkit", *steps, needs_root=True),
    )
