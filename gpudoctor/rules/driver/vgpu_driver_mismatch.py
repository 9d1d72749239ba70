"""DRV027: the driver in this virtual machine does not match its virtual GPU (vGPU)."""

from gpudoctor.facts.driver import KernelLine
from gpudoctor.rules._driver_state import architecture_of, log_lines, of_gpu, refused_by_release, release_of, xid_lines
from gpudoctor.rules._situation import is_virtual, kernel_of, known, place
from gpudoctor.rules.sections import Container, Driver, Gap, Gpu, Gpus, Matrix, System
from gpudoctor.rules.terms import Evidence, Fix, Iterator, Problem, by_hand, gpu_seen, log_seen, problem, rule, seen

#: vGPU start error.
XID = 78
WORDS = "incompatible with host driver"


@rule("DRV027", name="vgpu-driver-mismatch", severity="error", when="gpus.nvidia.is_listed=False")
def vgpu_driver_mismatch(
    gpus: Gpus, driver: Driver, host: System | Gap, container: Container | Gap | None, matrix: Matrix
) -> Iterator[Problem]:
    """The driver in this virtual machine does not match its virtual GPU (vGPU).

    What it means:
    A virtual machine can get a share of a GPU, a vGPU. That takes the vGPU driver (GRID driver) of NVIDIA, of a release
    that the host's vGPU software accepts. The driver here is another one, so it serves no GPU.

    Why it breaks:
    The ordinary data-centre driver was installed, which refuses a vGPU as "not supported". Or the provider updated its
    hosts, and the vGPU driver in the machine is now more than one branch behind (Xid 78).

    How to fix it:
    Install the vGPU driver that the provider of the machine names; cloud providers offer their own packages (Azure for
    the NV series, AWS for fractional GPUs). If the machine has the whole GPU, install a newer ordinary driver instead.

    When to ignore it:
    When this machine is not meant to use the GPU.

    Sources:
    NVIDIA vGPU software release notes, compatibility of vGPU Manager and guest VM drivers,
    https://docs.nvidia.com/vgpu/; Xid 78, https://docs.nvidia.com/deploy/xid-errors/; Azure N-series driver setup,
    https://learn.microsoft.com/azure/virtual-machines/linux/n-series-driver-setup
    """
    for gpu in gpus.nvidia:
        behind = _behind(gpu, gpus, driver)
        lines = behind or (_refused(gpu, gpus, driver, host, matrix) if is_virtual(host) else ())
        if not lines or gpu.is_listed:
            continue
        release = release_of(driver, kernel_of(host))
        yield problem(
            _summary(behind=bool(behind)),
            gpu_seen(gpu),
            seen("driver", release or "not known"),
            *_machine(host),
            *log_seen(lines),
            subject=gpu.label,
            confidence="certain" if behind else "likely",
            fixes=_fixes(container),
        )


def _behind(gpu: Gpu, gpus: Gpus, driver: Driver) -> tuple[KernelLine, ...]:
    """The kernel's lines on a host that does not accept the machine's vGPU driver."""
    lines = tuple(dict.fromkeys((*xid_lines(driver, XID), *log_lines(driver, WORDS))))
    return of_gpu(lines, gpu) or (lines if len(gpus.nvidia) == 1 else ())


def _refused(gpu: Gpu, gpus: Gpus, driver: Driver, host: System | Gap, matrix: Matrix) -> tuple[KernelLine, ...]:
    """The driver calls a GPU unsupported whose architecture its branch serves: a share of one, most likely."""
    architecture = architecture_of(gpu, matrix)
    release = release_of(driver, kernel_of(host))
    if architecture is None or release is None or not architecture.first_branch:
        return ()
    served = architecture.first_branch <= release.branch <= (architecture.last_branch or release.branch)
    return refused_by_release(driver, gpu, gpus) if served else ()


def _summary(*, behind: bool) -> str:
    if behind:
        return "The vGPU driver in this virtual machine does not match its host's vGPU software."
    return "The driver refuses this GPU; in a virtual machine it is then usually a vGPU, which needs its own driver."


def _machine(host: System | Gap) -> Iterator[Evidence]:
    machine = known(host)
    if machine and machine.virtualization:
        yield seen("virtual machine", machine.virtualization)


def _fixes(container: Container | Gap | None) -> tuple[Fix, ...]:
    text = "Install the vGPU (GRID) driver that the provider of this virtual machine names, of the host's branch."
    whole = "If the machine has the whole GPU, not a vGPU, install a newer ordinary driver instead."
    return (
        by_hand(
            f"Install the vGPU driver of the provider{place(container)}",
            text,
            whole,
            needs_root=True,
            needs_reboot=True,
        ),
    )
