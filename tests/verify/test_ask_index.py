"""`verify --ask-index`: what the tables do not know, settled by the index that pip is set up for."""

import json

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder as an index, with one wheel of two packages."""
    for name, file in (
        ("flash-attn", "flash_attn-2.7.4-cp312-cp312-linux_x86_64.whl"),
        ("transformers", "transformers-4.40.0-py3-none-any.whl"),
    ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / file).write_bytes(b"")
    monkeypatch.setenv("PIP_INDEX_URL", tmp_path.as_uri())
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    for variable in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "UV_INDEX", "UV_EXTRA_INDEX_URL"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


def words(command: str, python: str, *options: str) -> list[tuple[str, str]]:
    arguments = ["verify", command, "--python", python, "--os", "linux", "--format", "json", *options]
    found = json.loads(CliRunner().invoke(cli, arguments).output)["found"]
    return [(one["word"], one.get("aspect", "")) for one in found]


def test_the_index_settles_what_is_not_in_the_tables(index):
    command = "pip install flash-attn==2.7.4 transformers==4.40.0 transformers==99 no-such-package"
    assert {word for word, _ in words(command, "3.12")} == {"not known"}
    asked = words(command, "3.12", "--ask-index")
    assert [word for word, _ in asked].count("fits") == 2
    assert ("does not fit", "version") in asked
    assert ("does not fit", "python") in words("pip install flash-attn==2.7.4", "3.10", "--ask-index")
