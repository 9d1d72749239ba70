"""Lines of wide characters: their columns, where they break, and what stands between their pieces."""

import pytest

from gpudoctor.language.chosen import DONE
from gpudoctor.language.drawn import drawn
from gpudoctor.language.translator import Translator
from gpudoctor.language.wide import columns, joined, wrapped

LONG = (
    "驱动 580.65.06 提供 CUDA 13.0，而 torch 2.6.0+cu124 是为 CUDA 12.4 构建的（见 https://pytorch.org/get-started/locally/）。"
    * 3
)


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("abc", 3), ("驱动", 4), ("GPU 驱动。", 10), ("é", 1), ("e\u0301", 1)]
)
def test_a_wide_character_takes_two_columns(text: str, width: int) -> None:
    assert columns(text) == width


@pytest.mark.parametrize("width", [30, 40, 80, 100])
def test_lines_are_as_wide_as_allowed_and_nothing_is_lost(width: int) -> None:
    lines = list(wrapped("  " + LONG, width, "    "))
    assert "".join("".join(lines).split()) == "".join(LONG.split())
    longest_word = columns("https://pytorch.org/get-started/locally/）。")
    assert all(columns(line) <= max(width, longest_word + 4) for line in lines)
    assert not any(line.lstrip().startswith(tuple("，。；：、）")) for line in lines)
    assert not any(line.endswith("（") for line in lines)
    assert all(line.startswith("    ") for line in lines[1:])


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ("驱动", "580", "驱动 580"),
        ("GPU", "驱动", "GPU 驱动"),
        ("驱动 ", " 过旧", "驱动过旧"),
        ("驱动", "：", "驱动："),
        ("a ", "b", "a b"),
        ("1.", " 驱动", "1. 驱动"),
        ("", "驱动", "驱动"),
    ],
)
def test_a_space_stands_between_chinese_and_latin_only(left: str, right: str, text: str) -> None:
    assert joined(left, right) == text


DRAWN = Translator(
    {"Driver": "驱动", "no driver": "没有驱动", "Libraries": "库", "The driver is too old.": "驱动过旧。"}
)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x  Driver      no driver\n", "x  驱动        没有驱动\n"),
        ("\x1b[31mx \x1b[0m Libraries   580\n", "\x1b[31mx \x1b[0m 库          580\n"),
        ("    \x1b[1mDriver\x1b[0m\n", "    \x1b[1mDriver\x1b[0m\n"),
        ('{"Driver": 1}\n', '{"Driver": 1}\n'),
        ("  The driver is too old.\n\nDriver\n", "  驱动过旧。\n\n驱动\n"),
        (f"{DONE}Driver{DONE}\n", "Driver\n"),
        (f"x  Driver      {DONE}no  driver{DONE}\n", "x  驱动        no  driver\n"),
    ],
)
def test_cells_keep_their_columns_and_commands_their_words(line: str, said: str) -> None:
    assert drawn(line, DRAWN) == said
