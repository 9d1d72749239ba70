"""`gpudoctor verify` at a terminal: what it prints, its exit codes, bad input."""

import json

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli

DESCRIBED = ("--gpu", "RTX 5090", "--driver", "570.124.06", "--python", "3.12")


def run(*arguments: str, text: str | None = None):
    return CliRunner().invoke(cli, ["verify", *arguments], input=text)


def test_it_names_what_fits_instead():
    result = run("pip install torch==2.6.0", *DESCRIBED, "--format", "json")
    (verdict,) = json.loads(result.output)["found"]
    assert (result.exit_code, verdict["word"], verdict["aspect"]) == (1, "does not fit", "gpu")
    assert verdict["instead"] == "pip install torch==2.7.0+cu128 --index-url https://download.pytorch.org/whl/cu128"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("pip install torch==2.8.0", *DESCRIBED), 0),
        (("pip install torch", "--installed", "torch==2.2.0+cpu"), 1),
        (("pip install flash-attn==2.7.4", *DESCRIBED), 3),
        (("pip install torch==2.8.0", "--gpu", "no such card"), 2),
        (("pip install torch==2.8.0", "--installed", "torch"), 2),
        (("pip install torch==2.8.0", "--for", "gone.json", "--gpu", "8.9"), 2),
        (("pip install torch==2.8.0", "--for", "gone.json"), 3),
        (("requirements.txt", *DESCRIBED), 3),
        (("pyproject.toml", *DESCRIBED), 3),
        (("", *DESCRIBED), 3),
        (("pip install 'torch", *DESCRIBED), 3),
    ],
)
def test_exit_codes(arguments, code):
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    assert result.output.strip() or result.exception


def test_a_file_says_which_line(tmp_path):
    file = tmp_path / "requirements.txt"
    file.write_text("# ours\ntorch==2.8.0\ntorchvision==0.21.0\n")
    found = json.loads(run(str(file), *DESCRIBED, "--format", "json").output)["found"]
    assert [(one["line"], one["word"]) for one in found] == [(2, "fits"), (3, "does not fit")]
    assert found[0]["file"] == str(file)


def test_standard_input_and_a_secret_in_an_address():
    secret = "hunter" + "2" * 8
    text = f"pip install torch==2.8.0 --index-url https://me:{secret}@index.example/simple\n"
    result = run("-", *DESCRIBED, "--format", "json", text=text)
    assert result.exit_code == 3
    assert secret not in result.output


@pytest.mark.parametrize("content", [b"\0\1\2" * 2000, b"pip install torch\n" * 700_000], ids=["junk", "large"])
def test_no_list_of_commands(tmp_path, content):
    file = tmp_path / "commands.txt"
    file.write_bytes(content)
    result = run(str(file), *DESCRIBED)
    assert result.exit_code == 3


def test_control_characters_do_not_reach_the_terminal():
    result = run("pip install \x1b[31mtorch==9.9.9\u202e", *DESCRIBED)
    assert "\x1b" not in result.output
    assert "\u202e" not in result.output


@pytest.mark.parametrize("version", ["==foo", "==2.6 or so", "==2.6</x>", ">=", "== ==2"])
def test_what_is_no_version_is_impossible(version):
    result = run(f"pip install 'torch{version}'", *DESCRIBED)
    assert result.exit_code in (1, 3), result.output
    assert not result.exception or isinstance(result.exception, SystemExit)
