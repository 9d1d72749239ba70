"""The matrix against an index: what is confirmed, wrong, missing; and the command's words and exit codes."""

import json
import os
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.index import fetch
from gpudoctor.index.claims import wheel_words
from gpudoctor.index.fetch import IndexUnusable
from gpudoctor.index.files import Found, releases
from gpudoctor.index.pages import Link
from gpudoctor.index.verify import verify
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.tables import TABLES
from tests.index.serving import Answer, file_names, page, serving

LINUX, WINDOWS, MAC = "linux-x86_64", "windows-x86_64", "macos-arm64"
CP = ["3.10", "3.11"]


def table(name, *rows):
    head = {"table": name, "checked": "2026-01-02", "sources": {"s1": "a page"}}
    return json.dumps({**head, "rows": [{**row, "source": "s1"} for row in rows]}).encode()


def release(package, *versions, **more):
    return {"package": package, "versions": versions, **more}


def small(**tables):
    """A matrix of these rows; the table `releases` always has torch 2.0.0."""
    rows = {"releases": [release("torch", "2.0.0", wheels={LINUX: CP})], **tables}
    return Matrix(lambda name: table(name, *rows.get(name, ())))


class Shop:
    """An index of these files."""

    def __init__(self, **packages):
        self.packages = {name.replace("_", "-"): names for name, names in packages.items()}

    def releases(self, package: str) -> tuple[Found, ...] | None:
        names = self.packages.get(package)
        return None if names is None else releases(package, [Link(name=name, url=name) for name in names])


TORCH = file_names("torch", "2.0.0", {LINUX: CP})
CPU = {
    "version": "2.0.0",
    "variant": "cpu",
    "os": ["linux"],
    "platforms": [LINUX],
    "pythons": CP,
    "default_on": [LINUX],
}


def outcome(found):
    return {(one.outcome, one.table, one.row, one.about) for one in (*found.wrong, *found.missing, *found.lacking)}


@pytest.mark.parametrize(
    ("matrix", "shop", "expected"),
    [
        (small(torch=[CPU]), Shop(torch=TORCH), set()),
        (
            small(torch=[CPU]),
            Shop(torch=TORCH[:1]),
            {
                ("wrong", "torch", "torch 2.0.0+cpu", f"Pythons on {LINUX}"),
                ("wrong", "releases", "torch 2.0.0", "wheels"),
            },
        ),
        # Free-threaded Pythons are in the list of releases, not in the builds.
        (
            small(torch=[CPU]),
            Shop(torch=[*TORCH, *file_names("torch", "2.0.0", {LINUX: ["3.13t"]})]),
            {("wrong", "releases", "torch 2.0.0", "wheels")},
        ),
        (
            small(torch=[CPU]),
            Shop(torch=[*TORCH, *file_names("torch", "2.0.0", {WINDOWS: CP})]),
            {
                ("missing", "torch", "torch 2.0.0", f"build on {WINDOWS}"),
                ("wrong", "releases", "torch 2.0.0", "wheels"),
            },
        ),
        (
            small(torch=[CPU]),
            Shop(torch=[*TORCH, *file_names("torch", "2.1.0", {LINUX: CP})]),
            {("missing", "torch", "torch 2.1.0", "release"), ("lacking", "releases", "torch 2.1.0", "release")},
        ),
        # Neither a pre-release nor a build with a tag is a release that the matrix lacks.
        (small(), Shop(torch=[*TORCH, "torch-2.1.0rc1.tar.gz", "torch-2.1.0+cu118-cp310-cp310-win_amd64.whl"]), set()),
        (
            small(torch=[CPU]),
            Shop(torch=["torch-1.9.0.tar.gz"]),
            {
                ("wrong", "torch", "torch 2.0.0+cpu", "torch 2.0.0"),
                ("wrong", "releases", "torch 2.0.0", "release"),
                ("lacking", "releases", "torch 1.9.0", "release"),
            },
        ),
        # An index that has tagged builds may have a part of them only; one that has more refutes the row.
        (small(torch=[CPU]), Shop(torch=[*TORCH, "torch-2.0.0+cpu-cp310-cp310-linux_x86_64.whl"]), set()),
        (
            small(torch=[CPU]),
            Shop(torch=[*TORCH, "torch-2.0.0+cpu-cp39-cp39-linux_x86_64.whl"]),
            {("wrong", "torch", "torch 2.0.0+cpu", f"Pythons on {LINUX} (tagged wheels)")},
        ),
        (
            small(
                torch=[
                    {
                        **CPU,
                        "variant": "cu118",
                        "cuda": "11.8",
                        "cudnn": "8.7.0.84",
                        "nccl": "2.14.3",
                        "triton": "2.0.0",
                    }
                ],
                releases=[
                    release("torch", "2.0.0", wheels={LINUX: CP}),
                    release("triton", "2.0.0"),
                    release("nvidia-cudnn-cu11", "8.7.0.84"),
                ],
            ),
            Shop(torch=TORCH, triton=["triton-2.0.1.tar.gz"], nvidia_cudnn_cu11=["nvidia-cudnn-cu11-8.7.0.84.tar.gz"]),
            {
                ("wrong", "torch", "torch 2.0.0+cu118", "triton 2.0.0"),
                ("wrong", "releases", "triton 2.0.0", "release"),
                ("lacking", "releases", "triton 2.0.1", "release"),
            },
        ),
        (
            small(releases=[release("torch", "2.0.0", wheels={LINUX: CP}), release("torch", "1.9", gone=True)]),
            Shop(torch=TORCH),
            set(),
        ),
        (
            small(releases=[release("torch", "2.0.0", wheels={LINUX: CP}), release("keras", "3.0")]),
            Shop(torch=TORCH),
            set(),
        ),
        (
            small(
                companions=[{"torch": "2.0.0", "torchvision": ["0.15.1"], "torchaudio": ["2.0.1"]}],
                releases=[release("torch", "2.0.0", wheels={LINUX: CP}), release("torchvision", "0.15.1", "0.15.2")],
            ),
            Shop(torch=TORCH, torchvision=["torchvision-0.15.1.tar.gz", "torchvision-0.15.2.tar.gz"]),
            {("missing", "companions", "torchvision 0.15.2", "release")},
        ),
    ],
)
def test_torch(matrix, shop, expected):
    assert outcome(verify(matrix, shop)) == expected


