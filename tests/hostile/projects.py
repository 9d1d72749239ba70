"""Project files that nobody wrote: what those that are read hold, with values and structures that are not expected."""

import random
import re
from collections.abc import Sequence

from tests.verify.test_project_files import FILES

NAMES = (
    *("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "pyproject.toml", "environment.yml", "requirements.txt"),
    *("Dockerfile", "compose.yml", "install.sh", "install.ps1"),
)
_TEXTS = tuple(text for text, _ in FILES.values())
#: Lines of another structure than what reads them waits for.
_LINES = (
    *("[" * 3000, "{" * 3000, "a = " + "[" * 5000, "- " * 5000, '"""', "'''", "&a [*a]", "\x00", "\ufeff", ""),
    *(
        "- pip: [",
        "<<: *x",
        "? [a]\n: b",
        "dependencies:\n - 5\n - null\n - {a: b}\n - pip: x",
        "torch = {version = 9}",
    ),
    *("[[package]]\nname = 3\nversion = []", "[project]\ndependencies = 5", "[tool.uv]\nsources = 3"),
    *("[tool.poetry.dependencies]\ntorch = [1, {}]", "[tool.poetry]\ndependencies = 7", "FROM \\\n", "services: []"),
    *(
        "torch = {version = 9}",
        "FROM $X\nRUN pip install",
        "ARG X=" + "9" * 5000,
        "services: {a: {image: 5, build: []}}",
    ),
)


def project(draw: random.Random, numbers: Sequence[str]) -> str:
    """The text of such a file; `numbers` are what stands in place of a version."""
    lines = draw.choice(_TEXTS).split("\n")
    for _ in range(draw.choice((1, 3, 10))):
        at = draw.randrange(len(lines))
        line = lines[at]
        lines[at] = draw.choice(
            (
                re.sub(r"\d+", lambda _: draw.choice(numbers), line),
                line[: draw.randrange(len(line) + 1)],
                line * 30,
                draw.choice(_LINES),
            )
        )[:20_000]
    if draw.random() < 0.2:
        draw.shuffle(lines)
    return "\n".join(lines)
