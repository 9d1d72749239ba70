"""Rules that a pasted message of an installer, of the loader or of an engine is enough for, and near misses."""

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.live import Live
from gpudoctor.facts.python import Kernelspec, Pin
from gpudoctor.facts.system import Container, ContainerTools, System, Wsl
from gpudoctor.knowledge.recognition import recognise
from tests.rules.stacks import RTX_4090, WINDOWS, frameworks, interpreter, packages, stack, tensorflow, torch
from tests.rules.table import fires, judge, quiet
from tests.whole import driver, gpu, machine

NO_TENSORFLOW = "ERROR: Could not find a version that satisfies the requirement tensorflow{} (from versions: {})"
NOT_SEEN = Gap(reason="not seen")


def said(*lines):
    return Live(symptoms=recognise("\n".join(lines)))


def without(version, *lines, **more):
    return stack(on=interpreter(version, **more)) | {"frameworks": None, "packages": packages(), "live": said(*lines)}


@pytest.mark.parametrize(
    ("version", "line", "speaks"),
    [
        ("3.13.0", NO_TENSORFLOW.format("", "none"), True),
        ("3.9.16", NO_TENSORFLOW.format("==2.3.0", "2.5.0, 2.5.1"), True),
        ("3.10.0", "ERROR: No matching distribution found for torch==1.9.1+cu111", True),
        ("3.11.4", NO_TENSORFLOW.format("==2.15.0", "2.12.0, 2.13.0"), False),
        ("3.13.0", NO_TENSORFLOW.format("", "2.20.0, 2.21.0"), False),
        ("3.13.0", "ERROR: No matching distribution found for tensroflow", False),
    ],
)
def test_a_framework_that_was_asked_for_in_vain(version, line, speaks):
    say = fires if speaks else quiet
    found = say("python-unsupported-by-framework", **without(version, line))
    assert found is None or (found.severity == "error" and "Python" in found.fixes[0].title)


def test_an_index_that_was_not_reached_says_nothing_of_python():
    broken = "pip is configured with locations that require TLS/SSL, however the ssl module in Python is not available."
    quiet("python-unsupported-by-framework", **without("3.13.0", broken, NO_TENSORFLOW.format("", "none")))
    quiet("python-unsupported-by-framework", **without("3.13.0", NO_TENSORFLOW.format("", "none"), bits=32))
    assert fires("python-32bit", **without("3.7.3", NO_TENSORFLOW.format("", "none"), bits=32)).severity == "error"


def test_what_a_partial_index_lacks():
    numpy = "ERROR: Could not find a version that satisfies the requirement numpy (from versions: none)"
    found = fires("pip-no-matching-distribution", environ=NOT_SEEN, live=said(numpy))
    assert "--extra-index-url" in found.fixes[0].steps[0].text
    for other in (numpy.replace("none", "1.26.4, 2.0.0"), numpy.replace("numpy", "nunpy")):
        quiet("pip-no-matching-distribution", environ=NOT_SEEN, live=said(other))


def test_a_library_of_the_system_that_the_loader_names():
    old = System(os="linux", arch="x86_64", libc="glibc", libc_version="2.17")
    line = "ImportError: /lib64/libm.so.6: version `GLIBC_2.27' not found (required by .../libcurand.so.10)"
    some = {"host": old, "frameworks": frameworks(torch("2.5.1")), "libraries": NOT_SEEN}
    assert "2.27" in fires("glibc-too-old", **some, live=said(line)).summary
    quiet("glibc-too-old", **some, live=said(line.replace("2.27", "2.14")))
    # What is known of old releases needs no message.
    ancient = System(os="linux", arch="x86_64", libc="glibc", libc_version="2.12")
    fires("glibc-too-old", host=ancient, frameworks=frameworks(torch("1.0.0")), libraries=NOT_SEEN, live=NOT_SEEN)
    centos7 = {"host": old, "libraries": NOT_SEEN, "live": NOT_SEEN}
    fires("glibc-too-old", frameworks=frameworks(tensorflow("1.13.1")), **centos7)
    quiet("glibc-too-old", frameworks=frameworks(tensorflow("1.15.0")), **centos7)
    quiet("glibc-too-old", frameworks=frameworks(torch("1.0.0")), **centos7)


def test_a_model_of_another_keras():
    line = "ValueError: File format not supported: filepath=m. Keras 3 only supports V3 `.keras` files and legacy H5"
    with_keras3 = stack(on=interpreter("3.11.8"), frameworks=frameworks(tensorflow("2.16.1")))
    found = fires("keras3-legacy-model", **(with_keras3 | {"live": said(line)}))
    assert found.severity == "info"
    assert any("tf-keras~=2.16.0" in str(step) for fix in found.fixes for step in fix.steps)
    with_keras2 = stack(on=interpreter("3.11.8"), frameworks=frameworks(tensorflow("2.15.0")))
    quiet("keras3-legacy-model", **(with_keras2 | {"live": said(line)}))


