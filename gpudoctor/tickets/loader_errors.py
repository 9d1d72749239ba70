"""CUDA libraries in "cannot open shared object" errors, who asked for them, and those listed as present."""

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.libraries import Libraries, LibraryCopy, Resolution, Toolkit, Toolkits
from gpudoctor.facts.versions import CudaVersion, LibraryVersion
from gpudoctor.knowledge.cuda_programs import cuda_program, named_in, of_frames
from gpudoctor.sources.library_builds import cuda_of, cudnn_of
from gpudoctor.sources.library_names import library_at
from gpudoctor.tickets.forms import FORM as WORDS_FORM
from gpudoctor.tickets.forms import NAMED_CUDA
from gpudoctor.tickets.fragment import REPORT, WORDS, Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted

LOADER, LISTED = "an error of the loader", "files that are listed"
#: What asks where the text names no program that is known.
UNNAMED = "program"

_NAME = r"(?P<{}>lib[A-Za-z][\w+-]{{2,40}}\.so(?:\.\d+){{1,4}}|[A-Za-z][\w-]{{2,30}}64_\d+(?:_\d+){{0,2}}\.dll)"
_ASKED = re.compile(
    _NAME.format("name") + r"['\"`]?:? (?:cannot open|not found\b|is not found|(?:(?:which )?is )?missing|=> not found)"
    r"|(?:could not (?:load|find|locate|open)|couldn't (?:load|open)|(?:failed|unable) to load|cannot load|depends on)"
    r"(?: (?:dynamic library|library|module|cuda library|any of|shared library))?[ :'\"`{(]{1,4}"
    + _NAME.format("other"),
    re.IGNORECASE,
)
#: The same as people say it.
_SAID_MISSING = re.compile(
    _NAME.format("name") + r"['\"`”」]?\s?(?:(?:is|was|are|were) (?:not (?:found|there)|missing)"
    r"|could ?n[o']t be (?:found|located|loaded)|fehlt|(?:wurde |wird |konnte )?nicht gefunden|introuvable"
    r"|找不到|未找到|没有找到|没找到|不存在|缺失|丢失|が見つかりません)"
    r"|(?:找不到|未找到|没有?找到|缺少|缺失|无法(?:找到|加载|定位)|\bmissing(?: the)?(?: file| dll| library)?"
    r"|\b(?:can ?no?t|can't|could ?n[o']t|unable to|not able to) (?:find|locate|load|open)"
    r"(?: the)?(?: file| dll| library)?"
    r"|\bfehlende[rsn]?(?: datei)?)[的是了到动态库文件模块 :'\"`“「]{0,8}" + _NAME.format("other"),
    re.IGNORECASE,
)
#: Paddle, which names each library by two names: (cublas64_118.dll;cublas64_11.dll).
_OF_PADDLE = re.compile(
    r"third-party dynamic library \((?:[\w.-]{1,60};)?(?P<name>[\w.-]{1,60})\) that Paddle depends on", re.IGNORECASE
)
#: A program that is no module of Python: ld.so names it.
_NATIVE = re.compile(r"(?P<program>[\w.+-]{1,60}): error while loading shared libraries")
#: A path or a name alone, as find, locate and ls -1 print it; or several, as ls does.
_LISTING = re.compile(
    r"^[\s$#>]{0,8}(?:\S{0,200}[/\\])?(?:lib\w[\w+-]{2,40}\.so[.\d]{0,20}|[A-Za-z]\w{2,30}\.dll|\w+\.a)(?:\s|$)"
)
_VERSIONED = r"(?P<name>lib[a-z]\w{3,30}\.so(?:\.\d+){1,4}|[a-z]\w{2,30}64_\d+(?:_\d+)?\.dll)\b"
_FILE = re.compile(r"(?P<path>(?:[/~]|[A-Za-z]:\\)?[^\s'\"`:;,()]{0,200}?)" + _VERSIONED, re.IGNORECASE)
#: "there is libcusparse.so.12", "I found `nvrtc64_80.dll` but not".
_THERE = re.compile(
    r"(?<!not )(?<!n't )\b(?:have|has|there (?:is|are)|found|find|see|only)(?: (?:just|only|a|the|is|an?other))*"
    r"[ `'\"]{1,4}" + _VERSIONED,
    re.IGNORECASE,
)
_FRAME = re.compile(r"[/\\](?:site|dist)-packages[/\\](\w{1,60})|\bFile \"(\w{1,40})[/\\][\w/\\]{1,80}\.pyx?\"")
#: Folders in the names of which a program stands that printed nothing itself.
_LOG_PREFIX = re.compile(
    r"(?<!\S)(?=\S{0,400}(?:\b(?:tensorflow|xla)/|\borg_tensorflow|tensorflow\.org|https?://))\S+", re.IGNORECASE
)
#: The CUDA and the cuDNN that somebody says to have; what a program is for or asks for is another.
_CUDA_HERE = re.compile(
    r"\b(?:have|has|use|using|with|and|installed|running|on|my)\b (?:(?:the|a|only|latest|already|version) ){0,2}"
    r"cuda(?:[ -]?toolkit)?(?: version)?(?: is)?[ :=v-]{0,3}(\d{1,2}(?:\.\d)?)(?![\d.]*\d)"
    r"|(?:装[了的]?是?|使用[了的]?是?|用的是?|\b(?:habe|nutze)) ?cuda[ :=v-]{0,3}(\d{1,2}(?:\.\d)?)(?![\d.]*\d)"
    r"|\bcuda[ -]?v?(\d{1,2}(?:\.\d)?) (?:is |and \S{1,20} (?:are )?)?(?:installed|on (?:the|my) machine)",
    re.IGNORECASE,
)
_CUDNN_HERE = re.compile(
    r"(?<![A-Za-z0-9_./])cudnn[ _-]?(?:version)?[ :=v]{0,3}(\d)(?:\.(\d{1,2})|(?![\d.]*\w))", re.IGNORECASE
)
_WANTED = re.compile(r"\b(?:need|requir|want|ask|suit|support|instead|should|for cuda|look)\w*|需要", re.IGNORECASE)
_CLAUSE = re.compile(r"\bbut\b|[,.;]", re.IGNORECASE)
_ABOVE, _WIDE, _MOST = 60, 1000, 12
#: Characters in which it is looked for what a text is about.
_BEGINS = 20_000


