"""Every word that users read has a translation, with the same fields, commands and names in it.

Where this fails: `scripts/update_catalogues`, then translate what `scripts/update_catalogues --check` names.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from catalogues import BY_HAND, LANGUAGES, compiled, faults, files, merged, translations
from texts_of_code import words_of_file


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_is_translated_with_its_fields_and_commands(language: str) -> None:
    assert faults(language) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogues_hold_the_words_of_the_code(language: str) -> None:
    parts = {path: path.read_bytes() for path in files(language) if path.stem != BY_HAND}
    assert {path.name for path in merged(language)} == {path.name for path in parts}
    assert [path.name for path, content in merged(language).items() if parts[path] != content] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_loaded_is_what_was_translated(language: str) -> None:
    path, content = compiled(language)
    assert path.read_bytes() == content
    assert len(translations(language)) > 4_000


SOURCE = '''
"""Not this."""
from x import seen
HALF = "Only half of it is there."
PATTERN = re.compile("never this one here")

def check(count, names, place):
    """Nor this one."""
    text = f"Install {names.all}; "
    text += f"or build {'it' if count == 1 else 'them'}."
    yield Problem(summary=f"{names} has {count:,} error{'s' if count > 1 else ''}{place}.", code="ABC")
    yield seen("driver", f"{count} of {{braces}}")
    yield Run(argv=("pip", "install it all"))
    yield {"a key it is": "its value is shown"}["not this key"]
    raise TypeError("for programmers only")
'''


def test_what_is_a_word_for_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "module.py"
    module.write_text(SOURCE)
    monkeypatch.setattr("texts_of_code.ROOT", tmp_path)
    assert [word.msgid for word in words_of_file(module, "rules")] == [
        "Only half of it is there.",
        "Install {all}; or build it.",
        "Install {all}; or build them.",
        "{names} has {count} errors{place}.",
        "{names} has {count} error{place}.",
        "driver",
        "{count} of {{braces}}",
        "a key it is",
        "its value is shown",
    ]
