"""Detects what surrounds the process: container, WSL, Slurm, notebook service."""

import re
from collections.abc import Mapping
from typing import Literal

from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import Container, Slurm, Wsl
from gpudoctor.host.port import Host
from gpudoctor.probes.container.tools import read_tools
from gpudoctor.probes.driver.packages import parse_dpkg, user_space_packages
from gpudoctor.probes.host_files import exists, text_of, word_of

Kind = Literal["none", "docker", "podman", "containerd", "kubernetes", "lxc", "apptainer", "enroot", "other"]
Notebook = Literal["colab", "kaggle", "sagemaker", "jupyter"]

_WSL_LIBRARY = "/usr/lib/wsl/lib/libcuda.so.1"
_SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"

#: Patterns in the path of a control group or of the root file system, the most telling first.
_TRACES: tuple[tuple[str, Kind], ...] = (
    ("kubepods", "kubernetes"),
    ("libpod", "podman"),
    ("/containers/storage/", "podman"),
    (r"docker[/-][0-9a-f]{12}|docker/(?:overlay2|rootfs|containers)|/var/lib/docker/", "docker"),
    ("containerd", "containerd"),
    ("/lxc", "lxc"),
    ("enroot", "enroot"),
)
#: What engines write into the variable `container` or into /run/systemd/container.
_NAMED: dict[str, Kind] = {"docker": "docker", "podman": "podman", "lxc": "lxc", "lxc-libvirt": "lxc"}

_NOTEBOOKS: tuple[tuple[str, Notebook], ...] = (
    ("COLAB_RELEASE_TAG", "colab"),
    ("COLAB_GPU", "colab"),
    ("KAGGLE_KERNEL_RUN_TYPE", "kaggle"),
    ("SAGEMAKER_INTERNAL_IMAGE_URI", "sagemaker"),
    ("SM_CURRENT_INSTANCE_TYPE", "sagemaker"),
    ("JPY_PARENT_PID", "jupyter"),
)


def probe(host: Host) -> Container:
    """The surroundings. Never raises; what was not seen is None."""
    if not host.platform.startswith("linux"):
        return Container(kind="none", notebook=parse_notebook(host.env), kubernetes=False)
    kind = _kind(host)
    inside = kind not in ("none", None)
    return Container(
        kind=kind,
        kubernetes=_in_kubernetes(host),
        rootless=parse_uid_map(text_of(host, "/proc/self/uid_map") or "") if inside else None,
        nvidia_visible_devices=host.env.get("NVIDIA_VISIBLE_DEVICES"),
        nvidia_driver_capabilities=host.env.get("NVIDIA_DRIVER_CAPABILITIES"),
        driver_packages_inside=_driver_packages(host) if inside else None,
        wsl=_wsl(host),
        slurm=_slurm(host),
        notebook=parse_notebook(host.env) or ("sagemaker" if exists(host, "/opt/ml/metadata") else None),
        tools=read_tools(host) if kind == "none" else None,
    )


def _kind(host: Host) -> Kind | None:
    """The kind of container, by the marks that engines leave; "none" only where the control group could be read."""
    env = host.env
    if any(name in env for name in ("APPTAINER_CONTAINER", "SINGULARITY_CONTAINER")) or exists(host, "/.singularity.d"):
        return "apptainer"
    if _in_kubernetes(host):
        return "kubernetes"
    if exists(host, "/run/.containerenv"):
        return "podman"
    if exists(host, "/.dockerenv"):
        return "docker"
    if named := env.get("container") or word_of(host, "/run/systemd/container"):
        return _NAMED.get(named, "other")
    groups = text_of(host, "/proc/self/cgroup")
    return parse_traces(groups or "", text_of(host, "/proc/self/mountinfo") or "") or (
        None if groups is None else "none"
    )


def _in_kubernetes(host: Host) -> bool:
    return "KUBERNETES_SERVICE_HOST" in host.env or exists(host, _SERVICE_ACCOUNT)


def parse_traces(groups: str, mountinfo: str) -> Kind | None:
    """The engine that our control groups or the mount of our root tell of (with version 2 groups only the mount)."""
    roots = re.findall(r"^\d+ \d+ \S+ (\S+) / .*$", mountinfo, re.MULTILINE)
    overlays = re.findall(r"^\d+ \d+ \S+ \S+ / .* - overlay .*$", mountinfo, re.MULTILINE)
    text = "\n".join((*re.findall(r"^\d+:[^:]*:(.*)$", groups, re.MULTILINE), *roots, *overlays))
    return next((kind for trace, kind in _TRACES if re.search(trace, text)), None)


def parse_uid_map(text: str) -> bool | None:
    """Rootless: root inside is another user outside. See user_namespaces(7)."""
    for line in text.splitlines():
        inside, outside, _ = (*line.split(), "", "", "")[:3]
        if inside == "0":
            return outside != "0"
    return None if not text.strip() else True


def parse_notebook(env: Mapping[str, str]) -> Notebook | None:
    """The notebook service whose variables are set."""
    return next((kind for name, kind in _NOTEBOOKS if name in env), None)


def _driver_packages(host: Host) -> tuple[str, ...] | None:
    status = host.read("/var/lib/dpkg/status", limit=64 * 1024 * 1024)
    return None if status is None or isinstance(status, Gap) else user_space_packages(parse_dpkg(status))


def _wsl(host: Host) -> Wsl | None:
    version = parse_wsl(
        word_of(host, "/proc/sys/kernel/osrelease") or "",
        text_of(host, "/proc/version") or "",
        named="WSL_DISTRO_NAME" in host.env or exists(host, "/run/WSL"),
    )
    if version is None:
        return None
    library = exists(host, _WSL_LIBRARY)
    linked = host.link(_WSL_LIBRARY) is not None if library else None
    return Wsl(version=version, dxg=exists(host, "/dev/dxg"), driver_library=library, library_is_link=linked)


def parse_wsl(release: str, version: str, *, named: bool) -> Literal[1, 2] | None:
    """The version of WSL. WSL 1 says "4.4.0-19041-Microsoft", WSL 2 "5.15.153.1-microsoft-standard-WSL2".

    A kernel of the user's own can have any name; then WSL's variable or folder tells of version 2.
    """
    if release.endswith("-Microsoft") or "Microsoft@Microsoft.com" in version:
        return 1
    return 2 if named or "microsoft" in release.lower() or release.endswith("WSL2") else None


def _slurm(host: Host) -> Slurm | None:
    """What the scheduler gave; outside a job only that the machine belongs to a cluster."""
    slurm = parse_slurm(host.env)
    if slurm is None and (host.tool("srun") or exists(host, "/etc/slurm/slurm.conf")):
        return Slurm(in_job=False)
    return slurm


def parse_slurm(env: Mapping[str, str]) -> Slurm | None:
    """Slurm's own variables (srun(1), sbatch(1)): a batch script is in a job and in no step."""
    if "SLURM_JOB_ID" not in env and "SLURM_JOBID" not in env:
        return None
    return Slurm(
        in_job=True,
        in_step="SLURM_STEP_ID" in env or "SLURM_STEPID" in env,
        gpus_on_node=env.get("SLURM_GPUS_ON_NODE"),
        job_gpus=env.get("SLURM_JOB_GPUS"),
        step_gpus=env.get("SLURM_STEP_GPUS"),
    )