def parse_loader_errors(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    missed = _missed(text)
    return (*missed, *_listed(text), *(_stated(text, missed[0]) if missed else ()))


def _stated(text: Pasted, missed: Fragment) -> Iterator[Fragment]:
    """What the reporter says to have, of the kind that is missed."""
    cudas = {(found[1] or found[2] or found[3]): number for number, found in _said(text, _CUDA_HERE)}
    cudas = {one: number for one, number in cudas.items() if not any(other.startswith(f"{one}.") for other in cudas)}
    if cudas:
        found = tuple(_named(version, number, is_only=len(cudas) == 1) for version, number in cudas.items())
        yield from fragment(WORDS_FORM, cudas.values(), WORDS, toolkits=Toolkits(found=found))
    libraries = missed.sections["libraries"]
    asked = isinstance(libraries, Libraries) and any(cudnn_of(one.soname) for one in libraries.resolutions or ())
    cudnns = {found[1]: (number, found[2]) for number, found in _said(text, _CUDNN_HERE)} if asked else {}
    if len(cudnns) == 1:
        ((major, (number, minor)),) = cudnns.items()
        version = LibraryVersion.parse(f"{major}.{minor}") if minor else None
        copy = LibraryCopy(
            family="cudnn",
            soname=f"libcudnn.so.{major}",
            path="the cuDNN that the reporter names",
            version=version,
            source=source(WORDS_FORM, number),
        )
        yield from fragment(WORDS_FORM, (number,), WORDS, libraries=Libraries(copies=(copy,)))


def _named(version: str, number: int, *, is_only: bool) -> Toolkit:
    root = NAMED_CUDA if is_only else f"the CUDA {version} that the reporter names"
    return Toolkit(root=root, version=CudaVersion.parse(version), source=source(WORDS_FORM, number))


def _said(text: Pasted, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
    for number, found in text.found(pattern):
        before = _CLAUSE.split(found.string[max(0, found.start() - 40) : found.start()])[-1]
        if not _WANTED.search(before + found[0]):
            yield number, found


def _missed(text: Pasted) -> tuple[Fragment, ...]:
    rows: dict[tuple[str, str], Resolution] = {}
    lines = []
    names = [(number, name) for number, name in _names(text) if cuda_of(name) or cudnn_of(name)]
    askers = askers_of(text.lines)
    for number, name in names:
        asker = askers.at(number)
        known = cuda_program(asker)
        # What torch itself misses its own packages bring: the messages' rules tell of it.
        if asker == "torch" or len(rows) >= _MOST:
            continue
        lines.append(number)
        title = known.title if known and known.id == asker else asker
        title = "the program" if asker == UNNAMED else title
        row = Resolution(framework=asker, soname=name, wanted_by=title, how="opened")
        rows[asker, name] = row
    # A title names the file alone; the log below it who asked.
    named = tuple(row for row in rows.values() if row.framework != UNNAMED) or tuple(rows.values())
    return fragment(LOADER, lines, REPORT, libraries=Libraries(resolutions=named or None))


def _names(text: Pasted) -> Iterator[tuple[int, str]]:
    of_files = [(number, line) for number, line in text.filled if _names_file(line)]
    for number, line in of_files:
        asked = [*_ASKED.finditer(line), *_SAID_MISSING.finditer(line)]
        yield from ((number, match["name"] or match["other"]) for match in asked)
    for number, line in of_files:
        yield from ((number, match["name"]) for match in _OF_PADDLE.finditer(line))


def _names_file(line: str) -> bool:
    lower = line.lower()
    return ".so" in lower or ".dll" in lower or "paddle" in lower


class Askers:
    """Whose program asks at a line of a text; what the whole text is about is worked out once, when it is needed."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        self._lines = lines
        self._body = "\n".join(lines)[:_BEGINS]

    @cached_property
    def _words(self) -> str:
        """Without the prefixes of logs."""
        return _LOG_PREFIX.sub(" ", self._body)

    @cached_property
    def _about(self) -> str | None:
        return named_in(self._words)

    def at(self, number: int) -> str:
        """By the error's own line, the traceback above it, else what the whole text is about."""
        line = self._lines[number - 1][:_WIDE]
        native = _NATIVE.search(line)
        if native and not native["program"].startswith("python"):
            return native["program"]
        has_logs = self._words != self._body
        own = named_in(_LOG_PREFIX.sub(" ", line)) if has_logs else named_in(line)
        if own == "onnxruntime":
            # Its own words, in whatever language it was called from.
            return "onnxruntime-rust" if self._about == "onnxruntime-rust" else own
        framed = of_frames(_frames(self._lines, number))
        told = framed if framed not in (None, "torch") else own or self._about or framed
        if told in (None, "torch") and has_logs and re.search("tensorflow|xla", line, re.IGNORECASE):
            return "tensorflow"
        # Who names PyTorch in words may mean anything that is linked to it.
        return _of_extension(told, self._words) if told and (told != "torch" or framed) else UNNAMED


@lru_cache(maxsize=1)
def askers_of(lines: tuple[str, ...]) -> Askers:
    """Of a text by its lines: several readers ask."""
    return Askers(lines)


def _of_extension(told: str, about: str) -> str:
    """The package, where an extension of torch is named in words."""
    if told != "torch-extension":
        return told
    known = cuda_program(told)
    found = re.search(known.named, about, re.IGNORECASE) if known else None
    name = found[0].lower().replace("-", "_") if found else told
    return {"sglang": "sgl_kernel"}.get(name, name)


def _frames(lines: Sequence[str], number: int) -> Iterator[str]:
    """The packages in the traceback above a line, the innermost first; those of the line itself before."""
    for line in reversed(lines[max(0, number - 1 - _ABOVE) : number]):
        yield from (match[1] or match[2] for match in reversed(tuple(_FRAME.finditer(line[:_WIDE]))))
        if line.lstrip().startswith("Traceback "):
            return


def _listed(text: Pasted) -> tuple[Fragment, ...]:
    copies: dict[str, LibraryCopy] = {}
    lines = []
    for number, line in text.filled:
        if not _names_file(line):
            continue
        found = [*_FILE.finditer(line[:_WIDE])] if _LISTING.match(line) and not _ASKED.search(line) else []
        there = (one["name"] for one in _THERE.finditer(line[:_WIDE]))
        for path in [f"{one['path']}{one['name']}" for one in found] or there:
            copy = library_at(path, source(LISTED, number))
            if copy is not None and len(copies) < _MOST:
                lines.append(number)
                copies.setdefault(path, copy)
    return fragment(LISTED, lines, REPORT, libraries=Libraries(copies=tuple(copies.values())))
