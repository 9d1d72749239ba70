"""The scripts that rebuild tables: what they derive, that nothing is dropped, that a second run changes nothing."""

import importlib
import json
import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from gpudoctor.index import requirement_text
from gpudoctor.index.files import Found
from gpudoctor.knowledge.matrix import load
from gpudoctor.knowledge.matrix.tables import TABLES
from tests.index.serving import Answer, file_names, page, serving
from tests.probes.test_fatbin import container, elf, entry

SCRIPTS = Path(__file__).parents[2] / "scripts"
LINUX, WINDOWS = "linux-x86_64", "windows-x86_64"
FACTS = {"wheels": {LINUX: ["3.10"]}}


@pytest.fixture
def script(monkeypatch):
    """Imports a script by name, as Python does when it is run."""
    monkeypatch.syspath_prepend(str(SCRIPTS))

    def named(name):
        return importlib.import_module(name)

    yield named
    for name in (
        "compat_file",
        "wheel_requirements",
        "refresh_releases",
        "refresh_builds",
        "refresh_pins",
        "scan_wheels",
    ):
        sys.modules.pop(name, None)


@pytest.fixture
def compat(tmp_path, monkeypatch):
    """A copy of the tables that scripts may write to."""
    folder = tmp_path / "compat"
    shutil.copytree(load.folder(), folder)
    monkeypatch.setattr(load, "FOLDERS", (str(folder),))
    return folder


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_written_as_it_stands(name, script):
    files = script("compat_file")
    assert files.as_text(files.read_file(name)) == load.read_table(name).decode()
    assert not files.write_file(files.read_file(name)), "nothing to write"


def found(version, **more):
    return Found(version=version, wheels={LINUX: ("3.10",)}, **more)


def test_rows_of_a_package(script):
    rows = script("refresh_releases").package_rows
    old = [{"package": "x", "versions": ["1.1", "1.0"], **FACTS}, {"package": "y", "versions": ["9"], **FACTS}]
    assert rows("x", (found("1.1"), found("1.0")), old) == [old[0]]
    assert rows("x", (found("1.2"), found("1.1"), found("1.0")), old) == [{**old[0], "versions": ["1.2", "1.1", "1.0"]}]
    # Neither pre-releases nor tagged builds; a release that is withdrawn stands alone.
    assert rows("x", (found("2.0rc1"), found("1.1+cpu"), found("1.1", yanked=True), found("1.0")), old) == [
        {"package": "x", "versions": ["1.1"], **FACTS, "yanked": True},
        {"package": "x", "versions": ["1.0"], **FACTS},
    ]


def test_what_the_index_no_longer_has_is_kept_and_marked(script):
    rows = script("refresh_releases").package_rows
    old = [{"package": "x", "versions": ["1.1", "1.0"], **FACTS}]
    assert rows("x", (found("1.1"),), old) == [
        {"package": "x", "versions": ["1.1"], **FACTS},
        {"package": "x", "versions": ["1.0"], **FACTS, "gone": True},
    ]
    assert rows("x", None, old) == [{"package": "x", "versions": ["1.1", "1.0"], **FACTS, "gone": True}]


def run(module, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["script", *arguments])
    return module.main()


def test_releases_against_an_index(script, compat, monkeypatch, capsys):
    monkeypatch.setenv("NO_PROXY", "*")
    refresh = script("refresh_releases")
    monkeypatch.setattr(refresh, "PACKAGES", ("keras",))
    table = json.loads((compat / "releases.json").read_text())
    keras = [row for row in table["rows"] if row["package"] == "keras"]
    (compat / "releases.json").write_text(json.dumps({**table, "rows": keras}))
    names = [n for row in keras for v in row["versions"] for n in file_names("keras", v, row.get("wheels", {}))]
    wanted = {
        n: row["requires_python"]
        for row in keras
        for v in row["versions"]
        for n in file_names("keras", v, row.get("wheels", {}))
        if "requires_python" in row
    }
    answers = {"/simple/keras/": Answer(page(names, requires=wanted))}
    with serving(answers) as server:
        arguments = ("--index-url", server.url(), "--date", "2030-01-01")
        assert run(refresh, monkeypatch, *arguments) == 0
        assert json.loads((compat / "releases.json").read_text())["checked"] == "2030-01-01", "every row was compared"
        less = [name for name in names if not name.startswith("keras-3.0.0-")]
        answers["/simple/keras/"] = Answer(page([*less, "keras-99.0-py3-none-any.whl"], requires=wanted))
        capsys.readouterr()
        assert run(refresh, monkeypatch, *arguments, "--check") == 1
        assert "new: keras 99.0" in capsys.readouterr().out
        assert run(refresh, monkeypatch, *arguments) == 0
        assert "changed: keras 3.0.0 (gone from the index)" in capsys.readouterr().out
        after = json.loads((compat / "releases.json").read_text())
        assert after["checked"] == "2030-01-01"
        assert after["rows"][0]["versions"] == ["99.0"]
        assert {v for row in keras for v in row["versions"]} < {v for row in after["rows"] for v in row["versions"]}
        assert run(refresh, monkeypatch, *arguments, "--check") == 0, "a second run changes nothing"


