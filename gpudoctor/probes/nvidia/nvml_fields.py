"""Which NVML query fills which field of `Gpu`, and in which unit. Units of NVML: nvml.h."""

from collections.abc import Callable
from typing import Any, Literal

from gpudoctor.facts.gpus import Fabric, RowRemaps
from gpudoctor.facts.versions import Capability
from gpudoctor.sources.pci import bus_id

#: What NVML writes into a field for which it has no value (nvml.h, NVML_VALUE_NOT_AVAILABLE and its 32-bit form).
_NOT_AVAILABLE = (0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)

#: nvml.h, NVML_DEVICE_ARCH_*
_ARCHITECTURES = {
    2: "Kepler",
    3: "Maxwell",
    4: "Pascal",
    5: "Volta",
    6: "Turing",
    7: "Ampere",
    8: "Ada",
    9: "Hopper",
    10: "Blackwell",
    13: "Rubin",
}
_COMPUTE_MODES = {0: "default", 1: "exclusive-thread", 2: "prohibited", 3: "exclusive-process"}
#: nvml.h, NVML_GPU_FABRIC_STATE_*
_FABRIC_STATES: dict[int, Literal["not-supported", "not-started", "in-progress", "completed"]] = {
    0: "not-supported",
    1: "not-started",
    2: "in-progress",
    3: "completed",
}
_VIRTUALIZATION = {0: "none", 1: "passthrough", 2: "vgpu", 3: "host-vgpu", 4: "host-vsga"}
#: nvml.h, nvmlClocksEventReason*
_REASONS = (
    "GpuIdle", "ApplicationsClocksSetting", "SwPowerCap", "HwSlowdown", "SyncBoost", "SwThermalSlowdown",
    "HwThermalSlowdown", "HwPowerBrakeSlowdown", "DisplayClockSetting", "BoardLimit", "Reliability",
)  # fmt: skip
#: nvml.h, NVML_P2P_STATUS_*
PEER_STATUS = {
    0: "OK",
    1: "CHIPSET_NOT_SUPPORTED",
    2: "GPU_NOT_SUPPORTED",
    3: "IOH_TOPOLOGY_NOT_SUPPORTED",
    4: "DISABLED_BY_REGKEY",
    5: "NOT_SUPPORTED",
    6: "UNKNOWN",
}

Values = tuple[object, ...]


def number(value: Any) -> int | None:
    """The number, or None where NVML has none."""
    return None if value is None or value in _NOT_AVAILABLE else int(value)


def mebibytes(size: Any) -> int | None:
    """MiB, from bytes."""
    known = number(size)
    return None if known is None else known >> 20


def _positive(value: Any) -> int | None:
    return number(value) or None


def _text(value: Any) -> Values:
    return (str(value).strip() or None,)


def _one(value: Any) -> Values:
    return (number(value),)


def flag(value: Any) -> bool | None:
    """NVML's nvmlEnableState_t; None for anything but its two values."""
    return {0: False, 1: True}.get(value)


def _flag(value: Any) -> Values:
    return (flag(value),)


def _watts(value: Any) -> Values:
    milliwatts = _positive(value)
    return (None if milliwatts is None else milliwatts / 1000,)


def _pci(value: Any) -> Values:
    # The device number is in the upper half, the vendor's in the lower (nvml.h, nvmlPciInfo_t).
    device = int(value["pciDeviceId"])
    return bus_id(str(value["busId"])), f"{device & 0xFFFF:04x}:{device >> 16:04x}"


def memory(value: Any) -> tuple[int | None, int | None]:
    """Total and used memory in MiB from nvmlMemory_t; a total of zero is no statement."""
    return (mebibytes(value["total"]) or None, mebibytes(value["used"])) if value["total"] else (None, None)


def reasons(value: int) -> tuple[str, ...]:
    """The clock event reasons in a mask of NVML, by name."""
    bits = [bit for bit in range(64) if value >> bit & 1]
    return tuple(_REASONS[bit] if bit < len(_REASONS) else f"bit {bit}" for bit in bits)


