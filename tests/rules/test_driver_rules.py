"""Tables of the driver rules: what the root-cause scenarios do not show."""

import pytest

from gpudoctor.model.base import Gap
from gpudoctor.model.driver import Answer, DkmsState, FabricManager, SystemPackage
from gpudoctor.model.fix import Ask, Run
from gpudoctor.model.system import Container, System
from gpudoctor.model.versions import CudaVersion, DriverRelease
from gpudoctor.model.wish import Requirement, Wish
from gpudoctor.rules._driver_state import brings_kernel_module
from tests.rules.situations import (
    BARE,
    DOCKER,
    NO_LIBRARY,
    NODES,
    OK,
    UBUNTU,
    WSL2,
    answer,
    driver,
    gpu,
    gpus,
    libraries,
    library,
    line,
    module_file,
    node,
    slurm,
    unlisted,
    unloaded,
)
from tests.rules.table import fires, judge, quiet, skips

HERE = {"host": UBUNTU, "container": BARE}
BUS = gpus(unlisted(bound_driver="none"))
FEDORA = System(os="linux", distribution="fedora", kernel=UBUNTU.kernel)


def commands(finding):
    return [step.argv for fix in finding.fixes for step in fix.steps if isinstance(step, Run)]


def words(finding):
    return " ".join(step.text for fix in finding.fixes for step in fix.steps if isinstance(step, Ask))


def test_drv_absent():
    found = fires("drv-absent", gpus=BUS, driver=None, **HERE)
    assert ("ubuntu-drivers", "install") in commands(found)
    assert found.fixes[0].safety == "manual"
    assert found.fixes[0].needs_root
    quiet("drv-absent", gpus=None, driver=None, **HERE)
    quiet("drv-absent", gpus=BUS, driver=None, host=UBUNTU, container=DOCKER)
    quiet("drv-absent", gpus=BUS, driver=None, host=UBUNTU, container=WSL2)
    quiet("drv-absent", gpus=gpus(), driver=driver(), **HERE)
    quiet("drv-absent", gpus=BUS, driver=unloaded(module_files=None, libraries=None), **HERE)
    assert skips("drv-absent", gpus=BUS, driver=Gap(reason="no permission"), **HERE) == "no permission"


def test_drv_absent_on_other_systems():
    debian = System(os="linux", distribution="debian", kernel="6.1.0-26-amd64")
    found = fires("drv-absent", gpus=BUS, driver=None, host=debian, container=BARE)
    assert ("apt", "install", "linux-headers-6.1.0-26-amd64", "nvidia-driver") in commands(found)
    found = fires("drv-absent", gpus=BUS, driver=None, host=FEDORA, container=BARE)
    assert any("akmod-nvidia" in argv for argv in commands(found))
    arch = System(os="linux", distribution="arch", kernel="6.16.8-zen1-1-zen")
    found = fires("drv-absent", gpus=BUS, driver=None, host=arch, container=BARE)
    assert ("pacman", "-S", "nvidia-open-dkms", "nvidia-utils") in commands(found)
    found = fires("drv-absent", gpus=BUS, driver=None, host=System(os="linux", distribution="void"), container=BARE)
    assert not commands(found)
    found = fires("drv-absent", gpus=BUS, driver=None, host=System(os="windows"), container=BARE)
    assert "nvidia.com/drivers" in words(found)


def test_a_blackwell_gpu_gets_the_open_modules():
    blackwell = gpus(unlisted(pci_id="10de:2b85", bound_driver="none"))
    found = fires("drv-absent", gpus=blackwell, driver=None, **HERE)
    assert "-open" in words(found)
    assert ("ubuntu-drivers", "install") not in commands(found)


def test_drv_lib_mismatch():
    given = {"gpus": gpus(unlisted()), **HERE}
    broken = driver("550.144.03", libraries=libraries("550.163.01"), nvml=answer(18))
    found = fires("drv-lib-mismatch", driver=broken, **given)
    assert "550.144.03" in found.summary
    assert "550.163.01" in found.summary
    only_said = driver(libraries=None, nvml=answer(18))
    fires("drv-lib-mismatch", driver=only_said, **given)
    only_seen = driver("550.144.03", libraries=libraries("550.163.01"), nvml=None, cuda_init=None)
    fires("drv-lib-mismatch", driver=only_seen, **given)
    quiet("drv-lib-mismatch", driver=driver(), **given)
    quiet("drv-lib-mismatch", driver=driver(libraries=libraries("550.163.01")), **given)
    stub = (library("libcuda.so.1", "550.163.01", stub=True),)
    quiet("drv-lib-mismatch", driver=driver(libraries=stub, nvml=None, cuda_init=None), **given)
    compat = (library("libcuda.so.1", "550.163.01", compat=True),)
    quiet("drv-lib-mismatch", driver=driver(libraries=compat, nvml=None, cuda_init=None), **given)
    quiet("drv-lib-mismatch", driver=only_seen, gpus=None, **HERE)
    quiet("drv-lib-mismatch", driver=only_seen, gpus=gpus(), host=UBUNTU, container=WSL2)


