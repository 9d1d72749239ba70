"""Tables of the rules on what surrounds the process: login files, installers' settings, shared memory, other users."""

import pytest

from gpudoctor.facts.fix import SetEnv
from gpudoctor.facts.gpus import GpuProcess, MigInstance
from gpudoctor.facts.libraries import Toolkit, Toolkits
from gpudoctor.facts.system import Container, Environ, LoginSetting, Space, System, Wsl
from tests.rules.situations import BARE, NO_LIBRARY, OK, driver, environ, gpu, gpus, libraries, slurm
from tests.rules.stacks import frameworks, interpreter, stack, torch
from tests.rules.table import fires, quiet

GIB = 1024**3
NOTEBOOK = Container(kind="none", notebook="jupyter")


def login(name, value, **variables):
    return Environ(variables=variables, login=(LoginSetting(name=name, value=value, file="/home/me/.profile"),))


@pytest.mark.parametrize(
    "given",
    [
        login("LD_LIBRARY_PATH", "/usr/local/cuda-10.1/lib64"),
        login("PATH", "/usr/local/cuda/bin", PATH="/usr/bin:/bin"),
        login("CUDA_HOME", "/usr/local/cuda"),
    ],
)
def test_env_login_only(given):
    found = fires("env-login-only", environ=given, container=NOTEBOOK)
    assert isinstance(found.fixes[0].steps[0], SetEnv)
    # A terminal has read these files.
    quiet("env-login-only", environ=given, container=BARE)


def test_what_the_notebook_should_have():
    lacking = login("PATH", "/usr/local/cuda/bin", PATH="/usr/bin:/bin")
    step = fires("env-login-only", environ=lacking, container=NOTEBOOK).fixes[0].steps[0]
    assert (step.name, step.value) == ("PATH", "/usr/local/cuda/bin:/usr/bin:/bin")
    alone = fires("env-login-only", environ=login("CUDA_HOME", "/opt/cuda"), container=NOTEBOOK)
    assert alone.fixes[0].steps[0].value == "/opt/cuda"


@pytest.mark.parametrize(
    "given",
    [
        login("PATH", "/usr/local/cuda/bin", PATH="/usr/local/cuda/bin/:/usr/bin"),
        login("CUDA_HOME", "/usr/local/cuda", CUDA_HOME="/opt/cuda"),
        login("CUDA_VISIBLE_DEVICES", "1"),
        Environ(login=()),
        Environ(),
    ],
)
def test_a_notebook_that_has_what_the_login_files_set(given):
    quiet("env-login-only", environ=given, container=NOTEBOOK)


def test_pip_tls_ca():
    gone = Environ(variables={"SSL_CERT_FILE": "/gone.pem"}, absent_files=("SSL_CERT_FILE",))
    found = fires("pip-tls-ca", environ=gone)
    assert SetEnv(name="SSL_CERT_FILE", value=None) in found.fixes[0].steps
    quiet("pip-tls-ca", environ=environ(SSL_CERT_FILE="/opt/conda/ssl/cacert.pem"))
    quiet("pip-tls-ca", environ=environ())


INDEX = "https://download.pytorch.org/whl/cu124"


@pytest.mark.parametrize(
    "variables",
    [{"PIP_INDEX_URL": INDEX}, {"UV_DEFAULT_INDEX": INDEX}, {"UV_INDEX_URL": INDEX}, {"PIP_NO_INDEX": "1"}],
)
def test_pip_no_matching_distribution(variables):
    fires("pip-no-matching-distribution", environ=environ(**variables))


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"PIP_INDEX_URL": "https://mirror.example/simple"},
        {"PIP_INDEX_URL": INDEX, "PIP_EXTRA_INDEX_URL": "https://mirror.example/simple"},
        {"PIP_EXTRA_INDEX_URL": INDEX},
        {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels"},
        {"UV_NO_INDEX": "0"},
    ],
)
def test_an_installer_that_finds_everything(variables):
    quiet("pip-no-matching-distribution", environ=environ(**variables))


def test_cvd_uuid_app_parse():
    two = gpus(gpu(0), gpu(1))
    found = fires("cvd-uuid-app-parse", gpus=two, environ=environ(CUDA_VISIBLE_DEVICES="GPU-1111"))
    assert SetEnv(name="CUDA_VISIBLE_DEVICES", value="1") in found.fixes[0].steps
    for value in ("0", "", "GPU-nobody", "MIG-1111"):
        quiet("cvd-uuid-app-parse", gpus=two, environ=environ(CUDA_VISIBLE_DEVICES=value))
    quiet("cvd-uuid-app-parse", gpus=two, environ=environ())
    parts = gpus(gpu(0, mig_enabled=True), gpu(1))
    found = fires("cvd-uuid-app-parse", gpus=parts, environ=environ(CUDA_VISIBLE_DEVICES="MIG-1111"))
    assert found.severity in (None, "info")
    assert "container" in found.fixes[0].title


@pytest.mark.parametrize("value", ["GPU-1111", "MIG-1111"])
@pytest.mark.parametrize(
    ("version", "counts"),
    [("1.12.1+cu116", True), ("1.13.0+cu117", False), ("1.13.1+cu117", False), ("2.0.0+cu117", True)],
)
def test_a_torch_that_takes_uuids_for_no_numbers(value, version, counts):
    part = (MigInstance(uuid="MIG-1111"),) if value.startswith("MIG") else ()
    parts = gpus(gpu(0, uuid="GPU-1111", mig_enabled=bool(part), mig_instances=part))
    given = stack(release="515.86.01", on=interpreter("3.10.9"), frameworks=frameworks(torch(version)))
    found = fires("cvd-uuid-app-parse", **given | {"gpus": parts, "environ": environ(CUDA_VISIBLE_DEVICES=value)})
    assert (found.severity != "error") is counts
    assert counts or any("torch==2" in word for fix in found.fixes for step in fix.steps for word in step.argv)


