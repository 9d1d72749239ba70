"""What rule modules import: the @rule decorator, Problem, Fix, and functions to word evidence."""

from collections.abc import Iterator
from typing import Any

from gpudoctor.facts.base import Source
from gpudoctor.facts.driver import Answer, KernelLine
from gpudoctor.facts.finding import Evidence, Problem
from gpudoctor.facts.fix import Ask, Fix, Run, SetEnv, by_hand, run
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.system import Environ
from gpudoctor.rules.declare import rule

__all__ = [
    "Ask",
    "Evidence",
    "Fix",
    "Iterator",
    "Problem",
    "Run",
    "SetEnv",
    "answer_seen",
    "by_hand",
    "gpu_seen",
    "log_seen",
    "problem",
    "rule",
    "run",
    "seen",
    "variable_seen",
]


def problem(
    summary: str, *evidence: Evidence, fix: Fix | None = None, fixes: tuple[Fix, ...] = (), **more: Any
) -> Problem:
    """What a rule found, with its evidence; `fix`: the only one. `more`: what else a Problem says."""
    return Problem(summary=summary, evidence=evidence, fixes=fixes if fix is None else (fix,), **more)


def seen(fact: str, value: object, source: Source | None = None) -> Evidence:
    """A fact with its value in words."""
    return Evidence(fact=fact, value=str(value), source=source)


def variable_seen(name: str, environ: Environ) -> tuple[Evidence, ...]:
    """What a variable is set to; nothing where a text that does not show it may only leave it out."""
    value = environ.get(name)
    return () if value is None and environ.excerpt else (seen(name, "not set" if value is None else value),)


def answer_seen(who: str, answer: Answer | None) -> Evidence:
    """What NVML or the CUDA driver answered, with the meaning of its code."""
    return Evidence(fact=f"{who} answers", value=answer_words(answer), source=answer.source if answer else None)


def answer_words(answer: Answer | None) -> str:
    """An answer in words: the code with its meaning, or how the question ended."""
    if answer is None or answer.outcome == "not-asked":
        return "not asked"
    if answer.outcome == "answered":
        number = f"code {answer.code}" if answer.code is not None else "an answer without a code"
        code = number if answer.name is None else answer.name + (f" ({answer.code})" if answer.code is not None else "")
        return f"{code}: {answer.meaning}" if answer.meaning else code
    words = {
        "no-library": "its library could not be loaded",
        "crashed": "it crashed",
        "timed-out": "no answer before the deadline",
        "stuck": "no answer, and the process that called it cannot be killed",
        "garbage": "a nonsensical answer",
    }[answer.outcome]
    return f"{words} ({answer.detail})" if answer.detail else words


def gpu_seen(gpu: Gpu) -> Evidence:
    """A GPU that the PCI bus shows, and the kernel driver that holds it."""
    place = f"at {gpu.pci_bus_id}" if gpu.pci_bus_id else "present"
    holder = {None: "", "none": ", held by no kernel driver"}.get(gpu.bound_driver, f", held by {gpu.bound_driver}")
    return Evidence(fact=gpu.name or gpu.pci_id or "NVIDIA GPU", value=place + holder, source=gpu.source)


def log_seen(lines: tuple[KernelLine, ...], most: int = 3) -> tuple[Evidence, ...]:
    """Lines of the kernel log, the newest few."""
    return tuple(Evidence(fact="kernel log", value=line.text.strip()) for line in lines[-most:])
