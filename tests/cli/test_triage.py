"""`gpudoctor triage`: the verdict on what others sent, what to ask next, and input that is none."""

import json
import random
import re
import time
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.diagnosis.triage import ticket_of
from gpudoctor.examine.judging import criteria_of, judge
from gpudoctor.examine.tickets import Input, Unreadable, subject_of
from gpudoctor.examine.triage import ticket
from gpudoctor.facts.codec import encode
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.report.bundle import render_bundle
from tests.cases.bases import BASES
from tests.cases.load import cases
from tests.tickets.stated import FOLDER, STATED

CRITERIA = criteria_of((), (), (), None)
CONFIRMED = sorted(name for name, row in STATED.items() if row["cause"])


def triage(*args: str, text: bytes | None = None):
    return CliRunner().invoke(cli, ["triage", *args], input=text)


def first_cause(name: str) -> str | None:
    made = ticket(str(FOLDER / f"{name}.txt"), CRITERIA)
    return made.causes[0].key if made.causes else None


def test_the_confirmed_cause_comes_first() -> None:
    right = [name for name in CONFIRMED if first_cause(name) in STATED[name]["cause"]]
    assert len(CONFIRMED) >= 30
    assert len(right) >= 0.85 * len(CONFIRMED), sorted(set(CONFIRMED) - set(right))


def test_a_pasted_text_is_judged_and_a_question_asked() -> None:
    shown = triage(str(FOLDER / "bumblebee-854.txt"))
    assert shown.exit_code == 1
    assert "uvm-missing" in shown.output
    assert "Ask the reporter" in shown.output
    assert "lsmod | grep nvidia_uvm" in shown.output


def test_a_refusal_of_nvml_shows_its_cause() -> None:
    shown = triage(str(FOLDER / "machine-shop-60.txt"))
    assert shown.exit_code == 1
    assert "The cause: " in shown.output
    assert "drv-lib-mismatch" in shown.output
    assert "nvidia-smi's failure" in shown.output


def test_a_certain_cause_needs_no_question_and_has_commands() -> None:
    shown = triage(str(FOLDER / "torch-102936.txt"))
    assert "The cause: torch 2.0.0+cpu" in shown.output
    assert "python -m pip install torch==2.0.0+cu118 torchvision==0.15.1+cu118" in shown.output
    assert "Ask the reporter" not in shown.output


def test_beside_a_cause_that_is_shown_what_only_may_be_is_left_out(tmp_path) -> None:
    path = tmp_path / "ticket.md"
    path.write_text("It does not see my RTX 3060, Windows 11, Python 3.10.\n\n>>> torch.__version__\n'2.1.0+cpu'\n")
    told = json.loads(triage(str(path), "--format", "json").output)["tickets"][0]
    assert [one["key"] for one in told["causes"]] == ["torch-cpu-only"]
    path.write_text("torch.cuda.is_available() is False on my RTX 3060")
    told = json.loads(triage(str(path), "--format", "json").output)["tickets"][0]
    assert len(told["causes"]) > 1, "nothing is shown, so that others are told"


def test_what_shows_too_little_is_never_healthy() -> None:
    shown = triage(str(FOLDER / "container-toolkit-394.txt"))
    assert shown.exit_code == 3
    assert "does not state enough for a verdict" in shown.output
    assert "pip list" in shown.output


def test_contradictions_are_told_and_not_settled() -> None:
    text = b"nvidia-smi\n| NVIDIA-SMI 470.86  Driver Version: 470.86  CUDA Version: 11.4 |\n" + b"later:\n" * 5
    text += b"| NVIDIA-SMI 550.54.14  Driver Version: 550.54.14  CUDA Version: 12.4 |\n"
    made = subject_of(Input("x", text), load_matrix())
    assert {one.fact for one in made.contents.disputes} == {"driver.release", "driver.cuda"}
    assert all(one.taken is None for one in made.contents.disputes)
    shown = triage("-", text=text)
    assert "contradicts itself on driver.release: 470.86" in shown.output
    assert "Neither was believed" in shown.output


