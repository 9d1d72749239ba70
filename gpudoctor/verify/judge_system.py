"""Judges apt, dnf, zypper and pacman: whether the driver or toolkit in a package serves the GPU.

Names: https://docs.nvidia.com/datacenter/tesla/driver-installation-guide, https://docs.nvidia.com/cuda/
cuda-installation-guide-linux (meta packages), https://help.ubuntu.com/community/NvidiaDriversInstallation, 2026-11-22.
"""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.plan.system_packages import TOOLS, rows
from gpudoctor.verify.asked import SystemPackages
from gpudoctor.verify.case import Case
from gpudoctor.verify.verdict import Verdict

_DRIVER = re.compile(
    r"(?:lib)?nvidia-(?:driver|headless|headless-no-dkms|dkms|utils|compute-utils|kernel-source)-(\d{3})(-open|-server-open|-server)?"
    r"|cuda-drivers-(\d{3})|nvidia-(open)-(\d{3})"
)
_NEWEST = re.compile(
    r"cuda-drivers|cuda|nvidia-open(?:-dkms)?|nvidia(?:-dkms|-lts)?|nvidia-driver|nvidia-driver-latest-dkms|kmod-nvidia-latest-dkms"
)
_TOOLKIT = re.compile(r"cuda-toolkit-(\d+)-(\d+)|cuda-(\d+)-(\d+)|cuda-nvcc-(\d+)-(\d+)|cuda-libraries-(\d+)-(\d+)")
_KNOWN = re.compile(
    r"nvidia-container-toolkit(?:-base)?|libnvidia-container.*|nvidia-docker2|nvidia-cuda-toolkit|libcudnn[89].*|cudnn.*"
    r"|datacenter-gpu-manager.*|nvidia-fabricmanager-\d+|cuda-keyring|nvidia-settings|nvidia-modprobe|nvidia-smi"
    r"|libnccl.*|build-essential|gcc.*|g\+\+.*|make|dkms|linux-headers.*|kernel-devel.*|kernel-headers.*|python3.*"
    r"|akmod-nvidia.*|xorg-x11-drv-nvidia.*|nvidia-utils(?:-\d+)?|ubuntu-drivers-common|mokutil|pciutils|cuda-compat-.*"
)


def judge_system(asked: SystemPackages, case: Case) -> Iterator[Verdict]:
    """The verdicts on the packages."""
    wrong = _wrong_tool(asked, case)
    if wrong is not None:
        yield wrong
        return
    for name in asked.names:
        yield _package(name, case)


def _wrong_tool(asked: SystemPackages, case: Case) -> Verdict | None:
    machine, distribution = case.machine, (case.given.distribution or "").partition("-")[0]
    if machine.platform is not None and machine.os != "linux":
        text = f"{asked.tool} is of Linux, and this is {machine.os}."
    elif TOOLS.get(distribution, asked.tool) != asked.tool:
        text = f"{asked.tool} is not the package manager of {distribution}; {TOOLS[distribution]} is."
    else:
        return None
    return case.verdict(asked.tool, "does not fit", aspect="environment", because=text)


def _package(name: str, case: Case) -> Verdict:
    name = re.sub(r":\w+$", "", name)
    driver, toolkit = _DRIVER.fullmatch(name), _TOOLKIT.fullmatch(name)
    if driver:
        branch = int(driver[1] or driver[3] or driver[5])
        is_open = driver[4] == "open" or "open" in (driver[2] or "")
        is_either = driver[3] is not None
        return _driver(name, branch, case, is_open=None if is_either else is_open)
    if toolkit:
        numbers = [one for one in toolkit.groups() if one]
        return _toolkit(name, CudaVersion(".".join(numbers)), case)
    if _NEWEST.fullmatch(name):
        return _newest(name, case)
    if _KNOWN.fullmatch(name) or any(name in row.names for row in rows()):
        return case.verdict(name, "fits")
    text = f"{name[:60]} is not in the tables."
    return case.verdict(name, "not known", grounds="not in the tables", aspect="name", because=text)


