"""Cuts sentences into clauses, and keeps those about this machine now: no wishes, no other machines."""

from collections.abc import Iterable, Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.tickets.machine_words import CODE_NAMES
from gpudoctor.tickets.other_machines import without_others

#: Other times, other machines, wishes and commands: what such a clause names is not what is there.
ELSEWHERE = re.compile(
    r"\b(?:(?<!to )work(?:s|ed|ing)? (?:fine|well|on|with|in|for|if|when)|(?<=\d )works"
    r"|(?<!never )(?<!not )(?<!n't )worked|used to|previous\w*|before|earlier"
    r"|older|newer|or (?:greater|higher|later|above)|at least|minimum"
    r"|instead|down ?grad\w*|up ?grad\w*|tr(?:y|ied|ying)(?! to (?:run|use|train|load|start)\b)"
    r"|require[sd]?|needs?|support\w*|recommend\w*|latest"
    r"|tested|(?<!after )(?<!after pip )install(?:ing)?|should|could(?! not|n.t)|would|if|than|until"
    r"|(?:was|were) (?:ok(?:ay)?|fine|good|all right)|roll(?:s|ed|ing)? back|revert\w*"
    r"|since|when i (?:go|switch|change|use|take|set|pin)|other|another|colleague\w*|compatib\w*"
    # What is from pip is here.
    r"|from(?! (?:pip|pypi|(?:ana|mini)?conda|conda-forge|sources?|apt|dnf|docker ?hub|ngc|pytorch\.org|nvidia\.com"
    r"|the (?:official|ubuntu|debian|nvidia|pytorch|pip|conda|aur)\b)\b)"
    r"|release notes|docs|documentation|guide|see the|known|supposed|expected"
    r"|built? (?:for|with|against|to)|example|e\.g|funktionier\w*|vorher|früher\w*|ältere\w*|neuere\w*|benötig\w*"
    r"|braucht"
    r"|unterstütz\w*|empf\w+|sollte|könnte|wenn|statt|anderen|versuch\w*|aktualisier\w*)\b"
    r"|\d\s*(?:->|=>|\u2192)\s*v?\d|>=|<=|\?"
    r"|之前|以前|升级|降级|支持|需要|如果|建议|推荐|应该|旧版|新版|最新|尝试|试过|安装|换成|另一|正常",
    re.IGNORECASE,
)
#: Who followed a guide tells of what is here.
_BY_A_GUIDE = re.compile(
    r"\bfollow(?:ed|ing) [^.,;]{0,60}?\b(?:docs|documentation|guide|instructions|tutorial|website|steps)\b",
    re.IGNORECASE,
)
#: A step of a list says what was done.
_STEP = re.compile(r"^\s*(?:[*+-]|\d{1,2}[.)])\s*install\b", re.IGNORECASE)
#: Who asks what goes with a release has that release.
_ASKED_FOR = re.compile(
    r"\b(?:which|what)\b[^?]{0,60}\bversions?\b[^?]{0,40}"
    r"\b(?:fits?|for|supports?|works? with|compatible with|needs?)\b",
    re.IGNORECASE,
)
#: Characters of a line that may be somebody's own.
WIDE = 600
_CLAUSE = re.compile(
    r"(?<=[.;!?])\s+|(?<=[.;!?][\"')])\s+|(?<=:)\s+(?!v?\d)|\s+(?:but|while|whereas|although)\s+"
    r"|(?<=[,;])\s+(?:and )?(?=now\b)"
    r"|(?<=,)\s+(?=(?:which (?:is|was) )?(?:built|compiled) (?:for|with|against)\b)",
    re.IGNORECASE,
)
_FULL_WIDTH = str.maketrans(
    {wide: f"{plain} " for wide, plain in zip("，。：；！？、", ",.:;!?,", strict=True)} | {"（": " (", "）": ") "}
)
_BESIDE_HAN = re.compile(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u4e00-\u9fff])")
#: A comma parts Chinese sentences as a full stop does.
_HAN, _COMMA = re.compile(r"[\u4e00-\u9fff]"), re.compile(r", (?!\d)")
#: What prints one: tracebacks, logs and shells are read by others.
PRINTED = re.compile(
    r"^\s*(?:File \"|at |\d{4}-\d\d-\d\d|[IWEF]\d{4} |\[(?![A-Za-z -]{2,20}\]:? )"
    r"|\$|>>>|\||\+-|#|pip3? (?!list:|freeze:|shows?:|v?\d)|uv (?!v?\d)|python[\d.]* (?!v?\d|version|is |was |\()|sudo "
    r"|docker (?!v?\d|desktop|image|version|engine|container )"
    r"|conda (?:activate|clean|config|create|env (?:create|export|list|remove|update)|info|init|install|list(?!:)"
    r"|remove|run|search|uninstall|update)\b"
    r"|import |from \w+ import |\w*(?:Error|Warning):|(?i:error|warning|info):)"
)

