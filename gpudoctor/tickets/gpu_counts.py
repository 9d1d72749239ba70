"""How many GPUs of a model a text says there are: "2x A100", "four RTX 3090s", "4张V100"."""

from gpudoctor.facts import lazy_re as re

_WORDS = {"two": 2, "dual": 2, "both": 2, "three": 3, "four": 4, "quad": 4, "five": 5, "six": 6, "eight": 8}
_NAMES = "|".join(_WORDS)
_HAN = {"双": 2, "两": 2, "二": 2, "三": 3, "四": 4, "六": 6, "八": 8}
#: Before a product: "4 x ", "dual NVIDIA ", "8 块 ".
_BEFORE = re.compile(
    rf"(?:(?<![\w.])(?P<times>\d{{1,2}})\s?(?:[x*\u00d7]|张|块|卡|个|枚)\s?|\b(?P<word>{_NAMES})[ -](?:x )?"
    rf"|(?<!第)(?P<han>[{''.join(_HAN)}])\s?[张块卡个枚片]?\s?"
    # A number alone is a count behind these; "Windows 10 RTX 3090" is no ten of them.
    r"|(?:^\W*|[,;(]\s?|:\s|\b(?:with|have|has|had|on|using|uses?|are|of|got|contains?|the|my|our|all|gpus?:?)\s)(?P<alone>[2-8]|1[0-6])\s)"
    r"(?:(?:identical|new|used|pieces of|of|the|my|our|nvidia|geforce|gpus?|cards?|\() ?){0,3}$",
    re.IGNORECASE,
)
#: Behind it: "x2", "(x 4)", "*8", "(2 cards)"; not the lanes of a slot.
_BEHIND = re.compile(
    r"[ (]{0,2}(?:[x*\u00d7] ?(\d{1,2})|(\d{1,2}) ?[x\u00d7]?(?=\)| ?(?:cards|gpus|pieces)\b))"
    r"(?!\w| ?(?:lanes|pcie|gen|slot))",
    re.IGNORECASE,
)
#: One machine holds no more.
_MOST = 16


def count_of(before: str, behind: str) -> int:
    """How many are meant, by what stands on both sides of a product; 1 where nothing says it."""
    match = _BEFORE.search(before[-40:])
    if match:
        told = (
            _WORDS.get((match["word"] or "").lower())
            or _HAN.get(match["han"] or "")
            or int(match["times"] or match["alone"] or 1)
        )
    else:
        match = _BEHIND.match(behind)
        told = int(match[1] or match[2]) if match else 1
    return told if 1 <= told <= _MOST else 1
