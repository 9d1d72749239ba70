"""Words of commands about GPU memory: who holds it, how the allocator takes it, what share of it is free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpudoctor.facts import lazy_re as re
from gpudoctor.knowledge.milestones import numbers_of

if TYPE_CHECKING:
    from gpudoctor.diagnosis.filled_in import Stated

#: PyTorch's message about a full GPU: "Process 1837 has 71.30 GiB memory in use".
_HOLDER = re.compile(r"\bProcess (\d{1,8}) has (\d{1,6}\.\d\d) ([MG]iB) memory in use")
_WITH_SEGMENTS = numbers_of("torch-expandable-segments")


def pid(facts: Stated) -> str | None:
    """The process that PyTorch's message names as the one that holds most."""
    held = {
        float(size) * (1024 if unit == "GiB" else 1): pid
        for text in facts.seen.messages
        for pid, size, unit in _HOLDER.findall(text)
    }
    return held[max(held)] if held else None


def allocator(facts: Stated) -> str:
    """What joins the pieces of PyTorch's cache: segments that grow, or before them a largest piece."""
    numbers = facts.seen.numbers("torch")
    has_segments = numbers is None or numbers >= _WITH_SEGMENTS
    return "expandable_segments:True" if has_segments else "max_split_size_mb:128"


def free_share(facts: Stated) -> str | None:
    """What a program that takes a share of the GPU's memory can take of what is free; a little stays for others."""
    shares = [one.free / one.total for one in facts.seen.memory_reports if one.free and one.total]
    return f"{int(min(shares) * 100 - 2) / 100:g}" if shares and min(shares) > 1 / 10 else None
