"""The data of the host and what surrounds the process: container, WSL, Slurm, environment variables."""

from typing import Literal

from gpudoctor.facts.base import Fact, Section
from gpudoctor.facts.versions import DriverRelease


class Space(Fact, frozen=True, kw_only=True):
    """Room on a file system. Bytes."""

    path: str
    total: int | None = None
    free: int | None = None
    #: File-system type as the kernel names it: tmpfs, ext4, overlay, nfs4.
    filesystem: str | None = None
    #: What the place is for: shm, temp, work (the working directory), home, cache, environment. Room on a file
    #: server is not measured: asking one that is gone would not return.
    purpose: str | None = None


class Cpu(Fact, frozen=True, kw_only=True):
    """The processor. `flags` holds only the instruction sets that frameworks ask for (sse4_2, avx, avx2, fma …)."""

    model: str | None = None
    cores: int | None = None
    flags: tuple[str, ...] | None = None


class System(Section, frozen=True, kw_only=True):
    """The operating system and the hardware around the GPU."""

    os: Literal["linux", "windows", "macos", "other"] | None = None
    #: A text shows paths that Linux and macOS have alike: it is not Windows.
    is_posix: bool | None = None
    #: os-release ID and its relatives: debian, ubuntu, fedora, rhel, arch.
    distribution: str | None = None
    distribution_like: tuple[str, ...] = ()
    distribution_version: str | None = None
    pretty_name: str | None = None
    kernel: str | None = None
    #: Words of the kernel command line that matter to GPUs (iommu, nouveau, module.sig_enforce, lockdown, nomodeset).
    kernel_options: tuple[str, ...] | None = None
    arch: str | None = None
    libc: Literal["glibc", "musl"] | None = None
    libc_version: str | None = None
    cpu: Cpu | None = None
    memory_total: int | None = None
    memory_available: int | None = None
    #: RLIMIT_MEMLOCK in bytes; -1 is unlimited.
    locked_memory_limit: int | None = None
    spaces: tuple[Space, ...] | None = None
    is_root: bool | None = None
    groups: tuple[str, ...] | None = None
    #: kvm, vmware, xen, hyperv, … or "none".
    virtualization: str | None = None
    #: NVIDIA Jetson: the L4T release line of /etc/nv_tegra_release, else its kernel's name.
    tegra: str | None = None
    #: SELinux or AppArmor enforcing.
    selinux_enforcing: bool | None = None

    def space(self, purpose: str) -> Space | None:
        """The space with that purpose, if it was measured."""
        return next((space for space in self.spaces or () if space.purpose == purpose), None)


class Wsl(Fact, frozen=True, kw_only=True):
    """Windows Subsystem for Linux."""

    #: None: a text names no number.
    version: Literal[1, 2] | None = None
    #: /dev/dxg, through which WSL2 reaches the Windows driver.
    dxg: bool | None = None
    #: /usr/lib/wsl/lib/libcuda.so.1 is there.
    driver_library: bool | None = None
    #: That file is a symbolic link, as ldconfig expects.
    library_is_link: bool | None = None


class Slurm(Fact, frozen=True, kw_only=True):
    """What the scheduler gave. `in_job` is False on a login node."""

    in_job: bool
    in_step: bool | None = None
    gpus_on_node: str | None = None
    job_gpus: str | None = None
    step_gpus: str | None = None


class CdiList(Fact, frozen=True, kw_only=True):
    """A list of GPUs for container engines (CDI): it names the files of the driver that a container is given."""

    path: str
    #: The driver's release in the names of its libraries: libcuda.so.535.54.03.
    release: DriverRelease | None = None
    #: Libraries of the driver that it names, and that are not there.
    absent: tuple[str, ...] = ()


class ContainerTools(Fact, frozen=True, kw_only=True):
    """On a host: the container engines and NVIDIA's toolkit for them."""

    #: Path of docker or podman, by name.
    engines: dict[str, str] = {}
    docker_is_snap: bool | None = None
    nvidia_toolkit: bool | None = None
    #: Runtimes registered in docker's daemon.json.
    docker_runtimes: tuple[str, ...] | None = None
    #: Which Docker the user's commands go to: Docker Desktop's is a virtual machine of its own.
    docker_context: Literal["default", "desktop", "other"] | None = None
    #: The lists of NVIDIA GPUs, in the order in which engines look: a later folder outranks an earlier one.
    cdi_lists: tuple[CdiList, ...] | None = None


class Container(Section, frozen=True, kw_only=True):
    """Container, WSL, Kubernetes, Slurm, notebook service: everything between the process and the machine."""

    #: "none" is bare metal or a plain virtual machine; None is not known.
    kind: (
        Literal["none", "docker", "podman", "containerd", "kubernetes", "lxc", "apptainer", "enroot", "other"] | None
    ) = None
    kubernetes: bool | None = None
    rootless: bool | None = None
    #: The command or specification that started it asks for GPUs: --gpus, --device nvidia.com/gpu=all.
    gpus_requested: bool | None = None
    #: The image, as the command that starts it names it.
    image: str | None = None
    nvidia_visible_devices: str | None = None
    nvidia_driver_capabilities: str | None = None
    #: Driver packages installed inside the container's own file system.
    driver_packages_inside: tuple[str, ...] | None = None
    wsl: Wsl | None = None
    slurm: Slurm | None = None
    notebook: Literal["colab", "kaggle", "sagemaker", "jupyter"] | None = None
    tools: ContainerTools | None = None


class LoginSetting(Fact, frozen=True, kw_only=True):
    """A variable that a file read at login sets. Of a search path only the folders that tell of CUDA are kept."""

    name: str
    value: str
    file: str


class Environ(Section, frozen=True, kw_only=True):
    """The allow-listed environment variables, credentials in URLs removed."""

    variables: dict[str, str] = {}
    #: Only these are known (what a ticket shows): one that is not among them may be set too.
    excerpt: bool = False
    #: How many other variables there are; their names and values are not kept.
    others: int | None = None
    #: What the user's login files set; None where they were not read.
    login: tuple[LoginSetting, ...] | None = None
    #: Variables that name a file of certificates which is not there.
    absent_files: tuple[str, ...] = ()

    def get(self, name: str) -> str | None:
        """The value of a variable; None when it is not set (or not on the allow-list)."""
        return self.variables.get(name)
