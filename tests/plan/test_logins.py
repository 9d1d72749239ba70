"""A plan that is written down holds no login, and what it says of ~/.netrc is so."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.report.formats import FORMATS
from tests.apply.package_index import served
from tests.apply.wheels import environment, wheel

THERE = ("--driver", "535.54", "--gpu", "RTX 4090", "--python", "3.12", "--glibc", "2.35")
SECRET = "hunter2hunter2"
GIVEN = {
    "main": ("--index-url", f"https://me:{SECRET}@in.house/simple"),
    "a token": ("--index-url", f"https://{SECRET}@in.house/simple"),
    "torch": ("--torch-index", f"https://me:{SECRET}@in.house/whl"),
    "both": ("--index-url", f"https://me:{SECRET}@in.house/a", "--torch-index", f"https://me:{SECRET}@in.house/b"),
}


@pytest.mark.parametrize("form", FORMATS["plan"])
@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize("manager", ["pip", "uv"])
def test_no_format_holds_a_login(form, given, manager):
    done = CliRunner().invoke(cli, ["plan", *THERE, "--format", form, "--manager", manager, *given, "torch"])
    assert done.exit_code == 0, done.output
    assert SECRET not in done.output
    assert "//me:" not in done.output
    assert "https://in.house/" in done.output
    words = " ".join(done.output.replace("#", " ").split())
    assert "The login of in.house is left out: pip and uv read it from ~/.netrc" in words


def test_a_requirement_with_a_login(tmp_path):
    text = f"torch\nkit @ git+https://{SECRET}@in.house/kit.git\n--extra-index-url https://{SECRET}@in.house/simple\n"
    (tmp_path / "r.txt").write_text(text)
    done = CliRunner().invoke(cli, ["plan", *THERE, "--format", "json", "-r", str(tmp_path / "r.txt")])
    assert done.exit_code == 0, done.output
    assert SECRET not in done.output
    document = json.loads(done.output[done.output.index("{") :])
    assert document["files"] == [str(tmp_path / "r.txt")]
    assert "in.house/simple" in done.output


def test_a_secret_that_is_no_login_is_left_out_too():
    address = "https://in.house/simple?token=ghp_0123456789abcdefghijklmnopqrstuvwxyz"
    done = CliRunner().invoke(cli, ["plan", *THERE, "--format", "shell", "--index-url", address, "torch"])
    assert "ghp_" not in done.output
    assert "A secret inside an address is left out (***)" in done.output


def test_where_there_is_no_login_nothing_is_said():
    done = CliRunner().invoke(cli, ["plan", *THERE, "--index-url", "https://in.house/simple", "torch"])
    assert "netrc" not in done.output


def test_an_image_gets_the_login_for_one_command_only():
    done = CliRunner().invoke(cli, ["plan", *THERE, "--format", "dockerfile", *GIVEN["main"], "torch"])
    assert "RUN --mount=type=secret,id=netrc,target=/root/.netrc [" in done.output


@pytest.mark.parametrize("manager", ["pip", "uv"])
@pytest.mark.skipif(sys.platform == "win32", reason="~/_netrc there")
def test_the_installers_read_the_login_from_netrc(tmp_path, manager):
    if manager == "uv" and shutil.which("uv") is None:
        pytest.skip("uv is not installed")
    wheel(tmp_path, "kit", "1.0")
    path = environment(tmp_path / "env")
    home = tmp_path / "home"
    home.mkdir()
    variables = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "NETRC"))},
        "HOME": str(home),
        "PIP_CONFIG_FILE": os.devnull,
        "UV_NO_CONFIG": "1",
        "PIP_RETRIES": "0",
    }
    start = ("uv", "pip", "install", "--python") if manager == "uv" else ()
    command = (*start, f"{path}/bin/python", *(() if start else ("-m", "pip", "install")), "kit", "--index-url")
    with served(tmp_path, credentials=f"me:{SECRET}") as there:
        refused = subprocess.run((*command, there.url), env=variables, capture_output=True, check=False)
        assert refused.returncode != 0
        (home / ".netrc").write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
        (home / ".netrc").chmod(0o600)
        subprocess.run((*command, there.url), env=variables, capture_output=True, check=True)
