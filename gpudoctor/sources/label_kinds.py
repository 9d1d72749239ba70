"""Which fact a label asks for: "GPU model and memory", "Treiber-Version", "显卡型号", "nvidia_driver_version"."""

from functools import cache, lru_cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.tables import words_of

#: What is asked for beside the fact, and read by nobody.
_BESIDE = frozenset((
    *("memory", "vram", "ram", "configuration", "architecture", "arch", "number", "count", ""),
    *("environment", "speicher", "显存", "内存", "数量"),
))  # fmt: skip
_BYWORDS = frozenset((
    *("version", "versions", "ver", "release", "name", "names", "model", "models", "type", "types", "info", "details"),
    *("information", "detail", "installed", "used", "using", "my", "the", "your", "our", "of", "current", "number"),
    *("no", "nr", "exact", "running", "which", "what", "is", "are", "you", "modell", "typ", "von", "des", "die"),
    *("or", "commit", "id", "two", "both", "uname"),
    *("der", "das", "mein", "meine", "verwendete", "verwendeter", "verwendetes", "installierte", "installierter"),
    *("installiertes", "genutzte", "benutzte", "aktuelle", "versionsnummer", "modellname", "bezeichnung"),
))  # fmt: skip
_BYWORDS_HAN = re.compile("版本号|版本|型号|信息|名称|类型|使用的|安装的|当前|您的|我的|你的|的")
_COMPOUND = re.compile(r"(?<=\w{3})(?:version|versionen|modell|typ|name)$")
_NOTE = re.compile(r"[((（][^()（）]{0,60}[)）]?|\[[^\[\]]{0,60}\]")
_AND = re.compile(r"[/,&+、]|\b(?:and|und|with|mit)\b|[和及与]")
_HAN = re.compile(r"([\u4e00-\u9fff]+)")
#: Labels are short.
LONGEST = 64


@lru_cache(maxsize=4096)
def kinds_of(label: str) -> tuple[str, ...]:
    """The kinds that it asks for, in its order, "" for what stands beside; none if it asks for anything else."""
    if not 1 < len(label) <= LONGEST:
        return ()
    words = _NOTE.sub(" ", label.lower()).strip(" *_`\"'?？:：#")
    kinds = dict.fromkeys(_kind(part) for part in _AND.split(words.replace("_", " ").replace("-", " ")))
    return tuple(kinds) if None not in kinds and any(kinds) else ()  # type: ignore[arg-type]


def _kind(part: str) -> str | None:
    tokens = (_COMPOUND.sub("", token) for token in _HAN.sub(_spaced, part).split())
    noun = " ".join(token for token in tokens if token not in _BYWORDS)
    return "" if noun in _BESIDE else _kinds().get(noun)


@cache
def _kinds() -> dict[str, str]:
    """What is left of a label without its by-words: the kind of fact."""
    return {noun: kind for kind, nouns in words_of("sources/label_kinds").items() for noun in nouns}


def _spaced(match: re.Match[str]) -> str:
    return f" {_BYWORDS_HAN.sub('', match[1])} "
