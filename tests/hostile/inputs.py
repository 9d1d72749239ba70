"""Inputs that nobody wrote: snapshots, texts, configurations and words of the command line, made by a seed."""

import copy
import json
import os
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from gpudoctor.facts.codec import encode
from tests.cases.bases import BASES
from tests.hostile.expressions import Expression, expressions, matching
from tests.hostile.projects import NAMES, project
from tests.tickets.stated import FOLDER

KINDS = ("snapshot", "text", "lines", "project", "configuration", "words")
#: What a value is replaced by.
_TEXTS = (
    "",
    " ",
    "\u3000" * 3000,
    "*" * 5000,
    "9" * 4400,
    "3." + "5" * 4400,
    "1." * 500,
    "a" * 20_000,
    "ab-1." * 4000,
    "/lib" * 5000,
    "\x1b[31m\x07\x00",
    "\u202e\u2066\ufeff",
    "<script>alert(1)</script>",
    "$(reboot); `id`",
    "-1",
    "nan",
    "1e999",
    "\u00b2\u0663",
    "%s%n{0}",
    "None",
    "../" * 200,
    "C:\\Users\\" * 300,
    "GPU-",
    "sm_",
    "==" * 400,
    "torch==2.0.0+cu" + "1" * 300,
)
_VALUES: tuple[Any, ...] = (None, True, -1, 0, 2**31, 2**53, 2**63 - 1, 1.5, 1e308, [], {}, [[]], [None], {"": 0})


class Given(NamedTuple):
    """One call: the files that lie in the working directory, the words, and standard input."""

    kind: str
    seed: int
    files: dict[str, bytes]
    words: tuple[str, ...]
    standard_input: bytes = b""


def given(kind: str, seed: int) -> Given:
    """The input of that kind and number."""
    draw = random.Random(f"{kind}{seed}")
    return _MAKERS[kind](seed, draw)


_BASES = [encode(base) for _, base in sorted(dict(BASES).items())]
_PASTED = sorted(FOLDER.glob("*.txt"))


def _snapshot(seed: int, draw: random.Random) -> Given:
    value = json.loads(draw.choice(_BASES))
    for _ in range(draw.choice((1, 1, 2, 5, 20))):
        _damage(value, draw)
    raw = json.dumps(value).encode()
    if draw.random() < 0.1:
        raw = _noise(raw, draw)
    words = draw.choice(
        (
            ("triage", "a.json"),
            ("check", "--from", "a.json", "--format", draw.choice(("terminal", "json", "markdown", "html", "junit"))),
            ("report", "--from", "a.json", "--output", "-", "--format", draw.choice(("markdown", "html", "json"))),
            ("fix", "--from", "a.json"),
            ("diff", "a.json", "b.json"),
        )
    )
    return Given("snapshot", seed, {"a.json": raw, "b.json": draw.choice(_BASES)}, words)


def _damage(value: Any, draw: random.Random) -> None:
    """One value somewhere within is replaced, taken out or repeated."""
    places = list(_places(value))
    if not places:
        return
    holder, key = draw.choice(places)
    kind = draw.random()
    if kind < 0.6 and isinstance(holder[key], str):
        holder[key] = draw.choice((draw.choice(_TEXTS), holder[key] + draw.choice(_TEXTS)))
    elif kind < 0.75:
        holder[key] = copy.deepcopy(draw.choice(_VALUES))
    elif kind < 0.85:
        del holder[key]
    elif isinstance(holder[key], list):
        holder[key] = holder[key] * draw.choice((2, 50))
    else:
        holder[key] = draw.choice(_TEXTS)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = range(len(value)) if isinstance(value, list) else list(value) if isinstance(value, dict) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _noise(raw: bytes, draw: random.Random) -> bytes:
    """Some bytes changed, or the end cut off."""
    changed = bytearray(raw)
    for _ in range(draw.choice((0, 1, 10, 100))):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed[: draw.randrange(len(changed))] if draw.random() < 0.3 else changed)


