"""Parses the arguments of pip and uv."""

from collections.abc import Iterable, Iterator, Sequence

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.versions import is_bounded
from gpudoctor.knowledge.installer_options import options_in, short_forms_in
from gpudoctor.sources.package_names import normalise
from gpudoctor.verify.asked import Install, Pair, Requirement

_NAMED = re.compile(
    r"^(?P<name>[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[(?P<extras>[\w\s.,-]*)\])?\s*"
    r"(?P<rest>@\s*\S+.*|\(?[<>=!~][^;]*)?(?:;(?P<marker>.*))?$"
)
_WHEEL = re.compile(r"(?P<name>[A-Za-z0-9][\w.]*)-(?P<version>\d[\w.+!%]*)-(?:\d\w*-)?[\w.]+-[\w.]+-[\w.]+\.whl$")


def read_install(tool: str, program: tuple[str, ...], words: Sequence[str], line: int) -> Install:
    """What follows the word install. `tool`: pip, uv, uv add."""
    options, names, unknown, redirected = _split(words)
    values: dict[str, list[str]] = {}
    for option in options:
        values.setdefault(option.name, []).append(option.value)
    first = {name: found[-1] for name, found in values.items()}
    indexes = [*values.get("--index", []), *values.get("--extra-index-url", [])]
    python = first.get("--python-version") or (first.get("--python") if tool != "pip" or "--python" in first else None)
    minor = re.match(r"^(?:python)?(\d\.\d+)", python or "")
    elsewhere = any(name in first for name in ("--target", "--prefix", "--root", "--platform")) or (
        "--python-version" in first and tool == "pip"
    )
    return Install(
        tool="uv add" if tool == "uv add" else "uv" if tool == "uv" else "pip",
        program=program,
        requirements=tuple(parse_requirement(name, line) for name in names),
        index=first.get("--index-url") or first.get("--default-index"),
        extra=tuple(indexes),
        links=tuple(values.get("--find-links", [])),
        no_index="--no-index" in first,
        backend=first.get("--torch-backend"),
        python=minor[1] if minor else None,
        python_path=python if python and minor is None else None,
        elsewhere=elsewhere,
        upgrade="--upgrade" in first,
        reinstall=any(one in first for one in ("--force-reinstall", "--ignore-installed", "--reinstall")),
        no_deps="--no-deps" in first,
        user="--user" in first,
        system="--system" in first,
        breaks_system="--break-system-packages" in first,
        best_match=(first.get("--index-strategy") or "").startswith("unsafe"),
        platform=first.get("--platform") or first.get("--python-platform"),
        files=tuple(one for name in ("--requirement", "--requirements", "--editable") for one in values.get(name, [])),
        unknown_options=tuple(unknown),
        redirected=redirected,
    )


def _split(words: Sequence[str]) -> tuple[list[Pair], list[str], list[str], str | None]:
    """Options, names, options that are not known, and the first comparison that the shell takes for a file."""
    options: list[Pair] = []
    names: list[str] = []
    unknown: list[str] = []
    redirected = None
    rest = iter(words)
    for word in rest:
        if word and set(word) <= {"<", ">"}:
            target = next(rest, "")
            # 2> and > /dev/null are what they look like; >=2.0 is a slip.
            slip = names and re.match(r"=?\d", target)
            redirected = redirected or (f"{names[-1]}{word}{target}" if slip else None)
            if names and names[-1].isdigit():
                names.pop()
        elif word.startswith("-") and len(word) > 1:
            options += _option(word, rest, unknown)
        elif word:
            names.append(word)
    return options, names, unknown, redirected


def _option(word: str, rest: Iterator[str], unknown: list[str]) -> Iterable[Pair]:
    given, equals, value = word.partition("=")
    shorts, takes_value = short_forms_in("command"), options_in("command")
    name = shorts.get(given, given)
    if not given.startswith("--") and name == given and len(given) > 2 and given[:2] in shorts:
        name, value, equals = shorts[given[:2]], given[2:], "="  # -rfile, and -Uq
        if not takes_value[name]:
            return (Pair(name, ""),)
    if takes_value.get(name):
        return (Pair(name, value if equals else next(rest, "")),)
    if name not in takes_value:
        unknown.append(given)
    return (Pair(name, value),)


def parse_requirement(text: str, line: int = 0) -> Requirement:
    """A requirement as people write it; with an empty name where it is a path, an address or no requirement."""
    text = text.strip().strip("\"'")
    wheel = _WHEEL.search(text.partition("#")[0].replace("%2B", "+").rpartition("/")[2])
    if text.endswith(".whl") or wheel:
        name, version = (normalise(wheel["name"]), f"=={wheel['version']}") if wheel else ("", "")
        return Requirement(name=name, specifier=version, url=text, text=text[:120], line=line)
    match = _NAMED.match(text) if is_bounded(text) else None
    if match is None or text.startswith((".", "/")) or "://" in text.partition("@")[0]:
        return Requirement(name="", url=text, text=text[:120], line=line)
    rest = (match["rest"] or "").strip()
    extras = tuple(normalise(one) for one in re.split(r"[\s,]+", match["extras"] or "") if one)
    return Requirement(
        name=normalise(match["name"]),
        specifier="" if rest.startswith("@") else re.sub(r"[\s()]", "", rest),
        url=rest[1:].strip() if rest.startswith("@") else "",
        extras=extras,
        marker=(match["marker"] or "").strip(),
        text=text[:120],
        line=line,
    )