def test_of_many_contradictions_a_few_are_told() -> None:
    text = "\n\n\n\n\n".join(
        f"| NVIDIA-SMI 4{n}.86  Driver Version: 4{n}.86  CUDA Version: 11.4 |" for n in range(50, 90)
    )
    shown = triage("-", text=text.encode()).output
    assert "and 34 more. Neither was believed." in " ".join(shown.split())


def test_what_a_better_source_settled_is_not_asked() -> None:
    """collect_env imported torch 1.3.0; pip, which may be another Python's, lists 1.2.0."""
    made = ticket(str(FOLDER / "torch-28321.txt"), CRITERIA)
    assert any(one.fact == "frameworks.torch.version" and one.taken == "1.3.0" for one in made.contents.disputes)
    assert made.question is None or "different versions" not in made.question.why


def test_a_harmless_message_does_not_stand_before_the_cause() -> None:
    text = b"TF-TRT Warning: Could not find TensorRT\nRuntimeError: CUDA error: no kernel image is available\n"
    shown = triage("-", text=text)
    before, found, _ = shown.output.partition("arch-too-new-for-build")
    assert found
    assert "tensorrt-not-needed" not in before


@pytest.mark.parametrize("name", ["linux", "windows", "no-gpu"])
def test_a_whole_snapshot_can_be_healthy(name: str, tmp_path: Path) -> None:
    path = tmp_path / "snapshot.json"
    path.write_bytes(encode(BASES[name]))
    assert triage(str(path)).exit_code in (0, 3)
    assert ticket(str(path), CRITERIA).kind == "snapshot"


def test_a_report_and_a_bundle_are_judged_by_their_snapshot(tmp_path: Path) -> None:
    case = next(one for one in cases() if one.expected.rule == "torch-cpu-only")
    report = encode(judge(case.snapshot(), CRITERIA))
    for file, raw in (("report.json", report), ("report.zip", render_bundle({"report.json": report}))):
        (tmp_path / file).write_bytes(raw)
        made = ticket(str(tmp_path / file), CRITERIA)
        assert made.causes[0].key == "torch-cpu-only", file
        assert made.kind == ("bundle" if file.endswith("zip") else "report")


def test_many_inputs_are_a_line_each_and_a_count(tmp_path: Path) -> None:
    readable = [name for name in CONFIRMED if STATED[name]["facts"]]
    for number in range(70):
        source = FOLDER / f"{readable[number % len(readable)]}.txt"
        (tmp_path / f"{number:03}.txt").write_bytes(source.read_bytes())
    (tmp_path / "empty.txt").write_bytes(b"")
    shown = triage(str(tmp_path), "--jobs", "2")
    assert shown.exit_code == 1
    assert shown.output.count(str(tmp_path)) == 71
    assert "     1  could not be judged" in shown.output
    assert triage(str(tmp_path), "--jobs", "1").output == shown.output


def test_json_is_one_document(tmp_path: Path) -> None:
    shown = triage(str(FOLDER / "torch-102936.txt"), str(FOLDER / "jax-1418.txt"), "--format", "json")
    told = json.loads(shown.output)
    assert told["schema"] == 1
    assert [one["kind"] for one in told["tickets"]] == ["text", "text"]
    assert told["tickets"][0]["causes"][0]["key"] == "torch-cpu-only"
    assert told["tickets"][0]["contents"]["recognised"][0]["form"] == "nvidia-smi"


def test_markdown_shows_no_markup_of_the_ticket() -> None:
    text = b"<script>alert(1)</script> torch.cuda.is_available() False\n[link](http://x) `code`\n"
    shown = triage("-", "--format", "markdown", text=text)
    assert "<script>" not in re.sub(r"`[^`]*`", "", shown.output)
    assert "<details>" in shown.output


