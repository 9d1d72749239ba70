"""Every shape of printed command takes exactly the build that was pinned, by real pip and uv.

PyTorch's own index and the usual one are played by two small ones on this machine, with wheels of the true names, tags
and requirements: the usual one has the same release without the tag of a build, and a newer one.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from gpudoctor.cli.main import cli
from gpudoctor.knowledge.matrix.load import load_matrix
from tests.apply.package_index import served
from tests.apply.wheels import environment, wheel

TORCH = "2.14.1"
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
ROW = load_matrix().torch_build(f"{TORCH}+cu126")
TAG = f"cp{PYTHON.replace('.', '')}-cp{PYTHON.replace('.', '')}-manylinux_2_28_x86_64"
MACHINE = ("--gpu", "RTX 4090", "--driver", "560.28.03", "--glibc", "2.36", "--python", PYTHON)

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux") or os.uname().machine != "x86_64", reason="its wheels"),
    pytest.mark.skipif(PYTHON not in ROW.pythons, reason=f"torch {TORCH} has no wheel for this Python"),
    pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not installed"),
]


def fill(folder, torch, newer, numpy):
    """Wheels as an index has them: of torch in these versions, of what it asks for, and of others."""
    folder.mkdir()
    libraries = [f"nvidia-cudnn-cu12=={ROW.cudnn}", f"nvidia-nccl-cu12=={ROW.nccl}"]
    for version in (torch, *newer):
        wheel(folder, "torch", version, requires=[*libraries, f"triton{ROW.triton}", "filelock"], tag=TAG)
    tag = f"+{torch.partition('+')[2]}" if "+" in torch else ""
    wheel(folder, "torchvision", f"{ROW.torchvision}{tag}", requires=["torch>=2.14.0", "numpy"])
    for name, version in (library.split("==") for library in libraries):
        wheel(folder, name, version)
    wheel(folder, "triton", "3.8.0", tag=TAG)
    wheel(folder, "filelock", "4.2")
    wheel(folder, "numpy", numpy)
    return folder


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    """PyTorch's and the usual one."""
    folder = tmp_path_factory.mktemp("indexes")
    own = fill(folder / "own", f"{TORCH}+cu126", ("2.13.0+cu126",), "1.24.1")
    usual = fill(folder / "usual", TORCH, ("2.15.0",), "2.4.6")
    with served(own) as torch, served(usual) as main:
        yield torch.url.replace("/simple", "/whl"), main.url


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    """A new environment."""
    return environment(tmp_path_factory.mktemp("there") / "env")


