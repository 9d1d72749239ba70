"""Tables for the marks that containers, schedulers and services leave."""

from typing import Any

import pytest

from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.container import probe as container
from gpudoctor.probes.container.tools import parse_daemon, read_tools

HEX = "0123456789abcdef" * 4
GROUPS = {"/proc/self/cgroup": "0::/user.slice/user-1000.slice\n"}
#: As a version 2 control group with its own namespace looks: it tells nothing.
HIDDEN = {"/proc/self/cgroup": "0::/\n"}


def _root(options: str) -> dict[str, str]:
    return {**HIDDEN, "/proc/self/mountinfo": f"1 2 0:60 / / rw - overlay overlay rw,{options}\n"}


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (RecordedHost(GROUPS), "none"),
        (RecordedHost(HIDDEN), "none"),
        (RecordedHost(), None),
        (RecordedHost({"/.dockerenv": "", **HIDDEN}), "docker"),
        (RecordedHost({"/run/.containerenv": "", **HIDDEN}), "podman"),
        (RecordedHost({"/proc/self/cgroup": f"12:devices:/docker/{HEX}\n"}), "docker"),
        (RecordedHost({"/proc/self/cgroup": f"0::/system.slice/docker-{HEX}.scope\n"}), "docker"),
        (RecordedHost({"/proc/self/cgroup": "0::/user.slice/app-docker-desktop-42.scope\n"}), "none"),
        (RecordedHost({"/proc/self/cgroup": f"4:memory:/kubepods/burstable/pod1/{HEX}\n"}), "kubernetes"),
        (RecordedHost({"/proc/self/cgroup": f"0::/machine.slice/libpod-{HEX}.scope\n"}), "podman"),
        (RecordedHost({"/proc/self/cgroup": "1:name=systemd:/lxc/web\n"}), "lxc"),
        (RecordedHost(_root("lowerdir=/var/lib/docker/overlay2/l/A")), "docker"),
        (RecordedHost(_root("lowerdir=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/1/fs")), "containerd"),
        (RecordedHost(_root("lowerdir=/home/a/.local/share/containers/storage/overlay/l/A")), "podman"),
        (RecordedHost(_root("lowerdir=/cow")), "none"),  # a live system
        (
            RecordedHost({**HIDDEN, "/proc/self/mountinfo": "1 2 0:60 /enroot/data/pyxis_1 / rw - ext4 /dev/sda rw\n"}),
            "enroot",
        ),
        (RecordedHost(GROUPS, env={"APPTAINER_CONTAINER": "/x.sif"}), "apptainer"),
        (RecordedHost(GROUPS, env={"SINGULARITY_CONTAINER": "/x.sif"}), "apptainer"),
        (RecordedHost(HIDDEN, env={"container": "podman"}), "podman"),
        (RecordedHost({**HIDDEN, "/run/systemd/container": "lxc\n"}), "lxc"),
        (RecordedHost({**HIDDEN, "/run/systemd/container": "systemd-nspawn\n"}), "other"),
        (RecordedHost(HIDDEN, env={"KUBERNETES_SERVICE_HOST": "10.0.0.1"}), "kubernetes"),
    ],
)
def test_kind(host: RecordedHost, expected: str | None) -> None:
    assert container.probe(host).kind == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0 0 4294967295\n", False), ("0 1000 1\n1 100000 65536\n", True), ("1000 1000 1\n", True), ("", None)],
)
def test_rootless(text: str, expected: bool | None) -> None:
    assert container.parse_uid_map(text) is expected


@pytest.mark.parametrize(
    ("release", "version", "named", "expected"),
    [
        ("4.4.0-19041-Microsoft", "", True, 1),
        ("3.4.0+", "Linux version 3.4.0-Microsoft (Microsoft@Microsoft.com) (gcc version 4.7)", False, 1),
        ("5.15.153.1-microsoft-standard-WSL2", "", True, 2),
        ("4.19.104-microsoft-standard", "", False, 2),
        ("6.6.9-custom-WSL2", "", False, 2),
        ("6.1.0-mine", "", True, 2),
        ("6.5.0-1016-azure", "", False, None),
    ],
)
def test_wsl(release: str, version: str, named: bool, expected: int | None) -> None:
    assert container.parse_wsl(release, version, named=named) == expected


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({}, None),
        ({"SLURM_JOB_ID": "1"}, (True, False, None, None)),
        ({"SLURM_JOBID": "1", "SLURM_STEPID": "0"}, (True, True, None, None)),
        (
            {"SLURM_JOB_ID": "1", "SLURM_STEP_ID": "0", "SLURM_GPUS_ON_NODE": "2", "SLURM_JOB_GPUS": "0,1"},
            (True, True, "2", "0,1"),
        ),
    ],
)
def test_slurm(env: dict[str, str], expected: Any) -> None:
    slurm = container.parse_slurm(env)
    assert (slurm and (slurm.in_job, slurm.in_step, slurm.gpus_on_node, slurm.job_gpus)) == expected