def test_drv_lib_mismatch_fixes():
    updated = driver(
        "550.144.03",
        libraries=libraries("550.163.01"),
        module_files=(module_file(release="550.163.01"),),
        nvml=answer(18),
    )
    found = fires("drv-lib-mismatch", gpus=gpus(unlisted()), driver=updated, **HERE)
    assert found.fixes[0].title == "Restart the machine"
    assert any("modprobe" in argv for argv in commands(found))
    mixed = driver("550.163.01", libraries=libraries("550.144.03"), nvml=answer(18))
    found = fires("drv-lib-mismatch", gpus=gpus(unlisted()), driver=mixed, **HERE)
    assert found.fixes[0].title == "Install the driver anew"
    found = fires("drv-lib-mismatch", gpus=gpus(unlisted()), driver=mixed, host=UBUNTU, container=DOCKER)
    assert "image" in words(found)


def test_drv_dkms_not_built():
    rows = (DkmsState(module="nvidia", version="470.86", kernel="5.4.0", state="installed"),)
    given = {"gpus": BUS, **HERE}
    found = fires("drv-dkms-not-built", driver=unloaded(module_files=(), dkms=rows), **given)
    assert ("dkms", "autoinstall", "-k", UBUNTU.kernel) in commands(found)
    package = (SystemPackage(name="akmod-nvidia", version="580"),)
    found = fires(
        "drv-dkms-not-built", gpus=BUS, driver=unloaded(module_files=(), packages=package), host=FEDORA, container=BARE
    )
    assert any(argv[0] == "akmods" for argv in commands(found))
    library_only = (SystemPackage(name="libnvidia-compute-535", version="535"),)
    quiet("drv-dkms-not-built", driver=unloaded(module_files=(), packages=library_only), **given)
    quiet("drv-dkms-not-built", driver=unloaded(module_files=None, dkms=rows), **given)
    quiet("drv-dkms-not-built", driver=unloaded(dkms=rows), **given)
    quiet("drv-dkms-not-built", driver=driver(module_files=(), dkms=rows), **given)
    quiet("drv-dkms-not-built", driver=unloaded(modules_loaded=None, module_files=(), dkms=rows), **given)
    quiet("drv-dkms-not-built", driver=unloaded(module_files=(), dkms=rows), gpus=None, **HERE)


def test_drv_kernel_headers_missing():
    rows = (DkmsState(module="nvidia", version="525.89.02", kernel=None, state="added"),)
    gone = unloaded(module_files=(), dkms=rows, kernel_headers=False)
    found = fires("drv-kernel-headers-missing", gpus=BUS, driver=gone, **HERE)
    assert ("apt", "install", f"linux-headers-{UBUNTU.kernel}") in commands(found)
    unknown = unloaded(module_files=(), dkms=rows, kernel_headers=None)
    quiet("drv-kernel-headers-missing", gpus=BUS, driver=unknown, **HERE)
    quiet("drv-kernel-headers-missing", gpus=BUS, driver=unloaded(kernel_headers=False), **HERE)


def test_drv_nouveau_bound():
    held = gpus(unlisted(bound_driver="nouveau"))
    found = fires("drv-nouveau-bound", gpus=held, driver=unloaded(), **HERE)
    assert any(getattr(step, "path", "").endswith("nouveau.conf") for step in found.fixes[0].steps)
    fires("drv-nouveau-bound", gpus=held, driver=Gap(reason="x"), **HERE)
    two = gpus(gpu(0), unlisted(bound_driver="nouveau"))
    assert fires("drv-nouveau-bound", gpus=two, driver=driver(), **HERE).severity == "warning"
    quiet("drv-nouveau-bound", gpus=BUS, driver=None, **HERE)
    quiet("drv-nouveau-bound", gpus=None, driver=None, **HERE)


