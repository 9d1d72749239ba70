"""Tables of the driver rules about GPUs, modules and libraries, and of the requirements."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer, FabricManager, SystemPackage
from gpudoctor.facts.fix import Ask, Run
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.system import Container, System
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from gpudoctor.facts.wish import Requirement, Wish
from gpudoctor.rules._driver_state import brings_kernel_module
from tests.rules.situations import (
    BARE,
    DOCKER,
    NO_LIBRARY,
    OK,
    UBUNTU,
    WSL2,
    answer,
    driver,
    gpu,
    gpus,
    library,
    line,
    node,
    refusal,
    slurm,
    unlisted,
    unloaded,
)
from tests.rules.table import fires, judge, quiet

HERE = {"host": UBUNTU, "container": BARE}
BUS = gpus(unlisted(bound_driver="none"))
FEDORA = System(os="linux", distribution="fedora", kernel=UBUNTU.kernel)


def commands(finding):
    return [step.argv for fix in finding.fixes for step in fix.steps if isinstance(step, Run)]


def words(finding):
    return " ".join(step.text for fix in finding.fixes for step in fix.steps if isinstance(step, Ask))


PASCAL, BLACKWELL, VOLTA, KEPLER = (
    unlisted(pci_id=f"10de:{device}", bound_driver="none") for device in ("1b06", "2b85", "1db1", "102d")
)


@pytest.mark.parametrize(
    ("card", "release", "last"),
    [(PASCAL, "590.48.01", "580"), (VOLTA, "610.43.02", "580"), (KEPLER, "535.183.01", "470")],
)
def test_driver_dropped_gpu(card, release, last):
    found = fires("driver-dropped-gpu", gpus=gpus(card), driver=driver(release), **HERE)
    assert f"branch {last}" in found.summary


def test_driver_that_still_serves_the_gpu():
    quiet("driver-dropped-gpu", gpus=gpus(PASCAL), driver=driver("580.65.06"), **HERE)
    quiet("driver-dropped-gpu", gpus=gpus(KEPLER), driver=driver("470.256.02"), **HERE)
    quiet("driver-dropped-gpu", gpus=gpus(BLACKWELL), driver=driver("615.61"), **HERE)
    unknown = gpus(unlisted(pci_id="10de:ffff"))
    quiet("driver-dropped-gpu", gpus=unknown, driver=driver("615.61"), **HERE)
    listed = gpus(gpu(pci_id="10de:1b06", capability=None))
    quiet("driver-dropped-gpu", gpus=listed, driver=driver("590.48.01"), **HERE)


def test_driver_too_old_for_gpu():
    found = fires("driver-too-old-for-gpu", gpus=gpus(BLACKWELL), driver=driver("550.120"), **HERE)
    assert "570" in found.summary
    quiet("driver-too-old-for-gpu", gpus=gpus(BLACKWELL), driver=driver("570.86.16"), **HERE)
    quiet("driver-too-old-for-gpu", gpus=gpus(unlisted(pci_id="10de:ffff")), driver=driver("450.80.02"), **HERE)
    quiet("driver-too-old-for-gpu", gpus=gpus(), driver=driver("515.43.04"), **HERE)


def test_rm_init_failed():
    log = (line("NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:884)", bus="0000:01:00.0"),)
    broken = driver(kernel_log=log)
    found = fires("rm-init-failed", gpus=gpus(unlisted()), driver=broken, container=DOCKER)
    assert found.confidence == "certain"
    quiet("rm-init-failed", gpus=gpus(unlisted()), driver=driver(), container=DOCKER)
    shut = driver(device_nodes=(node("/dev/nvidia0", accessible=False, error="EPERM"),))
    quiet("rm-init-failed", gpus=gpus(unlisted()), driver=shut, container=BARE)
    quiet("rm-init-failed", gpus=gpus(unlisted()), driver=driver(), container=slurm(job_gpus="0"))
    quiet("rm-init-failed", gpus=gpus(unlisted()), driver=driver(nvml=None), container=BARE)
    quiet("rm-init-failed", gpus=gpus(unlisted()), driver=driver(nvml=answer(18), kernel_log=log), container=BARE)
    quiet("rm-init-failed", gpus=gpus(unlisted()), driver=driver(nvml=answer(999)), container=BARE)
    fires("rm-init-failed", gpus=gpus(unlisted()), driver=driver(nvml=answer(999), kernel_log=log), container=BARE)
    quiet("rm-init-failed", gpus=gpus(unlisted()), driver=unloaded(), container=BARE)
    quiet("rm-init-failed", gpus=gpus(), driver=broken, container=BARE)
    dark = unlisted(refusals=(refusal(6),))
    assert "gpu-unreadable" in fires("rm-init-failed", gpus=gpus(dark), driver=broken, container=BARE).explains


def test_rm_init_failed_without_address():
    """The driver's module ends again where it can start none of the cards."""
    homeless = (
        line("NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:"),
        line("NVRM: BAR1 is 0M @ 0x0 (PCI:0000:01:00.0)", bus="0000:01:00.0"),
    )
    gone = unloaded(kernel_log=homeless)
    found = fires("rm-init-failed", gpus=gpus(unlisted()), driver=gone, container=BARE)
    assert "drv-not-loaded" in found.explains
    follows = fires("drv-not-loaded", gpus=gpus(unlisted()), driver=gone, host=UBUNTU, container=BARE)
    assert "rm-init-failed" not in follows.explains
    two = gpus(unlisted(), unlisted(pci_bus_id="0000:02:00.0"))
    assert fires("rm-init-failed", gpus=two, driver=gone, container=BARE).subject
    fires("rm-init-failed", gpus=gpus(unlisted()), driver=driver(kernel_log=homeless), container=DOCKER)
    quiet("rm-init-failed", gpus=gpus(unlisted()), driver=gone, container=WSL2)


