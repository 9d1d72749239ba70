"""The strongest error line of a text, to quote where no known message matches."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from gpudoctor.facts import lazy_re as re
from gpudoctor.tables import words_of

#: Characters of a line that are looked at.
_WIDE = 1000
_WORDS_OF_A_LABEL, _WORDS_OF_AN_ANNOUNCEMENT = 8, 40
#: Lines that differ in digits other than 0 are weighed once; so many kinds of lines are remembered.
_ALIKE, _SHAPES = str.maketrans("23456789", "11111111"), 20_000
#: What is printed before a message: a log's level and time, the rank of a process; taken off piece by piece.
_BEFORE = re.compile(r"\[[^\]\n]{0,60}\]:?\s*|E\s+|\(\S{1,40}(?: pid=\d+)?\)\s*|\d[\d:., TZ-]{5,30}")
_PIECES = 4
#: A title: words, and no colon, quote or path. Lines in which it and the next one are looked for.
_PLAIN, _TITLED = re.compile(r"^[#* ]*[A-Za-z][^:`'\"/\\<>=()\[\]{}_]{0,120}$"), 20
_EXCEPTION = re.compile(
    r"(?:[\w.-]{1,40}: )?(?:[A-Za-z_]\w{0,60}\.){0,8}"
    r"(?P<name>[A-Z]\w{0,60}(?:Error|Exception|Failure|Exit|Interrupt|(?<=\.)Fail))(?::\s|$)"
)
#: Exceptions that only pass on that another process or step failed.
_WRAPPERS = frozenset(
    (
        "CalledProcessError",
        "ChildFailedError",
        "SystemExit",
        "KeyboardInterrupt",
        "RayTaskError",
        "ProcessRaisedException",
    )
)
_FATAL = re.compile(r"\b(?:fatal(?: error)?|panic)\b\s*:|^F\d{4} ", re.I)
#: How a program ends what it says before it ends.
_ENDING = re.compile(r",? (?:exiting|aborting|quitting)\b[\W\d]*$", re.I)
_ERROR = re.compile(
    r"\berror\b\s*(?:\[?\w{0,12}\]?)?:|\berror response\b|\[error\]|^E: |^E\d{4} |^error\b|^cmake error\b"
    r"|(?-i:: E \S|\bERROR\b)",
    re.I,
)
_CRASH = re.compile(
    r"segmentation fault|core dumped|terminate called|\bcheck failed: |^\W*aborted\b|^\W*killed\W*$|stack smashing",
    re.I,
)
#: What Kubernetes lists of a pod that does not run.
_POD = re.compile(
    r"^\S+\s+\d+/\d+\s+(?:Init:)?(?:CrashLoopBackOff|\w*ImagePull\w*|OOMKilled|\w*Error|ContainerCannotRun|Evicted)\b"
    r"|^(?:reason|status):\s+(?:CrashLoopBackOff|OOMKilled|ContainerCannotRun|Error)$",
    re.I,
)
_EXIT = re.compile(r"\bexit(?:ed)?(?: with)?(?: exit)?[ -](?:code|status):?\s*-?[1-9]\d*|non-zero exit status", re.I)
_FAILING = re.compile(
    r"\bfail(?:ed|s|ure|ing)?\b|\bcannot\b|\bcan't\b|\bcould(?: not|n't)\b|\bunable to\b|\bnot found\b"
    r"|\bno such\b|\bdenied\b|\binvalid\b"
    r"|\bnot implemented\b|\b(?:un|not )supported\b|\bdo(?:es)?(?:n't| not) (?:support|match|exist|have)\b"
    r"|\bmismatch\b|\b(?:in|no )compatible\b"
    r"|\bundefined\b|\brefused\b|\btimed? ?out\b|\bmissing\b",
    re.I,
)
_WARNING = re.compile(r"\bwarn(?:ing)?\b", re.I)
#: What people write of a failure in their own words.
_COMPLAINT = re.compile(
    r"\berrors?\b|\bfail|\b(?:doesnt|dont|cant|wont)\b|\bcrash|\bhangs?\b|\bfreez|\bstuck\b"
    r"|\b(?:does|did|do|is|are|will|can)(?: not|n't)\b|\bcannot\b"
    r"|\bcan't\b|\bcouldn't\b|\bunable\b|\bwrong\b|\bbroken\b|\bnot (?:work|detect|found|recogni[sz])|\bmissing\b",
    re.I,
)
#: "0 errors", "errors: none".
_NONE = re.compile(
    r"\b(?:no|0|zero|without(?: any)?) (?:errors?|warnings?|failures?|failed)\b"
    r"|\b(?:errors?|failed|failures?|warnings?)\s*[:=]\s*(?:0|none|no|n/?a|false)\b"
    # What PyTorch's collect_env prints of what it does not find.
    r"|:\s*could not collect$|^\[\w+\] could not collect$",
    re.I,
)
#: Lines of a program's text, of a table, of a form; a command that was typed.
_SOURCE = re.compile(
    r"^\s*(?:raise|except|try|print|assert|return|def|class|import|from|if|elif|else|with|for|while|logger|logging|warnings?\.warn)\b"
    r"(?!.*\berror: )"
    r"|^\s*(?:#|//|\||\+[-=]|>>> |\.\.\. |\$ |\^|~~|File \"|Traceback |In \[)|^\s*\S+ = |https?://\S+$",
)
_PERSON = re.compile(
    r"\b(?:I|I'm|I've|I'd|i'm|we|We|my|My|our|Our|me|you|You|your|please|Please|thanks|Thanks|hello|Hello|Hi|anyone"
    r"|someone)\b|\?$"
)
#: A sentence without a path, a bracket or a value: no program's line.
_ANNOUNCED = re.compile(r"[^/\\\[\]{}=<>]+$")
_SENTENCE = re.compile(r"^[A-Z][^:/\\_()\[\]{}=<>]{40,}[.!]$")


#: What an error of the GPU, its driver, libraries, frameworks or packages has in it.
_OF_GPUS = re.compile(
    r"gpu|cuda|nvidia|nvml|cu(?:dnn|blas|fft|rand|solver|sparse)|nccl|driver|device|\bhip|rocm|amdgpu|radeon|directml|\bdml"
    r"|vulkan|opencl|openvino|tpu\b|torch|tensorflow|keras|\bjax|xla|onnx|triton|memory|alloc|librar|\.dll|\.so\b|\.whl|kernel"
    r"|modul|import|packag|wheel|compil|ninja|nvcc|gcc|cmake|\bpip\b|conda|symbol|version|backend|docker|container|mount"
    r"|half|float|tensor|precision|operator|network|connection|permission|disk|space|segmentation|core dumped",
    re.I,
)


class ErrorLine(NamedTuple):
    """An error as it stands in a text. `printed`: a program's line, not the reporter's own words."""

    line: int
    text: str
    printed: bool
    #: It ends a program.
    fatal: bool = False


def strongest_error(lines: Sequence[str], known: Collection[str] = ()) -> ErrorLine | None:
    """The line that says most about a failure; None where none states one. `known` are lines that need no quoting.

    An exception's last line outranks "fatal:", that "error:", that a failure in other words, that the reporter's own
    sentence. Of several exceptions or crashes the last is taken, of the others the first.
    """
    words = words_of("knowledge/words_of_failures")["error"]
    best, place, title = 0, 0, _title_of(lines)
    weights: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        shape = line[:_WIDE].translate(_ALIKE)
        weight = weights.get(shape)
        if weight is None:
            lower = shape.lower()
            weight = _weight(shape.strip()) if any(word in lower for word in words) else 0
            if number == title:
                weight = min(weight, _OF_PROSE)
            elif len(weights) < _SHAPES:
                weights[shape] = weight
        if weight and (weight > best or weight == best in (_OF_EXCEPTION, _OF_CRASH)) and line.strip() not in known:
            best, place = weight, number
    return ErrorLine(place, lines[place - 1].strip(), best > _OF_PROSE, best >= _OF_CRASH) if best else None


_OF_EXCEPTION, _OF_CRASH, _OF_PROSE = 100, 75, 10
_WEIGHTS = ((_FATAL, 90), (_ERROR, 80), (_CRASH, _OF_CRASH), (_POD, 70), (_EXIT, 55), (_WARNING, 20), (_FAILING, 50))


def is_fatal(line: str) -> bool:
    """A program prints it and ends."""
    return _weight(line[:_WIDE].strip()) >= _OF_CRASH


def is_of_no_gpu(line: str) -> bool:
    """It names nothing of a GPU, its driver, libraries and frameworks."""
    return _OF_GPUS.search(line) is None


def _title_of(lines: Sequence[str]) -> int | None:
    """The first line, where it is a few plain words and others follow: the reporter's own."""
    told = [number for number, line in enumerate(lines[:_TITLED], 1) if line.strip()][:2]
    plain = len(told) > 1 and _PLAIN.match(lines[told[0] - 1][:_WIDE])
    return told[0] if plain else None


