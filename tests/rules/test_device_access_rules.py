"""Tables of the rules on GPUs that are there and are kept from us: by a device filter, a vGPU's host, a server."""

import pytest

from gpudoctor.facts.fix import Ask, Run
from gpudoctor.facts.system import Container, ContainerTools, System
from tests.rules.situations import (
    BARE,
    DOCKER,
    NODES,
    OK,
    UBUNTU,
    WSL2,
    answer,
    driver,
    environ,
    gpu,
    gpus,
    line,
    node,
    refusal,
    slurm,
    unlisted,
    unloaded,
)
from tests.rules.table import fires, quiet

EPERM = "[Errno 1] Operation not permitted"
DENIED = tuple(node(one.path, accessible=False, error=EPERM) for one in NODES)
NONE = answer(0, "NVML_SUCCESS")
NONE_LISTED = type(NONE)(outcome="answered", code=0, device_count=0)
POD = Container(kind="kubernetes", kubernetes=True)
VM = System(os="linux", distribution="ubuntu", kernel=UBUNTU.kernel, virtualization="kvm")
METAL = System(os="linux", distribution="ubuntu", kernel=UBUNTU.kernel, virtualization="none")


def words(finding):
    return " ".join(step.text for fix in finding.fixes for step in fix.steps if isinstance(step, Ask))


def test_a_filter_that_leaves_nothing_to_list():
    lost = driver(device_nodes=DENIED, nvml=NONE_LISTED, cuda_init=answer(100))
    found = fires("container-cgroup-device-lost", gpus=gpus(unlisted()), driver=lost, container=DOCKER)
    assert "no-cgroups=false" in words(found)
    rootless = Container(kind="docker", rootless=True)
    assert "no-cgroups=false" not in words(
        fires("container-cgroup-device-lost", gpus=gpus(unlisted()), driver=lost, container=rootless)
    )


def test_a_filter_that_keeps_only_the_memory_module_away():
    half = (*NODES[:2], *DENIED[2:])
    given = {"gpus": gpus(), "container": POD}
    found = fires("container-cgroup-device-lost", driver=driver(device_nodes=half, cuda_init=answer(999)), **given)
    assert "pod" in words(found)
    quiet("container-cgroup-device-lost", driver=driver(device_nodes=half), **given)


def test_a_container_with_one_gpu_of_two():
    other = (*NODES, node("/dev/nvidia1", accessible=False, error=EPERM))
    quiet("container-cgroup-device-lost", gpus=gpus(), driver=driver(device_nodes=other), container=DOCKER)


def test_dev_cgroup_denied():
    given = {"gpus": gpus(unlisted()), "driver": driver(device_nodes=DENIED, nvml=NONE_LISTED, cuda_init=answer(100))}
    found = fires("dev-cgroup-denied", container=BARE, **given)
    assert "DeviceAllow" in words(found)
    assert "usermod" not in words(found)
    assert "scheduler" in words(fires("dev-cgroup-denied", container=slurm(job_gpus="0"), **given))
    quiet("dev-cgroup-denied", container=DOCKER, **given)
    quiet("dev-cgroup-denied", container=WSL2, **given)


def test_other_refusals_are_no_device_filter():
    group = tuple(node(one.path, accessible=False, error="EACCES", mode=0o660) for one in NODES)
    quiet("dev-cgroup-denied", gpus=gpus(unlisted()), driver=driver(device_nodes=group), container=BARE)
    for error, mode in ((EPERM, 0o660), ("EACCES", 0o666)):
        nodes = tuple(node(one.path, accessible=False, error=error, mode=mode) for one in NODES)
        quiet("dev-cgroup-denied", gpus=gpus(unlisted()), driver=driver(device_nodes=nodes), container=BARE)
    quiet("dev-cgroup-denied", gpus=gpus(), driver=driver(device_nodes=DENIED), container=BARE)
    quiet("dev-cgroup-denied", gpus=gpus(unlisted()), driver=driver(), container=BARE)


@pytest.mark.parametrize("code", [805, 806, 807, 808, 809, 810])
def test_mps_unreachable(code):
    down = driver(cuda_init=answer(code))
    found = fires("mps-unreachable", gpus=gpus(), driver=down, environ=environ(), container=BARE)
    assert ("full" in found.summary) == (code in (808, 809))
    assert "--ipc=host" in words(
        fires("mps-unreachable", gpus=gpus(), driver=down, environ=environ(), container=DOCKER)
    )


def test_other_errors_are_not_of_mps():
    quiet(
        "mps-unreachable",
        gpus=gpus(),
        driver=driver(),
        environ=environ(CUDA_MPS_PIPE_DIRECTORY="/tmp/mps"),
        container=BARE,
    )
    quiet("mps-unreachable", gpus=gpus(), driver=driver(cuda_init=answer(804)), environ=environ(), container=BARE)
    no_gpu = driver(device_nodes=(), cuda_init=answer(805))
    quiet("mps-unreachable", gpus=None, driver=no_gpu, environ=environ(), container=BARE)
    quiet("mps-unreachable", gpus=gpus(), driver=driver(cuda_init=None), environ=environ(), container=BARE)


