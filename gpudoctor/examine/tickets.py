"""Reads files that other people sent: snapshots, reports, bundles of `gpudoctor report`, pasted text."""

import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

import msgspec

from gpudoctor.diagnosis.triage import Contents, Dispute, FactRead, Recognised, ToldFinding
from gpudoctor.examine.unknown_error import unknown_error
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.codec import MAX_BYTES, NotASnapshot, decode_snapshot
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.host.safe_files import Given, open_given
from gpudoctor.knowledge.answers import answers_shown
from gpudoctor.knowledge.eras import words_of_era
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.places import places_in
from gpudoctor.knowledge.programs import programs_told
from gpudoctor.knowledge.surroundings import subjects_in, surroundings_in
from gpudoctor.redact.credentials import excerpt, without_credentials
from gpudoctor.tickets.build_archs import own_build
from gpudoctor.tickets.facts_read import facts_read
from gpudoctor.tickets.other_machines import without_others
from gpudoctor.tickets.own_report import given_commands, parse_own_findings
from gpudoctor.tickets.pasted import NotText
from gpudoctor.tickets.read import Ingested, ingest, unpacked
from gpudoctor.tickets.statements import statements_in

Kind = Literal["snapshot", "report", "bundle", "text"]

#: Of a larger text only its beginning and its end are read, in bytes each.
HEAD = TAIL = 2 * 1024 * 1024
#: A pipe is not read further than this: it may have no end.
_ENDLESS = 1 << 30
#: Characters at either end of a text in which it is looked for where the program ran; and for what it is about.
_WORDS, _BEGINS = 100_000, 10_000
#: Members of a bundle; `gpudoctor report` writes a handful.
_MEMBERS = 1000
#: Bytes of their directory; and of a bundle, and of what is unpacked of it. A report is some 100 kB.
_DIRECTORY = 200_000
_BUNDLE = 16 * 1024 * 1024
#: Characters at the beginning of a message by which its line is found again, of a line that is looked at, and of one
#: that is quoted; and lines that are looked at for it.
_MARK, _LONG, _QUOTED, _TRIES = 12, 8_000, 300, 500
#: Words of which one is in what is written about GPUs.
_FIELD = re.compile(r"gpu|cuda|nvidia|rocm|torch|tensorflow|keras|jax|driver|docker|kubernetes|slurm|[rg]tx|amd", re.I)
_REPORTS = ("report.json", "snapshot.json")


class Unreadable(Exception):
    """An input that cannot be judged; the message says why, as the end of a sentence."""


class Input(NamedTuple):
    """One input as read: its bytes, and why they are not all."""

    name: str
    raw: bytes
    cut: str | None = None


class Subject(NamedTuple):
    """What an input holds."""

    kind: Kind
    snapshot: Snapshot
    contents: Contents | None = None


class _Envelope(msgspec.Struct):
    schema: Any = None
    snapshot: msgspec.Raw = msgspec.Raw(b"")
    diagnosis: msgspec.Raw = msgspec.Raw(b"")

    @property
    def is_report(self) -> bool:
        """It has a snapshot, and a judgement of it."""
        return bool(bytes(self.snapshot)) and bool(bytes(self.diagnosis))


class _StandardInput:
    """Standard input, read as a file is."""

    def __init__(self) -> None:
        self._stream = sys.stdin.buffer
        self.size: int | None = None
        with suppress(OSError):  # no file at all
            status = os.fstat(self._stream.fileno())
            self.size = status.st_size if stat.S_ISREG(status.st_mode) and self._stream.seekable() else None

    def read(self, count: int) -> bytes:
        """So many bytes; fewer only where it ends."""
        return self._stream.read(count)

    def go_to(self, offset: int) -> None:
        """Read on from there."""
        self._stream.seek(offset)


def read_input(path: str) -> Input:
    """A file or pipe, or standard input for "-"; of a large one only its beginning and its end. Raises Unreadable."""
    try:
        if path == "-":
            return Input("standard input", *_bounded(_StandardInput()))
        with open_given(path, pipes=True) as given:
            return Input(shown(path), *_bounded(given))
    except OSError as error:
        raise Unreadable(f"it could not be opened: {error.strerror or error}") from None
    except ValueError:
        raise Unreadable("no file can have this name") from None


