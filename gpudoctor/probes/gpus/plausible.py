"""Drops implausible values that an ill driver reports, so that nothing is judged by them.

The bounds are wide: some ten times what the largest GPU of 2026 has, so that next year's passes.
"""

from collections.abc import Iterator

from msgspec import structs

from gpudoctor.facts.gpus import Gpu, Refusal
from gpudoctor.facts.versions import Capability
from gpudoctor.sources.nvidia_codes import NO_CODE

#: Least and most, by field of `Gpu`; with a dot, by field of a part of it.
_BOUNDS: dict[str, tuple[float, float]] = {
    "memory_total_mib": (1, 4 * 1024 * 1024),
    "memory_used_mib": (0, 4 * 1024 * 1024),
    "temperature_c": (-60, 200),
    "temperature_slowdown_c": (1, 200),
    "temperature_max_operating_c": (1, 200),
    "clock_sm_mhz": (0, 20_000),
    "clock_sm_max_mhz": (1, 20_000),
    "clock_memory_mhz": (0, 50_000),
    "clock_memory_max_mhz": (1, 50_000),
    "utilization_percent": (0, 100),
    "pcie.generation": (1, 12),
    "pcie.generation_max": (1, 12),
    "pcie.width": (1, 64),
    "pcie.width_max": (1, 64),
    "power.draw": (0, 20_000),
    "power.limit": (0, 20_000),
    "power.default_limit": (0, 20_000),
    "power.minimum": (0, 20_000),
    "power.maximum": (0, 20_000),
}
#: Tesla was 1.0, and the minor number has been one digit ever since (CUDA programming guide, compute capabilities).
_LEAST, _NEXT = Capability("1.0"), Capability("30.0")


def plausible(gpu: Gpu) -> Gpu:
    """The GPU without values that no hardware has; each is noted as a refusal to tell the true one."""
    if not (wrong := dict(_implausible(gpu))):
        return gpu
    refusals = tuple(
        Refusal(call=name, code=NO_CODE, name="impossible value", meaning=f"The driver says {value}.")
        for name, value in wrong.items()
    )
    parts = {name.partition(".")[0] for name in wrong if "." in name}
    changes: dict[str, object] = {name: None for name in wrong if "." not in name}
    for part in parts:
        fields = {name.partition(".")[2]: None for name in wrong if name.startswith(f"{part}.")}
        changes[part] = structs.replace(getattr(gpu, part), **fields)
    return structs.replace(gpu, refusals=(*gpu.refusals, *refusals), **changes)


def _implausible(gpu: Gpu) -> Iterator[tuple[str, object]]:
    if gpu.capability is not None and not (_LEAST <= gpu.capability < _NEXT and gpu.capability.minor <= 9):
        yield "capability", gpu.capability
    for name, (least, most) in _BOUNDS.items():
        part, _, field = name.rpartition(".")
        holder = getattr(gpu, part) if part else gpu
        value = getattr(holder, field, None)
        if value is not None and not least <= value <= most:
            yield name, value
