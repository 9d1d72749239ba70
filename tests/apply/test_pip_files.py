"""Settings of pip read without pip, beside what pip itself says of them."""

import os
import subprocess
import sys

import pytest

from gpudoctor.apply.pip_files import may_set
from gpudoctor.index.settings import parse_pip_config

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files of POSIX systems")
ANOTHER = "[global]\nextra-index-url = https://a.example/simple\n"
#: Files below the home, variables ({home} is filled in), and whether an option of the index is set.
PLACES = [
    ({}, {}, False),
    ({".config/pip/pip.conf": ANOTHER}, {}, True),
    ({".config/pip/pip.conf": "[install]\nextra_index_url:https://a.example/simple\n"}, {}, True),
    ({".config/pip/pip.conf": "[global]\ntimeout = 60\n"}, {}, False),
    ({".pip/pip.conf": ANOTHER}, {}, True),
    ({"own/pip/pip.conf": ANOTHER}, {"XDG_CONFIG_HOME": "{home}/own"}, True),
    ({"all/pip/pip.conf": ANOTHER}, {"XDG_CONFIG_DIRS": "{home}/none:{home}/all"}, True),
    ({"named.conf": ANOTHER}, {"PIP_CONFIG_FILE": "{home}/named.conf"}, True),
    ({".config/pip/pip.conf": ANOTHER}, {"PIP_CONFIG_FILE": os.devnull}, False),
    ({}, {"PIP_EXTRA_INDEX_URL": "https://a.example/simple"}, True),
    ({}, {"PIP_EXTRA_INDEX_URL": ""}, False),
]


@pytest.mark.parametrize(("files", "variables", "is_set"), PLACES)
def test_what_pip_would_say(files, variables, is_set, tmp_path, monkeypatch):
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.setenv("HOME", str(tmp_path))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "XDG_"))}
    env = {**kept, **{name: value.format(home=tmp_path) for name, value in variables.items()}}
    said = subprocess.run(
        [sys.executable, "-I", "-m", "pip", "config", "list"], env=env, capture_output=True, text=True, check=False
    )
    told = parse_pip_config(said.stdout).get("extra-index-url")
    ours = may_set("extra-index-url", env, sys.prefix)
    assert ours or not told, "what pip knows is never passed over"
    # The machine's own files count, too.
    assert ours is is_set or told
