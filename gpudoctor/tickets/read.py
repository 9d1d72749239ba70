"""Reads a pasted text into a partial snapshot; what it does not state is a Gap."""

import zlib
from collections.abc import Iterator

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts import needles
from gpudoctor.facts.base import Fact, Gap, Section
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.libraries import Libraries
from gpudoctor.facts.live import Live, Symptom
from gpudoctor.facts.python import Frameworks, Packages
from gpudoctor.facts.snapshot import SECTIONS, Snapshot
from gpudoctor.facts.system import System
from gpudoctor.inference.infer import infer
from gpudoctor.inference.installed_builds import frameworks_of
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.recognition import recognise
from gpudoctor.redact.credentials import without_credentials
from gpudoctor.tickets.build_environments import lines_of_builds
from gpudoctor.tickets.companions import without_those_of_another_torch
from gpudoctor.tickets.dismissed import without_dismissed
from gpudoctor.tickets.documents import spread
from gpudoctor.tickets.fragment import WORDS, Contradiction, Fragment, fragment, source
from gpudoctor.tickets.listings import without_listings
from gpudoctor.tickets.merge import Merger
from gpudoctor.tickets.os_from_paths import parse_platform, weighed
from gpudoctor.tickets.pasted import NotText, Pasted, decode, plain
from gpudoctor.tickets.prose import parse_prose
from gpudoctor.tickets.python_repl import FORM as PYTHON
from gpudoctor.tickets.python_repl import is_told
from gpudoctor.tickets.readers import readers_of

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
    needles.load()
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
    stated += parse_prose(text, printed | lines_of_builds(text), stated_in(stated))
    stated = weighed((*stated, *parse_platform(text, stated_in(stated))))
    merger = Merger((*stated, *_of_packages(stated)))
    sections = merger.sections()
    told = [one for one in merger.contradictions if one.fact == "frameworks.torch.version" and one.taken]
    not_believed = (value for one in told for value, _ in one.values if value != one.taken)
    sections = without_those_of_another_torch(sections, not_believed, matrix)
    body = with_programs(without_dismissed(without_listings(text.text)))
    symptoms = recognise(body, where="the text", clean=without_credentials)
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


_END = re.compile(r"^\s*(?:segmentation fault|illegal instruction|bus error|aborted)(?: ?\(core dumped\))?\s*$", re.I)
_TYPED = re.compile(r"^.{0,80}?[$#%>]\s{1,4}(?:sudo )?(?:\S*/)?(?P<program>[a-z][\w.-]*)")
#: Lines of a program's output between its command and its end.
_FAR = 40


def with_programs(text: str) -> str:
    """The text, with the program's name behind such a word where a prompt shows it; lines keep their numbers."""
    if not re.search(r"(?i)\b(?:fault|instruction|bus error|aborted)\b", text):
        return text
    lines = text.split("\n")
    program, since = None, 0
    for number, line in enumerate(lines):
        if typed := _TYPED.match(line):
            program, since = typed["program"], number
        elif program and number - since <= _FAR and _END.match(line):
            lines[number] = f"{line.rstrip()} ({program})"
    return "\n".join(lines)


#: Characters of a text that is looked at: pictures hold little.
_MOST = 20_000
_WORD = re.compile(r"[A-Za-z0-9|]+(?:[._][A-Za-z0-9|]+)*")
#: Within a word, a digit between letters; within a number, a letter beside a digit or its point.
_IN_WORD = re.compile(
    r"(?<=[A-Za-z])[01|](?=[a-z])|(?<![\w|])[1|](?=[a-z]{3})|(?<=[a-z]{2})[01|]\b|\b(?<![\w.])[nN]0\b"
)
_IN_NUMBER = re.compile(r"(?:(?<=\d)|(?<=\d\.)|(?<![\w.])(?=[\dOoIl|]*\.\d))[OoIl|](?![A-Za-z])|(?<=\d)[OoIl|](?=\d)")
_LETTERS = str.maketrans("01|", "oll")
_DIGITS = str.maketrans("OoIl|", "00111")


def reread(text: str) -> str:
    """The text with such characters put right; of the same length, so that its lines and places stay."""
    return _WORD.sub(lambda found: _word(found[0]), text) if len(text) <= _MOST else text


def _word(word: str) -> str:
    digits, letters = sum(map(str.isdigit, word)), sum(map(str.isalpha, word))
    if letters > 2 * digits or word.lower() == "n0":
        return _IN_WORD.sub(lambda found: found[0].translate(_LETTERS), word)
    return _IN_NUMBER.sub(lambda found: found[0].translate(_DIGITS), word)


#: The field without which a section does not state what people tell of it.
_DECIDES = {"driver": "release", "gpus": "devices", "toolkits": "found", "interpreter": "version"}


def stated_in(fragments: tuple[Fragment, ...]) -> set[str]:
    """What needs no hearsay: the sections that are stated, and the frameworks and packages by name."""
    found: set[str] = set()
    for one in fragments:
        sections: dict[str, Section] = one.sections
        found.update(name for name, section in sections.items() if getattr(section, _DECIDES.get(name, ""), None))
        if isinstance(libraries := sections.get("libraries"), Libraries):
            found.update(copy.family for copy in libraries.copies if copy.family == "cudnn")
        # A path tells the kind of system only; which distribution it is people say.
        if isinstance(host := sections.get("host"), System) and (host.distribution or host.os not in (None, "linux")):
            found.add("host")
        if isinstance(host, System) and host.kernel:
            found.add("kernel")
        if isinstance(driver := sections.get("driver"), Driver) and driver.cuda:
            found.add("offered")
        if isinstance(frameworks := sections.get("frameworks"), Frameworks):
            found.update(framework.name for framework in frameworks.found if framework.version)
        if isinstance(packages := sections.get("packages"), Packages):
            found.update(package.name for package in packages.installed)
    return found
