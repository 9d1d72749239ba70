"""Files of requirements and projects as a demand, faults with their line."""

import re
import time
from contextlib import suppress

import pytest

from gpudoctor.plan.demand import NotADemand
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.requirements import (
    is_lock,
    markers_of,
    not_for_uv,
    parse_project,
    parse_requirements,
    uv_settings_of,
)

LINUX = markers_of(Machine(python="3.12", platform="linux-x86_64"))


def reader(files):
    def read(path):
        if path not in files:
            raise FileNotFoundError(2, "No such file or directory")
        return files[path]

    return read


def parsed(text, **files):
    return parse_requirements("requirements.txt", reader({"requirements.txt": text, **files}), LINUX)


def frameworks(asked):
    return {one.framework: one.specifier for one in asked.demand.wanted}


def test_everything_a_file_may_say():
    asked = parsed(
        "# the frameworks\n"
        "--extra-index-url https://x.example/simple\n"
        "torch>=2.6  # a note\n"
        "torchvision \\\n    ; python_version >= '3.8'\n"
        "Keras>=3\n"
        "numpy==1.26.4 --config-settings=x=y\n"
        "tensorflow ; sys_platform == 'win32'\n"
        "transformers[torch]>=4 ; python_version >= '3.9'\n"
        "./local\n"
        "-e .\n"
        "pkg @ https://x.example/p.whl\n"
        "--prefer-binary\n"
    )
    assert frameworks(asked) == {"torch": ">=2.6"}
    assert asked.demand.wanted[0].companions == (("torchvision", ""),)
    assert asked.demand.extras == (("keras", ">=3"),)
    assert (asked.demand.files, asked.demand.others, asked.demand.settled) == (("requirements.txt",), (), "")
    assert asked.indexes == ("https://x.example/simple",)
    assert any("https://x.example/simple" in note for note in asked.notes)


@pytest.mark.parametrize(
    ("text", "why", "hashed"),
    [
        ("torch==2.6.0 \\\n  --hash=sha256:abc \\\n  --hash=sha256:def", "hash", True),
        ("--require-hashes\ntorch==2.6.0", "hash", True),
        ("torch\n-i https://x.example/simple", "--index-url", False),
        ("--index-ur=https://x.example/simple --pre\ntorch", "--index-url", False),
        ("--pypi-url https://x.example/simple\ntorch", "--index-url", False),
        ("torch\n-r more.txt", "--no-index", False),
        ("torch\n-c more.txt", "--no-index", False),
    ],
)
def test_a_file_that_settles_where_from_chooses_no_build(text, why, hashed):
    asked = parsed(text, **{"more.txt": "--no-index\nnumpy"})
    assert (frameworks(asked), asked.demand.files, asked.demand.hashed) == ({}, ("requirements.txt",), hashed)
    assert why in asked.demand.settled


