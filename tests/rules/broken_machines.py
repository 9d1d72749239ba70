"""Whole machines with one fault each, and the rule that names it."""

from typing import Any

from gpudoctor.facts.driver import Answer, DkmsState, SystemPackage
from gpudoctor.facts.gpus import Fabric
from gpudoctor.facts.system import Container, Wsl
from tests.rules.situations import (
    DOCKER,
    NO_LIBRARY,
    NODES,
    OK,
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

MISMATCH = answer(18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH")
NO_DEVICE = answer(100, "CUDA_ERROR_NO_DEVICE")
PACKAGES = (SystemPackage(name="nvidia-driver-535", version="535.183.01-0ubuntu1"),)
DKMS = (DkmsState(module="nvidia", version="535.183.01", kernel="6.8.0-41-generic", state="installed"),)
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
    "HMM": (
        {
            "gpus": gpus(),
            "driver": driver(module_flavour="open", cuda_init=answer(3, "CUDA_ERROR_NOT_INITIALIZED")),
        },
        "uvm-hmm-init",
    ),
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
    "no device files": (
        {
            "gpus": gpus(unlisted()),
            "driver": driver(device_nodes=(), nvml=answer(9, "NVML_ERROR_DRIVER_NOT_LOADED"), cuda_init=NO_DEVICE),
        },
        "dev-nodes-missing",
    ),
    "a fabric that is not complete": (
        {
            "gpus": gpus(gpu(fabric=Fabric(state="in-progress"))),
            "driver": driver(cuda_init=answer(802, "CUDA_ERROR_SYSTEM_NOT_READY")),
        },
        "fabric-state-incomplete",
    ),
    "a vGPU without a licence": (
        {
            "gpus": gpus(gpu(virtualization="vgpu", vgpu_licensed=False)),
            "driver": driver(cuda_init=answer(999, "CUDA_ERROR_UNKNOWN")),
        },
        "vgpu-unlicensed",
    ),
    "802 without NVSwitch": (
        {"gpus": gpus(nvswitches=0), "driver": driver(cuda_init=answer(802, "CUDA_ERROR_SYSTEM_NOT_READY"))},
        "cuda-init-failed",
    ),
    "CUDA fails and nobody knows why": (
        {"gpus": gpus(), "driver": driver(cuda_init=answer(999, "CUDA_ERROR_UNKNOWN"))},
        "cuda-init-failed",
    ),
    "a device filter where no container is": (
        {
            "gpus": BUS_ONLY,
            "driver": driver(
                device_nodes=tuple(node(one.path, accessible=False, error="EPERM") for one in NODES),
                nvml=answer(3, "NVML_ERROR_UNINITIALIZED"),
                cuda_init=NO_DEVICE,
            ),
        },
        "dev-cgroup-denied",
    ),
    "an MPS server that is not there": (
        {"gpus": gpus(), "driver": driver(cuda_init=answer(805, "CUDA_ERROR_MPS_CONNECTION_FAILED"))},
        "mps-unreachable",
    ),
    "the driver of another release than the vGPU's host": (
        {
            "gpus": BUS_ONLY,
            "driver": driver(
                kernel_log=(line("NVRM: GPU 0000:01:00.0: guest version is incompatible with host driver"),),
                nvml=answer(999, "NVML_ERROR_UNKNOWN"),
                cuda_init=NO_DEVICE,
            ),
        },
        "vgpu-driver-mismatch",
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