def shm(free, total=360 * GIB):
    return System(os="linux", spaces=(Space(path="/dev/shm", purpose="shm", total=total, free=free),))


def test_shm_pressure():
    torch = frameworks(("torch", "2.6.0"))
    assert fires("shm-pressure", host=shm(GIB // 2), frameworks=torch).severity == "warning"
    assert fires("shm-pressure", host=shm(GIB // 2), frameworks=None).severity == "info"
    quiet("shm-pressure", host=shm(2 * GIB), frameworks=torch)
    quiet("shm-pressure", host=shm(GIB // 2, total=GIB), frameworks=torch)
    quiet("shm-pressure", host=shm(0, total=64 * 1024**2), frameworks=torch)
    quiet("shm-pressure", host=System(os="linux"), frameworks=torch)


def held(same_user, mib=8000, kind="compute", index=0):
    process = GpuProcess(pid=4711, name="python", used_mib=mib, kind=kind, same_user=same_user)
    return gpu(index, processes=(process,))


def test_slurm_gpu_allocation():
    job = slurm(job_gpus="0")
    found = fires("slurm-gpu-allocation", gpus=gpus(held(same_user=False)), container=job)
    assert found.severity == "error"
    quiet("slurm-gpu-allocation", gpus=gpus(held(same_user=True)), container=job)
    quiet("slurm-gpu-allocation", gpus=gpus(held(same_user=None)), container=job)
    quiet("slurm-gpu-allocation", gpus=gpus(held(same_user=False, mib=20)), container=job)
    quiet("slurm-gpu-allocation", gpus=gpus(held(same_user=False, kind="graphics")), container=job)
    quiet("slurm-gpu-allocation", gpus=gpus(held(same_user=False)), container=slurm())
    quiet("slurm-gpu-allocation", gpus=gpus(held(same_user=False)), container=BARE)
    # The node's other GPUs are others' business; a cgroup that shows one GPU numbers it 0.
    quiet("slurm-gpu-allocation", gpus=gpus(gpu(0), held(same_user=False, index=1)), container=job)
    fires("slurm-gpu-allocation", gpus=gpus(held(same_user=False)), container=slurm(job_gpus="3"))


def wsl(**fields):
    return Container(**{"kind": "none", "wsl": Wsl(version=2, dxg=True, driver_library=True), **fields})


def test_wsl_ldconfig_warning():
    plain = wsl(wsl=Wsl(version=2, dxg=True, driver_library=True, library_is_link=False))
    some = Toolkits(found=(Toolkit(root="/usr/local/cuda-12.4"),))
    assert fires("wsl-ldconfig-warning", container=plain, toolkits=some).severity == "info"
    quiet("wsl-ldconfig-warning", container=plain, toolkits=Toolkits())
    linked = wsl(wsl=Wsl(version=2, driver_library=True, library_is_link=True))
    for around in (linked, wsl(), BARE):
        quiet("wsl-ldconfig-warning", container=around, toolkits=some)


def test_wsl_singularity():
    without = driver(libraries=(), cuda_init=NO_LIBRARY, nvml=NO_LIBRARY)
    inside = wsl(kind="apptainer")
    assert "--nvccli" in fires("wsl-singularity", driver=without, container=inside).fixes[0].steps[0].text
    fires("wsl-singularity", driver=None, container=inside)
    quiet("wsl-singularity", driver=driver(libraries=libraries(), cuda_init=OK), container=inside)
    quiet("wsl-singularity", driver=without, container=wsl())
    quiet("wsl-singularity", driver=without, container=Container(kind="apptainer"))


OLD_WSL = System(os="linux", kernel="5.4.72-microsoft-standard-WSL2")


def test_an_old_kernel_of_wsl():
    nothing = wsl(wsl=Wsl(version=2, dxg=False, driver_library=False))
    wanted = frameworks(("torch", "1.7.1"))
    found = fires("wsl-kernel", driver=None, container=nothing, host=OLD_WSL, frameworks=wanted)
    # Not built for CUDA as far as is known: then nothing says that a GPU is wanted.
    assert found.severity == "warning"
    assert "wsl-driver-libs-missing" in found.explains
    silent = wsl(wsl=Wsl(version=2, dxg=True, driver_library=False))
    quiet("wsl-kernel", driver=None, container=silent, host=OLD_WSL, frameworks=wanted)
    quiet("wsl-kernel", driver=driver(), container=wsl(), host=OLD_WSL, frameworks=wanted)


@pytest.mark.parametrize(
    ("kernel", "old"),
    [("5.10.43.2", True), ("5.10.43.3", False), ("5.10.102.1", False), ("4.19.128", True), ("6.6.87.2", False)],
)
def test_which_kernel_of_wsl_is_old(kernel, old):
    nothing = wsl(wsl=Wsl(version=2, dxg=False, driver_library=False))
    host = System(os="linux", kernel=f"{kernel}-microsoft-standard-WSL2")
    say = fires if old else quiet
    found = say("wsl-kernel", driver=None, container=nothing, host=host, frameworks=None)
    assert found is None or any(one.value == "5.10.43.3" for one in found.evidence)