@pytest.mark.parametrize(
    "line",
    [
        *("./local", "../up[x]", "/abs/p.whl", "p-1-py3-none-any.whl", "file:///p.whl", "C:\\p.whl", "dir/sub"),
        *("-e .", "-e ./lib[x]", "-e git+https://x.example/p#egg=p", "git+https://x.example/p@v1#egg=p", "p.tar.gz"),
        *(
            "git+ssh://git@x.example/p",
            "p @ git+https://x.example/p",
            "--editable=.",
            "--unheard-of x",
            "hg+https://x/p",
        ),
        *("torch @ https://x.example/torch.whl", "tensorflow-gpu", "tensorflow-cpu==2.18.0", "-C x=y"),
        *(
            "name ; extra == 'x'",
            "numpy --global-option='-v'",
            "--use-feature=fast-deps",
            "--trusted-host x.example:80",
        ),
    ],
)
def test_what_is_no_framework_by_its_name_is_left_to_the_installer(line):
    asked = parsed(f"jax\n{line}")
    assert (frameworks(asked), asked.demand.files) == ({"jax": ""}, ("requirements.txt",))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tor\\\nch>=2", {"torch": ">=2"}),
        ("torch \\\n# note\njax", {"torch": "", "jax": ""}),
        ("torch>=2 # jax \\\n", {"torch": ">=2"}),
        ("${FRAMEWORK}==2.6", {"torch": "==2.6"}),
        ("torch==${UNSET}", None),
        ("torch#jax", None),
        ("torch\x0cjax", {"torch": "", "jax": ""}),
        ("torch[opt-einsum]>=2;python_version>'3'", {"torch": ">=2"}),
        ("torch (>=2)", {"torch": ">=2"}),
        ("torch \\", {"torch": ""}),
    ],
)
def test_lines_are_joined_and_cut_as_pip_does(text, found):
    read, variables = reader({"r": text}), {"FRAMEWORK": "torch"}
    if found is None:
        with pytest.raises(NotADemand, match="r, line 1"):
            parse_requirements("r", read, LINUX, None, variables)
    else:
        assert frameworks(parse_requirements("r", read, LINUX, None, variables)) == found


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("uv.lock", "uv export"),
        ("sub/poetry.lock", "poetry export"),
        ("Pipfile.lock", "pipenv requirements"),
        ("pyproject.toml", "--from-pyproject"),
        ("environment.yml", "conda env create"),
    ],
)
def test_other_files_are_refused_by_name_with_what_to_type(name, words):
    with pytest.raises(NotADemand, match=re.escape(name)) as refused:
        parse_requirements(name, reader({name: ""}), LINUX)
    assert words in str(refused.value)


@pytest.mark.parametrize("name", ["flash-attn", "sageattention==1.0.6", "cupy ; python_version > '3'"])
def test_what_a_file_cannot_say_is_refused_with_its_line(name):
    with pytest.raises(NotADemand, match=r"line 2: .*command line"):
        parsed(f"torch\n{name}")


def test_options_that_only_pip_reads():
    text = "--pre\n--trusted-host x\n-r more.txt\ntorch --hash=sha256:0"
    files = reader({"r": text, "more.txt": "--prefer-binary\n-i https://x.example\nnumpy -C x=y"})
    assert not_for_uv("r", files, {}) == ("--pre", "--trusted-host", "--prefer-binary", "--config-settings")


@pytest.mark.parametrize("option", ["-r sub/more.txt", "--requirement sub/more.txt", "--requirement=sub/more.txt"])
def test_included_files_are_beside_the_one_that_names_them(option):
    files = {"sub/more.txt": "-r deeper.txt\ntensorflow<2.20", "sub/deeper.txt": "jax"}
    assert frameworks(parsed(f"torch\n{option}", **files)) == {"torch": "", "jax": "", "tensorflow": "<2.20"}


def test_constraints_bound_what_is_asked_for_and_go_to_the_installer():
    asked = parsed("-c c.txt\ntorch>=2.6", **{"c.txt": "torch<2.10\njax==0.6\nnumpy<2\n"})
    assert frameworks(asked) == {"torch": ">=2.6,<2.10"}


def test_markers_are_those_of_the_machine():
    arm = markers_of(Machine(python="3.10", platform="linux-aarch64"))
    text = "torch; platform_machine == 'aarch64'\njax; python_version > '3.10'\ntensorflow; sys_platform == 'darwin'"
    asked = parse_requirements("r", reader({"r": text}), arm)
    assert frameworks(asked) == {"torch": ""}
    windows = markers_of(Machine(python="3.12", platform="windows-x86_64"))
    assert frameworks(parse_requirements("r", reader({"r": "torch; os_name == 'nt'"}), windows)) == {"torch": ""}