def test_a_login_node() -> None:
    slurm = container.probe(RecordedHost({"/usr/bin/srun": "ELF"})).slurm
    assert slurm is not None
    assert not slurm.in_job


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"COLAB_RELEASE_TAG": "r1", "JPY_PARENT_PID": "7"}, "colab"),
        ({"KAGGLE_KERNEL_RUN_TYPE": "Interactive"}, "kaggle"),
        ({"JPY_PARENT_PID": "7"}, "jupyter"),
        ({}, None),
    ],
)
def test_notebook(env: dict[str, str], expected: str | None) -> None:
    assert container.parse_notebook(env) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (
            b'{"runtimes": {"nvidia": {"path": "x", "runtimeArgs": []}}, "default-runtime": "nvidia"}',
            ("nvidia",),
        ),
        (b'{"log-driver": "journald"}', ()),
        (b"", ()),
        (b"{not json", None),
        (b"[" * 100_000, None),
        (b'{"runtimes": 3}', None),
    ],
)
def test_daemon(raw: bytes, expected: Any) -> None:
    assert parse_daemon(raw) == expected


@pytest.mark.parametrize(
    ("host", "engines", "snap", "toolkit", "runtimes"),
    [
        (RecordedHost(), {}, None, False, None),
        (
            RecordedHost({"/usr/bin/docker": "ELF", "/usr/bin/nvidia-ctk": "ELF"}),
            {"docker": "/usr/bin/docker"},
            False,
            True,
            (),
        ),
        (
            RecordedHost({"/usr/bin/docker": "ELF", "/etc/docker/daemon.json": '{"runtimes": {"nvidia": {}}}'}),
            {"docker": "/usr/bin/docker"},
            False,
            False,
            ("nvidia",),
        ),
        (RecordedHost({"/snap/bin/docker": "ELF"}), {"docker": "/snap/bin/docker"}, True, False, ()),
        (RecordedHost({"/usr/bin/podman": "ELF"}), {"podman": "/usr/bin/podman"}, None, False, None),
        (
            RecordedHost({"/usr/bin/docker": "ELF"}, gaps={"/etc/docker/daemon.json": "permission denied"}),
            {"docker": "/usr/bin/docker"},
            False,
            False,
            None,
        ),
    ],
)
def test_tools(host: RecordedHost, engines: Any, snap: Any, toolkit: bool, runtimes: Any) -> None:
    tools = read_tools(host)
    assert (tools.engines, tools.docker_is_snap, tools.nvidia_toolkit, tools.docker_runtimes) == (
        engines,
        snap,
        toolkit,
        runtimes,
    )


CONFIG = "/home/ada/.docker/config.json"


@pytest.mark.parametrize(
    ("env", "config", "expected"),
    [
        ({}, '{"currentContext": "desktop-linux"}', "desktop"),
        ({}, '{"auths": {"https://index.example": {"auth": "c2VjcmV0"}}}', "default"),
        ({}, '{"currentContext": "the-lab"}', "other"),
        ({}, "{", None),
        ({}, None, "default"),
        ({"DOCKER_CONTEXT": "default"}, '{"currentContext": "desktop-linux"}', "default"),
        ({"DOCKER_HOST": "unix:///home/ada/.docker/desktop/docker.sock"}, None, "desktop"),
        ({"DOCKER_HOST": "ssh://lab"}, '{"currentContext": "desktop-linux"}', "other"),
    ],
)
def test_docker_context(env: dict[str, str], config: str | None, expected: str | None) -> None:
    files = {"/usr/bin/docker": "ELF"} | ({CONFIG: config} if config is not None else {})
    tools = read_tools(RecordedHost(files, env={"HOME": "/home/ada", **env}))
    assert tools.docker_context == expected