def _weight(line: str) -> int:
    if _NONE.search(line):
        return 0
    exception = _EXCEPTION.match(line, _start(line))
    if exception:
        return 65 if exception["name"] in _WRAPPERS else _OF_EXCEPTION
    if _SOURCE.match(line) or _is_label(line):
        return 0
    if _ENDING.search(line) and _FAILING.search(line):
        return _OF_CRASH
    if _PERSON.search(line) or _SENTENCE.match(line):
        return _OF_PROSE if _COMPLAINT.search(line) else 0
    for pattern, weight in _WEIGHTS:
        if pattern.search(line):
            return weight
    return _OF_PROSE if _COMPLAINT.search(line) else 0


def _start(line: str) -> int:
    """Where the message begins, behind what a log puts before it."""
    start = 0
    for _ in range(_PIECES):
        match = _BEFORE.match(line, start)
        if match is None:
            return start
        start = match.end()
        while line[start : start + 1] in (" ", "-"):
            start += 1
    return start


def _is_label(line: str) -> bool:
    """Words and a colon: the line below is meant."""
    bare = line.rstrip("*_` ")
    if not bare.endswith((":", "?")) or ": " in bare:
        return False
    words = len(bare.split())
    announced = words <= _WORDS_OF_AN_ANNOUNCEMENT and bare.endswith(":") and _ANNOUNCED.match(bare) is not None
    return words <= _WORDS_OF_A_LABEL or announced