@pytest.mark.parametrize(
    ("text", "files", "said"),
    [
        ("torch\ntorch >= 2 <\n", {}, "requirements.txt, line 2: 'torch >= 2 <' is no requirement"),
        ("torch>=3\n\ntorch<2\n", {}, "requirements.txt, line 3: No version can be torch>=3,<2"),
        ("torch \\\n  >=3\ntorch<2\n", {}, "requirements.txt, line 3"),
        ("torch\n-r https://x.example/r.txt\n", {}, "requirements.txt, line 2: a file at an address"),
        ("torch\n-i 'x\n", {}, "requirements.txt, line 2: a quotation mark"),
        ("foo bar\n", {}, "requirements.txt, line 1: 'foo bar' is no requirement"),
        ("dependencies:\n", {}, "requirements.txt, line 1: 'dependencies:' is no requirement"),
        ("  - torch==2.1\n", {}, "requirements.txt, line 1: '-' is no option"),
        ("-r environment.yaml", {"environment.yaml": "name: x\n"}, "line 1: 'name: x' is no requirement"),
        ("\n-r gone.txt", {}, "requirements.txt, line 2: gone.txt could not be read: No such file"),
        ("-r a.txt", {"a.txt": "torch\nto rch"}, "a.txt, line 2"),
        ("-r requirements.txt", {}, "again and again"),
        ("torch>=3\n-c c.txt", {"c.txt": "torch<2"}, "No version can be torch>=3,<2"),
    ],
)
def test_a_fault_names_its_file_and_line(text, files, said):
    with pytest.raises(NotADemand, match=re.escape(said)):
        parsed(text, **files)


@pytest.mark.parametrize("name", ["environment.yml", "env.yaml", "sub/gpu.yml"])
def test_what_conda_reads_is_refused_by_name(name):
    with pytest.raises(NotADemand, match=f"conda env create --file {name}"):
        parse_requirements(name, reader({name: "dependencies: [pytorch]"}), LINUX)


def test_no_file_and_no_text():
    with pytest.raises(NotADemand, match="could not be read"):
        parse_requirements("gone", reader({}), LINUX)

    def binary(path):
        return b"\xff\xfe".decode("utf-8")

    for name in ("x", "pylock.toml"):
        with pytest.raises(NotADemand, match="no text"):
            parse_requirements(name, binary, LINUX)


def test_a_project():
    text = '[project]\nname = "x"\ndependencies = [\n  "torch>=2.6",\n  "rich",\n  "jax; python_version<\'3\'",\n]\n'
    asked = parse_project("pyproject.toml", text, LINUX)
    assert frameworks(asked) == {"torch": ">=2.6"}
    assert tuple(text.replace("pkg @", "pkg@") for text in asked.demand.others) == ("rich",)


def test_a_project_of_uv_is_uvs_to_read_and_what_is_left_out_is_said():
    text = (
        '[project]\ndependencies = ["torch>=2.6", "rich"]\n[project.optional-dependencies]\nx = []\n'
        '[dependency-groups]\ndev = ["pytest"]\n'
    )
    plain = parse_project("pyproject.toml", text, LINUX)
    assert (plain.demand.files, uv_settings_of("p", text)) == ((), ())
    assert "extras x and the groups dev" in plain.notes[0]
    text += '[tool.uv]\nconstraint-dependencies = ["numpy<2.2"]\n[tool.uv.sources]\nrich = { path = "x" }\n'
    asked = parse_project("pyproject.toml", text, LINUX)
    assert (asked.demand.files, asked.demand.others) == (("pyproject.toml",), ())
    assert uv_settings_of("p", text) == ("constraint-dependencies", "sources")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[project", "pyproject.toml could not be read"),
        ("", "names no [project] dependencies"),
        ("[project]\ndependencies = 3", "no list"),
        ('[project]\ndependencies = [\n "torch",\n "to rch",\n]', "pyproject.toml, line 4"),
        ('project = "x"', "could not be read"),
    ],
)
def test_a_project_that_cannot_be_read(text, said):
    with pytest.raises(NotADemand, match=re.escape(said)):
        parse_project("pyproject.toml", text, LINUX)