def shown(path: str) -> str:
    r"""The name of an input as it can be written: a byte that is no UTF-8 as \xb0."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _bounded(stream: Given | _StandardInput) -> tuple[bytes, str | None]:
    head = stream.read(HEAD + TAIL)
    if len(head) < HEAD + TAIL:
        return head, None
    if head[:4] == b"PK\x03\x04":
        return head + stream.read(_BUNDLE + 1 - len(head)), None
    if head.lstrip()[:1] in (b"{", b"\x1f"):
        # Only a whole one can be read.
        return head + stream.read(MAX_BYTES + 1 - len(head)), None
    tail, left = _end_of(stream, len(head))
    return head + b"\n" + tail, f"{left:,} bytes in its middle were not read" if left else None


def _end_of(stream: Given | _StandardInput, begun: int) -> tuple[bytes, int]:
    """The end of a stream of which `begun` bytes were read, and how many bytes before that end are left out."""
    tail, left = b"", 0
    if stream.size is not None and stream.size - TAIL > begun:
        stream.go_to(stream.size - TAIL)
        left = stream.size - TAIL - begun
    while left < _ENDLESS and (piece := stream.read(TAIL)):
        left += max(0, len(tail) + len(piece) - TAIL)
        tail = (tail + piece)[-TAIL:]
    return tail, left


def subject_of(given: Input, matrix: Matrix) -> Subject:
    """What an input holds. Raises Unreadable."""
    raw = given.raw
    if not raw.strip():
        raise Unreadable("it is empty")
    try:
        if raw.startswith(b"\x1f\x8b"):
            raw = unpacked(raw)
        if raw.startswith(b"PK\x03\x04"):
            return Subject("bundle", _of_json(_member(raw)).snapshot)
        if raw.lstrip()[:1] == b"{" and (judged := _of_own_json(raw)):
            return judged
        return _of_text(raw, matrix, given.cut)
    except (NotText, NotASnapshot) as error:
        raise Unreadable(str(error)) from None


def _of_own_json(raw: bytes) -> Subject | None:
    """Our own JSON; None for another tool's, which may still be a text that is known."""
    try:
        envelope = decode_json(raw, type=_Envelope)
    except RecursionError:
        raise NotASnapshot("it is JSON that is nested too deeply") from None
    except (msgspec.DecodeError, ValueError):  # not JSON, or text that is no UTF-8
        return None
    if isinstance(envelope.schema, int) or envelope.is_report:
        return _of_json(raw)
    return None


def _of_json(raw: bytes) -> Subject:
    """A snapshot, or the snapshot in a report: it is judged anew. Raises NotASnapshot."""
    if len(raw) > MAX_BYTES:
        raise NotASnapshot(f"it is larger than {MAX_BYTES // 1024**2} MiB, and no snapshot is")
    try:
        envelope = decode_json(raw, type=_Envelope)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise NotASnapshot(f"it is not a gpudoctor snapshot: {error}") from None
    if envelope.is_report:
        return Subject("report", decode_snapshot(bytes(envelope.snapshot)))
    return Subject("snapshot", decode_snapshot(raw))


def _member(raw: bytes) -> bytes:
    """The report in a bundle. Only that member is unpacked, in memory, and only so far. Raises Unreadable."""
    if len(raw) > _BUNDLE:
        raise Unreadable(f"it is a zip archive larger than {_BUNDLE // 1024**2} MiB, and no report is")
    # The directory is read whole: how many entries it has, and how long it is, stands in the archive's last bytes.
    end = raw.rfind(b"PK\x05\x06", max(0, len(raw) - 66_000))
    entries, length = (
        int.from_bytes(raw[end + 10 : end + 12], "little"),
        int.from_bytes(raw[end + 12 : end + 16], "little"),
    )
    if end < 0 or entries > _MEMBERS or length > _DIRECTORY:
        raise Unreadable("it is a zip archive, but not one of `gpudoctor report`")
    import zipfile  # most tickets are texts

    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            name = next((name for name in _REPORTS if name in archive.namelist()), None)
            if name is None:
                raise Unreadable("it is a zip archive without report.json, so not one of `gpudoctor report`")
            with archive.open(name) as stream:
                found = stream.read(_BUNDLE + 1)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise Unreadable(f"it is a zip archive that cannot be read ({error})") from None
    if len(found) > _BUNDLE:
        raise Unreadable(f"its {name} is larger than {_BUNDLE // 1024**2} MiB, and no report is")
    return found