def test_drv_secureboot_rejected():
    given = {"gpus": BUS, **HERE}
    assert fires("drv-secureboot-rejected", driver=unloaded(secure_boot=True), **given).confidence == "likely"
    log = (line("nvidia: Loading of module with unavailable key is rejected"), line("Key was rejected by service"))
    found = fires("drv-secureboot-rejected", driver=unloaded(secure_boot=True, kernel_log=log), **given)
    assert found.confidence == "certain"
    assert any("mokutil" in argv for argv in commands(found))
    enforced = System(os="linux", kernel=UBUNTU.kernel, kernel_options=("module.sig_enforce=1",))
    fires("drv-secureboot-rejected", gpus=BUS, driver=unloaded(secure_boot=False), host=enforced, container=BARE)
    fires("drv-secureboot-rejected", driver=unloaded(lockdown="integrity"), **given)
    quiet("drv-secureboot-rejected", driver=unloaded(secure_boot=None), **given)
    quiet("drv-secureboot-rejected", driver=unloaded(secure_boot=True, blacklisted=("nvidia",)), **given)
    quiet("drv-secureboot-rejected", driver=unloaded(secure_boot=True, module_files=()), **given)
    quiet("drv-secureboot-rejected", driver=unloaded(secure_boot=True, modules_loaded=None), **given)
    quiet("drv-secureboot-rejected", driver=driver(secure_boot=True), **given)


def test_drv_not_loaded():
    given = {"gpus": BUS, **HERE}
    found = fires("drv-not-loaded", driver=unloaded(), **given)
    assert ("modprobe", "nvidia") in commands(found)
    found = fires("drv-not-loaded", driver=unloaded(blacklisted=("nvidia",)), **given)
    assert "blacklist" in words(found)
    found = fires("drv-not-loaded", driver=unloaded(module_files=()), **given)
    assert "Only the libraries" in found.summary
    assert ("ubuntu-drivers", "install") in commands(found)
    packaged = (SystemPackage(name="nvidia-driver-535", version="535"),)
    found = fires("drv-not-loaded", driver=unloaded(module_files=(), packages=packaged), **given)
    assert "Only the libraries" not in found.summary
    quiet("drv-not-loaded", driver=unloaded(modules_loaded=None), **given)
    quiet("drv-not-loaded", driver=driver(), **given)
    quiet("drv-not-loaded", driver=unloaded(), gpus=BUS, host=UBUNTU, container=WSL2)
    quiet("drv-not-loaded", driver=unloaded(), gpus=BUS, host=System(os="windows"), container=BARE)
    quiet("drv-not-loaded", driver=unloaded(), gpus=None, **HERE)


@pytest.mark.parametrize("outcome", ["stuck", "timed-out", "crashed", "garbage"])
def test_driver_not_answering(outcome):
    silent = driver(nvml=Answer(outcome=outcome, detail="x"))
    found = fires("driver-not-answering", gpus=BUS, driver=silent, container=BARE)
    assert found.confidence == ("likely" if outcome == "timed-out" else "certain")
    fires("driver-not-answering", gpus=gpus(), driver=driver(cuda_init=Answer(outcome=outcome)), container=BARE)


def test_driver_that_answers():
    quiet("driver-not-answering", gpus=gpus(), driver=driver(), container=BARE)
    quiet("driver-not-answering", gpus=gpus(), driver=driver(nvml=answer(18)), container=BARE)
    quiet("driver-not-answering", gpus=gpus(), driver=driver(nvml=None, cuda_init=None), container=BARE)
    quiet("driver-not-answering", gpus=None, driver=driver(nvml=Answer(outcome="crashed")), container=BARE)
    fires("driver-not-answering", gpus=None, driver=driver(nvml=Answer(outcome="stuck")), container=BARE)


def test_dev_permission():
    denied = tuple(node(one.path, accessible=False, error="EACCES", mode=0o660, group="video") for one in NODES)
    machine = System(os="linux", groups=("users",))
    found = fires("dev-permission", gpus=BUS, driver=driver(device_nodes=denied), host=machine, container=BARE)
    assert "usermod -aG video" in words(found)
    assert any("0660" in evidence.value for evidence in found.evidence)
    fires("dev-permission", gpus=BUS, driver=driver(device_nodes=(), nvml=answer(4)), host=machine, container=BARE)
    caps = (node("/dev/nvidia-caps/nvidia-cap1", accessible=False, error="EACCES"),)
    quiet("dev-permission", gpus=gpus(), driver=driver(device_nodes=NODES + caps), host=machine, container=BARE)
    unknown = tuple(node(one.path, accessible=None) for one in NODES)
    quiet("dev-permission", gpus=gpus(), driver=driver(device_nodes=unknown), host=machine, container=BARE)
    lost = tuple(node(one.path, accessible=False, error="EPERM") for one in NODES)
    quiet("dev-permission", gpus=BUS, driver=driver(device_nodes=lost), host=machine, container=DOCKER)
    quiet("dev-permission", gpus=BUS, driver=driver(device_nodes=lost), host=machine, container=slurm())