def _text(seed: int, draw: random.Random) -> Given:
    lines = draw.choice(_PASTED).read_text("utf-8", "replace").split("\n")
    if draw.random() < 0.3:
        lines += draw.choice(_PASTED).read_text("utf-8", "replace").split("\n")
    for _ in range(draw.choice((1, 3, 10, 40))):
        at = draw.randrange(len(lines))
        line, word = lines[at], draw.choice(_TEXTS)
        middle = draw.randrange(len(line) + 1)
        lines[at] = draw.choice(
            (
                line[:middle] + word + line[middle:],
                line * draw.choice((2, 30)),
                "".join(draw.choice(("9" * 4400, "77", char)) if char.isdigit() else char for char in line)[:20_000],
                line.replace(" ", draw.choice(("\u3000" * 40, "\t", "\xa0", ""))),
                line.translate({ord(digit): "\u0663" for digit in "0123456789"}),
                word,
            )
        )[:20_000]
    if draw.random() < 0.2:
        draw.shuffle(lines)
    raw = "\n".join(lines).encode(draw.choice(("utf-8", "utf-8", "utf-8", "utf-16", "gb18030", "utf-8-sig")), "replace")
    if draw.random() < 0.2:
        raw = _noise(raw, draw)
    form = draw.choice(("terminal", "json", "markdown", "html"))
    if draw.random() < 0.1:
        return Given("text", seed, {}, ("explain", "\n".join(lines).replace("\x00", "")[:100_000]))
    if draw.random() < 0.5:
        return Given("text", seed, {}, ("triage", "--format", form, "-"), raw)
    return Given("text", seed, {"a.txt": raw}, ("triage", "--format", form, "a.txt"))


#: What stands in place of a number.
_NUMBERS = (
    *("0", "00", "7", "13", "99", "4294967296", "9" * 30, "9" * 4400, "-1", "1.5", "1e999", "0x1F"),
    *("1.2.3.4.5", "1..2", ".", "", "\u00b2", "\u0663", "\u2167", "\uff11", "1_000", "1,000", "12\x003", "nan"),
)


@cache
def _readers() -> list[Expression]:
    """The expressions that readers of texts have."""
    readers = {"tickets", "sources", "knowledge", "verify", "look_up", "inference", "diagnosis", "examine"}
    return [one for one in expressions() if one.package in readers]


#: Commands that take a ticket for a machine.
_FROM = (
    ("check", "--from"),
    ("fix", "--from"),
    ("report", "--output", "-", "--format", "json", "--from"),
    ("advise", "resnet-50", "--from"),
    ("explain", "CUDA out of memory", "--from"),
    ("verify", "pip install torch==2.6.0", "--for"),
    ("brief",),
    ("diff", "a.txt"),
)


def _lines(seed: int, draw: random.Random) -> Given:
    """A text of what each of some expressions waits for, with other numbers in it."""
    lines = []
    for one in draw.sample(_readers(), draw.choice((5, 40, 150))):
        line = matching(one, draw)
        lines.append(re.sub(r"\d+", lambda _: draw.choice(_NUMBERS), line) if draw.random() < 0.8 else line)
    text = "\n".join(lines)
    raw = text.encode("utf-8", "replace")
    raw = _noise(raw, draw) if draw.random() < 0.1 else raw
    form = draw.choice(("terminal", "json", "markdown", "html"))
    argument = text.replace("\x00", "").encode("utf-8", "replace").decode()[:100_000]
    return draw.choice(
        (
            Given("lines", seed, {}, ("triage", "--format", form, "-"), raw),
            Given("lines", seed, {"a.txt": raw}, ("triage", "--format", form, "a.txt")),
            Given("lines", seed, {}, ("verify", "--format", draw.choice(("terminal", "json")), "-"), raw),
            Given("lines", seed, {"a.txt": raw}, (*draw.choice(_FROM), "a.txt")),
            Given("lines", seed, {}, ("explain", "--", argument)),
            Given("lines", seed, {}, ("look-up", "--", draw.choice(argument.split("\n")))),
        )
    )