def _of_text(raw: bytes, matrix: Matrix, cut: str | None) -> Subject:
    made = ingest(raw, matrix)
    contents = contents_of(made, cut)
    words = made.text.text
    if not (made.fragments or made.symptoms or contents.told or _says_what_fails(contents, words)):
        what = f"its {made.text.written} lines" if made.text.written > 1 else "its line"
        raise Unreadable(
            f"nothing in {what} was recognised. Ask for the output of nvidia-smi and of"
            " python -m torch.utils.collect_env, or for `gpudoctor report`"
        )
    return Subject("text", made.snapshot, contents)


def _says_what_fails(contents: Contents, words: str) -> bool:
    """A program's error line; or somebody's own sentence, in a text about GPUs."""
    is_printed = contents.error is not None and contents.error.printed
    return is_printed or bool((contents.error or contents.programs) and _FIELD.search(words[:_WORDS]))


def contents_of(made: Ingested, cut: str | None = None) -> Contents:
    """What was found in a text, without the text."""
    first: dict[str, int] = {}
    for one in made.fragments:
        first.setdefault(one.form, one.lines[0] if one.lines else 0)
    lines, words, said = made.text.lines, made.text.text, tuple(statements_in(made.text))
    ends = words[:_WORDS] + words[-_WORDS:]
    about = tuple(one.id for one in programs_told(ends[:_BEGINS]))
    return Contents(
        recognised=tuple(Recognised(form=form, line=line) for form, line in first.items()),
        facts=tuple(FactRead(text=text, line=line) for text, line in facts_read(made)),
        disputes=tuple(Dispute(fact=one.fact, values=one.values, taken=one.taken) for one in made.contradictions),
        encoding=made.text.encoding,
        lines=made.text.written,
        used=made.used,
        cut=cut,
        around=tuple(
            sorted(
                {
                    *surroundings_in(without_others(ends)),
                    *(name for find in (subjects_in, places_in) for name in find(ends)),
                    *own_build(made.text, made.snapshot),
                    *words_of_era(ends),
                    *(one.statement.id for one in said),
                }
            )
        ),
        told=tuple(
            ToldFinding(code=one.code, name=one.name, severity=one.severity, summary=one.summary)
            for one in parse_own_findings(words)
        ),
        given=(*given_commands(first, lines), *answers_shown(ends)),
        quoted=tuple(_quoted(made, lines)),
        begins=excerpt(next((line.strip() for line in lines if line.strip()), ""), _QUOTED),
        error=unknown_error(made, lines),
        program=about[0] if about else None,
        programs=about,
    )


def _quoted(made: Ingested, lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Where the lines of the known messages stand."""
    wanted = list(dict.fromkeys(one.text for one in made.symptoms))
    marks = tuple(text[:_MARK] for text in wanted)
    tries = 0
    for number, line in enumerate(lines, 1):
        if not line or not any(mark in line for mark in marks):
            continue
        clean = without_credentials(line[:_LONG]).strip()
        for found in [text for text in wanted if text in clean]:
            wanted.remove(found)
            yield number, found
        tries += 1
        if not wanted or tries >= _TRIES:
            return
    # What goes on in the next line begins with the whole of one.
    for number, line in enumerate(lines, 1) if wanted and len(lines) < _TRIES else ():
        clean = line.strip()
        for found in [text for text in wanted if len(clean) >= _MARK and text.startswith(clean)]:
            wanted.remove(found)
            yield number, found
