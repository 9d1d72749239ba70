"""Which language is spoken: what is asked for, else the locale; and what is said where it cannot be."""

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from gpudoctor.language.chosen import language_named, language_of


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh"}, "zh"),
        ({"LANG": "zh_SG.gbk"}, "zh"),
        ({"LANG": "zh_TW.UTF-8"}, "en"),
        ({"LANG": "zh_Hant_HK"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
    ],
)
def test_the_strongest_variable_of_the_locale_decides(environ: dict[str, str], language: str) -> None:
    assert language_of(environ) == language


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("zh", "zh"),
        ("zh-CN", "zh"),
        ("zh_Hans.UTF-8", "zh"),
        ("EN", "en"),
        ("en_GB", "en"),
        ("fr", None),
        ("", None),
        ("zhx", None),
    ],
)
def test_a_language_is_named(name: str, language: str | None) -> None:
    assert language_named(name) == language


def ran(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command, in a locale that is not set otherwise."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHONIO"))}
    return subprocess.run(
        [sys.executable, "-m", "gpudoctor", *arguments],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**plain, "PYTHONUTF8": "1", **variables},
    )


CHINESE = "退出码就是结论"


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (("check", "-h", "--lang", "zh"), {}),
        (("--lang=zh", "check", "-h"), {}),
        (("check", "-h"), {"LANG": "zh_CN.UTF-8"}),
        (("check", "-h", "--lang", "zh"), {"LC_ALL": "en_US.UTF-8"}),
    ],
)
def test_help_is_chinese(arguments: tuple[str, ...], variables: dict[str, str]) -> None:
    done = ran(*arguments, **variables)
    assert done.returncode == 0
    assert CHINESE in done.stdout
    assert "[默认：error]" in "".join(done.stdout.split())
    assert "--fail-on [error|warning|info]" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (("check", "-h"), {}),
        (("check", "-h", "--lang", "en"), {"LANG": "zh_CN.UTF-8"}),
        (("check", "-h"), {"LANG": "fr"}),
    ],
)
def test_help_is_english(arguments: tuple[str, ...], variables: dict[str, str]) -> None:
    assert "The exit code is the verdict" in ran(*arguments, **variables).stdout


def test_a_language_that_there_is_not_is_a_misuse() -> None:
    for arguments in (("--lang", "fr", "rules"), ("rules", "--lang", "fr"), ("rules", "--lang")):
        done = ran(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert "--lang" in done.stderr


def test_errors_are_chinese_with_the_same_exit_code() -> None:
    done = ran("chek", "--lang", "zh")
    assert (done.returncode, done.stdout) == (2, "")
    assert "没有命令 'chek'" in done.stderr


def test_where_characters_cannot_be_shown_all_is_english_and_says_so_to_who_asked() -> None:
    asked = ran("rules", "--lang", "zh", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert asked.returncode == 0
    assert asked.stdout.isascii()
    assert "DRV001" in asked.stdout
    assert "--lang zh" in asked.stderr
    assert ran("rules", LANG="zh_CN", PYTHONIOENCODING="ascii", PYTHONUTF8="0").stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("rules", "--format", "json"),
        ("fleet", "examples", "nagios"),
        (
            "plan",
            "torch",
            "--gpu",
            "RTX 4090",
            "--driver",
            "550",
            "--python",
            "3.12",
            "--os",
            "linux",
            "--format",
            "shell",
        ),
    ],
)
def test_what_programs_read_has_no_language(arguments: Sequence[str]) -> None:
    english, chinese = ran(*arguments), ran(*arguments, "--lang", "zh")
    assert len(english.stdout) > 40
    assert chinese.stdout == english.stdout


def test_english_loads_nothing_of_it() -> None:
    code = (
        "import sys, gpudoctor.cli.main as m; sys.argv[1:] = ['rules']; m.main(); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {name for name in done.stderr.split() if name.startswith("gpudoctor.language.")}
    assert ours <= {"gpudoctor.language.chosen", "gpudoctor.language.wrapping"}
