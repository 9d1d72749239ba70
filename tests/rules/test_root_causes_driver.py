"""Whole machines: one fault, one root cause, whatever else follows from it."""

from typing import Any

import pytest

from gpudoctor.engine.diagnose import diagnose
from gpudoctor.matrix.load import load_matrix
from gpudoctor.model.driver import Answer, DkmsState, SystemPackage
from gpudoctor.model.finding import Diagnosis
from gpudoctor.model.snapshot import Snapshot
from gpudoctor.model.system import Container, Cpu, Environ, Space, System, Wsl
from gpudoctor.model.versions import DriverRelease
from gpudoctor.model.wish import Requirement, Wish
from gpudoctor.rules._load import load_rules
from tests.rules.situations import (
    BARE,
    DOCKER,
    KERNEL,
    NO_LIBRARY,
    NODES,
    OK,
    UBUNTU,
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
    refusal,
    slurm,
    unlisted,
    unloaded,
)

#: The families whose rules are judged here.
FAMILIES = ("driver", "gpu", "container", "environ", "host")
RULES = tuple(rule for rule in load_rules() if rule.check.__module__.split(".")[2] in FAMILIES)
NEEDS_GPU = Wish(requirements=(Requirement(subject="gpu", text="gpu"),))
MISMATCH = answer(18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH")
NO_DEVICE = answer(100, "CUDA_ERROR_NO_DEVICE")
PACKAGES = (SystemPackage(name="nvidia-driver-535", version="535.183.01-0ubuntu1"),)
DKMS = (DkmsState(module="nvidia", version="535.183.01", kernel="6.8.0-41-generic", state="installed"),)


def diagnosis(wish: Wish | None = None, **sections: Any) -> Diagnosis:
    given = {"host": UBUNTU, "container": BARE, "environ": Environ(), "frameworks": None} | sections
    judged = diagnose(Snapshot(**given), load_matrix(), RULES, wish)
    assert not judged.crashed, judged.crashed
    assert not judged.skipped, judged.skipped
    return judged


def roots(**sections: Any) -> list[str]:
    return [finding.name for finding in diagnosis(**sections).root_causes]


BUS_ONLY = gpus(unlisted())
MACHINES: dict[str, tuple[dict[str, Any], str]] = {
    "library and module differ": (
        {
            "gpus": BUS_ONLY,
            "driver": driver(
                libraries=libraries("535.216.01"),
                nvml=MISMATCH,
                cuda_init=answer(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
            ),
        },
        "drv-lib-mismatch",
    ),
    "the same two numbers, another third one": (
        {
            "gpus": BUS_ONLY,
            "driver": driver("570.124.06", libraries=libraries("570.124.04"), nvml=MISMATCH, cuda_init=NO_DEVICE),
        },
        "drv-lib-mismatch",
    ),
    "nouveau, nothing installed": (
        {
            "gpus": gpus(unlisted(bound_driver="nouveau")),
            "driver": unloaded(
                modules_loaded=("nouveau",),
                module_files=(),
                libraries=(),
                blacklisted=(),
                nvml=NO_LIBRARY,
                cuda_init=NO_LIBRARY,
            ),
        },
        "drv-nouveau-bound",
    ),
    "nouveau before the installed driver": (
        {
            "gpus": gpus(unlisted(bound_driver="nouveau")),
            "driver": unloaded(modules_loaded=("nouveau",), blacklisted=()),
        },
        "drv-nouveau-bound",
    ),
    "no driver": ({"gpus": gpus(unlisted(bound_driver="none")), "driver": None}, "drv-absent"),
    "no driver, and that was seen in detail": (
        {
            "gpus": gpus(unlisted(bound_driver="none")),
            "driver": unloaded(module_files=(), libraries=(), nvml=NO_LIBRARY, cuda_init=NO_LIBRARY),
        },
        "drv-absent",
    ),
    "secure boot": (
        {"gpus": gpus(unlisted(bound_driver="none")), "driver": unloaded(secure_boot=True, packages=PACKAGES)},
        "drv-secureboot-rejected",
    ),
    "not loaded": (
        {"gpus": gpus(unlisted(bound_driver="none")), "driver": unloaded(secure_boot=False, packages=PACKAGES)},
        "drv-not-loaded",
    ),
    "no module for this kernel": (
        {
            "gpus": gpus(unlisted(bound_driver="none")),
            "driver": unloaded(module_files=(module_file("6.8.0-41-generic"),), dkms=DKMS, kernel_headers=True),
        },
        "drv-dkms-not-built",
    ),
    "no module for this kernel, so nouveau came": (
        {
            "gpus": gpus(unlisted(bound_driver="nouveau")),
            "driver": unloaded(modules_loaded=("nouveau",), module_files=(), dkms=DKMS, packages=PACKAGES),
        },
        "drv-dkms-not-built",
    ),
    "no headers": (
        {
            "gpus": gpus(unlisted(bound_driver="none")),
            "driver": unloaded(module_files=(), dkms=DKMS, kernel_headers=False, packages=PACKAGES),
        },
        "drv-kernel-headers-missing",
    ),
    "container without --gpus": (
        {
            "container": DOCKER,
            "gpus": BUS_ONLY,
            "driver": driver(libraries=(), device_nodes=(), nvml=NO_LIBRARY, cuda_init=NO_LIBRARY),
        },
        "container-no-gpu-flag",
    ),
    "container with --privileged only": (
        {
            "container": DOCKER,
            "gpus": BUS_ONLY,
            "driver": driver(libraries=(), nvml=NO_LIBRARY, cuda_init=NO_LIBRARY),
        },
        "container-no-gpu-flag",
    ),
    "container on a host without a loaded driver": (
        {
            "container": DOCKER,
            "gpus": gpus(unlisted(bound_driver="none")),
            "driver": unloaded(module_files=(), libraries=(), nvml=NO_LIBRARY, cuda_init=NO_LIBRARY),
        },
        "drv-not-loaded",
    ),
    "container without libcuda": (
        {
            "container": Container(kind="docker", nvidia_driver_capabilities="utility"),
            "gpus": gpus(),
            "driver": driver(libraries=(library("libnvidia-ml.so.1"),), cuda_init=NO_LIBRARY),
        },
        "container-no-compute-cap",
    ),
    "container that lost its devices": (
        {
            "container": DOCKER,
            "gpus": BUS_ONLY,
            "driver": driver(
                device_nodes=tuple(node(one.path, accessible=False, error="EPERM") for one in NODES),
                nvml=answer(999, "NVML_ERROR_UNKNOWN"),
                cuda_init=NO_DEVICE,
            ),
        },
        "container-cgroup-device-lost",
    ),
    "no permission": (
        {
            "gpus": BUS_ONLY,
            "driver": driver(
                device_nodes=tuple(
                    node(one.path, accessible=False, error="EACCES", mode=0o660, group="video") for one in NODES
                ),
                nvml=answer(4, "NVML_ERROR_NO_PERMISSION"),
                cuda_init=NO_DEVICE,
            ),
        },
        "dev-permission",
    ),
    "one GPU of two is lost": (
        {
            "gpus": gpus(gpu(0), gpu(1, refusals=(refusal(15, name="NVML_ERROR_GPU_IS_LOST"),))),
            "driver": driver(
                kernel_log=(line("NVRM: Xid (PCI:0000:02:00): 79, GPU has fallen off the bus.", 79, "0000:02:00"),)
            ),
        },
        "xid-79",
    ),
    "the driver hangs": (
        {
            "gpus": BUS_ONLY,
            "driver": driver(nvml=Answer(outcome="stuck", detail="rm_ioctl"), cuda_init=Answer(outcome="not-asked")),
        },
        "driver-not-answering",
    ),
    "the driver crashes": (
        {"gpus": BUS_ONLY, "driver": driver(nvml=Answer(outcome="crashed", detail="SIGSEGV"), cuda_init=NO_DEVICE)},
        "driver-not-answering",
    ),
    "forward compatibility on a GeForce": (
        {
            "container": DOCKER,
            "gpus": gpus(),
            "driver": driver(
                libraries=(
                    library("libcuda.so.1", "550.54.15", compat=True, path="/usr/local/cuda/compat/libcuda.so.1"),
                    library("libnvidia-ml.so.1"),
                ),
                cuda_init=answer(804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"),
            ),
        },
        "cuda-compat-unsupported-gpu",
    ),
    "forward compatibility with the wrong driver": (
        {
            "gpus": gpus(),
            "driver": driver(
                libraries=(library("libcuda.so.1", "550.54.15", compat=True), library("libnvidia-ml.so.1")),
                cuda_init=answer(803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
            ),
        },
        "cuda-compat-unsupported-gpu",
    ),
    "nvidia-uvm is missing": (
        {
            "gpus": gpus(),
            "driver": driver(device_nodes=NODES[:2], cuda_init=answer(999, "CUDA_ERROR_UNKNOWN")),
        },
        "uvm-missing",
    ),
    "after a sleep": (
        {"gpus": gpus(), "driver": driver(resumed_since_boot=True, cuda_init=answer(999, "CUDA_ERROR_UNKNOWN"))},
        "uvm-broken-after-suspend",
    ),
    "HMM": ({"gpus": gpus(), "driver": driver(cuda_init=answer(3, "CUDA_ERROR_NOT_INITIALIZED"))}, "uvm-hmm-init"),
    "the GPU does not start": (
        {
            "gpus": gpus(unlisted(pci_id="10de:2b85")),
            "driver": driver(
                "580.82.09",
                module_flavour="open",
                nvml=Answer(outcome="answered", code=0, device_count=0),
                cuda_init=NO_DEVICE,
                kernel_log=(line("NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:884)"),),
            ),
        },
        "rm-init-failed",
    ),
    "GTX 1080 and driver 590": (
        {
            "gpus": gpus(unlisted(pci_id="10de:1b80", bound_driver="none")),
            "driver": driver("590.48.01", module_flavour="open", nvml=OK, cuda_init=NO_DEVICE),
        },
        "driver-dropped-gpu",
    ),
    "RTX 5090 and driver 550": (
        {
            "gpus": gpus(unlisted(pci_id="10de:2b85", bound_driver="none")),
            "driver": driver("550.120", nvml=answer(9, "NVML_ERROR_DRIVER_NOT_LOADED"), cuda_init=NO_DEVICE),
        },
        "driver-too-old-for-gpu",
    ),
    "RTX 5090 and the proprietary module": (
        {"gpus": gpus(unlisted(pci_id="10de:2b85")), "driver": driver("570.86.16", nvml=OK, cuda_init=NO_DEVICE)},
        "blackwell-needs-open-module",
    ),
    "GTX 1080 and the open module": (
        {
            "gpus": gpus(unlisted(pci_id="10de:1b80")),
            "driver": driver("570.86.16", module_flavour="open", nvml=OK, cuda_init=NO_DEVICE),
        },
        "open-module-unsupported-gpu",
    ),
    "NVSwitch without Fabric Manager": (
        {"gpus": gpus(nvswitches=6), "driver": driver(cuda_init=answer(802, "CUDA_ERROR_SYSTEM_NOT_READY"))},
        "fabric-manager-down",
    ),
    "802 without NVSwitch": (
        {"gpus": gpus(nvswitches=0), "driver": driver(cuda_init=answer(802, "CUDA_ERROR_SYSTEM_NOT_READY"))},
        "cuda-init-failed",
    ),
    "CUDA fails and nobody knows why": (
        {"gpus": gpus(), "driver": driver(cuda_init=answer(999, "CUDA_ERROR_UNKNOWN"))},
        "cuda-init-failed",
    ),
    "every GPU hidden": (
        {"gpus": gpus(), "driver": driver(cuda_init=NO_DEVICE), "environ": environ(CUDA_VISIBLE_DEVICES="")},
        "cvd-invalid",
    ),
    "a Slurm job without a GPU": (
        {
            "container": slurm(),
            "environ": environ(CUDA_VISIBLE_DEVICES="NoDevFiles"),
            "gpus": BUS_ONLY,
            "driver": driver(
                device_nodes=tuple(node(one.path, accessible=False, error="EPERM") for one in NODES),
                nvml=answer(999, "NVML_ERROR_UNKNOWN"),
                cuda_init=NO_DEVICE,
            ),
        },
        "slurm-no-gpu",
    ),
    "WSL 1": (
        {"container": Container(kind="none", wsl=Wsl(version=1)), "gpus": None, "driver": None},
        "wsl1",
    ),
    "no GPU": ({"gpus": None, "driver": None}, "no-gpu"),
}


@pytest.mark.parametrize(("sections", "cause"), MACHINES.values(), ids=MACHINES)
def test_one_fault_has_one_root_cause(sections, cause):
    assert roots(**sections) == [cause]


@pytest.mark.parametrize(("sections", "cause"), MACHINES.values(), ids=MACHINES)
def test_a_required_gpu_does_not_hide_the_cause(sections, cause):
    judged = diagnosis(NEEDS_GPU, **sections)
    expected = "gpu-required" if cause == "no-gpu" or sections["gpus"] is None else cause
    assert expected in [finding.name for finding in judged.root_causes]
    if sections["gpus"] is not None:
        assert "gpu-required" not in [finding.name for finding in judged.root_causes]


def test_a_healthy_machine_has_no_findings():
    roomy = System(
        os="linux",
        kernel=KERNEL,
        arch="x86_64",
        libc="glibc",
        libc_version="2.39",
        cpu=Cpu(cores=16, flags=("avx", "avx2")),
        spaces=(Space(path="/tmp", purpose="temp", free=50 * 1024**3, total=100 * 1024**3),),
    )
    assert not diagnosis(host=roomy, gpus=gpus(), driver=driver()).findings


def test_an_old_driver_that_lists_an_old_gpu_is_no_fault():
    """Kepler on 470, Pascal on 580: the last branches serve them."""
    kepler = gpu(name="Tesla K80", pci_id="10de:102d", capability=None)
    pascal = gpu(name="NVIDIA GeForce GTX 1080 Ti", pci_id="10de:1b06", capability=None)
    assert not roots(gpus=gpus(kepler), driver=driver("470.256.02"))
    assert not roots(gpus=gpus(pascal), driver=driver("580.65.06"))


def test_what_nvml_lists_is_believed_more_than_the_tables():
    assert not roots(gpus=gpus(gpu(pci_id="10de:1b80", capability=None)), driver=driver("590.48.01"))


def test_a_driver_that_was_not_asked_is_no_finding():
    assert not roots(gpus=gpus(), driver=driver(nvml=None, cuda_init=None))


def test_only_the_gpus_that_a_container_was_given_count():
    two = gpus(gpu(0), unlisted(pci_bus_id="0000:09:00.0"))
    assert not roots(container=DOCKER, gpus=two, driver=driver())
    assert roots(container=BARE, gpus=two, driver=driver()) == ["rm-init-failed"]


def test_a_gpu_of_a_virtual_machine_is_not_ours():
    assert roots(gpus=gpus(gpu(0), unlisted(bound_driver="vfio-pci")), driver=driver()) == ["gpu-passed-through"]
    only = diagnosis(gpus=gpus(unlisted(bound_driver="vfio-pci")), driver=None).root_causes
    assert [(one.name, one.severity) for one in only] == [("gpu-passed-through", "error")]


@pytest.mark.parametrize("code", [*range(1, 31), 999])
def test_no_answer_but_success_is_called_healthy(code):
    given = {"gpus": BUS_ONLY, "driver": driver(nvml=answer(code), cuda_init=NO_DEVICE)}
    findings = diagnosis(**given).findings
    assert any(finding.severity == "error" for finding in findings), code


@pytest.mark.parametrize("code", [1, 2, 3, 34, 46, 100, 101, 214, 304, 801, 802, 803, 804, 805, 999])
def test_no_cuda_answer_but_success_is_called_healthy(code):
    findings = diagnosis(gpus=gpus(), driver=driver(cuda_init=answer(code))).findings
    assert any(finding.severity == "error" for finding in findings), code


@pytest.mark.parametrize("outcome", ["no-library", "crashed", "timed-out", "stuck", "garbage"])
@pytest.mark.parametrize("who", ["nvml", "cuda_init"])
def test_no_silence_is_called_healthy(who, outcome):
    findings = diagnosis(gpus=gpus(), driver=driver(**{who: Answer(outcome=outcome)})).findings
    # Without NVML alone, CUDA programs run.
    expected = "warning" if (who, outcome) == ("nvml", "no-library") else "error"
    assert expected in [finding.severity for finding in findings]


def test_the_release_in_two_numbers_is_not_taken_for_another():
    short = driver("570.124", libraries=libraries("570.124.06"), nvml=None, cuda_init=None)
    assert not roots(gpus=gpus(), driver=short)


def test_driver_release_without_a_loaded_module_is_read_from_its_file():
    machine = {"gpus": gpus(unlisted(pci_id="10de:1b80", bound_driver="none"))}
    found = unloaded(module_files=(module_file(release="590.48.01"),), libraries=libraries("590.48.01"))
    assert DriverRelease("590.48.01") == found.module_files[0].release
    assert roots(**machine, driver=found) == ["driver-dropped-gpu"]