def test_cuda_init_failed():
    given = {"gpus": gpus(), "container": BARE}
    found = fires("cuda-init-failed", driver=driver(nvml=answer(17, "NVML_ERROR_X", "Some meaning.")), **given)
    assert "NVML_ERROR_X (17): Some meaning." in found.summary
    empty = Answer(outcome="answered", code=0, device_count=0)
    fires("cuda-init-failed", driver=driver(cuda_init=empty), **given)
    quiet("cuda-init-failed", driver=driver(), **given)
    quiet("cuda-init-failed", driver=driver(nvml=None, cuda_init=None), **given)
    no_hardware = driver(nvml=answer(9), cuda_init=answer(100), device_nodes=())
    quiet("cuda-init-failed", gpus=None, driver=no_hardware, container=BARE)
    fires("cuda-init-failed", gpus=None, driver=no_hardware, container=WSL2)
    fires("cuda-init-failed", gpus=Gap(reason="in WSL the bus shows nothing"), driver=no_hardware, container=WSL2)
    fires("cuda-init-failed", gpus=None, driver=driver(nvml=answer(999)), container=DOCKER)


def test_cuda_compat():
    compat = (library("libcuda.so.1", "550.54.15", compat=True, path="/usr/local/cuda-12.4/compat/libcuda.so.1"),)
    fires("cuda-compat-unsupported-gpu", gpus=gpus(), driver=driver(cuda_init=answer(804)), **HERE)
    unasked = driver(libraries=compat, cuda_init=None)
    assert fires("cuda-compat-unsupported-gpu", gpus=gpus(), driver=unasked, **HERE).confidence == "likely"
    datacentre = gpus(gpu(name="NVIDIA H100 PCIe", pci_id="10de:2331"))
    quiet("cuda-compat-unsupported-gpu", gpus=datacentre, driver=unasked, **HERE)
    quiet("cuda-compat-unsupported-gpu", gpus=gpus(), driver=driver(libraries=compat), **HERE)
    quiet("cuda-compat-unsupported-gpu", gpus=gpus(), driver=driver(cuda_init=answer(803)), **HERE)
    unknown = gpus(gpu(name="NVIDIA Something", pci_id="10de:ffff"))
    quiet("cuda-compat-unsupported-gpu", gpus=unknown, driver=unasked, **HERE)
    quiet("cuda-compat-unsupported-gpu", gpus=None, driver=driver(cuda_init=answer(804)), **HERE)


def test_a_message_tells_of_cuda_compat_where_nobody_asked_the_driver():
    words = "CUDA failed with error forward compatibility was attempted on non supported HW"
    told = Live(symptoms=(Symptom(signature="cuda-compat-unsupported", text=words),))
    above = driver("470.57.02", cuda=CudaVersion("12.1"), cuda_init=None)
    found = fires("cuda-compat-unsupported-gpu", gpus=gpus(), driver=above, live=told, **HERE)
    assert any("this driver's own is 11.4" in one.value for one in found.evidence)
    other = Live(symptoms=(Symptom(signature="cuda-unknown", text="CUDA unknown error"),))
    quiet("cuda-compat-unsupported-gpu", gpus=gpus(), driver=driver(), live=other, **HERE)


