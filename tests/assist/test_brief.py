"""`gpudoctor brief`: one page, what is from outside quoted, nothing secret, the judgement of check and triage."""

import json
import random
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpudoctor.assist.brief import LONGEST, brief_of
from gpudoctor.assist.judged import every_rule, judged_machine
from gpudoctor.assist.quoting import Quoting
from gpudoctor.cli.main import cli
from gpudoctor.examine.triage import ticket
from gpudoctor.facts.codec import encode
from gpudoctor.redact.redactor import Door
from tests.assist.hostile import MARK, injected, outside_quotation, texts
from tests.cases.load import cases
from tests.machines.healthy import HEALTHY
from tests.machines.healthy.look import look
from tests.tickets.stated import FOLDER

CASES = cases()[:60:3]
TICKETS = sorted(FOLDER.glob("*.txt"))[::12]
TITLES = ["Facts", "Judgement", "Still open", "Do not claim", "Ask next"]


def brief(*args: str, text: str | None = None):
    return CliRunner().invoke(cli, ["brief", *args], input=text)


def page_of(snapshot) -> str:
    return brief_of(judged_machine(snapshot, every_rule()), Quoting(Door()))


@pytest.mark.parametrize("path", TICKETS, ids=lambda path: path.stem)
def test_a_ticket_has_its_cause_its_question_and_all_sections(path: Path) -> None:
    shown, judged = brief(str(path)), ticket(str(path), every_rule())
    assert shown.exit_code == judged.exit_code
    assert re.findall(r"^## (.*)$", shown.output, re.MULTILINE) == TITLES
    assert len(shown.output) <= LONGEST + 100
    if judged.named and judged.causes:
        assert judged.causes[0].key in shown.output.partition("## Still open")[0]
    if judged.question:
        assert judged.question.ask in shown.output.partition("## Ask next")[2]
    for one in judged.ruled_out:
        assert f"Not {one.key}" in shown.output


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_machine_has_the_cause_that_check_names(case) -> None:
    judged = judged_machine(case.snapshot(), every_rule())
    page = page_of(case.snapshot())
    assert len(page) <= LONGEST + 100
    roots = [one for one in judged.report.diagnosis.root_causes if one.severity == "error"]
    if judged.report.verdict == "findings" and roots and judged.ticket.causes:
        assert judged.ticket.causes[0].key in page


def test_nothing_is_wrong_with_a_healthy_machine() -> None:
    name = next(name for name in HEALTHY if HEALTHY[name].verdict == "healthy")
    page = page_of(look(name).snapshot)
    assert "Healthy" in page
    assert "The cause" not in page
    assert "Looked for, and not so: " in page


def test_a_text_is_never_healthy() -> None:
    shown = brief("-", text="torch 2.6.0+cu124 on an RTX 4090, driver 570.86.15, everything works")
    assert "Healthy" not in shown.output
    assert shown.exit_code == 3


def test_commands_to_fill_in_are_on_the_page_and_what_is_not_stated_is_one_line() -> None:
    page = brief("-", text="RuntimeError: operator torchvision::nms does not exist\n").output
    assert "torchvision==<TORCHVISION>" in page.partition("## Still open")[0]
    assert len(re.findall("Not stated: ", page)) == 1
    assert "not seen" not in page.lower()


def test_another_cause_has_its_commands() -> None:
    text = "Ubuntu 22.04, RTX 3070\nCommand 'nvidia-smi' not found, but can be installed with:\n"
    still_open = brief("-", text=text).output.partition("## Still open")[2]
    assert "container-no-gpu-flag" in still_open
    assert "`docker run --rm --gpus all ubuntu nvidia-smi -L`" in still_open


def test_what_a_fact_excludes_is_said_with_the_fact() -> None:
    text = (
        "Windows 11, Python 3.12\nRuntimeError: Found no NVIDIA driver on your system. Please check that you have an "
        "NVIDIA GPU and installed a driver\nnvidia-smi: Driver Version: 560.94 CUDA Version: 12.6\n"
    )
    shown = brief("-", text=text).output.partition("## Do not claim")[2]
    assert "gpudoctor matrix fit" in shown


@pytest.mark.parametrize(
    ("args", "text", "says", "code"),
    [
        (("no-such-file.md",), None, "could not be opened", 3),
        (("-",), "", "it is empty", 3),
        (("-",), "hello there", "nothing in its line was recognised", 3),
        (("-",), '{"schema": 999}', "its schema is 999", 3),
        (("-", "--python", "x"), "", "--python names an interpreter of this machine", 2),
    ],
)
def test_bad_input(args: tuple[str, ...], text: str | None, says: str, code: int) -> None:
    shown = brief(*args, text=text)
    assert (shown.exit_code, says in shown.output) == (code, True), shown.output


def test_a_large_ticket_is_read_from_both_ends(tmp_path: Path) -> None:
    path = tmp_path / "large.log"
    path.write_bytes(b"libcudnn.so.8: cannot open shared object file\n" + (b"step 1 loss 2 " * 500 + b"\n") * 7_200)
    assert path.stat().st_size > 50_000_000
    assert brief(str(path)).exit_code in (1, 3)


@pytest.mark.parametrize("number", range(20))
def test_no_text_leaves_its_quotation(number: int) -> None:
    """Two hundred hostile texts, ten a machine, in every field that takes a text."""
    hostile = list(texts(number, 10))
    case = random.Random(number).choice(cases())
    page = page_of(injected(case.snapshot(), hostile, number))
    assert_quoted(page)


@pytest.mark.parametrize("number", range(10))
def test_no_line_of_a_ticket_leaves_its_quotation(number: int) -> None:
    chosen = random.Random(1000 + number)
    lines = TICKETS[number % len(TICKETS)].read_text(encoding="utf-8", errors="replace").splitlines()
    for text in texts(1000 + number, 10):
        place = chosen.randrange(len(lines) + 1)
        lines[place:place] = [chosen.choice((text, f"RuntimeError: CUDA error: {text}", f"torch=={text}"))]
    shown = brief("-", text="\n".join(lines))
    if shown.exit_code != 3 or "cannot be judged" not in shown.output:
        assert_quoted(shown.output)


def assert_quoted(page: str) -> None:
    assert len(page) <= LONGEST + 100
    assert page.replace("\n", "").isprintable()
    fenced = re.findall(r"^```\n(.*?)\n```$", page, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```\n.*?\n```$", "", page, flags=re.MULTILINE | re.DOTALL)
    assert MARK not in outside_quotation(prose, "`"), page
    assert prose.count("`") % 2 == 0
    for block in fenced:
        assert all(not line.startswith("```") for line in block.splitlines())


def test_what_is_secret_stays_here() -> None:
    secret = "hf_" + "abcdefghijKLMNOPQRST" + "uvwxyz0123456"
    text = f"jane@gpu-box-17:~$ export HF_TOKEN={secret}\n/home/jane/env/lib/python3.12/site-packages/torch/cuda\n"
    text += "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
    shown = brief("-", text=text).output
    assert secret not in shown
    assert "jane" not in shown


def test_a_snapshot_file_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    path.write_bytes(encode(cases()[0].snapshot()))
    shown = brief(str(path))
    assert "# What gpudoctor" in shown.output
    assert json.loads(path.read_bytes())["schema"]