def settings(main, more, folder):
    """The user's own index settings; `more`: the usual index is named once more, as one beside."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "VIRTUAL_ENV"))}
    beside = {"PIP_EXTRA_INDEX_URL": main, "UV_INDEX": main} if more else {}
    return {
        **kept,
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": main,
        "PIP_CACHE_DIR": str(folder / "pip"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "UV_NO_CONFIG": "1",
        "UV_DEFAULT_INDEX": main,
        "UV_CACHE_DIR": str(folder / "uv"),
        "UV_PYTHON_DOWNLOADS": "never",
        **beside,
    }


def planned(indexes, *arguments):
    done = CliRunner().invoke(cli, ["plan", *MACHINE, "--torch-index", indexes[0], *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def resolved(argv, variables, folder):
    """What pip or uv would install, by their own word."""
    report = folder / "report.json"
    uv = os.path.basename(argv[0]) == "uv"
    more = ("--dry-run",) if uv else ("--dry-run", "--quiet", "--report", str(report))
    done = subprocess.run([*argv, *more], env=variables, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr + done.stdout
    if uv:
        return dict(re.findall(r"^ \+ (\S+)==(\S+)$", done.stderr, re.MULTILINE))
    told = json.loads(report.read_text())["install"]
    return {one["metadata"]["name"]: one["metadata"]["version"] for one in told}


def is_pinned(found):
    assert found["torch"] == f"{TORCH}+cu126"
    assert found["nvidia-cudnn-cu12"] == ROW.cudnn
    assert found.get("torchvision") in (None, f"{ROW.torchvision}+cu126")


MORE = pytest.mark.parametrize("more", [False, True], ids=["one index", "an index beside"])
WISHES = pytest.mark.parametrize("wish", [("torch",), ("torch", "torchvision")], ids=" ".join)


@MORE
@pytest.mark.parametrize("manager", ["pip", "uv"])
@pytest.mark.parametrize("named", [False, True], ids=["own settings", "--index-url"])
@WISHES
def test_a_command(indexes, there, tmp_path, wish, manager, named, more):
    main = ("--index-url", indexes[1]) if named else ()
    text = planned(indexes, *wish, *main, "--manager", manager, "--venv", there, "--format", "shell")
    (line,) = [one for one in text.splitlines() if " pip install " in one]
    is_pinned(resolved(shell_words(line), settings(indexes[1], more, tmp_path), tmp_path))


def shell_words(line):
    """The words of a line, as bash reads them."""
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


@MORE
@WISHES
def test_a_dockerfile(indexes, there, tmp_path, wish, more):
    (run,) = re.findall(r"^RUN (.*)$", planned(indexes, *wish, "--format", "dockerfile"), re.MULTILINE)
    program, *words = json.loads(run)
    assert program == "python"
    is_pinned(resolved([f"{there}/bin/python", *words], settings(indexes[1], more, tmp_path), tmp_path))


@MORE
@pytest.mark.parametrize("form", ["requirements", "conda-env"])
@pytest.mark.parametrize("manager", ["pip", "uv"])
def test_a_file_of_requirements(indexes, there, tmp_path, form, manager, more):
    text = planned(indexes, "torch", "torchvision", "--format", form)
    path = tmp_path / "requirements.txt"
    # conda gives pip the lines below "pip:" as such a file.
    path.write_text("".join(f"{json.loads(one)}\n" for one in re.findall(r'^      - (".*")$', text, re.MULTILINE)))
    if form == "requirements":
        path.write_text(text)
        assert "--index-strategy unsafe-best-match" in text
    start = ["uv", "pip", "install", "--python"] if manager == "uv" else []
    argv = [*start, f"{there}/bin/python", *([] if start else ["-m", "pip", "install"]), "-r", str(path)]
    argv += ["--index-strategy", "unsafe-best-match"] if manager == "uv" else []
    is_pinned(resolved(argv, settings(indexes[1], more, tmp_path), tmp_path))


@MORE
@WISHES
def test_a_project_of_uv(indexes, tmp_path, wish, more):
    (tmp_path / "pyproject.toml").write_text(planned(indexes, *wish, "--format", "uv"))
    variables = {**settings(indexes[1], more, tmp_path), "UV_PYTHON": sys.executable}
    done = subprocess.run(["uv", "lock"], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lock = (tmp_path / "uv.lock").read_text()
    is_pinned(dict(re.findall(r'^name = "(\S+)"\nversion = "(\S+)"$', lock, re.MULTILINE)))


@pytest.mark.parametrize(
    ("torch", "code", "words"),
    [
        # An index that has the release without the tag only; one that is not there.
        ("{usual}", 1, "refuses"),
        ("http://127.0.0.1:9/whl", 3, "The package index could not be reached at http://127.0.0.1:9/whl/cu126"),
    ],
)
def test_verify_says_what_is_not_so(indexes, tmp_path, monkeypatch, torch, code, words):
    for name, value in {**settings(indexes[1], False, tmp_path), "UV_HTTP_RETRIES": "0"}.items():
        monkeypatch.setenv(name, value)
    given = torch.format(usual=indexes[1].replace("/simple", "/whl"))
    arguments = ["plan", *MACHINE, "torch", "--torch-index", given, "--manager", "uv", "--verify"]
    done = CliRunner().invoke(cli, arguments)
    assert (done.exit_code, words in done.output) == (code, True), done.output
    assert "not verified" in done.output


@pytest.mark.parametrize("manager", ["pip", "uv"])
def test_verify_says_the_build(indexes, tmp_path, manager, monkeypatch):
    for name, value in settings(indexes[1], False, tmp_path).items():
        monkeypatch.setenv(name, value)
    text = planned(indexes, "torch", "--manager", manager, "--verify")
    assert f"torch=={TORCH}+cu126" in text
    assert "verified by uv pip install --dry-run for Python" in text
