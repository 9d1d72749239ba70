"""DRV033: AMD's device file for computing is not there, or your user may not open it."""

from gpudoctor.rules._amd_access import GIVEN, JOIN
from gpudoctor.rules._situation import is_contained, known, wsl_of
from gpudoctor.rules.sections import Frameworks, Gpus, Scene
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen

KFD = "/dev/kfd"
LOAD = by_hand(
    "Load AMD's kernel module",
    run("modprobe", "amdgpu"),
    "If it does not come: the kernel is older than the GPU, or was started with nomodeset. sudo dmesg | grep -i amdgpu",
    needs_root=True,
)


@rule("DRV033", name="amd-device-files", severity="error", since="0.2", when="frameworks.found.variant=rocm, gpus")
def amd_device_files(gpus: Gpus, frameworks: Frameworks, scene: Scene) -> Iterator[Problem]:
    """AMD's device file for computing is not there, or your user may not open it.

    What it means:
    A build for ROCm reaches the GPU through /dev/kfd, which AMD's kernel module amdgpu makes. It is not there, or its
    permissions keep your user out.

    Why it breaks:
    Most distributions open the file to the group render only. A container has it only if it was given it. It is in no
    container and on no host whose kernel module is not loaded.

    How to fix it:
    Join the groups render and video and log in again, start the container with --device /dev/kfd --device /dev/dri, or
    load the module.

    When to ignore it:
    When your user is not meant to use this GPU.

    Sources:
    https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/prerequisites.html
    https://rocm.docs.amd.com/projects/install-on-linux/en/latest/how-to/docker.html
    """
    build = next((one for one in frameworks.found if one.variant == "rocm"), None)
    cards = [gpu for gpu in gpus.devices if gpu.vendor == "amd"]
    if build is None or not cards or gpus.amd_nodes is None or wsl_of(scene.container) is not None:
        return
    node = next((one for one in gpus.amd_nodes if one.path == KFD), None)
    if node is not None and node.accessible is not False:
        return
    machine = known(scene.host)
    groups = machine.groups if machine else None
    shut = f"group {node.group or 'not known'}: {node.error or 'refused'}" if node else "not there"
    yield problem(
        f"{KFD} {'does not let your user in' if node else 'is not there'}: {build.label} reaches no AMD GPU.",
        seen(KFD, shut),
        *((seen("your groups", ", ".join(groups) or "none"),) if node and groups is not None else ()),
        *(seen(gpu.label, f"kernel driver {gpu.bound_driver}") for gpu in cards if gpu.bound_driver),
        subject=build.label,
        fix=GIVEN if is_contained(scene.container) else JOIN if node else LOAD,
    )
