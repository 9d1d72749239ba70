"""Bad input: one clear message, the documented exit code, no traceback, nothing lost."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpudoctor.facts.codec import encode
from tests.e2e.command import gpudoctor
from tests.whole import BARE

SAVED = json.loads(encode(BARE))


def says(done, code, *words):
    text = done.out + done.err
    assert done.returncode == code, text
    assert "Traceback" not in text
    for word in words:
        assert word in text
    return text


def script(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def old_python():
    found = [
        *Path.home().glob(".pyenv/versions/2.7*/bin/python2.7"),
        *map(Path, filter(None, [shutil.which("python2.7")])),
    ]
    return str(found[0]) if found else None


class TestPython:
    def test_does_not_exist(self):
        says(gpudoctor("check", "--python", "/no/such/python"), 2, "/no/such/python", "--python")

    def test_is_a_directory(self, tmp_path):
        says(gpudoctor("check", "--python", str(tmp_path)), 2, str(tmp_path))

    def test_is_not_executable(self, tmp_path):
        (tmp_path / "python").write_text("hello")
        says(gpudoctor("check", "--python", str(tmp_path / "python")), 3, "may not be executed")

    @pytest.mark.skipif(old_python() is None, reason="Python 2.7 is not installed")
    def test_is_python_2(self):
        says(gpudoctor("check", "--python", old_python()), 3, "2.7", "3.6")

    @pytest.mark.parametrize(
        ("body", "words"),
        [
            ("#!/bin/sh\nkill -SEGV $$\n", ("SIGSEGV",)),
            ("#!/bin/sh\nexit 7\n", ("7",)),
            ("#!/bin/sh\nexit 0\n", ()),
            ("#!/bin/sh\necho '{not json'\n", ()),
            ("#!/no/such/interpreter\n", ()),
        ],
    )
    def test_crashes_at_start(self, tmp_path, body, words):
        done = gpudoctor("check", "--python", script(tmp_path / "python3", body))
        text = says(done, 3, *words)
        assert "Hardware" in text, "the rest of the report is still there"


class TestFrom:
    @pytest.mark.parametrize(
        ("raw", "words"),
        [
            (b"", "empty"),
            (b"   \n", "empty"),
            (json.dumps(SAVED).encode()[:40], "not a gpudoctor snapshot"),
            (b"this is prose", "not a gpudoctor snapshot"),
            (b"{}", "schema"),
            (b"[]", "not a gpudoctor snapshot"),
            (b'{"schema": "x"}', "not a gpudoctor snapshot"),
            (json.dumps({**SAVED, "schema": 99}).encode(), "99"),
            (b"[" * 100_000, "not a gpudoctor snapshot"),
            (b'{"schema": 1, "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
            (b"\xff\xfe\x00", "not a gpudoctor snapshot"),
            (json.dumps({**SAVED, "gpus": {"section": "gpus", "devices": [{"index": "zero"}]}}).encode(), "index"),
            (json.dumps({**SAVED, "driver": {"section": "driver", "release": "new"}}).encode(), "release"),
        ],
        ids=lambda value: value if isinstance(value, str) else None,
    )
    def test_not_a_snapshot(self, tmp_path, raw, words):
        (tmp_path / "saved.json").write_bytes(raw)
        says(gpudoctor("check", "--from", str(tmp_path / "saved.json")), 3, "saved.json", words)
        says(gpudoctor("check", "--from", "-", stdin=raw), 3, words)

    def test_a_hundred_megabytes(self, tmp_path):
        with (tmp_path / "big.json").open("wb") as file:
            file.truncate(100 * 1024 * 1024)
        says(gpudoctor("check", "--from", str(tmp_path / "big.json")), 3, "larger than 64 MiB")

    def test_does_not_exist(self):
        says(gpudoctor("check", "--from", "/no/such/file"), 2, "/no/such/file")

    def test_is_a_directory(self, tmp_path):
        says(gpudoctor("check", "--from", str(tmp_path)), 2, str(tmp_path))

    def test_with_python(self):
        says(gpudoctor("check", "--from", "x", "--python", "y"), 2, "--from", "--python")

    def test_unknown_fields_of_a_later_minor_version_are_read_past(self, tmp_path):
        (tmp_path / "saved.json").write_text(json.dumps({**SAVED, "invented_later": [1]}))
        says(gpudoctor("check", "--from", str(tmp_path / "saved.json")), 0)


class TestWords:
    @pytest.mark.parametrize("option", ["--select", "--ignore"])
    def test_unknown_code(self, option):
        says(gpudoctor("check", option, "DRV999"), 2, "DRV999", "gpudoctor rules")

    def test_a_near_miss_is_suggested(self):
        says(gpudoctor("check", "--select", "torch-cpu-onyl"), 2, "torch-cpu-only")

    def test_explain_unknown(self):
        says(gpudoctor("explain", "XYZ001"), 2, "XYZ001")

    @pytest.mark.parametrize("wish", ["", ">=5", "torch>=", "torch~~2", "gpu >= one"])
    def test_require_nonsense(self, wish):
        says(gpudoctor("check", "--require", wish), 2, "--require")

    @pytest.mark.parametrize("arguments", [("check", "--from"), ("snapshot", "-o"), ("check", "--python"), ()])
    def test_escapes_in_a_name_do_not_reach_the_terminal(self, arguments):
        done = gpudoctor(*arguments, "/no/\x1b]0;title\x07\u202eafter")
        assert done.returncode in (2, 3)
        assert not set("\x1b\x07\u202e") & set(done.err)
        assert "x1b]0;title" in done.err

    def test_unknown_command(self):
        says(gpudoctor("chekc"), 2, "chekc")


class TestConfig:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("[tool.gpudoctor\n", "pyproject.toml"),
            ("[tool.gpudoctor]\nselect = 5\n", "select"),
            ("[tool.gpudoctor]\nfail-on = 'fatal'\n", "fail-on"),
            ("[tool.gpudoctor]\nselekt = ['DRV']\n", "selekt"),
            ("tool = 5 # gpudoctor\n", "pyproject.toml"),
        ],
    )
    def test_malformed(self, tmp_path, text, words):
        (tmp_path / "pyproject.toml").write_text(text)
        says(gpudoctor("check", cwd=tmp_path, env={"PYTHONPATH": os.getcwd()}), 2, "pyproject.toml", words)

    @pytest.mark.parametrize("text", ["select = ['NOPE']", "ignore = ['NOPE']", "require = ['NOPE>>1']"])
    def test_a_bad_word_is_said_to_come_from_the_settings(self, tmp_path, text):
        (tmp_path / "pyproject.toml").write_text(f"[tool.gpudoctor]\n{text}\n")
        done = gpudoctor("check", cwd=tmp_path, env={"PYTHONPATH": os.getcwd()})
        says(done, 2, "NOPE", "[tool.gpudoctor]")

    def test_settings_hold_in_subfolders(self, tmp_path):
        (tmp_path / "pyproject.toml").write_text("[tool.gpudoctor]\nrequire = ['gpu>=99']\n")
        (tmp_path / "sub").mkdir()
        done = gpudoctor("check", cwd=tmp_path / "sub", env={"PYTHONPATH": os.getcwd()})
        says(done, 1, "GPU900")


class TestOutput:
    def test_closed_early(self):
        line = f"{sys.executable} -m gpudoctor rules | head -1; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, timeout=60, check=False)
        assert done.returncode == 0
        assert done.stderr == b""

    def test_closed_at_once(self):
        line = f"{sys.executable} -m gpudoctor rules --format json | true; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, timeout=60, check=False)
        assert done.returncode == 0
        assert done.stderr == b""

    @pytest.mark.parametrize("arguments", ["rules", "--help", "check --help"])
    def test_full_disk(self, arguments):
        if not os.path.exists("/dev/full"):
            pytest.skip("no /dev/full here")
        line = f"{sys.executable} -m gpudoctor {arguments} > /dev/full"
        done = subprocess.run(["bash", "-c", line], capture_output=True, timeout=60, check=False)
        assert done.returncode == 3
        assert b"Traceback" not in done.stderr
        assert b"No space left" in done.stderr

    @pytest.mark.skipif(os.name != "posix", reason="the shell closes streams")
    @pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    def test_a_stream_that_is_closed_from_the_start(self, closed):
        for arguments, code in (("rules", 0), ("check --select NOPE", 2)):
            line = f"{sys.executable} -m gpudoctor {arguments} {closed}"
            done = subprocess.run(["bash", "-c", line], capture_output=True, timeout=60, check=False)
            assert done.returncode == code, line
            assert b"Traceback" not in done.stderr + done.stdout

    @pytest.mark.skipif(os.name != "posix", reason="Windows keeps a folder that is in use")
    def test_working_directory_that_was_removed(self, tmp_path):
        line = (
            f"mkdir gone && cd gone && rmdir ../gone && {sys.executable} -m gpudoctor check --python {sys.executable}"
        )
        environment = {**os.environ, "PYTHONPATH": os.getcwd()}
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        assert b"Traceback" not in done.stderr
        assert b"Hardware" in done.stdout

    @pytest.mark.skipif(os.name != "posix", reason="Windows keeps a folder that is in use")
    @pytest.mark.parametrize("arguments", ["report --static --yes", "snapshot -o seen.json", "bench --json b.json"])
    def test_a_file_in_a_working_directory_that_was_removed(self, tmp_path, arguments):
        line = f"mkdir gone && cd gone && rmdir ../gone && {sys.executable} -m gpudoctor {arguments}"
        environment = {**os.environ, "PYTHONPATH": os.getcwd()}
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, check=False)
        assert done.returncode == 3, done.stderr
        assert b"could not be written: " in done.stderr
        assert b"Traceback" not in done.stderr

    def test_ctrl_c_while_it_starts(self):
        code = (
            "import sys\n"
            "class CtrlC:\n"
            "    def find_spec(self, name, path=None, target=None):\n"
            "        if name == 'click': raise KeyboardInterrupt\n"
            "sys.meta_path.insert(0, CtrlC())\n"
            "from gpudoctor.__main__ import run\n"
            "run()\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (130, b"\nInterrupted. Nothing was changed.\n")

    @pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8", "latin-1"])
    def test_any_encoding(self, encoding):
        done = gpudoctor("check", env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"})
        assert b"Traceback" not in done.stderr
        assert b"Hardware" in done.stdout
        done.stdout.decode(encoding)

    def test_no_colour_in_a_pipe(self):
        assert b"\x1b" not in gpudoctor("check").stdout

    def test_snapshot_never_replaces_a_file(self, tmp_path):
        (tmp_path / "mine.json").write_text("precious")
        says(gpudoctor("snapshot", "-o", str(tmp_path / "mine.json")), 2, "--force")
        assert (tmp_path / "mine.json").read_text() == "precious"

    def test_snapshot_into_a_folder_that_is_not_there(self, tmp_path):
        says(gpudoctor("snapshot", "-o", str(tmp_path / "no" / "s.json")), 3, "s.json")

    @pytest.mark.skipif(os.name != "posix", reason="a named pipe")
    @pytest.mark.parametrize("force", [(), ("--force",)])
    def test_snapshot_into_a_device_leaves_the_device_there(self, tmp_path, force):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        try:
            os.set_blocking(reader, True)
            says(gpudoctor("snapshot", "--python", "/bin/false", "-o", str(pipe), *force), 0)
            assert os.read(reader, 1) == b"{"
        finally:
            os.close(reader)
        assert stat.S_ISFIFO(pipe.stat().st_mode)


class TestInterrupt:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_ctrl_c_ends_with_130_and_leaves_no_child(self, tmp_path, number):
        slow = script(tmp_path / "python3", "#!/bin/sh\nsleep 61.5\n")
        process = subprocess.Popen(
            [sys.executable, "-m", "gpudoctor", "check", "--python", slow],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        time.sleep(0.7)
        process.send_signal(number)
        _, error = process.communicate(timeout=10)
        assert process.returncode == 130, error
        assert b"Traceback" not in error
        assert b"Interrupted" in error
        # The fork that looked ends its children itself, a moment after us.
        until = time.monotonic() + 3
        while sleeping() and time.monotonic() < until:
            time.sleep(0.05)
        assert sleeping() == b""


def sleeping():
    return subprocess.run(["pgrep", "-f", "^sleep 61.5$"], capture_output=True, check=False).stdout