TF = {
    "line": "2.15",
    "first": "2.15.0",
    "last": "2.15.1",
    "platform": LINUX,
    "dist": "tensorflow",
    "build": "gpu",
    "pythons": CP,
}
TF_RELEASES = [release("tensorflow", "2.15.1", "2.15.0", wheels={LINUX: CP})]
TF_FILES = [*file_names("tensorflow", "2.15.0", {LINUX: CP}), *file_names("tensorflow", "2.15.1", {LINUX: CP})]
NAME = "tensorflow 2.15.0 to 2.15.1 linux-x86_64"


@pytest.mark.parametrize(
    ("tables", "shop", "expected"),
    [
        ({"tensorflow": [TF]}, Shop(tensorflow=TF_FILES), set()),
        (
            {"tensorflow": [TF]},
            Shop(tensorflow=TF_FILES[:-1]),
            {("wrong", "tensorflow", NAME, "Pythons of 2.15.1"), ("wrong", "releases", "tensorflow 2.15.1", "wheels")},
        ),
        (
            {"tensorflow": [{**TF, "last": "2.15.0"}]},
            Shop(tensorflow=TF_FILES),
            {("missing", "tensorflow", f"tensorflow 2.15.1 {LINUX}", "build")},
        ),
        (
            {
                "tensorflow": [{**TF, "and_cuda": ["keras==2.15.0", "keras<2.15", "unknown==1"]}],
                "releases": [*TF_RELEASES, release("keras", "2.15.0")],
            },
            Shop(tensorflow=TF_FILES, keras=["keras-2.15.0.tar.gz"]),
            {("wrong", "tensorflow", NAME, "a release for keras<2.15")},
        ),
        # A Windows wheel of TensorFlow that requires tensorflow-intel is of use where that has a wheel, too.
        (
            {
                "tensorflow": [{**TF, "platform": WINDOWS, "last": "2.15.0", "pythons": ["3.11"]}],
                "releases": [
                    release("tensorflow", "2.15.0", wheels={WINDOWS: CP}),
                    release("tensorflow-intel", "2.15.0", wheels={WINDOWS: ["3.11"]}),
                ],
            },
            Shop(
                tensorflow=file_names("tensorflow", "2.15.0", {WINDOWS: CP}),
                tensorflow_intel=file_names("tensorflow-intel", "2.15.0", {WINDOWS: ["3.11"]}),
            ),
            set(),
        ),
        (
            {
                "keras": [{"tensorflow": "2.15.0", "keras": "keras<2.16,>=2.15.0", "tf_keras": ["2.15.0"]}],
                "protobuf": [{"tensorflow": "2.15.1", "required": ">=3"}],
                "numpy": [{"package": "tensorflow", "version": "2.15.2"}],
                "releases": [*TF_RELEASES, release("keras", "2.14.0"), release("tf-keras", "2.15.0", "2.15.1")],
            },
            Shop(
                tensorflow=TF_FILES,
                keras=["keras-2.14.0.tar.gz"],
                tf_keras=["tf_keras-2.15.0.tar.gz", "tf_keras-2.15.1.tar.gz"],
            ),
            {
                ("wrong", "keras", "tensorflow 2.15.0", "a release for keras<2.16,>=2.15.0"),
                ("missing", "keras", "tensorflow 2.15.1", "release"),
                ("missing", "keras", "tf-keras 2.15.1", "release"),
                ("wrong", "numpy", "tensorflow 2.15.2", "tensorflow 2.15.2"),
            },
        ),
    ],
)
def test_tensorflow(tables, shop, expected):
    assert outcome(verify(small(**{"releases": TF_RELEASES, **tables}), shop)) == expected


