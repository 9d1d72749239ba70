"""NVML calls that the driver refused: how grave each is, and its words."""

from gpudoctor.facts.finding import Evidence
from gpudoctor.facts.gpus import Refusal
from gpudoctor.rules.terms import seen

#: Readings that change all the time, or that only describe; without them the GPU can still be judged.
READINGS = (
    "power", "temperature", "fan", "clock", "utilization", "throughput", "process", "accounting", "performance",
    "reason", "display", "persistence", "nvlink", "p2p", "pcielink", "pcie", "serial", "vbios", "virtualization",
)  # fmt: skip
#: Codes of NVML that speak of the GPU, not of the question: insufficient power, interrupts, damaged infoROM, lost,
#: reset required (nvml.h, nvmlReturn_t).
_OF_THE_GPU = (8, 11, 14, 15, 16)


def is_grave(refusal: Refusal) -> bool:
    """What was asked is needed for a verdict, or the code says that the GPU is ill, whatever was asked."""
    reading = any(word in refusal.call.lower() for word in READINGS)
    return not reading or (refusal.call.startswith("nvml") and refusal.code in _OF_THE_GPU)


def refusal_words(refusal: Refusal) -> str:
    """Its name and number; negative is a call that gave none."""
    return f"{refusal.name} ({refusal.code})" if refusal.code >= 0 else refusal.name


def refusal_seen(refusal: Refusal) -> Evidence:
    """The refused call, with what its code means."""
    words = refusal_words(refusal)
    return seen(refusal.call, f"{words}: {refusal.meaning}" if refusal.meaning else words)
