"""Values printed by the reporter's own code: print("CUDA:", torch.version.cuda) and its output."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.tickets.pasted import Pasted

_END = r"\s*[:=?]{0,2}\s*"
_FORMS = (
    re.compile(rf"\bprint\(\s*f['\"](?P<label>[^'\"{{}}\n]{{3,60}}?){_END}\{{(?P<asked>[^}}\n]{{4,80}})\}}"),
    re.compile(rf"\bprint\(\s*['\"](?P<label>[^'\"\n]{{3,60}}?){_END}(?:%s)?['\"]\s*[,+%]\s*(?P<asked>[^\n]{{4,80}})"),
)
_LABEL = re.compile(
    rf"\bprint\(\s*['\"](?P<label>[^'\"\n]{{3,60}}?){_END}['\"]\s*\)\s*;?\s*(?P<asked>print\([^\n]{{4,80}})?$"
)


def printed(text: Pasted) -> Iterator[tuple[int, str, str]]:
    """Line, expression, and the value that stands behind the label or on the line below it."""
    labels = dict(_labels(text))
    if not labels:
        return
    lines = list(text.filled)
    for place, (number, line) in enumerate(lines):
        if len(line) > 200 or "print" in line:
            continue
        for label, asked in labels.items():
            head, found, rest = line.strip().partition(label)
            if head or not found:
                continue
            value = rest.lstrip(" :=?\t")
            below = next((one for _, one in lines[place + 1 : place + 2]), "")
            yield number, asked, value or below.strip()


def _labels(text: Pasted) -> Iterator[tuple[str, str]]:
    """What is printed first, and the expression whose value follows."""
    lines = list(text.filled)
    for place, (_, line) in enumerate(lines):
        if "print" not in line or len(line) > 300:
            continue
        for form in _FORMS:
            if match := form.search(line):
                yield match["label"].strip(), match["asked"]
        if match := _LABEL.search(line):
            below = lines[place + 1][1] if place + 1 < len(lines) else ""
            asked = match["asked"] or (below if "print" in below else "")
            if asked:
                yield match["label"].strip(), asked