def test_jax_and_cudnn():
    row = {"version": "0.6.0", "variant": "cuda12", "jaxlib": ">=0.6.0", "pythons": CP, "platforms": [LINUX]}
    matrix = small(
        jax=[row, {**row, "version": "0.5.0", "yanked": True, "jaxlib": "==0.5.0"}],
        cudnn=[
            {"cudnn": "9.1", "cuda": ["12.x"]},
            {"cudnn": "8.9", "cuda": ["12.x"]},
            {"cudnn": "7.6", "cuda": ["12.x"]},
        ],
        releases=[
            release("jax", "0.6.0", "0.5.0", wheels={"any": [">=3"]}),
            release("jaxlib", "0.6.0", wheels={LINUX: CP}),
            release("jax-cuda12-plugin", "0.6.0", wheels={LINUX: CP, "linux-aarch64": CP}),
            release("nvidia-cudnn-cu12", "9.2.0.1", "9.1.0.1", wheels={LINUX: [">=3"]}),
        ],
    )
    shop = Shop(
        jax=[f"jax-{version}-py3-none-any.whl" for version in ("0.6.0", "0.5.0")],
        jaxlib=file_names("jaxlib", "0.6.0", {LINUX: CP}),
        jax_cuda12_plugin=file_names("jax-cuda12-plugin", "0.6.0", {LINUX: CP, "linux-aarch64": CP}),
        nvidia_cudnn_cu12=[
            *file_names("nvidia-cudnn-cu12", "9.2.0.1", {LINUX: [">=3"]}),
            *file_names("nvidia-cudnn-cu12", "9.1.0.1", {LINUX: [">=3"]}),
        ],
    )
    assert outcome(verify(matrix, shop)) == {
        ("wrong", "jax", "jax 0.6.0 cuda12", "platforms of the plugin"),
        ("wrong", "jax", "jax 0.5.0 cuda12", "yanked"),
        ("wrong", "jax", "jax 0.5.0 cuda12", "a release for jaxlib==0.5.0"),
        ("wrong", "cudnn", "cuDNN 8.9 for CUDA 12.x", "a release of nvidia-cudnn-cu12"),
        ("missing", "cudnn", "cuDNN 9.2 for CUDA 12.x", "nvidia-cudnn-cu12"),
    }


def test_an_index_with_none_of_it():
    with pytest.raises(IndexUnusable, match="none of the packages"):
        verify(small(), Shop())


# The command, against an index made of the shipped table.


def shipped():
    """The files of every release in the table `releases`, by package."""
    pages: dict[str, list[str]] = {}
    withdrawn: set[str] = set()
    wanted: dict[str, str] = {}
    for row in load_matrix().table("releases"):
        for version in row.versions if not row.gone else ():
            names = file_names(row.package, version, row.wheels, row.macos)
            pages.setdefault(row.package, []).extend(names)
            withdrawn |= set(names) if row.yanked else set()
            if row.requires_python:
                wanted |= dict.fromkeys(names, row.requires_python)
    pages["tensorflow"] += file_names("tensorflow", "2.22.0rc0", dict.fromkeys(RC_PLATFORMS, RC))
    return {package: page(names, withdrawn, wanted) for package, names in pages.items()}


RC = ["3.10", "3.11", "3.12", "3.13", "3.14"]
RC_PLATFORMS = ("linux-x86_64", "linux-aarch64", "windows-x86_64", "macos-arm64")
PAGES = shipped()


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)


def ran(*arguments):
    return CliRunner().invoke(cli, ["matrix", "verify", *arguments], standalone_mode=False)


def run_against(pages, *arguments, otherwise=None):
    answers = {f"/simple/{package}/": Answer(body) for package, body in pages.items()}
    with serving(answers, otherwise) as server:
        return ran("--index-url", server.url(), *arguments)


def code(result):
    return result.exception.exit_code if result.exception is not None else result.return_value


def test_the_shipped_matrix_agrees_with_the_file_lists_that_it_ships():
    result = run_against(PAGES)
    assert code(result) == 0, result.output
    assert "no release is missing" in result.output
    assert f"{len(PAGES)} packages" in result.output


