"""The solver's whole answers to known questions, word for word, as answers.txt keeps them.

After a change that is meant to alter answers, write them anew and read the difference:

    python -m tests.plan.test_answers

The wishes have upper bounds, so that a new release changes none of them.
"""

import re
from pathlib import Path

import pytest

from gpudoctor.facts.versions import Capability, DriverRelease, LibraryVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.answer import Wanted
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.solve import fit

FILE = Path(__file__).with_name("answers.txt")
MATRIX = load_matrix()
#: driver (- none), GPUs, Python, platform, glibc (- not known) : wish.
QUESTIONS = """
535.54.03  8.9          3.12  linux-x86_64    2.35  : torch<2.9
535.54.03  8.9          3.12  linux-x86_64    2.35  : torch<2.9 torchvision torchaudio
580.65.06  12.0         3.12  linux-x86_64    2.39  : torch<2.10
570.124.06 12.0         3.10  linux-x86_64    2.35  : torch<2.7
525.60.13  6.1          3.11  linux-x86_64    2.31  : torch<2.9
470.256.02 3.7          3.10  linux-x86_64    2.31  : torch<2.9
470.256.02 8.6          3.10  linux-x86_64    2.27  : torch<2.9
470.256.02 8.6          3.13  linux-x86_64    2.27  : torch<2.9
450.80.02  7.0          3.8   linux-x86_64    2.17  : torch<2.9
440.100    7.0          3.8   linux-x86_64    2.17  : torch<1.13
440.100    8.0          3.8   linux-x86_64    2.17  : torch<1.13
535.54.03  8.0          3.9   linux-x86_64    2.17  : torch<2.7
535.54.03  8.0          3.9   linux-aarch64   2.17  : torch<2.7
535.54.03  9.0          3.12  linux-aarch64   2.35  : torch<2.12
550.54.14  8.9          3.12  windows-x86_64  -     : torch<2.9
550.54.14  8.9          3.12  windows-x86_64  -     : tensorflow<2.20
550.54.14  8.9          3.9   windows-x86_64  -     : tensorflow<2.11
-          -            3.12  macos-arm64     -     : torch<2.9
-          -            3.7   macos-arm64     -     : torch<2.9 torchvision
-          -            3.7   macos-arm64     -     : torch<2.9
-          -            3.11  macos-arm64     -     : tensorflow<2.20
-          -            3.9   macos-x86_64    -     : torch<2.9
-          -            3.12  linux-x86_64    2.35  : torch<2.9
-          8.6          3.12  linux-x86_64    2.35  : torch<2.9
535        8.6          3.12  linux-x86_64    -     : torch<2.9
580.65.06  3.7          3.10  linux-x86_64    2.35  : torch<2.9
590.48.01  6.1          3.12  linux-x86_64    2.35  : torch<2.9
525.60.13  12.0         3.12  linux-x86_64    2.35  : torch<2.9
570.124.06 6.1,12.0     3.12  linux-x86_64    2.35  : torch<2.9
550.54.14  3.7,8.9      3.12  linux-x86_64    2.35  : torch<2.9
550.54.14  6.1,8.9      3.12  linux-x86_64    2.35  : torch<2.9
550.54.14  8.6          3.11  linux-x86_64    2.35  : tensorflow<2.16
550.54.14  8.6          3.12  linux-x86_64    2.35  : tensorflow<2.20
550.54.14  8.6          3.13  linux-x86_64    2.35  : tensorflow<2.20
570.124.06 12.0         3.12  linux-x86_64    2.35  : tensorflow<2.20
525.60.13  12.0         3.12  linux-x86_64    2.35  : tensorflow<2.20
450.80.02  7.0          3.7   linux-x86_64    2.17  : tensorflow<2.12
418.39     6.1          3.7   linux-x86_64    2.17  : tensorflow<2.4
535.54.03  8.6          3.12  linux-x86_64    2.35  : jax<0.7
525.60.13  5.2          3.12  linux-x86_64    2.35  : jax<0.7
550.54.14  8.6          3.11  linux-x86_64    2.17  : jax<0.7
535.54.03  8.6          3.12  windows-x86_64  -     : jax<0.7
550.54.14  8.6          3.12  linux-x86_64    2.35  : torch<2.9 tensorflow<2.20
550.54.14  8.6          3.12  linux-x86_64    2.35  : tensorflow<2.21 torch<2.9
550.54.14  8.6          3.9   linux-x86_64    2.35  : tensorflow<2.13 torch<2.9
550.54.14  8.6          3.11  linux-x86_64    2.35  : torch<2.9 jax<0.7
550.54.14  8.6          3.11  linux-x86_64    2.35  : torch<2.9 tensorflow<2.20 jax<0.7
550.54.14  8.6          3.12  linux-x86_64    2.35  : torch>=2.6,<2.6.1 torchvision<0.20
550.54.14  8.6          3.6   linux-x86_64    2.35  : torch<2.9
550.54.14  8.6          3.12  linux-x86_64    musl  : torch<2.9
550.54.14  8.6          3.12  linux-x86_64    2.35  : torch>2.5,<2.5.1
""".strip().splitlines()


