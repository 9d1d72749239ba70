"""Tables of the driver rules: what the root-cause scenarios do not show."""

import pytest
from msgspec.structs import replace

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer, DkmsState, SystemPackage
from gpudoctor.facts.fix import Ask, Run
from gpudoctor.facts.system import Container, System
from tests.rules.situations import (
    BARE,
    DOCKER,
    NODES,
    UBUNTU,
    WSL2,
    answer,
    driver,
    environ,
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
from tests.rules.table import fires, quiet, skips

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


def test_libraries_of_another_release_that_the_search_path_puts_first():
    store = "/nix/store/a-nvidia-x11/lib"
    taken = tuple(
        library(one.name, "535.129.03", path=f"{store}/{one.name}", real_path=f"{store}/{one.name}.535.129.03")
        for one in libraries()
    )
    own = tuple(replace(one, first=False) for one in libraries("545.29.02"))
    given = {"gpus": gpus(unlisted()), **HERE, "environ": environ(LD_LIBRARY_PATH=f"{store}:/opt/x/lib")}
    broken = driver("545.29.02", libraries=(*taken, *own), nvml=answer(18))
    steps = fires("drv-lib-mismatch", driver=broken, **given).fixes[0].steps
    assert [(one.name, one.value) for one in steps] == [("LD_LIBRARY_PATH", "/opt/x/lib")]
    elsewhere = fires("drv-lib-mismatch", driver=replace(broken, libraries=taken), **given)
    assert elsewhere.fixes[0].needs_reboot


def test_the_module_on_disk_is_of_another_release_than_the_libraries():
    given = {"gpus": BUS, **HERE}
    other = unloaded(
        module_files=(module_file(UBUNTU.kernel, "470.256.02"),),
        libraries=libraries("495.46"),
        packages=(SystemPackage(name="libnvidia-compute-495", version="495.46-0ubuntu1"),),
        nvml=None,
    )
    found = fires("drv-lib-mismatch", driver=other, **given)
    assert "470.256.02" in found.summary
    assert "495.46" in found.summary
    assert any("libnvidia-compute-495" in one.fact for one in found.evidence)
    unconfirmed = unloaded(
        module_files=(module_file(UBUNTU.kernel, "470.256.02"),),
        libraries=libraries("495.46"),
        packages=None,
        nvml=None,
    )
    quiet("drv-lib-mismatch", driver=unconfirmed, **given)
    same = unloaded(module_files=(module_file(UBUNTU.kernel, "495.46"),), libraries=libraries("495.46"), nvml=None)
    quiet("drv-lib-mismatch", driver=same, **given)
    unknown = unloaded(module_files=(module_file(UBUNTU.kernel, None),), libraries=libraries("495.46"), nvml=None)
    quiet("drv-lib-mismatch", driver=unknown, **given)


def test_drv_lib_mismatch_fixes():
    updated = driver(
        "550.144.03",
        libraries=libraries("550.163.01"),
        module_files=(module_file(release="550.163.01"),),
        nvml=answer(18),
    )
    found = fires("drv-lib-mismatch", gpus=gpus(unlisted()), driver=updated, **HERE)
    assert found.fixes[0].title == "Restart the machine when no job runs on it"
    assert any("modprobe" in argv for argv in commands(found))
    assert commands(found)[-1] == ("update-initramfs", "-u"), "what brings the old module back after a restart"
    mixed = driver("550.163.01", libraries=libraries("550.144.03"), nvml=answer(18))
    found = fires("drv-lib-mismatch", gpus=gpus(unlisted()), driver=mixed, **HERE)
    assert found.fixes[0].title == "Reinstall the driver"
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
    ready_made = (SystemPackage(name="kmod-nvidia-open", version="610.43.02-2.el9"),)
    prebuilt = unloaded(module_files=(), packages=ready_made)
    found = fires("drv-dkms-not-built", gpus=BUS, driver=prebuilt, host=FEDORA, container=BARE)
    assert not any(argv[0] in ("akmods", "dkms") for argv in commands(found))
    library_only = (SystemPackage(name="libnvidia-compute-535", version="535"),)
    quiet("drv-dkms-not-built", driver=unloaded(module_files=(), packages=library_only), **given)
    linked = (module_file(),)
    magic = (line("nvidia: version magic '5.4.18-100.fc30.x86_64 SMP ' should be '5.4.18-200.fc31.x86_64 SMP '"),)
    fires("drv-dkms-not-built", driver=unloaded(module_files=linked, kernel_log=magic), **given)
    quiet("drv-dkms-not-built", driver=unloaded(module_files=linked), **given)
    quiet("drv-dkms-not-built", driver=driver(module_files=linked, kernel_log=magic), **given)
    # Where the files were not looked at, DKMS's own list tells, but others may have brought a module.
    assert fires("drv-dkms-not-built", driver=unloaded(module_files=None, dkms=rows), **given).confidence == "likely"
    here = (DkmsState(module="nvidia", version="470.86", kernel=UBUNTU.kernel, state="installed"),)
    quiet("drv-dkms-not-built", driver=unloaded(module_files=None, dkms=here), **given)
    quiet("drv-dkms-not-built", driver=unloaded(dkms=rows), **given)
    quiet("drv-dkms-not-built", driver=driver(module_files=(), dkms=rows), **given)
    quiet("drv-dkms-not-built", driver=unloaded(modules_loaded=None, module_files=(), dkms=rows), **given)
    quiet("drv-dkms-not-built", driver=unloaded(module_files=(), dkms=rows), gpus=None, **HERE)
    for around in (DOCKER, WSL2):
        quiet(
            "drv-dkms-not-built", driver=unloaded(module_files=(), dkms=rows), gpus=BUS, host=UBUNTU, container=around
        )


@pytest.mark.parametrize(
    ("release", "card", "says", "not_said"),
    [
        ("340.108", "10de:0640", ("ended branch 340", "older kernel"), ("newer release",)),
        ("390.157", "10de:1200", ("ended branch 390", "390 is the last"), ("newer release",)),
        ("580.119.02", "10de:1b80", ("newest release of branch 580",), ("ended",)),
        ("580.119.02", "10de:2684", ("newer release of the driver",), ("ended", "branch")),
    ],
)
def test_a_module_that_cannot_be_built_is_not_built_again(release, card, says, not_said):
    error = "nv-dma.c:44:11: error: no previous prototype"
    rows = (DkmsState(module="nvidia", version=release, kernel=UBUNTU.kernel, state="failed", error=error),)
    held = gpus(unlisted(bound_driver="nouveau", pci_id=card))
    broken = unloaded(module_files=(), dkms=rows, blacklisted=())
    found = fires("drv-dkms-not-built", driver=broken, gpus=held, **HERE)
    text = words(found)
    assert all(one in text for one in says) and not any(one in text for one in not_said)
    assert not commands(found), "neither built again, nor nouveau taken away"
    assert error in [one.value for one in found.evidence]
    # Nobody knows whether it can be built; the kernel that has it is named.
    rows = (DkmsState(module="nvidia", version=release, state="added"),)
    ready = unloaded(module_files=(module_file("5.4.0-1-generic"),), dkms=rows)
    found = fires("drv-dkms-not-built", driver=ready, gpus=gpus(unlisted(pci_id=card)), **HERE)
    assert commands(found) and "5.4.0-1-generic" in words(found)


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
    nova = fires("drv-nouveau-bound", gpus=gpus(unlisted(bound_driver="NovaCore")), driver=unloaded(), **HERE)
    assert "blacklist nova_core" in nova.fixes[0].steps[0].text
    quiet("drv-nouveau-bound", gpus=BUS, driver=None, **HERE)
    quiet("drv-nouveau-bound", gpus=None, driver=None, **HERE)


def test_nouveau_that_took_over_is_kept_out_too():
    held = gpus(unlisted(bound_driver="nouveau"))
    other = unloaded(module_files=(module_file("5.4.0-1-generic"),), blacklisted=())
    found = fires("drv-dkms-not-built", gpus=held, driver=other, **HERE)
    assert any("nouveau" in fix.title for fix in found.fixes)
    found = fires("drv-dkms-not-built", gpus=BUS, driver=other, **HERE)
    assert not any("nouveau" in fix.title for fix in found.fixes)


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
    inside = fires(
        "drv-secureboot-rejected", gpus=BUS, driver=unloaded(secure_boot=True), host=UBUNTU, container=DOCKER
    )
    assert "host" in words(inside)
    assert not commands(inside)
    fires("drv-secureboot-rejected", driver=unloaded(secure_boot=None, module_files=None, kernel_log=log), **given)
    plain = unloaded(secure_boot=True, module_files=None)
    quiet("drv-secureboot-rejected", gpus=BUS, driver=plain, host=UBUNTU, container=DOCKER)
    signed_only = fires("drv-secureboot-rejected", driver=unloaded(secure_boot=False, kernel_log=log), **given)
    assert signed_only.summary.startswith("This kernel takes signed modules only")
    assert not any("Secure Boot" in fix.title for fix in signed_only.fixes)
    held = {"gpus": gpus(unlisted(bound_driver="nouveau")), "container": BARE}
    quiet("drv-secureboot-rejected", driver=unloaded(secure_boot=True, blacklisted=()), host=UBUNTU, **held)
    fallback = unloaded(secure_boot=True, blacklisted=("nouveau",))
    fires("drv-secureboot-rejected", driver=fallback, host=UBUNTU, **held)
    fedora = System(os="linux", kernel=UBUNTU.kernel, kernel_options=("rd.driver.blacklist=nouveau,nova_core",))
    fires("drv-secureboot-rejected", driver=unloaded(secure_boot=True, blacklisted=()), host=fedora, **held)
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
    assert ("your groups", "users") in [(one.fact, one.value) for one in found.evidence]
    inside = fires("dev-permission", gpus=BUS, driver=driver(device_nodes=denied), host=machine, container=DOCKER)
    assert "--group-add video" in words(inside)
    for groups, told in (((), ["none"]), (None, [])):
        host = System(os="linux", groups=groups)
        found = fires("dev-permission", gpus=BUS, driver=driver(device_nodes=denied), host=host, container=BARE)
        assert [one.value for one in found.evidence if one.fact == "your groups"] == told
    fires("dev-permission", gpus=BUS, driver=driver(device_nodes=(), nvml=answer(4)), host=machine, container=BARE)
    caps = (node("/dev/nvidia-caps/nvidia-cap1", accessible=False, error="EACCES"),)
    quiet("dev-permission", gpus=gpus(), driver=driver(device_nodes=NODES + caps), host=machine, container=BARE)
    unknown = tuple(node(one.path, accessible=None) for one in NODES)
    quiet("dev-permission", gpus=gpus(), driver=driver(device_nodes=unknown), host=machine, container=BARE)
    lost = tuple(node(one.path, accessible=False, error="EPERM") for one in NODES)
    quiet("dev-permission", gpus=BUS, driver=driver(device_nodes=lost), host=machine, container=DOCKER)
    quiet("dev-permission", gpus=BUS, driver=driver(device_nodes=lost), host=machine, container=slurm())
    fires("dev-permission", gpus=BUS, driver=driver(device_nodes=denied), host=machine, container=DOCKER)
    fires("dev-permission", gpus=BUS, driver=driver(device_nodes=lost), host=machine, container=BARE)


def test_uvm_missing():
    broken = answer(999)
    given = {"gpus": gpus(), "container": BARE}
    fires("uvm-missing", driver=driver(device_nodes=NODES[:2], cuda_init=broken), **given)
    fires("uvm-missing", driver=driver(modules_loaded=("nvidia",), cuda_init=broken), **given)
    quiet("uvm-missing", driver=driver(modules_loaded=("nvidia",), device_nodes=NODES[:2]), **given)
    quiet("uvm-missing", driver=driver(modules_loaded=("nvidia",), cuda_init=None), **given)
    neither = driver(modules_loaded=("nvidia",), device_nodes=NODES[:2], cuda_init=answer(100))
    fires("uvm-missing", driver=neither, environ=environ(), **given)
    quiet("uvm-missing", driver=neither, environ=environ(CUDA_VISIBLE_DEVICES="3"), **given)
    quiet("uvm-missing", driver=driver(device_nodes=NODES[:2], cuda_init=answer(100)), **given)
    fires("uvm-missing", driver=driver(modules_loaded=("nvidia",), device_nodes=None, cuda_init=broken), **given)
    quiet("uvm-missing", driver=driver(modules_loaded=("nvidia",), device_nodes=(), cuda_init=broken), **given)
    quiet("uvm-missing", driver=driver(modules_loaded=("nvidia",), cuda_init=answer(100)), **given)
    quiet("uvm-missing", driver=driver(modules_loaded=None, device_nodes=None, cuda_init=broken), **given)
    found = fires("uvm-missing", driver=driver(device_nodes=NODES[:2], cuda_init=broken), gpus=gpus(), container=DOCKER)
    assert "NVIDIA_DRIVER_CAPABILITIES" in words(found)
    # Loaded, and the container may have it: then it was started before the node was there.
    given["container"] = Container(kind="docker", nvidia_driver_capabilities="compute,utility")
    found = fires("uvm-missing", driver=driver(device_nodes=NODES[:2], cuda_init=broken), **given)
    assert "On the host" in words(found)
    assert "not given" in found.summary
    found = fires("uvm-missing", driver=driver(modules_loaded=("nvidia",), cuda_init=broken), **given)
    assert "On the host" in words(found)


def test_dev_nodes_missing():
    silent = {"nvml": answer(9), "cuda_init": answer(100)}
    bus = gpus(unlisted())
    found = fires("dev-nodes-missing", gpus=bus, driver=driver(device_nodes=(), **silent), **HERE)
    assert ("nvidia-modprobe", "-c", "0", "-u") in commands(found)
    quiet("dev-nodes-missing", gpus=bus, driver=driver(**silent), **HERE)
    assert skips("dev-nodes-missing", gpus=bus, driver=driver(device_nodes=None, **silent), **HERE)
    # Made when the first program asks: a driver that answers is not without them.
    quiet("dev-nodes-missing", gpus=gpus(), driver=driver(device_nodes=()), **HERE)
    quiet("dev-nodes-missing", gpus=bus, driver=unloaded(), **HERE)
    quiet("dev-nodes-missing", gpus=gpus(unlisted(bound_driver="vfio-pci")), driver=driver(device_nodes=()), **HERE)
    for around in (DOCKER, WSL2):
        quiet("dev-nodes-missing", gpus=bus, driver=driver(device_nodes=(), **silent), host=UBUNTU, container=around)


@pytest.mark.parametrize(
    "text",
    [
        "Loading of module with unavailable key is rejected",
        "Loading of unsigned module is rejected",
        "nvidia: module verification failed: signature and/or required key missing; Required key not available",
    ],
)
def test_the_kernel_says_in_several_ways_that_it_does_not_trust_a_module(text):
    refused = unloaded(secure_boot=True, kernel_log=(line(text),))
    found = fires("drv-secureboot-rejected", gpus=BUS, driver=refused, **HERE)
    assert found.confidence == "certain"


def test_a_jetson_without_nvml_is_healthy():
    jetson = System(os="linux", tegra="# R35 (release)", kernel=UBUNTU.kernel, arch="aarch64")
    no_nvml = driver(nvml=Answer(outcome="no-library"))
    quiet("nvml-library-missing", gpus=gpus(), driver=no_nvml, host=jetson, container=BARE)
    fires("nvml-library-missing", gpus=gpus(), driver=no_nvml, **HERE)
    no_cuda = driver(cuda_init=Answer(outcome="no-library"))
    fires("nvml-library-missing", gpus=gpus(), driver=no_cuda, host=jetson, container=BARE)


def test_libcuda_alone_is_a_package_of_its_own_on_debian():
    debian = System(os="linux", distribution="debian", distribution_version="12", kernel="6.1.0-30-amd64")
    install = ("apt", "install", "libcuda1")
    no_library = Answer(outcome="no-library")
    alone = driver(libraries=(library("libnvidia-ml.so.1"),), cuda_init=no_library)
    assert commands(fires("nvml-library-missing", gpus=gpus(), driver=alone, host=debian, container=BARE)) == [install]
    both = driver(libraries=(), nvml=no_library, cuda_init=no_library)
    assert install not in commands(fires("nvml-library-missing", gpus=gpus(), driver=both, host=debian, container=BARE))


def test_a_late_answer_of_many_gpus_may_be_harmless():
    late = driver(nvml=Answer(outcome="timed-out", detail="nvmlInit"))
    found = fires("driver-not-answering", gpus=gpus(gpu(0), gpu(1)), driver=late, container=BARE)
    assert any("persistence" in one.value for one in found.evidence)
    alone = fires("driver-not-answering", gpus=gpus(), driver=late, container=BARE)
    assert not any("persistence" in one.value for one in alone.evidence)