def test_a_page_shows_no_markup_of_the_ticket() -> None:
    text = b"<script>alert(1)</script> torch.cuda.is_available() False\n<img src=x onerror=alert(1)>\n" * 2
    shown = triage("-", "--format", "html", text=text)
    assert shown.output.startswith("<!DOCTYPE html>")
    assert shown.output.count("<script>") == 1
    assert "<img" not in shown.output


BAD = {
    "empty": (b"", "it is empty"),
    "blank": (b" \r\n\t\n", "it is empty"),
    "binary": (bytes(range(256)) * 40, "binary data"),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(4000), "a picture (PNG)"),
    "prose": (b"It does not work.\nPlease help!\n", "nothing in its 2 lines was recognised"),
    "prose about no GPU": (b"My keys are lost, I cannot find them.\n", "nothing in its line was recognised"),
    "other JSON": (b'{"name": "x", "version": 2}', "nothing in its 2 lines was recognised"),
    "newer schema": (b'{"schema": 99}', "its schema is 99"),
    "broken snapshot": (b'{"schema": 1, "gpus": 7}', "not a gpudoctor snapshot"),
    "deep": (b'{"schema":1,"a":' + b"[" * 100_000, "nested too deeply"),
    "broken letters": (b'{"sch\xd1ma": 1, "gpus": null}', "nothing in its line was recognised"),
    "other zip": (render_bundle({"a.txt": b"x"}), "without report.json"),
    "broken gzip": (b"\x1f\x8b\x08\x00" + bytes(6) + b"\xff" * 20, "cannot be unpacked"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name: str) -> None:
    raw, reason = BAD[name]
    shown = triage("-", text=raw)
    assert shown.exit_code == 3
    assert "It cannot be judged" in shown.output
    assert reason in " ".join(shown.output.split())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "latin-1"])
def test_encodings(encoding: str) -> None:
    text = (FOLDER / "torch-102936.txt").read_text(encoding="utf-8")
    text = ("显卡不能用" * 3 if encoding == "gb18030" else "") + "\n" + text
    for ends in ("\n", "\r\n"):
        raw = text.replace("\n", ends).encode(encoding)
        made = subject_of(Input("x", raw), load_matrix())
        assert str(made.snapshot.driver.release) == "535.98"
        assert made.snapshot.frameworks.get("torch").version == "2.0.0+cpu"


def test_colours_quotes_and_wrappings_do_not_hide_a_fact() -> None:
    plain = (FOLDER / "torch-68611.txt").read_text(encoding="utf-8")
    lines = [f"> \x1b[32m{line}\x1b[0m" for line in plain.splitlines()]
    raw = "<details><summary>log</summary>\n\n" + "\n".join(lines) + "\n</details>"
    made = subject_of(Input("x", raw.encode()), load_matrix())
    assert str(made.snapshot.driver.release) == "461.72"
    assert made.snapshot.gpus.devices[0].temperature_c == 61


def test_the_end_of_a_long_pipe_is_read() -> None:
    lines = b"nothing to see here, and no fact in any of these lines\n" * 150_000
    shown = triage("-", text=lines + b"RuntimeError: CUDA error: no kernel image is available for execution\n")
    assert "arch-too-new-for-build" in shown.output
    assert "bytes in its middle were not read" in " ".join(shown.output.split())
    assert "not read" not in triage("-", text=lines[: 4 * 1024 * 1024]).output


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero here")
def test_what_has_no_end_is_refused() -> None:
    started = time.process_time()
    assert "it is a device, not a file" in triage("/dev/zero").output
    assert time.process_time() - started < 20