def machine_of(question):
    driver, gpus, python, platform, libc = question.partition(" :")[0].split()
    return Machine(
        driver=None if driver == "-" else DriverRelease(driver),
        capabilities=() if gpus == "-" else tuple(map(Capability, gpus.split(","))),
        python=python,
        platform=platform,
        libc="musl" if libc == "musl" else "glibc" if libc != "-" else None,
        libc_version=LibraryVersion.parse(libc),
        cpu_only=driver == "-" and gpus == "-" and platform.startswith("linux"),
    )


def wish_of(question):
    asked = dict(re.fullmatch(r"(\w+)(.*)", one).groups() for one in question.partition(" : ")[2].split())
    companions = tuple((name, asked.pop(name)) for name in ("torchvision", "torchaudio") if name in asked)
    return tuple(
        Wanted(framework=name, specifier=specifier, companions=companions if name == "torch" else ())
        for name, specifier in asked.items()
    )


def obstacles(found):
    return "; ".join(f"{one.constraint}: {one.text}" + (f" -> {one.change}" if one.change else "") for one in found)


def proposal_lines(one):
    yield f"  {one.build} (CUDA {one.cuda}) asks for {' '.join(one.requirements)} from {one.index_url or 'the index'}"
    yield from (f"    because {reason.constraint}: {reason.text}" for reason in one.why)
    yield from (f"    but {limit}" for limit in one.limits)
    if one.why_not_newer:
        yield f"    not {one.why_not_newer.build}: {obstacles(one.why_not_newer.obstacles)}"


def answer(question):
    """One answer in lines, without what only says where a fact is from."""
    found = fit(machine_of(question), wish_of(question), MATRIX)
    yield f"? {' '.join(question.split())}"
    for place in found.environments:
        yield f"  $ {' '.join(place.command)}"
        for one in place.proposals:
            yield from proposal_lines(one)
    for one in found.alternatives:
        yield f"  or {one.build}: {' '.join(one.command)}"
    for refusal in found.refusals:
        yield f"  no {refusal.framework}, {refusal.constraint}: {refusal.text}"
        yield from (f"    way: {way.build}: {obstacles(way.obstacles)}" for way in refusal.ways)
        for part in refusal.partly:
            yield f"    partly {part.build} serves {part.serves} not {part.leaves_out}: {' '.join(part.command)}"
    if found.separate_because:
        yield f"  apart: {found.separate_because}"
    if found.not_judged:
        yield f"  not judged: {', '.join(found.not_judged)}"


def kept():
    """The answers of the file, by their question."""
    blocks = FILE.read_text().strip().split("\n\n")
    return {block.partition("\n")[0]: block for block in blocks}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_answer_is_the_kept_one(question):
    lines = list(answer(question))
    assert "\n".join(lines) == kept()[lines[0]]


def test_every_kept_answer_has_its_question():
    assert len(kept()) == len(QUESTIONS)


if __name__ == "__main__":
    FILE.write_text("\n\n".join("\n".join(answer(question)) for question in QUESTIONS) + "\n")
