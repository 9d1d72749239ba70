"""The transcript that the scripts asking NVML and CUDA write: see `gpudoctor/agent/driver_query.py`."""

from collections import defaultdict
from typing import Literal, NamedTuple

import msgspec

from gpudoctor.host.port import Ran
from gpudoctor.sources.nvidia_codes import NVML_UNSUPPORTED

#: The outcomes of `Answer` that a child process can have.
Outcome = Literal["answered", "crashed", "timed-out", "stuck", "garbage", "not-asked"]

MARK = b"@gpudoctor "


class Reply(NamedTuple):
    """One call and what it returned. `code` is None where the call never came back."""

    call: str
    code: int | None
    value: object = None

    @property
    def ok(self) -> bool:
        """The call succeeded."""
        return self.code == 0

    @property
    def unsupported(self) -> bool:
        """There is no such fact here: the answer is unknown, and nothing is wrong."""
        return self.code in NVML_UNSUPPORTED


class Subject:
    """All replies about one thing: the system, a GPU, a pair of GPUs."""

    def __init__(self) -> None:
        self._facts: dict[str, list[Reply]] = defaultdict(list)

    def add(self, fact: str, reply: Reply) -> None:
        """Note a reply; a fact has several where an older call was tried after a newer one."""
        self._facts[fact].append(reply)

    def reply(self, fact: str) -> Reply | None:
        """The reply that counts: a success, else a refusal, else "not supported". None where it was not asked."""
        replies = self._facts.get(fact, ())
        ranked = sorted(replies, key=lambda reply: (not reply.ok, reply.unsupported))
        return ranked[0] if ranked else None

    def value(self, fact: str) -> object:
        """The value of a fact; None where there is no successful reply."""
        reply = self.reply(fact)
        return reply.value if reply is not None and reply.ok else None


class Transcript:
    """What a script wrote before it ended, or was ended."""

    def __init__(self) -> None:
        self._subjects: dict[str, Subject] = {}
        #: Of the subjects, by kind and how many numbers they have: 128 GPUs have 8,128 pairs.
        self._numbers: dict[tuple[str, int], list[tuple[int, ...]]] = defaultdict(list)
        #: The script came to its end.
        self.finished = False
        #: The call that was being waited for when the transcript breaks off.
        self.pending: str | None = None
        #: Anything was written at all.
        self.started = False

    def subject(self, name: str) -> Subject:
        """The replies about `name`: "system", "gpu 0", "link 0 3", "mig 0 1", "peers 0 1"."""
        return self._subjects.get(name) or Subject()

    def numbers(self, kind: str, length: int) -> list[tuple[int, ...]]:
        """The numbers of all subjects of a kind that have `length` of them, sorted: [(0,), (1,)] for "gpu"."""
        return sorted(self._numbers.get((kind, length), ()))

    def question(self, subject: str, fact: str, call: str) -> None:
        """A question was put; until its answer comes it stands as one that never came back."""
        self.started = True
        self.pending = call
        if subject not in self._subjects:
            kind, *rest = subject.split()
            self._subjects[subject] = Subject()
            self._numbers[kind, len(rest)].append(tuple(map(int, rest)))
        self._subjects[subject].add(fact, Reply(call, None))

    def answer(self, subject: str, fact: str, reply: Reply) -> None:
        """Put the answer in the place of its question."""
        self.pending = None
        replies = self._subjects[subject]._facts[fact]  # noqa: SLF001 - the two are one structure
        replies[-1] = reply


def parse_transcript(output: bytes) -> Transcript:
    """Read a transcript; lines that are not of it (a library's banner, a torn line) are passed over."""
    transcript = Transcript()
    question: tuple[str, str, str] | None = None
    for line in output.split(b"\n"):
        if not line.startswith(MARK):
            continue
        match _decode(line[len(MARK) :]):
            case ["?", str(subject), str(fact), str(call)] if _is_subject(subject):
                question = (subject, fact, call)
                transcript.question(*question)
            case ["=", int(code), value] if question is not None and _is_code(code):
                transcript.answer(question[0], question[1], Reply(question[2], code, value))
                question = None
            case ["."]:
                transcript.finished = True
    return transcript


def ending(ran: Ran, transcript: Transcript) -> tuple[Outcome, str | None]:
    """How the child fared, as an outcome of `Answer` and its detail."""
    where = f" in {transcript.pending}" if transcript.pending else ""
    if transcript.finished:
        return "answered", None
    if ran.outcome == "not-started":
        return "not-asked", ran.reason
    if ran.outcome == "timed-out":
        return "timed-out", transcript.pending
    if ran.outcome == "abandoned":
        return "stuck", ran.wchan or transcript.pending
    if ran.truncated or (ran.ok and not transcript.started):
        return "garbage", f"{len(ran.stdout) + len(ran.stderr)} bytes that are no answer"
    if ran.outcome == "signalled":
        return "crashed", f"{ran.signal}{where}"
    return "crashed", f"exit code {ran.code}{where}"


def _decode(text: bytes) -> object:
    try:
        decoded: object = msgspec.json.decode(text)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, a number that nothing can hold
        return None
    return decoded


def _is_code(code: int) -> bool:
    """A return code is a 32-bit number (nvml.h and cuda.h: an enumeration)."""
    return not isinstance(code, bool) and -(2**31) <= code < 2**31


def _is_subject(text: str) -> bool:
    first, *rest = text.split() or [""]
    return bool(first) and all(number.isascii() and number.isdigit() and len(number) < 6 for number in rest)