L40S = unlisted(pci_id="10de:26b9", pci_bus_id="0000:05:00.0", bound_driver="none")
REFUSED = line(
    "NVRM: The NVIDIA GPU 0000:05:00.0 (PCI ID: 10de:26b9) installed in this system is not supported by the NVIDIA "
    "570.86.15 driver release.",
    bus="0000:05:00.0",
)
IN_PIECES = (
    line("NVRM: The NVIDIA GPU 0000:05:00.0 (PCI ID: 10de:26b9)", bus="0000:05:00.0"),
    line("NVRM: installed in this system is not supported by the"),
    line("NVRM: NVIDIA 570.86.15 driver release."),
)


@pytest.mark.parametrize("log", [(REFUSED,), IN_PIECES])
def test_a_vgpu_under_the_ordinary_driver(log):
    given = {"gpus": gpus(L40S, gpu(1)), "driver": unloaded(kernel_log=log), "container": BARE}
    assert "vGPU" in words(fires("vgpu-driver-mismatch", host=VM, **given))
    quiet("driver-too-old-for-gpu", host=VM, **given)
    quiet("vgpu-driver-mismatch", host=METAL, **given)
    assert "does not support" in fires("driver-too-old-for-gpu", host=METAL, **given).summary


def test_a_vgpu_driver_that_its_host_no_longer_takes():
    said = line("NVRM: Xid (PCI:0000:05:00): 78, Guest driver is incompatible with host driver", 78, "0000:05:00.0")
    given = {"driver": driver(kernel_log=(said,), nvml=NONE_LISTED), "host": VM, "container": BARE}
    assert fires("vgpu-driver-mismatch", gpus=gpus(L40S), **given).confidence == "certain"
    quiet("vgpu-driver-mismatch", gpus=gpus(gpu(pci_bus_id="0000:05:00.0")), **given)


def test_a_gpu_that_was_dropped_is_no_vgpu():
    kepler = unlisted(pci_id="10de:102d", pci_bus_id="0000:05:00.0")
    given = {"gpus": gpus(kepler), "driver": unloaded(kernel_log=(REFUSED,)), "container": BARE}
    quiet("vgpu-driver-mismatch", host=VM, **given)
    quiet("driver-too-old-for-gpu", host=METAL, **given)
    quiet("vgpu-driver-mismatch", gpus=gpus(L40S), driver=unloaded(), host=VM, container=BARE)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("blackwell-needs-open-module", "installed in this system requires use of the NVIDIA open kernel modules."),
        (
            "open-module-unsupported-gpu",
            "installed in this system is not supported by open nvidia.ko because it lacks the GPU System Processor.",
        ),
    ],
)
def test_the_kernel_knows_a_model_that_the_matrix_does_not(rule, text):
    card = unlisted(pci_id="10de:ffff", pci_bus_id="0000:05:00.0", bound_driver="none")
    said = line(f"NVRM: The NVIDIA GPU 0000:05:00.0 (PCI ID: 10de:ffff) {text}", bus="0000:05:00.0")
    given = {"gpus": gpus(card), "host": UBUNTU, "container": BARE}
    wanted = {key: given[key] for key in ("gpus", "container")} if rule.startswith("open") else given
    fires(rule, driver=unloaded(kernel_log=(said,)), **wanted)
    quiet(rule, driver=unloaded(), **wanted)


def test_one_card_in_tcc_mode_keeps_all_from_wsl():
    barred = [gpu(index, refusals=(refusal(999, "nvmlDeviceGetHandleByIndex"),)) for index in range(2)]
    failing = driver(nvml=OK, cuda_init=answer(100))
    assert "TCC" in words(fires("wsl-gpu-blocked", gpus=gpus(*barred), driver=failing, container=WSL2))
    quiet("wsl-gpu-blocked", gpus=gpus(barred[0], gpu(1)), driver=failing, container=WSL2)
    quiet("wsl-gpu-blocked", gpus=gpus(*barred), driver=driver(), container=WSL2)
    quiet("wsl-gpu-blocked", gpus=gpus(*barred), driver=failing, container=BARE)


def desktop(context, **fields):
    return Container(kind="none", tools=ContainerTools(engines={"docker": "docker"}, docker_context=context), **fields)


def test_docker_desktop_has_no_gpu_on_linux():
    found = fires("ctk-docker-desktop", gpus=gpus(), container=desktop("desktop"))
    assert Run(argv=("docker", "context", "use", "default")) in found.fixes[0].steps
    for context in ("default", "other", None):
        quiet("ctk-docker-desktop", gpus=gpus(), container=desktop(context))
    quiet("ctk-docker-desktop", gpus=None, container=desktop("desktop"))
    quiet("ctk-docker-desktop", gpus=gpus(), container=desktop("desktop", wsl=WSL2.wsl))