def test_module_flavours():
    name = "blackwell-needs-open-module"
    fires(name, gpus=gpus(BLACKWELL), driver=driver("570.86.16"), **HERE)
    found = fires(name, gpus=gpus(BLACKWELL), driver=driver("570.86.16"), **HERE)
    assert "nvidia-driver-570-open" in found.fixes[0].steps[-1].text
    assert found.fixes[0].needs_root
    assert found.fixes[0].needs_reboot
    quiet(name, gpus=gpus(BLACKWELL), driver=driver("570.86.16", module_flavour="open"), **HERE)
    quiet(name, gpus=gpus(BLACKWELL), driver=driver("570.86.16", module_flavour=None), **HERE)
    quiet(name, gpus=gpus(unlisted()), driver=driver(), **HERE)
    name = "open-module-unsupported-gpu"
    fires(name, gpus=gpus(PASCAL), driver=driver("570.86.16", module_flavour="open"), container=BARE)
    quiet(name, gpus=gpus(PASCAL), driver=driver("570.86.16"), container=BARE)
    quiet(name, gpus=gpus(unlisted()), driver=driver(module_flavour="open"), container=BARE)
    refusal = line("NVRM: The NVIDIA GPU 0000:01:00.0 installed in this system is not supported by open nvidia.ko")
    fires(name, gpus=gpus(PASCAL), driver=unloaded(kernel_log=(refusal,)), container=BARE)
    quiet(name, gpus=gpus(PASCAL), driver=unloaded(kernel_log=(line("NVRM: No NVIDIA GPU found."),)), container=BARE)
    another = line(refusal.text, bus="0000:41:00.0")
    quiet(name, gpus=gpus(PASCAL), driver=unloaded(kernel_log=(another,)), container=BARE)
    proprietary = driver("570.86.16", kernel_log=(refusal,))
    quiet(name, gpus=gpus(PASCAL), driver=proprietary, container=BARE)


def test_fabric_manager():
    down = FabricManager(installed=True, running=False)
    fires(
        "fabric-manager-down",
        gpus=gpus(nvswitches=4),
        driver=driver(fabric_manager=down, cuda_init=None),
        container=BARE,
    )
    quiet("fabric-manager-down", gpus=gpus(nvswitches=4), driver=driver(fabric_manager=down), container=BARE)
    not_ready = driver(fabric_manager=down, cuda_init=answer(802))
    quiet("fabric-manager-down", gpus=gpus(nvswitches=0), driver=not_ready, container=BARE)
    quiet("fabric-manager-down", gpus=gpus(nvswitches=None), driver=not_ready, container=BARE)
    modules = gpus(*(gpu(index, name="NVIDIA H100 80GB HBM3") for index in range(2)), nvswitches=None)
    fires("fabric-manager-down", gpus=modules, driver=not_ready, container=BARE)
    cards = gpus(*(gpu(index, name="NVIDIA H100 PCIe") for index in range(2)), nvswitches=None)
    quiet("fabric-manager-down", gpus=cards, driver=not_ready, container=BARE)
    up = FabricManager(installed=True, running=True)
    quiet(
        "fabric-manager-down", gpus=gpus(nvswitches=4), driver=driver(fabric_manager=up, cuda_init=None), container=BARE
    )
    fires(
        "fabric-manager-down",
        gpus=gpus(nvswitches=4),
        driver=driver(fabric_manager=up, cuda_init=answer(802)),
        container=BARE,
    )
    fires("fabric-manager-not-needed", gpus=gpus(nvswitches=0), driver=driver(fabric_manager=down), container=BARE)
    quiet("fabric-manager-not-needed", gpus=gpus(nvswitches=None), driver=driver(fabric_manager=down), container=BARE)
    other = FabricManager(installed=True, running=False, version=DriverRelease("535.161.08"))
    fires("fabric-manager-version", gpus=gpus(nvswitches=4), driver=driver(fabric_manager=other), container=BARE)
    same = FabricManager(installed=True, running=True, version=DriverRelease("535.183.01"))
    quiet("fabric-manager-version", gpus=gpus(nvswitches=4), driver=driver(fabric_manager=same), container=BARE)
    quiet("fabric-manager-version", gpus=gpus(nvswitches=0), driver=driver(fabric_manager=other), container=BARE)