def test_the_builds_are_in_line_with_the_releases(script, compat, monkeypatch, capsys):
    assert run(script("refresh_builds"), monkeypatch, "--check") == 0, "run scripts/refresh_builds.py"
    assert "by hand" not in capsys.readouterr().out


def test_a_range_is_split_where_the_pythons_change(script):
    split = script("refresh_builds")._split
    wheels = {
        Version("2.0.2"): {LINUX: ["3.7"]},
        Version("2.0.1"): {LINUX: ["3.6", "3.7"], WINDOWS: ["3.7"]},
        Version("2.0.0.post1"): {WINDOWS: ["3.7"]},
        Version("2.0.0"): {LINUX: ["3.6", "3.7"]},
    }
    row = {"first": "2.0.0", "last": "2.0.2", "platform": LINUX, "pythons": ["3.6"], "notes": "kept"}
    assert split(row, wheels) == [
        {**row, "first": "2.0.2", "last": "2.0.2", "pythons": ["3.7"]},
        {**row, "first": "2.0.1", "last": "2.0.1", "pythons": ["3.6", "3.7"]},
        {**row, "first": "2.0.0", "last": "2.0.0", "pythons": ["3.6", "3.7"]},
    ]
    unknown = {**row, "platform": "macos-arm64"}
    assert split(unknown, wheels) == [unknown], "what the index does not have is not dropped"


def test_a_platform_with_fewer_pythons_is_noted(script):
    torch_row = script("refresh_builds")._torch_row
    row = {"version": "2.0", "pythons": ["3.8", "3.9"], "default_on": [LINUX, WINDOWS], "notes": "n"}
    noted = torch_row(row, {LINUX: ["3.8", "3.9"], WINDOWS: ["3.9"]})
    assert noted == {**row, "pythons_on": {WINDOWS: ["3.9"]}}
    assert list(noted) == ["version", "pythons", "pythons_on", "default_on", "notes"]
    assert torch_row(noted, {LINUX: ["3.8", "3.9"], WINDOWS: ["3.9"]}) == noted
    assert torch_row(noted, {LINUX: ["3.8", "3.9"], WINDOWS: ["3.8", "3.9"]}) == row
    assert torch_row(row, {}) == row


REQUIRED = [
    Requirement(text)
    for text in (
        'numpy<2,>=1.23; python_version <= "3.11"',
        'numpy<2,>=1.26; python_version >= "3.12"',
        "keras>=3",
        'winonly==1; sys_platform == "win32"',
        'nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux"',
        'keras==9; extra == "dev"',
    )
]


def test_requirements_as_text():
    wheels = requirement_text
    text = wheels.as_text(wheels.named(REQUIRED, "numpy"), LINUX, ("3.11", "3.12"))
    assert text == '<2,>=1.23; python_version <= "3.11" | <2,>=1.26; python_version >= "3.12"'
    assert wheels.as_text(wheels.named(REQUIRED, "numpy"), LINUX, ("3.10", "3.11")) == "<2,>=1.23"
    assert wheels.as_text(wheels.named(REQUIRED, "keras"), LINUX, ("3.11",)) == ">=3"
    assert wheels.as_text(wheels.named(REQUIRED, "winonly"), LINUX, ("3.11",)) is None
    assert wheels.as_text(wheels.named(REQUIRED, "winonly"), WINDOWS, ("3.11",)) == "==1"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (">=1,<2", "<2,>=1", True),
        (">=1", ">=1.1", False),
        (None, ">=1", False),
        (
            '>=1 ; python_version < "3.12" | >=2 ; python_version >= "3.12"',
            '>=2; python_version>="3.12" | >=1; python_version<"3.12"',
            True,
        ),
        ('>=1; python_version < "3.12"', ">=1", False),
    ],
)  # fmt: skip
def test_texts_that_ask_the_same(one, other, same):
    assert requirement_text.says_the_same(one, other, LINUX, ("3.11", "3.12")) == same