def _driver(name: str, branch: int, case: Case, *, is_open: bool | None) -> Verdict:
    from gpudoctor.facts.versions import DriverRelease

    row = case.matrix.driver_branch(DriverRelease(str(branch)), "linux")
    newest = case.matrix.newest_branch("linux")
    if row is None and newest is not None and branch > newest.branch:
        text = f"Driver branch {branch} is not in the tables, which end with {newest.branch}."
        return case.verdict(name, "not known", grounds="not in the tables", aspect="driver", because=text)
    for index, gpu in enumerate(case.machine.capabilities):
        label, architecture = case.machine.label(index), case.matrix.architecture(gpu)
        if architecture is None:
            continue
        first, last = architecture.first_branch, architecture.last_branch
        if first is not None and branch < first:
            text = f"Driver branch {branch} does not know {label}; {first} is the first that does."
        elif last is not None and branch > last:
            text = f"Driver branch {branch} no longer serves {label}; {last} is the last that does."
        elif is_open is True and architecture.kernel_module == "proprietary":
            text = f"The open kernel modules do not serve {label}; it needs the proprietary ones."
        elif is_open is False and architecture.kernel_module == "open":
            text = f"{label} needs the open kernel modules."
        else:
            continue
        instead = _other_driver(name, branch, first, last, architecture.kernel_module, case)
        return case.verdict(name, "does not fit", aspect="gpu", because=text, instead=instead, row=architecture)
    if row is None:
        text = f"No driver branch {branch} is known."
        return case.verdict(name, "not known", grounds="not in the tables", aspect="driver", because=text)
    return case.verdict(
        name,
        "fits",
        row=row,
        not_judged=case.not_judged("GPU"),
        notes=("Whether this system's sources have it was not asked.",),
    )


def _other_driver(
    name: str, branch: int, first: int | None, last: int | None, module: str | None, case: Case
) -> str | None:
    wanted = first if first is not None and branch < first else last if last is not None and branch > last else branch
    match = re.match(r"nvidia-driver-\d+", name)
    if match is None:
        return None
    tail = "-open" if module == "open" else ""
    return case.text.replace(name, f"nvidia-driver-{wanted}{tail}", 1)


def _newest(name: str, case: Case) -> Verdict:
    """A package that takes the newest driver."""
    newest = case.matrix.newest_branch("linux")
    for index, gpu in enumerate(case.machine.capabilities):
        architecture = case.matrix.architecture(gpu)
        if architecture is None:
            continue
        last = architecture.last_branch
        # The distribution's own nvidia-driver may be older than the newest.
        if last is not None and newest is not None and last < newest.branch and name != "nvidia-driver":
            text = f"{name} brings the newest driver, which no longer serves {case.machine.label(index)}; {last} does."
            instead = case.text.replace(name, f"cuda-drivers-{last}", 1)
            return case.verdict(name, "does not fit", aspect="gpu", because=text, instead=instead, row=architecture)
        if name.startswith("nvidia-open") and architecture.kernel_module == "proprietary":
            text = f"The open kernel modules do not serve {case.machine.label(index)}."
            return case.verdict(name, "does not fit", aspect="gpu", because=text, row=architecture)
    notes = ("It brings the newest driver along; cuda-toolkit-12-4 and the like leave the driver as it is.",)
    return case.verdict(name, "fits", notes=notes if name == "cuda" else (), not_judged=case.not_judged("GPU"))


def _toolkit(name: str, cuda: CudaVersion, case: Case) -> Verdict:
    row = case.matrix.toolkit(cuda)
    newest = max((one.cuda for one in case.matrix.table("cuda_arch") if hasattr(one, "cuda")), default=None)
    if row is None:
        if newest is not None and cuda > newest:
            text = f"CUDA {cuda} is not in the tables, which end with {newest}."
            return case.verdict(name, "not known", grounds="not in the tables", aspect="version", because=text)
        text = f"There is no CUDA {cuda}."
        return case.verdict(name, "does not fit", grounds="impossible", aspect="version", because=text)
    floor = case.matrix.family_floor(cuda, "linux")
    driver = case.machine.driver
    brings = not name.startswith(("cuda-toolkit", "cuda-nvcc", "cuda-libraries"))
    if floor is not None and driver is not None and driver < floor.release and not brings:
        text = f"Programs of CUDA {cuda} need driver {floor.release} or newer, and this is {driver}."
        return case.verdict(name, "does not fit", aspect="driver", because=text, row=floor)
    known = [gpu for gpu in case.machine.capabilities if row.capabilities and gpu < min(row.capabilities)]
    if known:
        text = f"CUDA {cuda} no longer compiles for compute capability {known[0]}."
        return case.verdict(name, "does not fit", aspect="gpu", because=text, row=row)
    return case.verdict(name, "fits", row=row, not_judged=case.not_judged("GPU", "driver"))
