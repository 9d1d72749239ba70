"""Secrets in the lines that readers of tickets wait for leave by no command; all of them with GPUDOCTOR_CAMPAIGN=1."""

import os
import random

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from tests.hostile.expressions import expressions, matching
from tests.redact.filled import planted

_ALL = bool(os.environ.get("GPUDOCTOR_CAMPAIGN"))
#: Where a value stands that a reader takes: {} is the text with the secret.
PLACES = (
    "{}",
    'print("CUDA:", torch.version.cuda)\nCUDA: {}',
    "Python executable: /home/u/{}/bin/python",
    "image: nvcr.io/nvidia/l4t-pytorch:{}",
    ">>> torch.__version__\n{}",
    "$ pip install torch --index-url {}",
    "{} libcudnn.so.8: cannot open shared object file: No such file or directory",
    "Driver Version: {}",
    "GPU 0: {} (UUID: GPU-a)",
    'File "/home/u/{}/site-packages/torch/__init__.py", line 1',
    "I have CUDA 12.1 and {}",
    "sbatch --gres=gpu:{}",
    "ERROR: Could not find a version that satisfies the requirement {}",
)
#: T is the ticket, E one without secrets; "-" reads it from standard input.
COMMANDS = (
    *(("triage", "--format", form, "-") for form in ("terminal", "json", "markdown", "html")),
    ("verify", "--gpu", "4090", "--python", "3.12", "-"),
    ("verify", "--for", "T", "pip install torch==2.6.0"),
    ("explain", "-"),
    ("explain", "--from", "T", "CUDA out of memory"),
    ("brief", "T"),
    ("fix", "--from", "T"),
    ("check", "--from", "T"),
    ("report", "--from", "T", "-o", "-", "--format", "json"),
    ("diff", "E", "T"),
    ("advise", "resnet-50", "--from", "T"),
)


@pytest.mark.timed
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_secret_leaves_by_a_command(words, tmp_path):
    readers = [one for one in expressions() if one.package in ("tickets", "sources", "knowledge")]
    draw = random.Random(f"2026 {words}")
    kinds = [*planted(draw).items()] * (4 if _ALL else 1)
    draw.shuffle(kinds)
    (tmp_path / "E").write_text("torch 2.1.0+cu121\nDriver Version: 535.104.05\n")
    named = [str(tmp_path / word) if word in ("T", "E") else word for word in words]
    leaked = []
    for at in range(0, len(kinds), 12 if _ALL else 30):
        part = kinds[at : at + (12 if _ALL else 30)]
        lines = []
        for _, (text, _) in part:
            place = draw.choice(PLACES) if draw.random() < 0.7 else matching(draw.choice(readers), draw) + " {}"
            lines.append(place.replace("{}", text))
        raw = "\n".join(lines).encode("utf-8", "replace")
        (tmp_path / "T").write_bytes(raw)
        shown = CliRunner().invoke(cli, named, input=raw).output
        leaked += [(kind, line) for (kind, (_, secret)), line in zip(part, lines, strict=True) if secret in shown]
    assert leaked == []