def test_a_python_without_ssl_is_as_grave_as_what_it_keeps_away():
    bare = interpreter(has_ssl=False)
    assert fires("py-no-ssl", interpreter=bare, frameworks=None).severity == "error"
    assert fires("py-no-ssl", interpreter=bare, frameworks=frameworks(torch("2.6.0"))).severity == "warning"
    assert fires("py-no-ssl", interpreter=bare, frameworks=NOT_SEEN).severity == "warning"


REFUSED = Answer(outcome="answered", code=4, name="NVML_ERROR_NO_PERMISSION")


def in_container(nvml, *, rootless=False, enforcing=False, nodes=()):
    host = System(os="linux", selinux_enforcing=enforcing)
    return {
        "gpus": machine(gpus=(gpu("NVIDIA GeForce RTX 3090", "8.6"),)).gpus,
        "driver": driver("580.95.05", nvml=nvml, device_nodes=nodes),
        "container": Container(kind="podman", rootless=rootless),
        "host": host,
    }


@pytest.mark.parametrize(
    ("rootless", "enforcing", "cause"),
    [
        (True, False, "dev-permission-rootless"),
        (True, True, "container-selinux"),
        (False, True, "container-selinux"),
        (False, False, None),
    ],
)
def test_who_keeps_a_container_from_the_gpu_where_only_nvml_tells(rootless, enforcing, cause):
    sections = in_container(REFUSED, rootless=rootless, enforcing=enforcing)
    for name in ("dev-permission-rootless", "container-selinux"):
        assert bool(judge(name, **sections)) == (name == cause), name


def test_a_gpu_that_a_container_lost_while_it_ran():
    lost = "Failed to initialize NVML: Unknown Error"
    unknown = Answer(outcome="answered", code=999, name="NVML_ERROR_UNKNOWN")
    seen = driver("580.95.05", nvml=unknown)
    sections = in_container(unknown) | {"driver": seen}
    del sections["host"]
    fires("container-cgroup-device-lost", **sections, live=said(lost))
    quiet("container-cgroup-device-lost", **sections, live=NOT_SEEN)


IN_WSL = Container(kind="none", wsl=Wsl(version=2, dxg=True, driver_library=True))


def test_an_engine_that_was_not_told_of_the_toolkit():
    tools = ContainerTools(engines={"docker": "/usr/bin/docker"}, nvidia_toolkit=True, docker_runtimes=("runc",))
    gpus = machine(gpus=(gpu("NVIDIA GeForce RTX 3090", "8.6"),)).gpus
    fires("ctk-not-configured", gpus=gpus, container=Container(kind="none", tools=tools, wsl=IN_WSL.wsl))
    quiet("ctk-not-configured", gpus=gpus, container=Container(kind="docker", tools=tools))
    desktop = ContainerTools(
        engines={"docker": "/usr/bin/docker"}, nvidia_toolkit=True, docker_runtimes=("runc",), docker_context="desktop"
    )
    quiet("ctk-not-configured", gpus=gpus, container=Container(kind="none", tools=desktop))


def test_what_ldconfig_says_in_wsl():
    line = "/sbin/ldconfig.real: /usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link"
    assert fires("wsl-ldconfig-warning", container=IN_WSL, toolkits=None, live=said(line)).severity == "info"
    quiet("wsl-ldconfig-warning", container=IN_WSL, toolkits=None, live=NOT_SEEN)
    linked = Container(kind="none", wsl=Wsl(version=2, library_is_link=True))
    quiet("wsl-ldconfig-warning", container=linked, toolkits=None, live=said(line))


def test_apptainer_in_wsl_by_what_nvml_answers():
    inside = Container(kind="apptainer", wsl=IN_WSL.wsl)
    for code in (9, 17):
        barred = driver("581.42", nvml=Answer(outcome="answered", code=code))
        assert "wsl-gpu-blocked" in fires("wsl-singularity", driver=barred, container=inside).explains
        quiet("wsl-singularity", driver=barred, container=IN_WSL)


def test_a_notebook_with_no_kernel_of_this_python():
    kernels = (Kernelspec(name="python3", executable="/usr/bin/python3", same_interpreter=False),)
    other = interpreter(kernelspecs=kernels)
    jupyter = Container(kind="none", notebook="jupyter")
    assert fires("py-kernelspec-mismatch", interpreter=other, container=jupyter).severity == "warning"
    assert fires("py-kernelspec-mismatch", interpreter=other, container=NOT_SEEN).severity == "info"


def test_pins_with_a_tag_of_a_build_count():
    pin = Pin(file="requirements.txt", package="torch", wanted="==1.9.1+cu111")
    sections = stack(RTX_4090, on=interpreter("3.10.0", pins=(pin,)), host=WINDOWS) | {"frameworks": None}
    assert "torch==1.9.1" in fires("python-unsupported-by-framework", **(sections | {"packages": packages()})).summary