class Wheels:
    """Requirements of these builds."""

    def __init__(self, **known):
        self.known = {name.replace("_", "-"): [Requirement(text) for text in texts] for name, texts in known.items()}

    def prepare(self, builds):
        self.asked = list(builds)

    def requirements(self, build):
        return self.known.get(build[0])


def test_empty_rows_are_filled_and_others_left(script, capsys):
    cells = script("refresh_pins")._cells
    bare = {
        "dist": "tensorflow-cpu",
        "last": "2.15.0",
        "platform": WINDOWS,
        "pythons": ["3.11"],
        "confidence": "metadata",
    }
    full = {**bare, "last": "2.14.0", "numpy": "<1"}
    wheels = Wheels(
        tensorflow_cpu=["tensorflow-intel==2.15.0"], tensorflow_intel=["numpy<2,>=1.23", "keras>=3", "protobuf"]
    )
    document = {"table": "tensorflow", "rows": [bare, full]}
    filled, same = cells(document, wheels, every=False)
    assert list(filled.items())[-3:] == [("keras", ">=3"), ("numpy", "<2,>=1.23"), ("confidence", "metadata")]
    assert same == full
    (_, corrected) = cells(document, wheels, every=True)
    assert corrected["numpy"] == "<2,>=1.23"
    assert "numpy: <1 -> <2,>=1.23" in capsys.readouterr().out


def test_pins_of_torch(script):
    cells = script("refresh_pins")._cells
    row = {"version": "2.11.0", "variant": "cu130", "default_on": [LINUX], "confidence": "metadata"}
    wheels = Wheels(
        torch=[
            'cuda-toolkit[cudart]==13.0.2; platform_system == "Linux"',
            'nvidia-cudnn-cu13==9.19.0.56; platform_system == "Linux"',
            'triton~=3.8.0; platform_system == "Linux"',
            'nvidia-nccl-cu13==1; platform_system == "Windows"',
        ]
    )
    (filled,) = cells({"table": "torch", "rows": [row]}, wheels, every=False)
    assert (filled["cudnn"], filled["triton"], filled["cuda_patch"]) == ("9.19.0.56", "~=3.8.0", "13.0.2")
    assert "nccl" not in filled


def test_companions_that_ask_for_another_torch_are_named(script, capsys):
    document = {"rows": [{"torch": "2.0.0", "torchvision": ["0.15.1"], "torchaudio": ["2.0.1"]}]}
    wheels = Wheels(torchvision=["torch==2.0.1"], torchaudio=["torch==2.0.0"])
    assert script("refresh_pins")._companions(document, wheels, every=True) == document["rows"]
    said = capsys.readouterr().out
    assert "torchvision 0.15.1 asks for torch==2.0.1, not 2.0.0" in said
    assert "torchaudio" not in said


def test_the_architectures_in_a_wheel(script, tmp_path, capsys):
    path = tmp_path / "torch-2.6.0+cu124-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("torch/lib/libtorch_cuda.so", elf(".nv_fatbin", container(entry(2, 80), entry(1, 90))))
        archive.writestr("torch/lib/libtorch_cpu.so", elf(".text", b""))
    nothing = tmp_path / "torch-2.6.0-cp311-cp311-win_amd64.whl"
    nothing.write_bytes(b"no archive")
    assert script("scan_wheels").main([str(path)]) == 0
    said = capsys.readouterr().out
    assert "libtorch_cuda.so: sm_80 compute_90" in said
    assert "libtorch_cpu" not in said
    assert "matrix: sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90" in said
    assert script("scan_wheels").main([str(nothing), str(tmp_path / "notes.txt")]) == 1
    said = capsys.readouterr().err
    assert "not a zip file" in said
    assert "not the name of a wheel" in said
