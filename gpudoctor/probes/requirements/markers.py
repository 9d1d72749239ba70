"""Evaluates environment markers (PEP 508) for the target.

`packaging` decides what goes beyond plain comparisons; its import takes longer than deciding all markers of torch here.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.specifiers import compare, is_plain, numbers
from gpudoctor.sources.package_names import normalise

#: The variables of a target, and `extra` as "name,name" for the extras asked for.
Environment = Mapping[str, str]

_TOKEN = re.compile(r"""\s*(?:([()])|\b(and|or)\b|([a-z_]+)\s*(==|!=|<=|>=|<|>)\s*(?:"([^"]*)"|'([^']*)'))\s*""")
_VERSIONS = ("python_version", "python_full_version")
_TEXTS = (
    "implementation_name",
    "os_name",
    "platform_machine",
    "platform_python_implementation",
    "platform_system",
    "sys_platform",
)
Answer = bool | None
Token = tuple[str, Answer]


class _NotPlain(Exception):
    pass


def applies(marker: str, environment: Environment, extras: frozenset[str] = frozenset()) -> bool:
    """Whether a marker holds, with these extras asked for. One that cannot be read does not hold."""
    if not marker:
        return True
    try:
        tokens = list(_tokens(marker, environment, extras))
        answer, rest = _any(tokens, 0)
    except _NotPlain:
        return _by_packaging(marker, environment, extras)
    if answer is None or rest != len(tokens):
        return _by_packaging(marker, environment, extras)
    return answer


def _tokens(marker: str, environment: Environment, extras: frozenset[str]) -> Iterator[Token]:
    """Brackets, and, or, and comparisons with their answers (None: not decided here)."""
    position = 0
    while position < len(marker):
        match = _TOKEN.match(marker, position)
        if match is None:
            raise _NotPlain
        position = match.end()
        bracket, word, variable, operator, double, single = match.groups()
        if variable is None:
            yield bracket or word, None
        else:
            yield "answer", _compare(variable, operator, double if double is not None else single, environment, extras)


def _any(tokens: list[Token], index: int) -> tuple[Answer, int]:
    """A chain of `or`: true as soon as one part is."""
    answer, index = _all(tokens, index)
    while index < len(tokens) and tokens[index][0] == "or":
        other, index = _all(tokens, index + 1)
        answer = True if answer or other else None if None in (answer, other) else False
    return answer, index


def _all(tokens: list[Token], index: int) -> tuple[Answer, int]:
    """A chain of `and`: false as soon as one part is."""
    answer, index = _one(tokens, index)
    while index < len(tokens) and tokens[index][0] == "and":
        other, index = _one(tokens, index + 1)
        answer = False if False in (answer, other) else None if None in (answer, other) else True
    return answer, index


def _one(tokens: list[Token], index: int) -> tuple[Answer, int]:
    kind, answer = tokens[index] if index < len(tokens) else ("end", None)
    if kind == "answer":
        return answer, index + 1
    if kind != "(":
        raise _NotPlain
    answer, index = _any(tokens, index + 1)
    if index >= len(tokens) or tokens[index][0] != ")":
        raise _NotPlain
    return answer, index + 1


def _compare(variable: str, operator: str, literal: str, environment: Environment, extras: frozenset[str]) -> Answer:
    if variable == "extra":
        return (normalise(literal) in extras) == (operator == "==") if operator in ("==", "!=") and literal else None
    value = environment.get(variable)
    if value is not None and variable in _VERSIONS and is_plain(literal) and is_plain(value):
        return compare(operator, numbers(value), numbers(literal))
    if value is not None and variable in _TEXTS and operator in ("==", "!="):
        return (value == literal) == (operator == "==")
    return None


def _by_packaging(marker: str, environment: Environment, extras: frozenset[str]) -> bool:
    variables = tuple(sorted(environment.items()))
    return any(_packaging_says(marker, (*variables, ("extra", extra))) for extra in sorted(extras) or [""])


@lru_cache(maxsize=256)
def _packaging_says(marker: str, variables: tuple[tuple[str, str], ...]) -> bool:
    from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName

    try:
        return Marker(marker).evaluate(dict(variables))
    except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName):
        return False


_SYSTEMS = {"linux": "Linux", "win32": "Windows", "darwin": "Darwin"}
_MACHINES = {"win-amd64": "AMD64", "win-arm64": "ARM64", "win32": "x86"}
_IMPLEMENTATIONS = {"cpython": "CPython", "pypy": "PyPy"}


def marker_environment(platform: str, interpreter: Interpreter) -> dict[str, str]:
    """Every marker variable; one that is not known is empty. `platform` is the host's, as sys.platform."""
    version = interpreter.version or ""
    implementation = interpreter.implementation or ""
    return {
        "implementation_name": implementation,
        "implementation_version": version,
        "os_name": "nt" if platform == "win32" else "posix",
        "platform_machine": machine_of(interpreter.platform or ""),
        "platform_python_implementation": _IMPLEMENTATIONS.get(implementation, implementation),
        "platform_release": "",
        "platform_system": _SYSTEMS.get(platform, ""),
        "platform_version": "",
        "python_full_version": version,
        "python_version": ".".join(version.split(".")[:2]),
        "sys_platform": platform,
    }


def machine_of(tag: str) -> str:
    """The machine in a platform tag, as platform.machine() says it: linux-x86_64 is x86_64, win-amd64 AMD64."""
    return _MACHINES.get(tag) or tag.rpartition("-")[2]
