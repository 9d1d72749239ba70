"""Judges a text of commands. Pure: the same text, facts and tables give the same verdicts anywhere."""

from collections.abc import Sequence

from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.verify.verdict import Given, Verdict, Verdicts, overall


def verify(text: str | Sequence[str], given: Given, matrix: Matrix, file: str | None = None) -> Verdicts:
    """The verdicts on commands, a requirements file, a Dockerfile or a Compose file; `file` is its name, if it has one.

    A sequence is one command each. Never raises for what stands in the text: what is not understood is not known.
    """
    del given, matrix  # Judged by the readers of each kind of command, which are added to this.
    lines = text.splitlines() if isinstance(text, str) else text
    found = tuple(
        Verdict(line=number, file=file, command=line[:200], subject=line[:80], word="not known", grounds="not asked")
        for number, line in enumerate(lines, 1)
        if line.strip()
    )
    return Verdicts(word=overall(found), found=found)
