"""Whether a fault is inside a container, WSL, Slurm or a virtual machine; None where unknown."""

import operator
from collections.abc import Iterable
from typing import TypeVar

from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import Container, Slurm, System, Wsl

_S = TypeVar("_S")

#: /dev/shm that container engines give by default.
DEFAULT_SHM_BYTES = 64 * 1024 * 1024
GIB = 1024**3


def known(section: _S | Gap | None) -> _S | None:
    """The section, or None where it is absent or was not seen."""
    return None if isinstance(section, Gap) else section


def wsl_of(container: Container | Gap | None) -> Wsl | None:
    """WSL, when we are in it."""
    around = known(container)
    return around.wsl if around else None


def slurm_of(container: Container | Gap | None) -> Slurm | None:
    """Slurm, when there is one."""
    around = known(container)
    return around.slurm if around else None


def is_contained(container: Container | Gap | None) -> bool:
    """We are known to be inside a container."""
    around = known(container)
    return around is not None and around.kind not in (None, "none")


def is_bare(container: Container | Gap | None) -> bool:
    """We are known to be outside containers and WSL: the driver is ours to look at."""
    around = known(container)
    return around is not None and around.kind == "none" and around.wsl is None


def may_hide_gpus(container: Container | Gap | None) -> bool:
    """A container or a scheduler's job may have been given only some of the machine's GPUs."""
    slurm = slurm_of(container)
    return is_contained(container) or bool(slurm and slurm.in_job)


def os_of(host: System | Gap | None) -> str | None:
    """linux, windows, macos, other; None where it is not known."""
    machine = known(host)
    return machine.os if machine else None


def kernel_of(host: System | Gap | None) -> str | None:
    """The running kernel's release."""
    machine = known(host)
    return machine.kernel if machine else None


def is_virtual(host: System | Gap | None) -> bool:
    """We are known to be inside a virtual machine."""
    machine = known(host)
    return machine is not None and machine.virtualization not in (None, "none")


def is_real(host: System | Gap | None) -> bool:
    """We are known to be on a machine that is not virtual."""
    machine = known(host)
    return machine is not None and machine.virtualization == "none"


def place(container: Container | Gap | None) -> str:
    """Where a driver must be mended, for the end of a sentence."""
    return " on the host (not in this container)" if is_contained(container) else ""


_OPERATORS = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}


def unmet(version: str | None, comparisons: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The comparisons that a dotted number does not meet; an unknown version meets none, and fails a bare demand too.

    == and != compare as many numbers as the requirement names, so that 570.86.15 meets driver==570.
    """
    if version is None:
        return tuple(f"{sign}{wanted}" for sign, wanted in comparisons) or ("present",)
    return tuple(f"{sign}{wanted}" for sign, wanted in comparisons if not _meets(version, sign, wanted))


def _meets(version: str, sign: str, wanted: str) -> bool:
    has, wants = _numbers(version), _numbers(wanted)
    if sign in ("==", "!="):
        return (has[: len(wants)] == wants) is (sign == "==")
    length = max(len(has), len(wants))
    padded = [numbers + [0] * (length - len(numbers)) for numbers in (has, wants)]
    return bool(_OPERATORS[sign](*padded))


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(".")]
