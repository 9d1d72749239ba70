"""Files of requirements and projects as a demand, faults with their line."""

import re

import pytest

from gpudoctor.plan.demand import NotADemand
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.requirements import markers_of, parse_project, parse_requirements

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
        "numpy==1.26.4 --hash=sha256:abc \\\n    --hash=sha256:def\n"
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
    assert tuple(text.replace("pkg @", "pkg@") for text in asked.demand.others) == (
        "numpy==1.26.4",
        "transformers[torch]>=4",
        "./local",
        "-e .",
        "pkg@ https://x.example/p.whl",
    )
    assert asked.indexes == ("https://x.example/simple",)
    assert [re.sub(r".*line (\d+).*", r"\1", note) for note in asked.notes] == ["7", "11", "12", "14"]


@pytest.mark.parametrize("option", ["-r sub/more.txt", "--requirement sub/more.txt", "--requirement=sub/more.txt"])
def test_included_files_are_beside_the_one_that_names_them(option):
    files = {"sub/more.txt": "-r deeper.txt\ntensorflow<2.20", "sub/deeper.txt": "jax"}
    assert frameworks(parsed(f"torch\n{option}", **files)) == {"torch": "", "jax": "", "tensorflow": "<2.20"}


def test_constraints_bound_what_is_asked_for_and_go_to_the_installer():
    asked = parsed("-c c.txt\ntorch>=2.6", **{"c.txt": "torch<2.10\njax==0.6\nnumpy<2\n"})
    assert frameworks(asked) == {"torch": ">=2.6,<2.10"}
    assert asked.demand.constraints == ("c.txt",)


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
        ("foo bar\n", {}, "requirements.txt, line 1: 'foo bar' is no requirement"),
        ("\n-r gone.txt", {}, "requirements.txt, line 2: gone.txt could not be read: No such file"),
        ("-r a.txt", {"a.txt": "torch\nto rch"}, "a.txt, line 2"),
        ("-r requirements.txt", {}, "again and again"),
        ("torch>=3\n-c c.txt", {"c.txt": "torch<2"}, "No version can be torch>=3,<2"),
    ],
)
def test_a_fault_names_its_file_and_line(text, files, said):
    with pytest.raises(NotADemand, match=re.escape(said)):
        parsed(text, **files)


def test_no_file_and_no_text():
    with pytest.raises(NotADemand, match="could not be read"):
        parse_requirements("gone", reader({}), LINUX)

    def binary(path):
        return b"\xff\xfe".decode("utf-8")

    with pytest.raises(NotADemand, match="no text"):
        parse_requirements("x", binary, LINUX)


def test_a_project():
    text = '[project]\nname = "x"\ndependencies = [\n  "torch>=2.6",\n  "rich",\n  "jax; python_version<\'3\'",\n]\n'
    asked = parse_project("pyproject.toml", text, LINUX)
    assert frameworks(asked) == {"torch": ">=2.6"}
    assert tuple(text.replace("pkg @", "pkg@") for text in asked.demand.others) == ("rich",)


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
