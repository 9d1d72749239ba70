"""Each format read by the tool it is for: pip, uv, a YAML reader, a reader of Dockerfiles, bash."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from gpudoctor.facts.plan import InstallPlan, Place
from gpudoctor.facts.versions import Capability, DriverRelease, LibraryVersion
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.knowledge.matrix.offer_types import BaseImage
from gpudoctor.plan.demand import parse_demand
from gpudoctor.plan.indexes import Indexes
from gpudoctor.plan.install import plan_install
from gpudoctor.plan.machine import Machine
from gpudoctor.report.projects import conda_text, dockerfile_text, requirements_text, uv_text
from gpudoctor.report.scripts import install_script
from tests.report.indexes import indexes
from tests.report.test_commands import HOSTILE

MATRIX = load_matrix()
UV = shutil.which("uv")
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
PYTHON = "3.12"

needs_uv = pytest.mark.skipif(UV is None, reason="uv is not installed")
as_here = pytest.mark.skipif(sys.platform != "linux", reason="the plan is for Linux")


@pytest.fixture(scope="module")
def server():
    with indexes() as running:
        yield running


def plan(words, server=None, *, driver="535.54", cpu=False, **place):
    machine = Machine(
        driver=None if cpu else DriverRelease(driver),
        capabilities=() if cpu else (Capability("8.9"),),
        python=place.get("version") or PYTHON,
        platform="linux-x86_64",
        libc="glibc",
        libc_version=LibraryVersion("2.35"),
        cpu_only=cpu,
    )
    found = plan_install(
        machine,
        parse_demand(tuple(words.split())),
        MATRIX,
        place=Place(**{"python": f"python{PYTHON}", "venv": "env", "version": PYTHON, **place}),
        indexes=Indexes(torch=server.url("/whl")) if server else None,
    )
    assert isinstance(found, InstallPlan)
    return found


def ran(*argv, cwd, **env):
    """The finished tool, cut off from this machine's own configuration."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "VIRTUAL_ENV"))}
    quiet = {
        "PIP_CONFIG_FILE": os.devnull,
        "UV_NO_CONFIG": "1",
        "UV_CACHE_DIR": str(cwd / "cache"),
        "UV_PYTHON_DOWNLOADS": "never",
    }
    done = subprocess.run(
        argv, cwd=cwd, capture_output=True, text=True, check=False, timeout=120, env={**clean, **quiet, **env}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


WISHES = {
    "torch": {"torch==2.14.1+cu126"},
    "torch torchvision": {"torch==2.14.1+cu126", "torchvision==0.29.1+cu126"},
    "torch xformers": {"torch==2.14.1+cu126", "xformers==0.0.35", "filelock==3.0"},
    "torch tensorflow": {"torch==2.14.1+cu126", "tensorflow==2.20.0", "nvidia-cudnn-cu12==9.10.2.21", "numpy==2.3.0"},
    "tensorflow": {"tensorflow==2.20.0", "nvidia-cudnn-cu12==9.10.2.21"},
}


@needs_uv
@pytest.mark.parametrize(("words", "expected"), WISHES.items())
def test_uv_reads_the_requirements(words, expected, server, tmp_path):
    text = requirements_text(plan(words, server, version=HERE), "Made for me.")
    (tmp_path / "r.txt").write_text(text)
    # uv's own choice of indexes would stop at the first that has a package: the option that a plan for uv carries.
    strategy = ("--index-strategy", "unsafe-best-match")
    said = ran(UV, "pip", "compile", "r.txt", "--python", sys.executable, "--no-header", *strategy,
               cwd=tmp_path, UV_DEFAULT_INDEX=server.url())  # fmt: skip
    assert expected <= {line.strip() for line in said.splitlines()}, said


@pytest.mark.parametrize(("words", "expected"), [*WISHES.items()][2:4])
def test_pip_reads_the_requirements(words, expected, server, tmp_path):
    text = requirements_text(plan(words, server, version=HERE), "Made for me.")
    (tmp_path / "r.txt").write_text(text)
    said = ran(sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--ignore-installed", "--report", "-",
               "-r", "r.txt", cwd=tmp_path, PIP_INDEX_URL=server.url()) if has_pip() else None  # fmt: skip
    if said is None:
        pytest.skip("this Python has no pip")
    report = json.loads(said[said.index("{") :])
    found = {f"{one['metadata']['name']}=={one['metadata']['version']}" for one in report["install"]}
    assert {one for one in expected if "==" in one} <= found


def has_pip():
    return subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


@needs_uv
@as_here
@pytest.mark.parametrize(("words", "expected"), WISHES.items())
def test_uv_locks_the_project(words, expected, server, tmp_path):
    text = uv_text(plan(words, server, version=HERE), "Made for me.", "linux-x86_64")
    (tmp_path / "pyproject.toml").write_text(text)
    ran(UV, "lock", "--python", sys.executable, cwd=tmp_path, UV_DEFAULT_INDEX=server.url())
    lock = (tmp_path / "uv.lock").read_text()
    found = set(re.findall(r'name = "(.+)"\nversion = "(.+)"', lock))
    assert {tuple(one.split("==")) for one in expected if "==" in one} <= found
    sources = re.findall(r'name = "torch"\nversion = .*\nsource = \{ registry = "(.+)" \}', lock)
    assert sources == ([server.url("/whl/cu126")] if "torch" in words.split() else [])
    said = ran(UV, "sync", "--dry-run", "--python", sys.executable, cwd=tmp_path, UV_DEFAULT_INDEX=server.url())
    assert "Would install" in said


@as_here
@pytest.mark.parametrize(("manager", "words"), [("pip", "torch"), ("uv", "torch"), ("uv", "torch xformers")])
def test_the_script_makes_the_environment(manager, words, server, tmp_path):
    """The printed commands, run by bash: a real environment, in it the build that was chosen."""
    if shutil.which("uv") is None and manager == "uv":
        pytest.skip("uv is not installed")
    made = plan(words, server, version=HERE, manager=manager, python=sys.executable, venv="my env")
    (tmp_path / "install.sh").write_text(install_script(made, "Made for me."))
    main = {"PIP_INDEX_URL": server.url(), "UV_DEFAULT_INDEX": server.url()}
    ran("bash", "install.sh", cwd=tmp_path, **main)
    site = tmp_path / "my env" / "lib" / f"python{HERE}" / "site-packages"
    installed = {path.name for path in site.glob("*.dist-info")}
    assert "torch-2.14.1+cu126.dist-info" in installed
    if "xformers" in words:
        assert "xformers-0.0.35.dist-info" in installed
        assert "filelock-3.0.dist-info" in installed, "not the old copy on the index of torch"


# Conda.


@pytest.mark.parametrize("words", WISHES)
def test_the_conda_environment_is_yaml(words):
    document = yaml.safe_load(conda_text(plan(words), "Made for me: [x] & more."))
    assert document["name"] == "gpu-env"
    assert document["channels"] == ["conda-forge"]
    python, pip, packages = document["dependencies"]
    assert (python, pip) == (f"python={PYTHON}", "pip")
    options = [line for line in packages["pip"] if line.startswith("--")]
    assert all(one == "--extra-index-url https://download.pytorch.org/whl/cu126" for one in options)
    named = [one.replace("2.14.1+cu126", "2.14.1") for one in packages["pip"] if one not in options]
    assert named == [one.replace("2.14.1+cu126", "2.14.1") for one in plan(words).requirements]
    assert ("torch==2.14.1+cu126" in packages["pip"]) == ("torch" in words.split())


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name):
    made = plan("torch", conda=f"{name}x", venv=None)
    document = yaml.safe_load(conda_text(made, name))
    assert re.fullmatch(r"[A-Za-z0-9_-]+", document["name"])
    if sys.version_info >= (3, 11):
        import tomllib

        project = tomllib.loads(uv_text(made, name, "linux-x86_64"))
        assert project["project"]["dependencies"] == ["torch==2.14.1"]
    lines = requirements_text(made, name).splitlines()
    assert all(line.startswith(("#", "--extra-index-url", "torch==")) for line in lines)


