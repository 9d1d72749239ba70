"""The script that records this host."""

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from gpudoctor.host.recorded import RecordedHost

SCRIPT = Path(__file__).parents[2] / "scripts" / "record_machine.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("record_machine", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_this_host_is_recorded_without_its_secrets(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted-secret")
    monkeypatch.setenv("PIP_INDEX_URL", "https://ann:planted-secret@index.example/simple")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    monkeypatch.setattr(script.getpass, "getuser", lambda: "planted-user")
    monkeypatch.setattr(script.socket, "gethostname", lambda: "planted-host.example")
    monkeypatch.setenv("TMPDIR", f"{tmp_path}/planted-user/planted-host")
    assert script.main(["linux-none-here", "--folder", str(tmp_path)]) == 0
    raw = (tmp_path / "linux-none-here/machine.json").read_bytes()
    assert re.findall(rb".{0,200}planted-.{0,60}", raw) == []
    env = json.loads(raw)["env"]
    assert env["CUDA_VISIBLE_DEVICES"] == "0"
    assert env["TMPDIR"] == f"{tmp_path}/user/host"
    assert "AWS_SECRET_ACCESS_KEY" not in env
    assert RecordedHost.load(raw).read("/proc/version") or RecordedHost.load(raw).list("/")
    assert "names replaced" in capsys.readouterr().out


def test_a_machine_is_not_overwritten_unasked(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(script, "record", lambda *_: (b"new", 0, 0))
    file = tmp_path / "linux-none-here" / "machine.json"
    file.parent.mkdir()
    file.write_bytes(b"old")
    assert script.main(["linux-none-here", "--folder", str(tmp_path)]) == 2
    assert file.read_bytes() == b"old"
    assert "--force" in capsys.readouterr().err
    assert script.main(["linux-none-here", "--folder", str(tmp_path), "--force"]) == 0
    assert file.read_bytes() == b"new"


@pytest.mark.parametrize("name", ["here", "Linux-x", "linux-../x", "linux-", "linux-a b"])
def test_a_name_that_is_none_is_refused(script: ModuleType, name: str, tmp_path: Path) -> None:
    assert script.main([name, "--folder", str(tmp_path)]) == 2
    assert not list(tmp_path.iterdir())


def test_of_the_list_of_packages_only_the_relevant_are_kept(script: ModuleType) -> None:
    text = (
        "Package: nvidia-driver-580\nStatus: install ok installed\n\nPackage: vim\nVersion: 2\n\nPackage: libcudnn9\n"
    )
    assert script.thinned("/var/lib/dpkg/status", text) == (
        "Package: nvidia-driver-580\nStatus: install ok installed\n\nPackage: libcudnn9\n\n"
    )
    assert script.thinned("/etc/os-release", text) == text