def test_nvml_library_missing():
    given = {"gpus": BUS, **HERE}
    fires("nvml-library-missing", driver=driver(libraries=(), nvml=NO_LIBRARY), **given)
    empty = (library("libcuda.so.1", None, size=0),)
    found = fires("nvml-library-missing", driver=driver(libraries=empty, cuda_init=NO_LIBRARY), **given)
    assert "empty" in words(found)
    quiet("nvml-library-missing", driver=driver(), **given)
    for blind, name in (({"nvml": NO_LIBRARY}, "libnvidia-ml.so.1"), ({"cuda_init": NO_LIBRARY}, "libcuda.so.1")):
        facts = [one.fact for one in fires("nvml-library-missing", driver=driver(**blind), **given).evidence]
        assert [fact for fact in facts if fact.startswith("Loading ")] == [f"Loading {name} answers"]
    assert fires("nvml-library-missing", driver=driver(nvml=NO_LIBRARY), **given).severity == "warning"
    assert fires("nvml-library-missing", driver=driver(cuda_init=NO_LIBRARY), **given).severity == "error"
    quiet("nvml-library-missing", driver=unloaded(nvml=NO_LIBRARY), **given)
    quiet("nvml-library-missing", driver=driver(nvml=NO_LIBRARY), gpus=None, **HERE)


def test_uvm_after_a_sleep():
    slept = driver(resumed_since_boot=True, cuda_init=answer(999))
    here = fires("uvm-broken-after-suspend", gpus=gpus(), driver=slept, container=BARE)
    assert ("modprobe", "-r", "nvidia_uvm") in commands(here)
    inside = fires("uvm-broken-after-suspend", gpus=gpus(), driver=slept, container=Container(kind="docker"))
    assert not commands(inside)
    assert any("On the host, run: modprobe -r nvidia_uvm" in step.text for step in inside.fixes[0].steps)
    quiet("uvm-broken-after-suspend", gpus=gpus(), driver=driver(cuda_init=answer(999)), container=BARE)
    quiet("uvm-broken-after-suspend", gpus=gpus(), driver=driver(resumed_since_boot=True), container=BARE)


def test_uvm_hmm_init():
    broken = answer(3)
    fires("uvm-hmm-init", gpus=gpus(), driver=driver(cuda_init=broken, module_flavour="open"), container=BARE)
    quiet("uvm-hmm-init", gpus=gpus(), driver=driver(cuda_init=broken, module_flavour="proprietary"), container=BARE)
    unseen = driver(cuda_init=broken, module_flavour="open", nvml=None, device_nodes=None)
    fires("uvm-hmm-init", gpus=gpus(), driver=unseen, container=BARE)
    no_node = driver(cuda_init=broken, module_flavour="open", device_nodes=())
    quiet("uvm-hmm-init", gpus=gpus(), driver=no_node, container=BARE)
    off = driver(cuda_init=broken, module_flavour="open", module_parameters={"uvm_disable_hmm": "Y"})
    quiet("uvm-hmm-init", gpus=gpus(), driver=off, container=BARE)
    quiet("uvm-hmm-init", gpus=gpus(), driver=driver(cuda_init=answer(802)), container=BARE)


def test_laptop_gpu_off():
    hybrid = gpus(unlisted(bound_driver="none", pci_power_state="D3cold"), gpu(None, vendor="intel", name="Iris Xe"))
    off = unloaded(blacklisted=("nvidia", "nouveau"))
    found = fires("laptop-gpu-off", gpus=hybrid, driver=off, **HERE)
    assert ("prime-select", "on-demand") in commands(found)
    assert not commands(fires("laptop-gpu-off", gpus=hybrid, driver=off, host=FEDORA, container=BARE))
    assert found.severity == "error"
    bumblebee = unloaded(
        blacklisted=("nvidia", "nouveau"), packages=(SystemPackage(name="bumblebee", version="3.2.1"),)
    )
    asleep = fires("laptop-gpu-off", gpus=hybrid, driver=bumblebee, **HERE)
    assert (asleep.severity, "optirun" in asleep.fixes[0].title) == ("warning", True)
    quiet("laptop-gpu-off", gpus=BUS, driver=off, **HERE)
    quiet("laptop-gpu-off", gpus=hybrid, driver=unloaded(), **HERE)
    gone = gpus(*hybrid.devices[1:])
    assert "no-gpu" in fires("laptop-gpu-off", gpus=gone, driver=off, **HERE).explains
    quiet("laptop-gpu-off", gpus=gone, driver=unloaded(), **HERE)