# Docker.


def instructions(text):
    """(word, value) of every line that is no comment; a value that is an array as one."""
    found = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        word, _, value = line.partition(" ")
        found.append((word, json.loads(value) if value.startswith("[") else value))
    return found


IMAGES = [row for row in MATRIX.table("images") if isinstance(row, BaseImage)]


@pytest.mark.parametrize("name", ["", *HOSTILE])
def test_the_dockerfile(name):
    image = next(row for row in IMAGES if row.python == PYTHON)
    lines = instructions(dockerfile_text(plan("torch torchvision"), f"Made for me. {name}", image))
    assert [word for word, _ in lines] == ["FROM", "ENV", "ENV", "RUN"]
    assert lines[0][1] == "python:3.12-slim-bookworm"
    argv = lines[-1][1]
    assert argv[:5] == ["python", "-m", "pip", "install", "--no-cache-dir"]
    assert argv[5:] == [
        *plan("torch torchvision").requirements,
        "--index-url",
        "https://download.pytorch.org/whl/cu126",
    ]


def test_the_dockerfile_without_a_gpu_and_with_something_to_compile():
    cpu = instructions(dockerfile_text(plan("torch", cpu=True), "", IMAGES[0]))
    assert [word for word, _ in cpu] == ["FROM", "RUN"]
    compiled = instructions(dockerfile_text(plan("torch flash-attn"), "", IMAGES[0]))
    assert compiled[-1][1][-2:] == ["--no-build-isolation", "flash-attn==2.8.3.post2"]


def test_what_is_compiled_is_said_in_every_format():
    made = plan("torch flash-attn")
    assert "# Afterwards: pip install --no-build-isolation flash-attn==2.8.3.post2" in requirements_text(made, "")
    assert "flash-attn==2.8.3.post2" in conda_text(made, "")
    assert 'no-build-isolation-package = ["flash-attn"]' in uv_text(made, "", "linux-x86_64")


def test_base_images_are_known_for_every_python_of_today():
    assert {row.python for row in IMAGES} >= {"3.10", "3.11", "3.12", "3.13", "3.14"}
    assert all(row.source and row.image.startswith("python:") for row in IMAGES)