def _reasons(value: Any) -> Values:
    return (reasons(int(value)),)


def _row_remaps(value: Any) -> Values:
    correctable, uncorrectable, pending, failed = value
    return (
        RowRemaps(
            correctable=int(correctable), uncorrectable=int(uncorrectable), pending=bool(pending), failed=bool(failed)
        ),
    )


def _fabric(state: Any, status: Any) -> Values:
    known = _FABRIC_STATES.get(state)
    return (Fabric(state=known, status=int(status)) if known else None,)


def _licence(features: Any) -> Values:
    """Any of the features that a vGPU can have a licence for is licensed (nvml.h, nvmlGridLicensableFeatures_t)."""
    return (any(features) if features else None,)


#: For each fact of the script: the fields it fills ("power.draw" is a part of `power`), and how.
FACTS: dict[str, tuple[tuple[str, ...], Callable[[Any], Values]]] = {
    "name": (("name",), _text),
    "uuid": (("uuid",), _text),
    "pci": (("pci_bus_id", "pci_id"), _pci),
    "capability": (("capability",), lambda value: (Capability(f"{value[0]}.{value[1]}"),)),
    "architecture": (("architecture",), lambda value: (_ARCHITECTURES.get(value),)),
    "memory": (("memory_total_mib", "memory_used_mib"), memory),
    "vbios": (("vbios",), _text),
    "pcie.generation": (("pcie.generation",), lambda value: (_positive(value),)),
    "pcie.generation_max": (("pcie.generation_max",), lambda value: (_positive(value),)),
    "pcie.width": (("pcie.width",), lambda value: (_positive(value),)),
    "pcie.width_max": (("pcie.width_max",), lambda value: (_positive(value),)),
    "power.draw": (("power.draw",), _watts),
    "power.limit": (("power.limit",), _watts),
    "power.default_limit": (("power.default_limit",), _watts),
    "power.constraints": (("power.minimum", "power.maximum"), lambda value: (*_watts(value[0]), *_watts(value[1]))),
    "temperature": (("temperature_c",), _one),
    "temperature_slowdown": (("temperature_slowdown_c",), _one),
    "temperature_max_operating": (("temperature_max_operating_c",), _one),
    "clock_sm": (("clock_sm_mhz",), _one),
    "clock_sm_max": (("clock_sm_max_mhz",), lambda value: (_positive(value),)),
    "clock_memory": (("clock_memory_mhz",), _one),
    "clock_memory_max": (("clock_memory_max_mhz",), lambda value: (_positive(value),)),
    "throttle_reasons": (("throttle_reasons",), _reasons),
    "utilization": (("utilization_percent",), lambda value: (number(value["gpu"]),)),
    "performance_state": (("performance_state",), lambda value: (value if 0 <= int(value) <= 15 else None,)),
    "ecc_mode": (("ecc_enabled",), lambda value: _flag(value[0])),
    "ecc_uncorrected_volatile": (("ecc_uncorrected_volatile",), _one),
    "ecc_uncorrected_aggregate": (("ecc_uncorrected_aggregate",), _one),
    "ecc_corrected_volatile": (("ecc_corrected_volatile",), _one),
    "retired_pages.single_bit": (("retired_pages.single_bit",), lambda value: (len(value),)),
    "retired_pages.double_bit": (("retired_pages.double_bit",), lambda value: (len(value),)),
    "retired_pages_pending": (("retired_pages_pending",), _flag),
    "row_remaps": (("row_remaps",), _row_remaps),
    "compute_mode": (("compute_mode",), lambda value: (_COMPUTE_MODES.get(value),)),
    "persistence": (("persistence",), _flag),
    "display_attached": (("display_attached",), _flag),
    "display_active": (("display_active",), _flag),
    "virtualization": (("virtualization",), lambda value: (_VIRTUALIZATION.get(value),)),
    "mig_mode": (("mig_enabled",), lambda value: _flag(value[0])),
    "fabric": (("fabric",), lambda value: _fabric(*value)),
    "licence": (("vgpu_licensed",), _licence),
}
