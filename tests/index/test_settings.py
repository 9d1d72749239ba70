"""Where packages come from: pip's words, uv's words, pip's default; and nothing secret shown."""

import os
import subprocess
import sys

import pytest

from gpudoctor.host.port import Ran
from gpudoctor.host.real import RealHost
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.index.settings import local_path, parse_default_index, parse_pip_config, read_settings, shown

PYTHON = "/usr/bin/python3"
CONFIG = (PYTHON, "-I", "-m", "pip", "config", "list")
HELP = (PYTHON, "-I", "-m", "pip", "install", "--help")


def said(argv, text):
    return Ran(argv=argv, outcome="exited", code=0, stdout=text.encode())


def host(config=None, help_text=None, **env):
    commands = {}
    if config is not None:
        commands[CONFIG] = said(CONFIG, config)
    if help_text is not None:
        commands[HELP] = said(HELP, help_text)
    return RecordedHost(commands=commands, env=env)


DEFAULT = "  -i, --index-url <url>   Base URL of the index (default https://pip.example/simple). This should\n"


@pytest.mark.parametrize(
    ("machine", "indexes", "named_by"),
    [
        (host("global.index-url='https://a.example/simple'\n"), ("https://a.example/simple",), "pip"),
        (
            host(
                "global.index-url='https://a.example'\nglobal.extra-index-url='https://b.example\\nhttps://c.example'"
            ),
            ("https://a.example", "https://b.example", "https://c.example"),
            "pip",
        ),
        # A command's own section counts for more than the common one, the environment for more than both.
        (
            host("install.index-url='https://i.example'\nglobal.index-url='https://g.example'"),
            ("https://i.example",),
            "pip",
        ),
        (
            host(":env:.index-url='https://e.example'\ninstall.index-url='https://i.example'"),
            ("https://e.example",),
            "pip",
        ),
        (host("download.index-url='https://d.example'", DEFAULT), ("https://pip.example/simple",), "pip"),
        (host("", DEFAULT), ("https://pip.example/simple",), "pip"),
        (
            host("global.extra-index-url='https://b.example'", DEFAULT),
            ("https://pip.example/simple", "https://b.example"),
            "pip",
        ),
        (host("", DEFAULT, UV_DEFAULT_INDEX="https://uv.example"), ("https://uv.example",), "uv"),
        (
            host("", DEFAULT, UV_INDEX_URL="https://uv.example", UV_INDEX="mine=https://m.example"),
            ("https://uv.example", "https://m.example"),
            "uv",
        ),
        (
            host("global.index-url='https://a.example'", UV_DEFAULT_INDEX="https://uv.example"),
            ("https://a.example",),
            "pip",
        ),
        (host("global.no-index='true'\nglobal.find-links='/w'", DEFAULT), (), "pip"),
        # No pip: its variables still say what pip would do.
        (
            host(PIP_INDEX_URL="https://v.example", PIP_EXTRA_INDEX_URL="https://w.example"),
            ("https://v.example", "https://w.example"),
            "pip",
        ),
        (host(), (), "pip"),
        (host("nonsense\nglobal.index-url=[\nglobal.index-url", DEFAULT), ("https://pip.example/simple",), "pip"),
    ],
)
def test_which_indexes(machine, indexes, named_by):
    settings = read_settings(machine, (PYTHON,))
    assert (settings.indexes, settings.named_by) == (indexes, named_by)


def test_an_index_that_is_named_replaces_all_others():
    machine = host("global.extra-index-url='https://b.example'\nglobal.find-links='/w'\nglobal.cert='/c.pem'", DEFAULT)
    settings = read_settings(machine, (PYTHON,), "https://mine.example")
    assert settings.indexes == ("https://mine.example",)
    assert settings.find_links == ()
    assert settings.cert == "/c.pem"
    assert settings.named_by == "--index-url"


def test_the_first_pip_that_answers():
    settings = read_settings(host("global.index-url='https://a.example'"), ("/no/pip", PYTHON))
    assert settings.indexes == ("https://a.example",)


def test_the_other_settings():
    text = (
        "global.proxy='http://p.example:3128'\nglobal.trusted-host='a.example b.example:8080'\nglobal.client-cert='/k'"
    )
    settings = read_settings(host(text, DEFAULT), (PYTHON,))
    assert settings.proxy == "http://p.example:3128"
    assert settings.trusted_hosts == ("a.example", "b.example:8080")
    assert settings.client_cert == "/k"


def test_the_words_of_the_real_pip(tmp_path, monkeypatch):
    if subprocess.run([sys.executable, "-I", "-m", "pip", "--version"], check=False, capture_output=True).returncode:
        pytest.skip("this interpreter has no pip")
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    config = tmp_path / "pip.conf"
    config.write_text(
        "[global]\nindex-url = https://user:word@a.example/simple\nextra-index-url =\n  https://b.example\n  https://c.example\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    settings = read_settings(RealHost(), (sys.executable,))
    assert settings.indexes == ("https://user:word@a.example/simple", "https://b.example", "https://c.example")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    (default,) = read_settings(RealHost(), (sys.executable,)).indexes
    assert default.startswith("https://")
    assert default.endswith("/simple")


def test_parsers_on_nothing():
    assert parse_pip_config("") == {}
    assert parse_default_index("usage: pip") is None


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://user:secret@a.example:8443/simple/", "https://a.example:8443/simple/"),
        ("https://token@a.example/simple?key=secret#secret", "https://a.example/simple"),
        ("https://us@er:p@a.example/x", "https://a.example/x"),
        ("/opt/wheels", "/opt/wheels"),
        ("file:///opt/w", "file:///opt/w"),
    ],
)
def test_no_credentials_are_shown(address, safe):
    assert shown(address) == safe


@pytest.mark.skipif(os.name == "nt", reason="POSIX paths")
def test_local_paths():
    assert local_path("file:///opt/my%20wheels") == "/opt/my wheels"
    assert local_path("/opt/w") == "/opt/w"
    assert local_path("https://a.example") is None