def wish(subject, *comparisons):
    text = subject + ",".join(sign + version for sign, version in comparisons)
    return Wish(requirements=(Requirement(subject=subject, comparisons=comparisons, text=text),))


def test_driver_required():
    fires("driver-required", wish=wish("driver", (">=", "570")), driver=driver())
    for is_there, told in ((driver(), "535.183.01"), (None, "none, or not known")):
        found = fires("driver-required", wish=wish("driver", (">=", "570")), driver=is_there)
        assert [one.value for one in found.evidence] == [told]
        assert bool(found.fixes) == (is_there is not None)
    fires("driver-required", wish=wish("driver"), driver=None)
    quiet("driver-required", wish=wish("driver", (">=", "535"), ("<", "570")), driver=driver())
    quiet("driver-required", wish=wish("driver", ("==", "535")), driver=driver())
    fires("driver-required", wish=wish("driver", ("!=", "535")), driver=driver())
    quiet("driver-required", driver=None)


def test_cuda_required():
    fires("cuda-required", wish=wish("cuda", (">=", "12.4")), driver=driver(cuda=CudaVersion("12.2")), host=UBUNTU)
    quiet("cuda-required", wish=wish("cuda", (">=", "12.2")), driver=driver(cuda=CudaVersion("12.2")), host=UBUNTU)
    quiet("cuda-required", wish=wish("cuda", (">=", "12.2")), driver=driver(), host=UBUNTU)
    fires("cuda-required", wish=wish("cuda", (">=", "12.4")), driver=driver(), host=UBUNTU)
    fires("cuda-required", wish=wish("cuda"), driver=None, host=UBUNTU)
    assert not judge("cuda-required", driver=None, host=UBUNTU)


@pytest.mark.parametrize(
    ("package", "brings"),
    [
        ("nvidia-driver-570", True),
        ("nvidia-driver-570-server-open", True),
        ("nvidia-kernel-dkms", True),
        ("nvidia-open-kernel-dkms", True),
        ("nvidia-open-dkms", True),
        ("nvidia", True),
        ("linux-modules-nvidia-570-6.8.0-45-generic", True),
        ("akmod-nvidia", True),
        ("nvidia-driver-libs", False),
        ("nvidia-kernel-common-570", False),
        ("nvidia-kernel-support", False),
        ("nvidia-container-toolkit", False),
        ("nvidia-modprobe", False),
        ("nvidia-utils-570", False),
        ("libnvidia-compute-570", False),
    ],
)
def test_packages_that_bring_the_kernel_module(package, brings):
    given = unloaded(module_files=(), libraries=(), packages=(SystemPackage(name=package, version="570"),))
    assert brings_kernel_module(given) is brings


def test_a_jetson_is_no_desktop():
    """Its GPU is on no bus, its module is nvgpu, and it has no NVML before JetPack 6."""
    orin = gpus(unlisted(name="Jetson AGX Orin", pci_id=None, pci_bus_id=None, bound_driver="nvgpu"))
    jetson = unloaded(modules_loaded=("nvgpu",), module_files=(), libraries=(), nvml=NO_LIBRARY, cuda_init=OK)
    for name in ("drv-absent", "drv-not-loaded", "nvml-library-missing", "drv-dkms-not-built"):
        quiet(name, gpus=orin, driver=jetson, **HERE)
    quiet("rm-init-failed", gpus=orin, driver=jetson, container=BARE)


def test_debian_names_its_module_otherwise():
    quiet("drv-not-loaded", gpus=BUS, driver=unloaded(modules_loaded=("nvidia_current",)), **HERE)


def test_no_advice_for_a_container_touches_the_container():
    """Inside a container every driver fix is words about the host."""
    given = {"gpus": gpus(unlisted(bound_driver="nouveau")), "host": UBUNTU, "container": Container(kind="podman")}
    found = fires("drv-nouveau-bound", driver=None, **given)
    assert not commands(found)
