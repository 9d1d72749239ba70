"""Lock files, pyproject.toml and environment.yml, judged as the commands that they stand for."""

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.facts.versions import Capability, DriverRelease
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.plan.machine import Machine
from gpudoctor.verify.project_files import project_commands
from gpudoctor.verify.verdict import Given
from gpudoctor.verify.verify import verify

MATRIX = load_matrix()
GIVEN = Given(
    machine=Machine(
        platform="linux-x86_64",
        python="3.10",
        capabilities=(Capability("8.6"),),
        driver=DriverRelease("550.54.14"),
    )
)


def uv(*packages: tuple[str, str, str]) -> str:
    rows = (f'[[package]]\nname = "{n}"\nversion = "{v}"\nsource = {{ registry = "{i}" }}\n' for n, v, i in packages)
    return "version = 1\n\n" + "\n".join(rows)


INDEX, CU124 = "https://example.org/simple", "https://download.pytorch.org/whl/cu124"
CONDA = "name: x\nchannels:\n  - conda-forge\ndependencies:\n  - python=3.10\n  - pip:\n    - {}\n    - numpy<2\n"

#: A file, its text, and the word for each subject that is judged.
FILES = {
    "uv.lock": (
        uv(("torch", "2.6.0+cu124", CU124), ("torchvision", "0.21.0+cu124", CU124), ("click", "8.1.7", INDEX)),
        {"torch==2.6.0+cu124": "fits", "torchvision==0.21.0+cu124": "fits"},
    ),
    "a/uv.lock": (
        uv(("torch", "2.6.0+cu124", CU124), ("torchvision", "0.20.1+cu124", CU124)),
        {"torch==2.6.0+cu124": "fits", "torchvision==0.20.1+cu124": "does not fit"},
    ),
    "b/uv.lock": (
        uv(("torch", "2.6.0+cu124", CU124), ("torch", "2.6.0+cpu", CU124), ("xformers", "0.0.25", INDEX)),
        {"torch": "not known"},
    ),
    "poetry.lock": (
        f'[[package]]\nname = "torch"\nversion = "2.6.0+cu124"\nsource = {{type = "legacy", url = "{CU124}"}}\n',
        {"torch==2.6.0+cu124": "fits"},
    ),
    "pylock.toml": (
        f'lock-version = "1.0"\n[[packages]]\nname = "torch"\nversion = "2.6.0+cu999"\nindex = "{CU124}"\n',
        {"torch==2.6.0+cu999": "does not fit"},
    ),
    "pyproject.toml": (
        '[project]\nname = "x"\ndependencies = ["torch==2.6.0", "torchvision==0.20.1"]\n',
        {"torch==2.6.0": "fits", "torchvision==0.20.1": "does not fit"},
    ),
    "p/pyproject.toml": (
        '[tool.poetry.dependencies]\npython = "^3.10"\ntorch = "^2.5"\ntensorflow = {version = "99.0"}\n',
        {"torch>=2.5,<3": "does not fit", "tensorflow==99.0": "not known"},
    ),
    "environment.yml": (CONDA.format("torch==2.6.0"), {"torch==2.6.0": "fits", "numpy<2": "fits"}),
    "e/environment.yml": (CONDA.format("torch==2.6.99"), {"torch==2.6.99": "does not fit", "numpy<2": "fits"}),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_judged(name):
    text, words = FILES[name]
    found = {one.subject: one.word for one in verify(text, GIVEN, MATRIX, name).found}
    assert words.items() <= found.items(), found


def test_the_line_is_that_of_the_file():
    text, _ = FILES["a/uv.lock"]
    (against,) = [one for one in verify(text, GIVEN, MATRIX, "uv.lock").found if one.word == "does not fit"]
    assert 'name = "torchvision"' in text.splitlines()[against.line - 1]


@pytest.mark.parametrize("text", ["", "x = [", "[[package]]\nname = 3\n", "package = 1", "[tool]\npoetry = 1", "- a"])
@pytest.mark.parametrize("name", ["uv.lock", "pyproject.toml", "environment.yml", "pylock.x.toml"])
def test_what_is_none_of_them_is_no_verdict(name, text):
    assert all(one.word == "not known" for one in verify(text, GIVEN, MATRIX, name).found)


def test_other_texts_are_left_to_their_readers():
    assert project_commands("torch==2.6.0", ["torch==2.6.0"], "requirements.txt") is None
    assert project_commands("services:\n", ["services:"], None) is None


def test_by_name_on_the_command_line(tmp_path):
    path = tmp_path / "uv.lock"
    path.write_text(FILES["a/uv.lock"][0])
    shown = CliRunner().invoke(cli, ["verify", str(path), "--gpu", "RTX 3090", "--python", "3.10"])
    assert (shown.exit_code, "torchvision==0.20.1+cu124: does not fit" in shown.output) == (1, True), shown.output
