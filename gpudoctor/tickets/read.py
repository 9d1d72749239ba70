"""A pasted text becomes a partial snapshot: what it states, and where; everything else is a Gap."""

import zlib
from collections.abc import Iterator

import msgspec

from gpudoctor.facts.base import Fact, Gap, Section
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.python import Frameworks, Packages
from gpudoctor.facts.snapshot import SECTIONS, Snapshot
from gpudoctor.inference.infer import infer
from gpudoctor.inference.installed_builds import frameworks_of
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.recognition import recognise
from gpudoctor.redact.credentials import without_credentials
from gpudoctor.tickets.crashes import with_programs
from gpudoctor.tickets.documents import spread
from gpudoctor.tickets.fragment import WORDS, Contradiction, Fragment, fragment, source
from gpudoctor.tickets.listings import without_listings
from gpudoctor.tickets.merge import Merger
from gpudoctor.tickets.misread import reread
from gpudoctor.tickets.pasted import NotText, Pasted, decode, plain
from gpudoctor.tickets.platform import parse_platform
from gpudoctor.tickets.prose import parse_prose
from gpudoctor.tickets.python_repl import FORM as PYTHON
from gpudoctor.tickets.python_repl import is_told
from gpudoctor.tickets.readers import readers_of
from gpudoctor.tickets.stated import stated_in

#: Unpacked bytes of a gzip file that are looked at.
MOST_UNPACKED = 16 * 1024 * 1024

#: How a framework usually says that it has no GPU.
_NO_GPU = {
    "torch": "torch.cuda.is_available(): False",
    "tensorflow": "Num GPUs Available: 0",
    "jax": "No GPU/TPU found, falling back to CPU.",
}

NOT_STATED = Gap(reason="the text does not state it")


class Ingested(Fact, frozen=True, kw_only=True):
    """What was made of a text."""

    snapshot: Snapshot
    fragments: tuple[Fragment, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    #: How many of its lines were used.
    used: int = 0
    #: The text itself, plain.
    text: Pasted

    @property
    def symptoms(self) -> tuple[Symptom, ...]:
        """The known error messages in it."""
        return self.snapshot.live.symptoms if isinstance(self.snapshot.live, Live) else ()

    @property
    def forms(self) -> tuple[str, ...]:
        """What was recognised, each kind once."""
        return tuple(dict.fromkeys(one.form for one in self.fragments))


def ingest(raw: bytes, matrix: Matrix) -> Ingested:
    """What the bytes of a text state. Raises NotText."""
    if raw.startswith(b"\x1f\x8b"):
        raw = unpacked(raw)
    text, encoding = decode(raw)
    body = spread(text)
    made = ingest_text(plain(body, encoding), matrix)
    if made.symptoms or (clear := reread(body)) == body:
        return made
    # Only where a message then is known: what names files and versions is best left as it is.
    again = ingest_text(plain(clear, encoding), matrix)
    return msgspec.structs.replace(again, text=made.text) if again.symptoms else made


def unpacked(raw: bytes) -> bytes:
    """The beginning of what a gzip file holds. Raises NotText."""
    try:
        text = zlib.decompressobj(wbits=31).decompress(raw, MOST_UNPACKED)
    except zlib.error as error:
        raise NotText(f"it is a gzip file that cannot be unpacked ({error})") from None
    if not text:
        raise NotText("it is a gzip file that cannot be unpacked (it is cut short)")
    return text


def ingest_text(text: Pasted, matrix: Matrix) -> Ingested:
    """What a text states."""
    stated = tuple(one for reader in readers_of(text) for one in reader.read(text))
    printed = {
        number
        for one in stated
        if one.rank < WORDS or _is_offered(one)
        for number in one.lines
        if not _is_told(one, number, text)
    }
    stated += parse_prose(text, printed, stated_in(stated))
    stated += parse_platform(text, stated_in(stated))
    merger = Merger((*stated, *_of_packages(stated)))
    sections = merger.sections()
    body = text.text
    symptoms = recognise(with_programs(without_listings(body)), where="the text", clean=without_credentials)
    symptoms += _implied(sections.get("live"), symptoms)
    if symptoms:
        sections["live"] = _with_symptoms(sections.get("live"), symptoms)
    gaps: dict[str, Section] = {name: NOT_STATED for name in SECTIONS if name not in sections}
    used = {number for one in stated for number in one.lines}
    return Ingested(
        snapshot=infer(Snapshot(**{**gaps, **sections}), matrix),  # type: ignore[arg-type]
        fragments=stated,
        contradictions=tuple(dict.fromkeys(merger.contradictions)),
        used=len(used),
        text=text,
    )


def _is_offered(one: Fragment) -> bool:
    """A CUDA that is known to be the driver's is no toolkit's."""
    driver = one.sections.get("driver")
    return isinstance(driver, Driver) and driver.cuda is not None


def _is_told(one: Fragment, number: int, text: Pasted) -> bool:
    """An answer of Python that a person repeats in a sentence."""
    return one.form == PYTHON and is_told(text.lines[number - 1])


def _of_packages(fragments: tuple[Fragment, ...]) -> Iterator[Fragment]:
    """The frameworks in each list of packages: as trustworthy as that list."""
    for one in fragments:
        packages = one.sections.get("packages")
        if isinstance(packages, Packages):
            found = frameworks_of(packages, source(one.form, one.lines[0]))
            yield from fragment(one.form, one.lines, one.rank, frameworks=Frameworks(found=found) if found else None)


def _implied(live: Section | None, symptoms: tuple[Symptom, ...]) -> tuple[Symptom, ...]:
    """That a framework lists no GPU, in the words that are known, where the text shows it in others."""
    known = {symptom.signature for symptom in symptoms}
    lists = live.devices if isinstance(live, Live) else ()
    silent = [one.framework for one in lists if one.gpu_available is False and one.framework in _NO_GPU]
    found = (one for name in silent for one in recognise(_NO_GPU[name], framework=name, where="the text"))
    return tuple(one for one in found if one.signature not in known)


def _with_symptoms(live: Section | None, symptoms: tuple[Symptom, ...]) -> Live:
    known = live if isinstance(live, Live) else Live()
    return msgspec.structs.replace(known, symptoms=symptoms)