def test_a_release_that_is_gone_one_that_is_new_and_one_withdrawn():
    torch = PAGES["torch"].replace(b"torch-2.6.0-", b"torch-2.99.0-")
    keras = PAGES["keras"].replace(b">keras-3.0.0-", b' data-yanked="">keras-3.0.0-')
    result = run_against({**PAGES, "torch": torch, "keras": keras}, "--format", "json")
    assert code(result) == 1
    document = json.loads(result.output)
    assert not document["agrees"]
    assert {one["row"] for one in document["lacking"]} == {"torch 2.99.0"}
    wrong = {(one["table"], one["row"], one["about"]) for one in document["wrong"]}
    assert ("releases", "torch 2.6.0", "release") in wrong
    assert ("torch", "torch 2.6.0+cu124", "torch 2.6.0") in wrong
    assert ("releases", "keras 3.0.0", "yanked") in wrong
    text = run_against({**PAGES, "torch": torch, "keras": keras}).output
    assert "torch 2.99.0" in text
    assert "index: does not have it" in text


def test_an_index_in_a_folder(tmp_path: Path):
    for package, body in PAGES.items():
        (tmp_path / package).mkdir()
        (tmp_path / package / "index.html").write_bytes(body)
    for address in (tmp_path.as_uri(), str(tmp_path)):
        result = ran("--index-url", address)
        assert code(result) == 0, result.output


def test_what_the_index_does_not_have_is_named():
    result = run_against({package: body for package, body in PAGES.items() if package != "triton"})
    assert code(result) == 0, result.output
    assert "Not on this index, so not compared: triton" in result.output


def test_the_index_that_pip_is_set_up_for(monkeypatch):
    answers = {f"/simple/{package}/": Answer(body) for package, body in PAGES.items()}
    with serving(answers) as server:
        monkeypatch.setenv("PIP_INDEX_URL", server.url().replace("//", "//me:secret@"))
        result = ran()
    assert code(result) == 0, result.output
    assert server.url() in result.output
    assert "secret" not in result.output


@pytest.mark.parametrize(
    ("otherwise", "says"),
    [
        (Answer(b"<html><body><a href='/login'>Log in</a></body></html>"), "lists no files of torch"),
        (Answer(b"<html>down", status=403), "credentials"),
        (None, "none of the packages"),
    ],
)
def test_a_lying_index_is_one_line_and_code_3(otherwise, says):
    result = run_against({}, otherwise=otherwise)
    assert code(result) == 3
    assert says in result.exception.message
    assert "Nothing was compared" in result.exception.message
    assert result.output == ""


def test_what_an_index_sends_does_not_steer_the_terminal():
    keras = PAGES["keras"].replace(b"&gt;=3.9", b">=3.9\x1b]0;x\x07")
    assert keras != PAGES["keras"]
    result = run_against({**PAGES, "keras": keras})
    assert code(result) == 1
    assert "\x1b" not in result.output
    result = run_against({}, otherwise=Answer(b"", kind="text/\x1b[31mred"))
    assert code(result) == 3
    assert "\x1b" not in result.exception.message


def test_an_unreachable_index_is_code_3(monkeypatch):
    monkeypatch.setattr(fetch, "TRIES", 1)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        result = ran("--index-url", f"http://127.0.0.1:{unused.getsockname()[1]}/simple")
    assert code(result) == 3
    assert "refused" in result.exception.message


def test_no_index_at_all(monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    result = ran()
    assert code(result) == 3
    assert "--index-url" in result.exception.message


def test_every_table_that_an_index_can_speak_about_is_compared():
    document = json.loads(run_against(PAGES, "--format", "json").output)
    silent = {"cuda_arch", "cuda_driver", "gpus", "xids"}
    compared = {one["table"] for one in document["tables"]}
    assert compared >= set(TABLES) - silent - {"gpu_peaks", "gpu_reference"}


@pytest.mark.parametrize(
    ("wheels", "words"),
    [
        ({"any": ("2", ">=3")}, "every platform: Python 2, 3 and newer"),
        (
            {"linux-x86_64": ("3.9", "3.10"), "windows-x86_64": (">=3.7",)},
            "linux-x86_64: Python 3.9, 3.10; windows-x86_64: Python 3.7 and newer",
        ),
        (
            {"linux-x86_64": ("3.13t", ">=3.14t")},
            "linux-x86_64: Python 3.13 (free-threaded), 3.14 and newer (free-threaded)",
        ),
        ({}, "no wheels"),
    ],
)
def test_wheels_in_words(wheels, words):
    assert wheel_words(wheels) == words