@pytest.mark.parametrize(
    ("text", "cuda"),
    [
        ("jax[cuda12]", "12"),
        ("jax[cuda12_pip]>=0.4\njax[cuda12]", "12"),
        ("jax[cuda12]\ntorch", "12"),
        ("jax[cuda12]\njax[cuda13]", None),
        ("jax[k8s]", None),
        ("torch[cuda12]", None),
    ],
)
def test_the_cuda_of_an_extra_of_jax(text, cuda):
    assert {one.cuda for one in parsed(text).demand.wanted} == {cuda}
    asked = parse_requirements("r", reader({"r": text}), LINUX, "12.6")
    assert {one.cuda for one in asked.demand.wanted} == {"12.6"}
    project = f"[project]\ndependencies = {text.splitlines()}"
    assert {one.cuda for one in parse_project("pyproject.toml", project, LINUX).demand.wanted} == {cuda}


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("pylock.toml", True),
        ("sub/pylock.dev.toml", True),
        ("pylock.a.b.toml", False),
        ("mypylock.toml", False),
        ("requirements.txt", False),
    ],
)
def test_a_lock_file_settles_all(name, is_one):
    assert is_lock(name) is is_one
    asked = parse_requirements(name, reader({name: "torch"}), LINUX, "cpu")
    assert bool(asked.demand.settled) is is_one
    assert frameworks(asked) == ({} if is_one else {"torch": ""})
    assert asked.demand.cpu_only
    assert not parse_requirements(name, reader({name: "torch"}), LINUX, "12").demand.cpu_only
    assert not_for_uv(name, reader({name: "--pre"}), {}) == (() if is_one else ("--pre",))


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("torch\n-f https://x.example/whl", ["at https://x.example/whl (--find-links)"]),
        ("torch\n--extra-index-url https://me:word@x.example/s", ["at the usual index and at https://***@x.example/s"]),
        ("torch\n-i https://x.example\n--extra-index-url https://y.example", ["at https://x.example, https://y.ex"]),
        ("torch\n--no-index\n-f ./wheels", ["at ./wheels (--find-links)", "at no index (--no-index)"]),
        ("torch", []),
    ],
)
def test_where_a_file_looks_is_said(text, notes):
    found = parsed(text).notes
    assert len(found) == len(notes)
    assert all(note in one for note, one in zip(notes, found, strict=True)), found


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (Machine(python="3.9", platform="linux-aarch64"), ("3.9", "3.9.0", "aarch64", "linux", "Linux", "posix")),
        (Machine(python="3.12", platform="windows-x86_64"), ("3.12", "3.12.0", "AMD64", "win32", "Windows", "nt")),
        (Machine(python="3.13", platform="macos-arm64"), ("3.13", "3.13.0", "arm64", "darwin", "Darwin", "posix")),
    ],
)
def test_the_variables_of_markers(machine, expected):
    names = ("python_version", "python_full_version", "platform_machine", "sys_platform", "platform_system", "os_name")
    found = markers_of(machine)
    assert tuple(found[name] for name in names) == expected
    here = markers_of(Machine())
    assert markers_of(Machine(platform=machine.platform))["python_version"] == here["python_version"]
    assert markers_of(Machine(python=machine.python))["sys_platform"] == here["sys_platform"]


def test_what_is_not_for_this_machine_is_not_asked_for():
    text = "flash-attn; python_version < '3'\ntorch; python_version < '3'\njax"
    assert frameworks(parsed(text)) == {"jax": ""}
    assert frameworks(parsed("torch\n-c c.txt", **{"c.txt": "flash-attn==2"})) == {"torch": ""}
    with pytest.raises(NotADemand, match="a number that no version has"):
        parsed("torch==" + "9" * 400)


@pytest.mark.timed
@pytest.mark.parametrize("before", ["", "torch", "torch==", "torch; python_version", "-r ", "torch\\\n"])
@pytest.mark.parametrize("many", [" ", "\t", "\u3000", "#", " #", "\\", "a", "1.", "-", "${A", "[", ";", "'", "=\\\n"])
def test_a_line_of_a_hundred_thousand_characters_is_read_in_a_moment(before, many):
    began = time.process_time()
    with suppress(NotADemand):
        parsed(f"{before}{many * (100_000 // len(many))}2")
    assert time.process_time() - began < 1