def test_a_huge_log_is_read_at_its_ends(tmp_path: Path) -> None:
    path = tmp_path / "big.log"
    table = (FOLDER / "container-toolkit-394.txt").read_bytes()
    with path.open("wb") as stream:
        stream.write(table)
        stream.seek(500 * 1024 * 1024)
        stream.write(b"\nRuntimeError: CUDA error: no kernel image is available for execution on the device\n")
    # A file with a hole in it: the zeros within are no text, so the ends are made text.
    with path.open("r+b") as stream:
        for start in (len(table), 500 * 1024 * 1024 - 3 * 1024 * 1024):
            stream.seek(start)
            stream.write(b"\n" + b"nothing to see here, and no fact in any of these lines\n" * 60_000)
            stream.seek(500 * 1024 * 1024)
            stream.write(b"\nRuntimeError: CUDA error: no kernel image is available for execution on the device\n")
    started = time.process_time()
    made = ticket(str(path), CRITERIA)
    assert time.process_time() - started < 20
    assert made.contents.cut.endswith("in its middle were not read")
    assert made.causes[0].key == "arch-too-new-for-build" or made.messages
    assert {one.form for one in made.contents.recognised} >= {"nvidia-smi"}


def test_an_archive_with_a_huge_member_is_not_unpacked_whole(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("report.json", "w") as member:
        for _ in range(100):
            member.write(b" " * (1 << 20))
    assert "larger than 16 MiB" in (ticket(str(path), CRITERIA).error or "")


ODD = [b"\x1b[1m", b"9" * 300, b" " * 3000, b"\r", b"\xff\xfe", b"\x00", b"[" * 900]


def mutated(raw: bytes, chance: random.Random) -> bytes:
    """The text cut, doubled, shuffled, spliced with another, or in another encoding."""
    text = bytearray(raw)
    for _ in range(chance.choice([1, 2, 8])):
        start = chance.randrange(len(text) + 1)
        stop = min(len(text), start + chance.choice([1, 20, 400]))
        other = (FOLDER / f"{chance.choice(CONFIRMED)}.txt").read_bytes()
        choice = chance.randrange(6)
        if choice == 0:
            del text[start:stop]
        elif choice == 1:
            text[start:start] = chance.choice(
                [b"\x1b[1m", b"9" * 300, b" " * 3000, b"\r", b"\xff\xfe", b"\x00", b"[" * 900]
            )
        elif choice == 2:
            text[start:start] = other[: chance.choice([30, 2000])]
        elif choice == 3:
            text[start:stop] = bytes(chance.randrange(256) for _ in range(stop - start))
        elif choice == 4:
            text = bytearray(b"\n".join(chance.sample(parts := bytes(text).split(b"\n"), len(parts))))
        else:
            text = bytearray(
                bytes(text).decode("utf-8", "replace").encode(chance.choice(["utf-16", "gb18030"]), "replace")
            )
    return bytes(text)


@pytest.mark.parametrize("seed", range(150))
def test_mutated_texts_are_judged_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    raw = mutated((FOLDER / f"{chance.choice(sorted(STATED))}.txt").read_bytes(), chance)
    started = time.process_time()
    try:
        subject = subject_of(Input("x", raw), load_matrix())
    except Unreadable as error:
        assert str(error)
        return
    report = judge(subject.snapshot, CRITERIA)
    assert not report.diagnosis.crashed
    assert ticket_of("x", subject.kind, report, CRITERIA.rules, subject.contents).verdict not in ("healthy", "no-gpu")
    assert time.process_time() - started < 1


@pytest.mark.timed
def test_throughput(tmp_path: Path) -> None:
    """300 snapshots and 50 texts a second a core are wanted; the bounds here leave room for a slower machine."""
    snapshots = [encode(case.snapshot()) for case in cases()]
    paths = []
    for number in range(2 * len(snapshots)):
        path = tmp_path / f"{number}.json"
        path.write_bytes(snapshots[number % len(snapshots)])
        paths.append(str(path))
    for wanted, each in ((100, paths), (25, [str(FOLDER / f"{name}.txt") for name in STATED] * 2)):
        ticket(each[0], CRITERIA)
        started = time.process_time()
        for path in each[len(each) // 2 :]:
            ticket(path, CRITERIA)
        assert (len(each) // 2) / (time.process_time() - started) > wanted