def _project(seed: int, draw: random.Random) -> Given:
    raw = project(draw, _NUMBERS).encode("utf-8", "replace")
    raw = _noise(raw, draw) if raw and draw.random() < 0.2 else raw
    name = draw.choice(NAMES)
    described = ("--gpu", "4090", "--python", "3.12")
    words = draw.choice(
        (
            ("verify", *described, name),
            ("verify", *described, "--format", "json", name),
            ("check", *described, "--dockerfile", name),
            ("plan", "torch", *described, "-r", name),
        )
    )
    return Given("project", seed, {name: raw}, words)


_SETTINGS = ("select", "ignore", "fail-on", "require", "requires", "", "a.b")


def _configuration(seed: int, draw: random.Random) -> Given:
    values = [json.dumps(draw.choice(_TEXTS)), json.dumps([draw.choice(_TEXTS)]), "1", "[[", "{}", "1979-05-27", "'''"]
    values += ['["gpu"]', '["torch>=2"]', '"error"', '["DRV"]', "[" * draw.choice((3, 3000)), "9" * 5000]
    lines = [draw.choice(("[tool.gpudoctor]", "[tool.gpudoctor", "[[tool.gpudoctor]]", "tool.gpudoctor = 1"))]
    for _ in range(draw.randrange(5)):
        key = draw.choice(_SETTINGS)
        lines.append(draw.choice((f"{key} = {draw.choice(values)}", "a" + ".a" * draw.choice((3, 300)) + " = 1", key)))
    raw = "\n".join(lines).encode()
    raw = _noise(raw, draw) if draw.random() < 0.3 else raw
    return Given(
        "configuration", seed, {"pyproject.toml": raw, "a.json": _BASES[0]}, ("check", "--from", "a.json", "-q")
    )


_COMMANDS = (
    *("check", "diff", "explain", "fix", "matrix", "plan", "report", "rules", "snapshot", "triage", "history"),
    *("advise", "brief", "fleet", "look-up", "verify"),
)
_OPTIONS = (
    *("--from", "a.json", "--format", "json", "html", "--select", "--ignore", "--require", "gpu>=1", "--gpu"),
    *("RTX 3090", "--driver", "580.95.05", "--python", "3.11", "-r", "a.txt", "torch", "tensorflow", "jax==0.4.38"),
    *("gpu", "--cuda", "12.4", "-v", "-q", "--help", "--", "-", "--jobs", "2", "DRV001", "--arch", "--platform"),
    *("linux-x86_64", "--venv", "--conda"),
)


def _words(seed: int, draw: random.Random) -> Given:
    odd = [word.replace("\x00", "")[: draw.choice((10, 4500))] for word in draw.sample(_TEXTS, 6)] + ["b\udcb0\udce9"]
    words = [draw.choice((*_OPTIONS, *odd)) for _ in range(draw.randrange(6))]
    command = draw.choice(_COMMANDS)
    if command == "triage":
        # A whole disk is read for as long as that takes.
        words = [word for word in words if not os.path.isdir(word)]
    if command in ("check", "fix", "report", "snapshot"):
        # A look at this machine is tested elsewhere.
        words = ["--from", "a.json", *words] if command != "snapshot" else ["--schema"]
    if command == "report":
        words += ["--output", "-"]
    requirements = draw.choice(_TEXTS).encode() + b"\n" + b"torch" + draw.choice(_TEXTS)[:3000].encode()
    return Given("words", seed, {"a.json": draw.choice(_BASES), "a.txt": requirements}, (command, *words))


_MAKERS = {
    "snapshot": _snapshot,
    "text": _text,
    "lines": _lines,
    "project": _project,
    "configuration": _configuration,
    "words": _words,
}


def laid_out(one: Given, folder: Path) -> None:
    """Its files in a folder."""
    for name, raw in one.files.items():
        (folder / name).write_bytes(raw)