#: From one to another: what was is gone, what is now stands behind "to".
_MOVED = re.compile(
    r"\b(?:(?:was|were|is|got|has been) )?(?:(?:up|down)grad|updat|switch|mov)(?:ed|ing)\b([^.;,\n]{0,40}?)"
    r"\bfrom v?\d[\w.+-]* (?:back |up |down )?to (?=v?\d)",
    re.I,
)
_REPLACED = re.compile(
    r"\b(?:replac|swapp?|exchang)(?:ed|ing)? (?:my |the |our |an? )?(?:old )?[^.;,\n]{2,40}?"
    r" (?:with|for|by|against) (?=an? |my |the )",
    re.I,
)
_SETTLED = re.compile(
    r"\b(?:works?|worked|working|fix\w*|solv\w*|resolv\w*|help(?:s|ed)|should|could|would|if)\b|\?", re.I
)
#: What makes a question of the whole sentence.
_ASKING = re.compile(
    r"^\W*(?:is|are|was|does|do|did|can|could|should|would|will|has|have|which|what|how|why|where|when|who|any\w*|would)\b"
    r"|\b(?:if|whether|or)\b",
    re.I,
)
#: A title in Markdown; a comment of a shell looks the same.
_TITLE = re.compile(r"^\s*#\s+(?=\S)")
#: What is worth reading without a number.
_WITHOUT_NUMBER = ("mac", "os x", "osx", "arch linux", "nixos", "gentoo", "manjaro", "pop!_os", *CODE_NAMES)

Told = tuple[int, str]


def own_lines(lines: Iterable[Told]) -> Iterator[Told]:
    """The lines that no program printed, with the title."""
    for place, (number, line) in enumerate(lines):
        plain = _TITLE.sub("", line) if place == 0 and number == 1 else line
        if len(line) <= WIDE and not PRINTED.match(plain):
            yield number, plain if plain.isascii() else _BESIDE_HAN.sub(" ", plain.translate(_FULL_WIDTH))


def clauses(lines: Iterable[Told]) -> Iterator[Told]:
    """The parts of sentences that tell of this machine and of now."""
    for number, line in own_lines(lines):
        if any(char.isdigit() for char in line) or any(word in line.lower() for word in _WITHOUT_NUMBER):
            own = without_others(line)
            parts = _CLAUSE.split(_COMMA.sub("; ", own) if not own.isascii() and _HAN.search(own) else own)
            yield from ((number, one) for one in _of_here(parts))


def _of_here(parts: Iterable[str]) -> Iterator[str]:
    """Without other times and machines; what a colon announces is of where its head is."""
    head = ""
    for one in map(_as_it_is_now, map(_without_last_question, parts)):
        if (
            " " not in one.strip()
            or not ELSEWHERE.search(_STEP.sub("", _BY_A_GUIDE.sub("", head + one)))
            or _ASKED_FOR.search(one)
        ):
            yield one
        head = f"{one} " if one.endswith(":") else ""


def _without_last_question(clause: str) -> str:
    """A list that ends with a question, "WSL2, an RTX 4050, error 801?", is told but for its last part."""
    is_list = clause.rstrip().endswith("?") and "," in clause and not _ASKING.search(clause)
    return clause.rpartition(",")[0] if is_list else clause


def _as_it_is_now(clause: str) -> str:
    """In words: "the driver upgraded from 535.54 to 550.90" is "the driver 550.90", unless that mended it."""
    return clause if _SETTLED.search(clause) else _REPLACED.sub("", _MOVED.sub(r"\1", clause))
