"""Tables of the rules about containers, WSL and Slurm."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import SystemPackage
from gpudoctor.facts.fix import Ask, Run, SetEnv
from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.python import Framework, Frameworks
from gpudoctor.facts.system import CdiList, Container, ContainerTools, Space, System, Wsl
from gpudoctor.facts.versions import DriverRelease, LibraryVersion
from gpudoctor.facts.wish import Requirement, Wish
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
    environ,
    gpu,
    gpus,
    libraries,
    library,
    node,
    slurm,
    unlisted,
    unloaded,
)
from tests.rules.stacks import frameworks
from tests.rules.table import fires, judge, quiet, skips

MIB = 1024**2


def commands(finding):
    return [step.argv for fix in finding.fixes for step in fix.steps if isinstance(step, Run)]


def words(finding):
    return " ".join(step.text for fix in finding.fixes for step in fix.steps if isinstance(step, Ask))


def shm(mib):
    return System(os="linux", spaces=(Space(path="/dev/shm", purpose="shm", total=mib * MIB, filesystem="tmpfs"),))


def test_container_shm_small():
    two, torch = gpus(gpu(0), gpu(1)), frameworks(("torch", "2.6.0"))
    assert fires("container-shm-small", gpus=two, host=shm(64), container=DOCKER, frameworks=None).severity == "warning"
    fires("container-shm-small", gpus=gpus(), host=shm(64), container=DOCKER, frameworks=torch)
    fires(
        "container-shm-small", gpus=gpus(), host=shm(64), container=DOCKER, frameworks=frameworks(("paddle", "3.0.0"))
    )
    pod = Container(kind="containerd", kubernetes=True)
    assert "emptyDir" in words(fires("container-shm-small", gpus=two, host=shm(64), container=pod, frameworks=torch))
    quiet("container-shm-small", gpus=two, host=shm(65), container=DOCKER, frameworks=torch)
    quiet("container-shm-small", gpus=two, host=shm(64), container=BARE, frameworks=torch)
    quiet("container-shm-small", gpus=two, host=UBUNTU, container=DOCKER, frameworks=torch)
    quiet("container-shm-small", gpus=gpus(), host=shm(64), container=DOCKER, frameworks=frameworks(("jax", "0.6")))
    quiet("container-shm-small", gpus=None, host=shm(64), container=DOCKER, frameworks=torch)
    quiet("container-shm-small", gpus=gpus(), host=shm(64), container=DOCKER, frameworks=Gap(reason="x"))


@pytest.mark.parametrize(
    ("container", "hint"),
    [
        (DOCKER, "docker run --gpus all"),
        (Container(kind="podman"), "nvidia.com/gpu=all"),
        (Container(kind="containerd", kubernetes=True), "nvidia.com/gpu: 1"),
        (Container(kind="apptainer"), "--nv"),
        (Container(kind="enroot"), "NVIDIA_VISIBLE_DEVICES"),
        # The device plugin assigned a GPU, and runc started the pod.
        (Container(kind="kubernetes", nvidia_visible_devices="GPU-8a1c2f6e"), "runtimeClassName"),
        (Container(kind="kubernetes", nvidia_visible_devices="all"), "nvidia.com/gpu: 1"),
        # The image says "all", and nothing was injected: the pod may have asked, and runc started it.
        (Container(kind="kubernetes", nvidia_visible_devices="all"), "runtimeClassName"),
        (Container(kind="lxc"), "nvidia.runtime=true"),
    ],
)
def test_container_no_gpu_flag(container, hint):
    nothing = driver(libraries=(), device_nodes=(), nvml=NO_LIBRARY, cuda_init=NO_LIBRARY)
    found = fires("container-no-gpu-flag", gpus=gpus(unlisted()), driver=nothing, container=container)
    assert hint in words(found)


def test_no_option_of_a_container_brings_a_driver_that_the_host_lacks():
    held = gpus(unlisted(bound_driver="nouveau"))
    quiet("container-no-gpu-flag", gpus=held, driver=None, container=DOCKER, host=UBUNTU)


def test_a_container_on_a_jetson():
    jetson = System(os="linux", kernel="5.15.148-tegra", tegra="kernel 5.15.148-tegra")
    found = fires("container-no-gpu-flag", gpus=None, driver=None, host=jetson, container=DOCKER)
    assert "--runtime nvidia" in words(found)
    served = driver(device_nodes=(), nvml=NO_LIBRARY)
    quiet("container-no-gpu-flag", gpus=None, driver=served, host=jetson, container=DOCKER)
    quiet("container-no-gpu-flag", gpus=None, driver=None, host=jetson, container=BARE)
    quiet("container-no-gpu-flag", gpus=None, driver=None, host=UBUNTU, container=DOCKER)


def test_container_with_a_gpu():
    nothing = driver(libraries=(), device_nodes=(), nvml=NO_LIBRARY, cuda_init=NO_LIBRARY)
    bus = gpus(unlisted())
    quiet("container-no-gpu-flag", gpus=bus, driver=nothing, container=BARE)
    quiet("container-no-gpu-flag", gpus=bus, driver=nothing, container=Container())
    quiet("container-no-gpu-flag", gpus=None, driver=nothing, container=DOCKER)
    quiet("container-no-gpu-flag", gpus=gpus(), driver=driver(), container=DOCKER)
    quiet("container-no-gpu-flag", gpus=bus, driver=driver(libraries=None, device_nodes=None), container=DOCKER)
    quiet("container-no-gpu-flag", gpus=bus, driver=unloaded(libraries=()), container=DOCKER)
    fires("container-no-gpu-flag", gpus=bus, driver=None, container=DOCKER)
    assert skips("container-no-gpu-flag", gpus=bus, driver=Gap(reason="x"), container=DOCKER) == "x"


def tools(**fields):
    given = {"engines": {"docker": "/usr/bin/docker"}, "nvidia_toolkit": True, "docker_runtimes": ("runc", "nvidia")}
    return Container(kind="none", tools=ContainerTools(**{**given, **fields}))


def test_container_toolkit():
    found = fires("ctk-missing", gpus=gpus(), container=tools(nvidia_toolkit=False))
    assert ("systemctl", "restart", "docker") in commands(found)
    quiet("ctk-missing", gpus=gpus(), container=tools())
    quiet("ctk-missing", gpus=gpus(), container=tools(nvidia_toolkit=None))
    quiet("ctk-missing", gpus=gpus(), container=tools(nvidia_toolkit=False, engines={}))
    apptainer = tools(nvidia_toolkit=False, engines={"apptainer": "/usr/bin/apptainer"})
    quiet("ctk-missing", gpus=gpus(), container=apptainer)
    quiet("ctk-missing", gpus=None, container=tools(nvidia_toolkit=False))
    quiet("ctk-missing", gpus=gpus(), container=DOCKER)
    fires("ctk-not-configured", gpus=gpus(), container=tools(docker_runtimes=("runc",)))
    quiet("ctk-not-configured", gpus=gpus(), container=tools(docker_runtimes=None))
    quiet("ctk-not-configured", gpus=gpus(), container=tools())
    fires("ctk-docker-snap", gpus=gpus(), container=tools(docker_is_snap=True))
    quiet("ctk-docker-snap", gpus=gpus(), container=tools(docker_is_snap=None))


def test_container_cgroup_device_lost():
    lost = tuple(node(one.path, accessible=False, error="[Errno 1] Operation not permitted") for one in NODES)
    bus, unknown = gpus(unlisted()), answer(999)
    given = {"gpus": bus, "container": DOCKER}
    assert fires("container-cgroup-device-lost", driver=driver(device_nodes=lost, nvml=unknown), **given)
    blind = tuple(node(one.path, accessible=None) for one in NODES)
    assert fires("container-cgroup-device-lost", driver=driver(device_nodes=blind, nvml=unknown), **given)
    bus_hidden = driver(device_nodes=lost, nvml=unknown)
    assert fires("container-cgroup-device-lost", driver=bus_hidden, gpus=gpus(), container=DOCKER)
    quiet("container-cgroup-device-lost", driver=driver(nvml=unknown), **given)
    quiet("container-cgroup-device-lost", driver=driver(device_nodes=lost), **given)
    quiet("container-cgroup-device-lost", driver=driver(device_nodes=lost, nvml=unknown), gpus=bus, container=BARE)


def test_container_no_compute_cap():
    half = driver(libraries=(library("libnvidia-ml.so.1"),), cuda_init=NO_LIBRARY)
    utility = Container(kind="docker", nvidia_driver_capabilities="utility")
    assert fires("container-no-compute-cap", gpus=gpus(), driver=half, container=utility).confidence == "certain"
    assert fires("container-no-compute-cap", gpus=gpus(), driver=half, container=DOCKER).confidence == "likely"
    for container, told in ((utility, "utility"), (DOCKER, "not set, or not known")):
        found = fires("container-no-compute-cap", gpus=gpus(), driver=half, container=container)
        assert [one.value for one in found.evidence] == [told, "present", "missing"]
    full = Container(kind="docker", nvidia_driver_capabilities="compute,utility")
    quiet("container-no-compute-cap", gpus=gpus(), driver=half, container=full)
    quiet("container-no-compute-cap", gpus=gpus(), driver=driver(), container=utility)
    assert skips("container-no-compute-cap", gpus=gpus(), driver=driver(libraries=None), container=utility)
    quiet("container-no-compute-cap", gpus=gpus(), driver=half, container=BARE)


def test_slurm_no_gpu():
    bus = gpus(unlisted())
    assert fires("slurm-no-gpu", gpus=bus, container=slurm(), environ=environ()).severity == "error"
    assert fires("slurm-no-gpu", gpus=None, container=slurm(), environ=environ()).severity == "info"
    assert fires("slurm-no-gpu", gpus=None, container=slurm(in_job=False), environ=environ()).severity == "info"
    served = fires("slurm-no-gpu", gpus=None, container=slurm(), environ=environ(), driver=driver())
    assert served.severity == "error"
    outside = fires("slurm-no-gpu", gpus=None, container=slurm(in_job=False), environ=environ(), driver=driver())
    assert outside.severity == "info"
    quiet("slurm-no-gpu", gpus=gpus(), container=slurm(), environ=environ())
    told = environ(CUDA_VISIBLE_DEVICES="NoDevFiles")
    assert fires("slurm-no-gpu", gpus=gpus(), container=slurm(), environ=told).severity == "error"
    quiet("slurm-no-gpu", gpus=bus, container=slurm(job_gpus="0"), environ=environ())
    quiet("slurm-no-gpu", gpus=bus, container=slurm(gpus_on_node="1"), environ=environ())
    quiet("slurm-no-gpu", gpus=bus, container=slurm(step_gpus="1"), environ=environ())
    left_out = slurm(in_step=True, job_gpus="0,1")
    step = fires("slurm-no-gpu", gpus=bus, container=left_out, environ=environ(CUDA_VISIBLE_DEVICES="0"))
    assert (step.severity, "step" in step.summary) == ("warning", True)
    quiet("slurm-no-gpu", gpus=gpus(), container=left_out, environ=environ())
    quiet("slurm-no-gpu", gpus=bus, container=slurm(in_step=True, job_gpus="0", step_gpus="0"), environ=environ())
    fires("slurm-no-gpu", gpus=bus, container=slurm(gpus_on_node="0"), environ=environ(CUDA_VISIBLE_DEVICES=""))
    quiet("slurm-no-gpu", gpus=bus, container=slurm(), environ=environ(CUDA_VISIBLE_DEVICES="0"))
    quiet("slurm-no-gpu", gpus=bus, container=BARE, environ=environ())
    quiet("slurm-no-gpu", gpus=bus, container=slurm(in_job=False), environ=environ())


def test_wsl_linux_driver_installed():
    packages = (
        SystemPackage(name="nvidia-utils-510", version="510.85.02"),
        SystemPackage(name="libnvidia-compute-510", version="510.85.02"),
    )
    broken = driver(packages=packages, libraries=(), nvml=answer(9), cuda_init=NO_LIBRARY)
    found = fires("wsl-linux-driver-installed", driver=broken, container=WSL2, host=UBUNTU)
    assert ("apt", "purge", "libnvidia-compute-510", "nvidia-utils-510") in commands(found)
    assert "wsl-gpu-blocked" in found.explains
    foreign = driver(nvml=answer(9), cuda_init=answer(100))
    fires("wsl-linux-driver-installed", driver=foreign, container=WSL2, host=UBUNTU)
    toolkit = (SystemPackage(name="cuda-toolkit-12-8", version="12.8"),)
    own = (library("libcuda.so.1", None, path="/usr/lib/wsl/lib/libcuda.so.1", real_path="/usr/lib/wsl/drivers/x"),)
    quiet(
        "wsl-linux-driver-installed",
        driver=driver(packages=toolkit, libraries=own, cuda_init=answer(100)),
        container=WSL2,
        host=UBUNTU,
    )
    quiet("wsl-linux-driver-installed", driver=driver(packages=packages), container=WSL2, host=UBUNTU)
    quiet("wsl-linux-driver-installed", driver=broken, container=BARE, host=UBUNTU)
    one = Container(kind="none", wsl=Wsl(version=1))
    quiet("wsl-linux-driver-installed", driver=broken, container=one, host=UBUNTU)


def test_wsl_driver_libs_missing():
    none = Container(kind="none", wsl=Wsl(version=2, dxg=True, driver_library=False))
    assert fires("wsl-driver-libs-missing", gpus=None, container=none).severity == "warning"
    assert fires("wsl-driver-libs-missing", gpus=gpus(unlisted()), container=none).severity == "error"
    unseen = Gap(reason="in WSL the bus shows nothing")
    assert fires("wsl-driver-libs-missing", gpus=unseen, container=none).severity == "warning"
    radeon = Frameworks(found=(Framework(name="torch", version="2.6.0+rocm6.4.2", variant="rocm"),))
    quiet("wsl-driver-libs-missing", gpus=None, container=none, frameworks=radeon)
    fires("wsl-driver-libs-missing", gpus=gpus(unlisted()), container=none, frameworks=radeon)
    quiet("wsl-driver-libs-missing", gpus=gpus(), container=none)
    quiet("wsl-driver-libs-missing", gpus=None, container=WSL2)
    quiet("wsl-driver-libs-missing", gpus=None, container=Container(kind="none", wsl=Wsl(version=2)))
    quiet("wsl-driver-libs-missing", gpus=None, container=BARE)


def test_wsl1():
    assert "--set-version" in words(fires("wsl1", container=Container(wsl=Wsl(version=1)), host=UBUNTU))
    assert fires("wsl1", container=Container(wsl=Wsl(version=1)), host=UBUNTU).severity == "warning"
    needed = Wish(requirements=(Requirement(subject="gpu", text="gpu"),))
    assert fires("wsl1", wish=needed, container=Container(wsl=Wsl(version=1)), host=UBUNTU).severity == "error"
    quiet("wsl1", container=WSL2, host=UBUNTU)


def test_wsl_gpu_blocked():
    fires("wsl-gpu-blocked", driver=driver(nvml=answer(17)), container=WSL2)
    quiet("wsl-gpu-blocked", driver=driver(nvml=answer(17)), container=BARE)
    quiet("wsl-gpu-blocked", driver=driver(), container=WSL2)


def test_wsl_kernel():
    custom = System(os="linux", kernel="6.1.38-microsoft-standard")
    genuine = System(os="linux", kernel="5.15.153.1-microsoft-standard-WSL2")
    fires("wsl-kernel", driver=driver(nvml=answer(17)), container=WSL2, host=custom)
    no_dxg = Container(kind="none", wsl=Wsl(version=2, dxg=False, driver_library=True))
    fires("wsl-kernel", driver=None, container=no_dxg, host=genuine)
    quiet("wsl-kernel", driver=driver(), container=WSL2, host=custom)
    no_gpu_there = Container(kind="none", wsl=Wsl(version=2, dxg=False, driver_library=False))
    quiet("wsl-kernel", driver=None, container=no_gpu_there, host=genuine)
    found = fires("wsl-kernel", driver=driver(nvml=answer(17)), container=WSL2, host=custom)
    assert (found.confidence, found.severity) == ("likely", "error")
    quiet("wsl-kernel", driver=driver(nvml=answer(17)), container=WSL2, host=genuine)


def test_wsl_libcuda_path():
    found = fires("wsl-libcuda-path", driver=driver(nvml=NO_LIBRARY), container=WSL2, libraries=None)
    assert any(isinstance(step, SetEnv) for step in found.fixes[0].steps)
    quiet("wsl-libcuda-path", driver=driver(), container=WSL2, libraries=None)
    no_gpu_there = Container(kind="none", wsl=Wsl(version=2, driver_library=False))
    quiet("wsl-libcuda-path", driver=driver(nvml=NO_LIBRARY), container=no_gpu_there, libraries=None)
    quiet("wsl-libcuda-path", driver=driver(nvml=NO_LIBRARY), container=BARE, libraries=None)


@pytest.mark.parametrize(
    ("version", "wsl", "more", "speaks"),
    [
        ("8.5.0", Wsl(version=2, driver_library=True, library_is_link=False), {}, True),
        (
            "8.7.0",
            Wsl(version=2, driver_library=True, library_is_link=False),
            {"libcuda_of_cudnn": {"torch": None}},
            True,
        ),
        ("8.5.0", Wsl(version=2, driver_library=True, library_is_link=True), {}, False),
        ("8.5.0", Wsl(version=2, driver_library=True), {}, False),
        ("8.9.2", Wsl(version=2, driver_library=True, library_is_link=False), {}, False),
        ("9.1.0", Wsl(version=2, driver_library=True, library_is_link=False), {}, False),
        (
            "8.5.0",
            Wsl(version=2, driver_library=True, library_is_link=False),
            {"search_path": ("/opt/x", "/usr/lib/wsl/lib/")},
            False,
        ),
        (
            "8.5.0",
            Wsl(version=2, driver_library=True, library_is_link=False),
            {"libcuda_of_cudnn": {"torch": "/site/nvidia/cudnn/lib/libcuda.so"}},
            False,
        ),
    ],
)
def test_what_cudnn_opens_in_wsl(version, wsl, more, speaks):
    name = f"libcudnn.so.{version[0]}"
    taken = Resolution(
        framework="torch",
        soname=name,
        family="cudnn",
        wanted_by="/site/torch/lib/libtorch_cuda.so",
        how="linked",
        path=f"/site/nvidia/cudnn/lib/{name}",
        version=LibraryVersion(version),
    )
    libraries = Libraries(resolutions=(taken,), **more)
    found = judge("wsl-libcuda-path", driver=driver(), container=Container(wsl=wsl), libraries=libraries)
    assert [(one.severity, "libcuda.so" in one.summary) for one in found] == ([("warning", True)] if speaks else [])


def test_dev_permission_rootless():
    denied = tuple(node(one.path, accessible=False, error="EACCES", mode=0o660) for one in NODES)
    rootless = Container(kind="podman", rootless=True)
    broken = driver(device_nodes=denied, nvml=answer(4))
    assert "keep-groups" in words(fires("dev-permission-rootless", gpus=gpus(), driver=broken, container=rootless))
    quiet("dev-permission-rootless", gpus=gpus(), driver=broken, container=DOCKER)
    open_to_all = tuple(node(one.path, accessible=False, error="EACCES", mode=0o666) for one in NODES)
    labelled = driver(device_nodes=open_to_all, nvml=answer(4))
    quiet("dev-permission-rootless", gpus=gpus(), driver=labelled, container=rootless)
    strict = System(os="linux", selinux_enforcing=True)
    fires("container-selinux", gpus=gpus(), driver=labelled, container=rootless, host=strict)
    quiet("dev-permission-rootless", gpus=gpus(), driver=driver(), container=rootless)


def test_container_driver_in_image():
    image = Container(kind="docker", driver_packages_inside=("nvidia-driver-545",))
    broken = driver(nvml=answer(18), cuda_init=answer(803))
    fires("container-driver-in-image", gpus=gpus(), driver=broken, container=image)
    quiet("container-driver-in-image", gpus=gpus(), driver=driver(), container=image)
    quiet("container-driver-in-image", gpus=gpus(), driver=driver(nvml=None, cuda_init=None), container=image)
    quiet("container-driver-in-image", gpus=gpus(), driver=broken, container=DOCKER)


def test_an_image_with_the_driver_of_another_day():
    old, own = library("libcuda.so.1", "470.57.02"), library("libcuda.so.1", "470.74", first=False)
    given = {"gpus": gpus(), "container": DOCKER}
    broken = driver("470.74", libraries=(old, own), cuda_init=answer(803))
    assert "470.57.02" in words(fires("container-driver-in-image", driver=broken, **given))
    quiet("container-driver-in-image", driver=driver("470.74", libraries=(old, own)), **given)
    # Without a copy of the host's own the host may have been updated and not restarted.
    quiet("container-driver-in-image", driver=driver("470.74", libraries=(old,), cuda_init=answer(803)), **given)
    # A forward-compatibility copy is another rule's.
    compat = library("libcuda.so.1", "550.54.15", compat=True)
    quiet("container-driver-in-image", driver=driver("470.74", libraries=(compat, own), cuda_init=answer(803)), **given)


def test_container_selinux():
    strict = System(os="linux", selinux_enforcing=True)
    denied = tuple(node(one.path, accessible=False, error="EACCES") for one in NODES)
    fires("container-selinux", gpus=gpus(), driver=driver(device_nodes=denied), container=DOCKER, host=strict)
    closed = tuple(node(one.path, accessible=False, error="EACCES", mode=0o660) for one in NODES)
    quiet("container-selinux", gpus=gpus(), driver=driver(device_nodes=closed), container=DOCKER, host=strict)
    quiet("container-selinux", gpus=gpus(), driver=driver(device_nodes=denied), container=DOCKER, host=UBUNTU)


def test_container_ldcache_stale():
    unfound = tuple(library(one.name, first=False) for one in libraries())
    stale = driver(libraries=unfound, nvml=NO_LIBRARY, cuda_init=NO_LIBRARY)
    assert ("ldconfig",) in commands(fires("container-ldcache-stale", gpus=gpus(), driver=stale, container=DOCKER))
    quiet("container-ldcache-stale", gpus=gpus(), driver=driver(libraries=unfound, nvml=OK), container=DOCKER)
    quiet("container-ldcache-stale", gpus=gpus(), driver=stale, container=BARE)


GONE = "/usr/lib/x86_64-linux-gnu/libcuda.so.535.161.07"


def cdi(release, *absent, folder="/etc/cdi"):
    return CdiList(path=f"{folder}/nvidia.yaml", release=DriverRelease.parse(release), absent=absent)


def with_lists(*lists, **fields):
    return Container(kind="none", tools=ContainerTools(cdi_lists=lists), **fields)


NOW = driver("535.183.01")
UPDATED = driver("535.161.07", libraries=libraries("535.183.01"), nvml=answer(18))


@pytest.mark.parametrize(
    ("lists", "confidence"),
    [
        ([cdi("535.161.07", GONE)], "certain"),
        ([cdi("535.161.07")], "likely"),
        # Of the same release, but the files moved.
        ([cdi("535.183.01", "/opt/nvidia/libcuda.so.535.183.01")], "certain"),
        # Files of several releases.
        ([cdi(None, GONE)], "certain"),
        ([cdi("535.183.01"), cdi("535.161.07", folder="/var/run/cdi")], "likely"),
        ([cdi("535.161.07"), cdi("525.60.13")], "likely"),
    ],
)
def test_cdi_list_old(lists, confidence):
    found = fires("cdi-list-old", gpus=gpus(), driver=NOW, container=with_lists(*lists))
    assert found.confidence == confidence
    assert found.severity == "info"
    assert found.subject == lists[-1].path
    assert commands(found) == [("nvidia-ctk", "cdi", "generate", f"--output={lists[-1].path}")]


@pytest.mark.parametrize(
    ("lists", "around"),
    [
        ([], {}),
        ([cdi("535.183.01")], {}),
        # What engines look at first is right.
        ([cdi("535.161.07", GONE), cdi("535.183.01", folder="/var/run/cdi")], {}),
        ([cdi("535.161.07", GONE), cdi("535.183.01")], {}),
        # Too short to tell, or names no release: WSL's list, a Jetson's.
        ([cdi("535")], {}),
        ([cdi(None)], {}),
        # The driver itself is to be mended first.
        ([cdi("535.161.07", GONE)], {"driver": UPDATED}),
        ([cdi("535.161.07", GONE)], {"driver": unloaded()}),
        ([cdi("535.161.07", GONE)], {"driver": driver(libraries=())}),
        ([cdi("535.161.07", GONE)], {"gpus": None}),
        ([cdi("535.161.07", GONE)], {"gpus": gpus(gpu(vendor="amd"))}),
        ([cdi("535.161.07", GONE)], {"container": DOCKER}),
        ([cdi("535.161.07", GONE)], {"container": with_lists(cdi("535.161.07", GONE), wsl=Wsl(version=2))}),
        ([], {"container": BARE}),
    ],
)
def test_cdi_list_that_is_not_old(lists, around):
    quiet("cdi-list-old", **{"gpus": gpus(), "driver": NOW, "container": with_lists(*lists), **around})
