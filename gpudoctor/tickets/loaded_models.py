"""Language models in the output of `ollama ps`, and the GPU memory they take."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.live import Live, LoadedModel
from gpudoctor.tickets.clauses import own_lines
from gpudoctor.tickets.fragment import Fragment, fragment
from gpudoctor.tickets.pasted import Pasted

FORM = "ollama ps"

#: NAME, ID, SIZE, PROCESSOR, CONTEXT (since 0.11), UNTIL: docs.ollama.com/context-length, docs.ollama.com/faq.
_ROW = re.compile(
    r"^\W{0,4}(?P<name>\S{1,120})\s+[0-9a-f]{12}\s+(?P<size>\d+(?:\.\d+)?) ?(?P<unit>[KMGT])i?B\s+"
    r"(?:(?P<cpu>\d{1,2})%/\d{1,2}% CPU/GPU|100% (?P<only>CPU|GPU))\b"
    r"(?:\s+(?P<context>\d{3,8})(?=\s+\S+\s)(?!\s+(?:second|minute|hour|day)))?"
)
_UNITS = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
#: "8 GB VRAM", "VRAM: 8GB", "a GPU with 12 GB".
_OF_GPU = re.compile(
    r"(?<![\d.])(?P<a>\d{1,3}) ?(?:gb|gib|g|gigs?)(?: of)?(?: dedicated| gddr\d\w?)* ?"
    r"(?:v-?ram|video (?:memory|ram)|gpu memory)\b"
    r"|\bv-?ram\W{1,3}(?:is |of |size |total )?(?P<b>\d{1,3}) ?g(?:i?b)?\b"
    r"|\b(?:gpu|(?:graphics |video )?card)\b (?:only )?(?:has|with|of) (?:only )?(?P<c>\d{1,3}) ?g(?:i?b)\b",
    re.IGNORECASE,
)


def parse_loaded_models(text: Pasted) -> tuple[Fragment, ...]:
    """The rows of the table."""
    rows = list(text.matches(_ROW))
    if not rows:
        return ()
    told = _memory_told(text)
    models = tuple(
        LoadedModel(
            program="ollama",
            name=row["name"],
            size=int(float(row["size"]) * _UNITS[row["unit"]]),
            on_cpu=int(row["cpu"]) if row["cpu"] else 100 if row["only"] == "CPU" else 0,
            context=int(row["context"]) if row["context"] else None,
            gpu_memory_told=told,
        )
        for _, row in rows
    )
    return fragment(FORM, (number for number, _ in rows), live=Live(models=models))


def _memory_told(text: Pasted) -> int | None:
    """The one size that is told of the GPU's memory, in bytes."""
    sizes = {
        int(match["a"] or match["b"] or match["c"])
        for _, line in own_lines(text.filled)
        if "g" in line.lower()
        for match in _OF_GPU.finditer(line)
    }
    return sizes.pop() << 30 if len(sizes) == 1 else None
