"""Blanks out program listings: what shown source code may print or raise did not happen."""

from gpudoctor.facts import lazy_re as re

#: A statement of Python; of C, which compilers print behind a number. No sentence is one.
_STATEMENT = re.compile(
    r"\s*(?:(?:async )?def \w+\(|class \w+\s*[(:]|@\w[\w.]*(?:\(|\s*$)|from [\w.]+ import [\w(*]"
    r"|import [\w.]+(?: as \w+)?\s*$"
    r"|(?:if|elif|while|with|for|except)\b(?! (?:i|you|we|the|an?|it|this|that|my)\b)[^\n]*[=(\[_\"'.][^\n]*:\s*$"
    r"|assert\b[^\n]*[=(\[.]|except \w+:\s*$"
    r"|(?:else|try|finally):\s*$|return\b(?: [\w.\[\]]+(?:\(|\s*$))|raise(?: \w[\w.]*\(|\s*$)"
    r"|(?:print|logger\.\w+|logging\.\w+|warnings\.warn|parser\.add_argument)\("
    r"|f?printf\s*\(|std::c(?:out|err)\b|#\s*(?:include|define|ifn?def|error|endif)\b"
    r"|(?:if|while|for) \([^\n]*[;{]\s*$)",
)
#: What a traceback and a debugger put above a line of a program that did run.
_RAN = re.compile(r"\s*File \"|\s*[-=]*> ?\d+ |.*:\d+: \w*(?:warning|error)\b", re.IGNORECASE)
#: An answer written behind the line, or its prompt before it.
_ANSWERED = re.compile(r"\s#|>>>|->")
#: Words without which no message stands in a statement.
_QUICK = ("(", "import", ":", "#")

#: Characters of a text in which somebody shows a program; a longer one is a log.
_LONGEST = 100_000


def without_listings(text: str) -> str:
    """The text with the statements of listings left blank; lines keep their numbers. One alone is no listing."""
    if len(text) > _LONGEST:
        return text
    lines = text.split("\n")
    statements = {
        number
        for number, line in enumerate(lines)
        if line and len(line) < 300 and any(sign in line for sign in _QUICK) and _STATEMENT.match(line)
    }
    for number in statements:
        if not _is_alone(number, lines, statements) and not _ran(number, lines):
            lines[number] = lines[number] if _ANSWERED.search(lines[number]) else ""
    return "\n".join(lines)


def _is_alone(number: int, lines: list[str], statements: set[int]) -> bool:
    around = (*range(max(0, number - 3), number), *range(number + 1, min(len(lines), number + 4)))
    return not any(one in statements and not _ran(one, lines) for one in around)


def _ran(number: int, lines: list[str]) -> bool:
    return number > 0 and _RAN.match(lines[number - 1]) is not None
