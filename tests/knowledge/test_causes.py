"""On every error string of the cases, the true cause is among the first three."""

import json
from pathlib import Path

import pytest

from gpudoctor.knowledge.causes import causes_of, causes_without_rule, words_of_cause
from gpudoctor.knowledge.known_surroundings import surroundings
from gpudoctor.knowledge.message import messages
from gpudoctor.knowledge.recognition import recognise
from gpudoctor.knowledge.statements import statements
from gpudoctor.knowledge.surroundings import surroundings_in
from gpudoctor.rules.load import load_rules

#: What reports of the cases show. kind: error, or a description in the reporter's own words; surroundings as stated.
STRINGS = json.loads(Path(__file__).with_name("case_strings.json").read_text(encoding="utf-8"))
ERRORS = [row for row in STRINGS if row["kind"] == "error"]
#: Messages of threads that were kept apart, each with the causes that its thread confirms.
THREADS = json.loads(Path(__file__).with_name("thread_strings.json").read_text(encoding="utf-8"))
RULES = {rule.name for rule in load_rules()}


def first_three(text, surroundings=()):
    causes = causes_of(recognise(text), {*surroundings, *surroundings_in(text)})
    return [cause.key for cause in causes[:3]]


def missed(rows, *, with_surroundings):
    return [
        (row["case"], row["cause"], row["text"])
        for row in rows
        if row["cause"] not in first_three(row["text"], row.get("surroundings", ()) if with_surroundings else ())
    ]


@pytest.mark.parametrize("with_surroundings", [False, True])
def test_the_true_cause_is_among_the_first_three(with_surroundings):
    wrong = missed(ERRORS, with_surroundings=with_surroundings)
    assert len(wrong) <= 0.1 * len(ERRORS), "\n".join(map(str, wrong))


def test_a_cause_that_the_thread_confirms_is_among_the_first_three():
    wrong = [row for row in THREADS if not set(row["cause"]) & set(first_three(row["text"]))]
    assert len(wrong) <= 0.1 * len(THREADS), wrong


def test_the_causes_of_threads_are_known_ones():
    assert {cause for row in THREADS for cause in row["cause"]} <= RULES | set(causes_without_rule())


def test_there_are_enough_strings_to_say_so():
    assert len(ERRORS) >= 175
    assert len({row["cause"] for row in ERRORS}) >= 80


def test_every_cause_is_a_rule_or_has_words():
    for row in messages():
        for cause in row.causes:
            assert (cause.key in RULES) != (cause.key in causes_without_rule()), (row.id, cause.key)
            assert 0 < cause.prior < 1, (row.id, cause.key)
    used = {cause.key for row in messages() for cause in row.causes}
    used |= {one.cause for said in (*statements(), *surroundings()) for one in said.points_to}
    assert used >= set(causes_without_rule()), "words of a cause that nothing points to"
    assert used <= RULES | set(causes_without_rule())


def test_two_messages_together_say_more_than_one():
    alone = causes_of(recognise("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."))
    both = causes_of(
        recognise(
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
            "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service"
        )
    )
    assert alone[0].key != "drv-secureboot-rejected"
    assert both[0].key == "drv-secureboot-rejected"
    assert both[0].prior > alone[0].prior


def test_a_general_message_adds_nothing_in_the_line_of_a_particular_one():
    line = "ERROR: Could not find a version that satisfies the requirement triton==2.3.0 (from versions: none)"
    assert {one.signature for one in recognise(line)} >= {"triton-not-on-index", "no-matching-distribution"}
    on_windows = {one.key for one in causes_of(recognise(line), {"windows"})}
    assert on_windows >= {"triton-not-on-windows"}
    assert "python-32bit" not in on_windows
    assert "python-32bit" in {one.key for one in causes_of(recognise(line.replace("triton", "torch")), {"windows"})}


def test_what_is_not_known_to_be_there_does_not_add_up():
    lines = "Torch is not able to use GPU\nno GPU is used\ntorch.cuda.is_available(): False"
    one = next(one for one in causes_of(recognise(lines)) if one.key == "image-without-gpu-code")
    assert one.prior < 0.15


def test_surroundings_turn_the_order():
    message = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    assert "slurm-no-gpu" not in first_three(message)
    assert first_three(message, ["slurm"])[0] == "slurm-no-gpu"
    assert "wsl1" in first_three(message, ["wsl"])
    assert surroundings_in("srun -p gpu python -c 'import torch'") == {"slurm"}
    assert surroundings_in("File C:\\Users\\me\\torch\\lib\\x.dll") == {"windows"}
    lost = "libcudnn.so.9: cannot open shared object file: No such file or directory"
    assert first_three(lost, ["lib64"])[0] == "venv-lib64-split" != first_three(lost)[0]
    assert surroundings_in('File "/v/lib64/python3.12/site-packages/torch/__init__.py"') == {"lib64"}
    assert surroundings_in("uv pip install flash_attn==2.8") == {"building"}
    assert first_three("No module named 'torch'", ["building"])[0] == "ext-build-isolation"
    assert surroundings_in("/usr/lib64/libcuda.so.1; /v/lib/python3.12/site-packages/torch") == frozenset()
    assert surroundings_in("an ordinary sentence") == frozenset()


@pytest.mark.parametrize("answer", ["no", "None", "null", "n/a", "False", "not used", "unknown"])
@pytest.mark.parametrize("label", ["WSL: ", "- Slurm: ", "Using Docker? : ", '  "slurm": ', "**Container (Docker)**: "])
def test_a_form_that_denies_its_label_does_not_mention_it(label, answer):
    assert surroundings_in(f"OS: x\n{label}{answer}\nGPU: A100") == frozenset()
    assert surroundings_in(f"OS: Ubuntu\n{label}{answer} of the usual\nGPU: A100") != frozenset()


def test_a_cause_in_words():
    assert words_of_cause("batch-too-large", {}).endswith(".")
    assert words_of_cause("driver-too-old", {"driver-too-old": "The driver is old."}) == "The driver is old."
    assert words_of_cause("never-heard-of", {}) == "never-heard-of"