def test_uvm_missing():
    broken = answer(999)
    given = {"gpus": gpus(), "container": BARE}
    fires("uvm-missing", driver=driver(device_nodes=NODES[:2], cuda_init=broken), **given)
    fires("uvm-missing", driver=driver(modules_loaded=("nvidia",), cuda_init=broken), **given)
    quiet("uvm-missing", driver=driver(modules_loaded=("nvidia",), device_nodes=NODES[:2]), **given)
    quiet("uvm-missing", driver=driver(modules_loaded=("nvidia",), cuda_init=None), **given)
    quiet("uvm-missing", driver=driver(modules_loaded=("nvidia",), cuda_init=answer(100)), **given)
    quiet("uvm-missing", driver=driver(modules_loaded=None, device_nodes=None, cuda_init=broken), **given)
    found = fires("uvm-missing", driver=driver(device_nodes=NODES[:2], cuda_init=broken), gpus=gpus(), container=DOCKER)
    assert "On the host" in words(found)


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
    quiet("rm-init-failed", gpus=gpus(unlisted()), driver=driver(), container=slurm(job_gpus="0"))
    quiet("rm-init-failed", gpus=gpus(unlisted()), driver=driver(nvml=None), container=BARE)
    quiet("rm-init-failed", gpus=gpus(unlisted()), driver=unloaded(), container=BARE)
    quiet("rm-init-failed", gpus=gpus(), driver=broken, container=BARE)


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


def test_module_flavours():
    name = "blackwell-needs-open-module"
    fires(name, gpus=gpus(BLACKWELL), driver=driver("570.86.16"), **HERE)
    quiet(name, gpus=gpus(BLACKWELL), driver=driver("570.86.16", module_flavour="open"), **HERE)
    quiet(name, gpus=gpus(BLACKWELL), driver=driver("570.86.16", module_flavour=None), **HERE)
    quiet(name, gpus=gpus(unlisted()), driver=driver(), **HERE)
    name = "open-module-unsupported-gpu"
    fires(name, gpus=gpus(PASCAL), driver=driver("570.86.16", module_flavour="open"), container=BARE)
    quiet(name, gpus=gpus(PASCAL), driver=driver("570.86.16"), container=BARE)
    quiet(name, gpus=gpus(unlisted()), driver=driver(module_flavour="open"), container=BARE)


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
    assert fires("nvml-library-missing", driver=driver(nvml=NO_LIBRARY), **given).severity == "warning"
    assert fires("nvml-library-missing", driver=driver(cuda_init=NO_LIBRARY), **given).severity == "error"
    quiet("nvml-library-missing", driver=unloaded(nvml=NO_LIBRARY), **given)
    quiet("nvml-library-missing", driver=driver(nvml=NO_LIBRARY), gpus=None, **HERE)


def test_uvm_after_a_sleep():
    slept = driver(resumed_since_boot=True, cuda_init=answer(999))
    fires("uvm-broken-after-suspend", gpus=gpus(), driver=slept, container=BARE)
    quiet("uvm-broken-after-suspend", gpus=gpus(), driver=driver(cuda_init=answer(999)), container=BARE)
    quiet("uvm-broken-after-suspend", gpus=gpus(), driver=driver(resumed_since_boot=True), container=BARE)


def test_uvm_hmm_init():
    broken = answer(3)
    fires("uvm-hmm-init", gpus=gpus(), driver=driver(cuda_init=broken), container=BARE)
    off = driver(cuda_init=broken, module_parameters={"uvm_disable_hmm": "Y"})
    quiet("uvm-hmm-init", gpus=gpus(), driver=off, container=BARE)
    quiet("uvm-hmm-init", gpus=gpus(), driver=driver(cuda_init=answer(802)), container=BARE)


def test_laptop_gpu_off():
    hybrid = gpus(unlisted(bound_driver="none", pci_power_state="D3cold"), gpu(None, vendor="intel", name="Iris Xe"))
    off = unloaded(blacklisted=("nvidia", "nouveau"))
    found = fires("laptop-gpu-off", gpus=hybrid, driver=off, **HERE)
    assert ("prime-select", "on-demand") in commands(found)
    quiet("laptop-gpu-off", gpus=BUS, driver=off, **HERE)
    quiet("laptop-gpu-off", gpus=hybrid, driver=unloaded(), **HERE)


def wish(subject, *comparisons):
    text = subject + ",".join(sign + version for sign, version in comparisons)
    return Wish(requirements=(Requirement(subject=subject, comparisons=comparisons, text=text),))


def test_driver_required():
    fires("driver-required", wish=wish("driver", (">=", "570")), driver=driver())
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
