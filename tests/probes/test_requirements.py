"""Requirements, against `packaging` as the authority."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.markers import Marker
from packaging.requirements import Requirement as Packaged
from packaging.specifiers import SpecifierSet

from gpudoctor.facts import specifiers
from gpudoctor.facts.python import Interpreter, Unmet
from gpudoctor.facts.specifiers import is_met
from gpudoctor.probes.requirements import markers as requirements_markers
from gpudoctor.probes.requirements.markers import applies, machine_of, marker_environment
from gpudoctor.probes.requirements.probe import find_unmet, parse_requirement
from gpudoctor.sources.package_names import normalise

#: As they stand in the metadata of torch, tensorflow, jax, cuda-toolkit and keras.
LINES = (
    "filelock",
    "typing-extensions>=4.10.0",
    'nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux" and platform_machine == "x86_64"',
    "cuda-toolkit[cublas,cudart,cufft]==13.2.*; platform_system == 'Linux'",
    'sympy==1.13.1; python_version >= "3.9"',
    'setuptools; python_version >= "3.12"',
    'opt-einsum>=3.3; extra == "opt-einsum"',
    "protobuf!=4.21.0,!=4.21.1,!=4.21.2,!=4.21.3,!=4.21.4,!=4.21.5,<6.0.0dev,>=3.20.3",
    "numpy (>=1.26.0,<2.2.0)",
    "keras>=3.5.0",
    "wheel<1.0,>=0.23.0",
    "tensorflow-io-gcs-filesystem>=0.23.1; python_version < \"3.12\"",
    'nvidia-cublas-cu12==12.5.3.2; extra == "and-cuda"',
    'numpy>=1.26.0,~=2.0; python_version >= "3.12"',
    "nvidia-cublas==13.1.1.3.*; (sys_platform == 'win32' or os_name == 'posix') and extra == 'cublas'",
    "torch @ https://example.org/torch-2.6.0.whl",
    "torch @ https://example.org/torch-2.6.0.whl ; sys_platform == 'linux'",
    "Ml_Dtypes<1.0,>=0.5.1",
    "a.b-c_d[x, y-z]>1;python_version<'4'",
)  # fmt: skip
ENVIRONMENT = marker_environment(
    "linux",
    Interpreter(executable="/x", chosen_by="PATH", version="3.12.4", implementation="cpython", platform="linux-x86_64"),
)


@pytest.mark.parametrize("line", LINES)
def test_parts_of_a_requirement(line):
    expected = Packaged(line.replace("6.0.0dev", "6.0.0.dev0"))
    parsed = parse_requirement(line)
    assert parsed is not None
    assert parsed.name == normalise(expected.name)
    assert parsed.extras == {normalise(extra) for extra in expected.extras}
    assert SpecifierSet(parsed.specifier.replace("6.0.0dev", "6.0.0.dev0")) == expected.specifier
    assert (Marker(parsed.marker) if parsed.marker else None) == expected.marker


@pytest.mark.parametrize(
    "line", ["", "==1.0", "torch==", "-torch", "torch[", "torch]x", "a b", "\x00", "(", "torch (>=1"]
)
def test_what_is_no_requirement_is_left_out_or_harmless(line):
    parsed = parse_requirement(line)
    assert parsed is None or is_met(parsed.specifier, "1.0")


VERSIONS = ("0", "1", "1.0", "1.0.0", "1.2", "1.2.3", "1.10", "2.0", "2.0.1", "2.0+cu124", "2.0.0+cpu", "9.1.0.70",
            "1.0rc1", "1.0.post1", "2.0.dev0", "2.0a0+git12", "1!1.0", "not a version")  # fmt: skip
SPECIFIERS = ("", "==1.0", "==1", "==1.0.0", "==1.*", "==2.0.*", "!=1.0", "!=2.*", ">=1.0", ">1", "<2", "<=2.0", "<2.0",
              "~=1.2", "~=1.2.3", "~=2.0", ">=1,<2", ">=1.0,!=1.2,<2.0.1", "==2.0+cu124", "===1.0", "==9.1.0.70",
              "<2.0.dev0", ">=1.0rc1", "<6.0.0dev", " >= 1 , < 3 ", ">2.0", ">=2.0", "==1.0.post1")  # fmt: skip


@pytest.mark.parametrize("version", VERSIONS[:-1])
@pytest.mark.parametrize("specifier", SPECIFIERS)
def test_versions_as_packaging_sees_them(version, specifier):
    assert is_met(specifier, version) == SpecifierSet(specifier).contains(version, prereleases=True)


@pytest.mark.parametrize(
    ("specifier", "version"), [("==1.0", "not a version"), ("=>1", "1.0"), ("~=1", "1.0"), (",", "1")]
)
def test_what_cannot_be_read_counts_as_met(specifier, version):
    assert is_met(specifier, version)


numbers = st.lists(st.integers(0, 12), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))


@settings(max_examples=400)
@given(
    numbers, st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "~="]), numbers, st.sampled_from(["", "+cu124", "rc1"])
)
def test_any_plain_version(wanted, operator, version, ending):
    if operator == "~=" and "." not in wanted:
        return
    specifier, version = f"{operator}{wanted}", version + ending
    assert is_met(specifier, version) == SpecifierSet(specifier).contains(version, prereleases=True)


MARKERS = (
    'platform_system == "Linux"',
    'platform_system == "Linux" and platform_machine == "x86_64"',
    'platform_system != "Darwin" or platform_machine != "arm64"',
    'python_version < "3.13"',
    "python_version >= '3.8' and python_version < '3.12'",
    'python_full_version >= "3.12.4"',
    'python_full_version < "3.12.4rc1"',
    'python_version in "3.11 3.12"',
    'python_version not in "3.11, 3.12"',
    '"3.9" <= python_version',
    "extra == 'cuda'",
    "extra != 'cuda'",
    '(sys_platform == "linux" or sys_platform == "win32") and extra == "cuda"',
    '((sys_platform == "linux"))',
    "implementation_name == 'cpython' and (os_name == 'nt' or python_version > '3')",
    "platform_python_implementation != 'PyPy'",
    "sys_platform == 'linux' and platform_machine == 'aarch64' or sys_platform == 'linux'",
    "python_version ~= '3.7'",
    "platform_release >= '5'",
)


@pytest.mark.parametrize("marker", MARKERS)
@pytest.mark.parametrize("extras", [(), ("cuda",), ("cuda", "other")], ids=str)
@pytest.mark.parametrize("version", ["3.8.18", "3.12.4"])
def test_markers_as_packaging_sees_them(marker, extras, version):
    environment = {**ENVIRONMENT, "python_version": version.rpartition(".")[0], "python_full_version": version}
    expected = any(Marker(marker).evaluate({**environment, "extra": extra}) for extra in extras or [""])
    if marker == "extra != 'cuda'":
        expected = "cuda" not in extras
    assert applies(marker, environment, extras) == expected


@pytest.mark.parametrize(
    "marker", ["(", "nonsense", "python_version <", "a == b", ") and (", "python_version == '3' )", "and"]
)
def test_a_marker_that_cannot_be_read_does_not_hold(marker):
    assert applies(marker, ENVIRONMENT) is False


clauses = st.tuples(
    st.sampled_from(["sys_platform", "platform_machine", "python_version"]),
    st.sampled_from(["==", "!="]),
    st.sampled_from(["linux", "win32", "x86_64", "3.12", "3.9"]),
).map(lambda parts: f'{parts[0]} {parts[1]} "{parts[2]}"')
markers = st.recursive(
    clauses,
    lambda inner: st.tuples(inner, st.sampled_from([" and ", " or "]), inner).map("".join) | inner.map("({})".format),
    max_leaves=6,
)


@settings(max_examples=300)
@given(markers)
def test_any_marker(marker):
    assert applies(marker, ENVIRONMENT) == Marker(marker).evaluate({**ENVIRONMENT, "extra": ""})


def test_usual_lines_need_no_packaging(monkeypatch):
    """Its import takes longer than all the rest."""

    def forbidden(*arguments):
        raise AssertionError(arguments)

    monkeypatch.setattr(requirements_markers, "_packaging_says", forbidden)
    monkeypatch.setattr(specifiers, "_meets_by_packaging", forbidden)
    for line, extras in itertools.product(LINES, (frozenset(), frozenset({"cublas"}))):
        parsed = parse_requirement(line)
        if parsed is not None and "dev" not in line:
            applies(parsed.marker, ENVIRONMENT, extras)
            is_met.__wrapped__(parsed.specifier, "2.6.0+cu124")


REQUIRES = {
    "torch": ["numpy<2", "nccl==2.2; sys_platform == 'linux'", "gone", "toolkit[blas]==13.*", "x; extra == 'more'"],
    "toolkit": ["blas==1.0; extra == 'blas'", "fft==1.0; extra == 'fft'", "torch[more]; extra == 'blas'"],
}


@pytest.mark.parametrize(
    ("installed", "unmet"),
    [
        (
            {"torch": "2", "toolkit": "13.2", "numpy": "1.26", "nccl": "2.2", "gone": "1", "blas": "1.0", "x": "1"},
            set(),
        ),
        (
            {"torch": "2", "toolkit": "13.2", "numpy": "2.0", "nccl": "2.3", "blas": "1.1"},
            {("torch", "numpy", "<2", "2.0"), ("torch", "nccl", "==2.2", "2.3"), ("torch", "gone", "", None),
             ("toolkit", "blas", "==1.0", "1.1"), ("torch", "x", "", None)},
        ),
        (
            {"torch": "2", "toolkit": "12.9", "numpy": "1.0", "nccl": "2.2", "gone": "1"},
            {("torch", "toolkit", "==13.*", "12.9")},
        ),
    ],
)  # fmt: skip
def test_unmet(installed, unmet):
    found = find_unmet(REQUIRES, installed, ENVIRONMENT)
    assert {(one.package, one.requirement, one.wanted, one.found) for one in found} == unmet
    assert all(isinstance(one, Unmet) for one in found)


@pytest.mark.parametrize(
    ("torch", "line", "unmet"),
    [
        ("1.13.1", "torch>=2.2; extra == 'torch'", True),
        ("2.6.0+cu124", "torch>=2.2; extra == 'torch'", False),
        ("2.6.0", "torch<2.5,>=2.2; extra == 'torch'", False),
        ("1.13.1", "torch>=2.2; extra == 'testing'", False),
        ("1.13.1", "numpy>=2.2; extra == 'numpy'", False),
    ],
)
def test_a_framework_too_old_for_what_uses_it_where_it_is_there(torch, line, unmet):
    found = find_unmet({"transformers": [line]}, {"torch": torch, "transformers": "4.57", "numpy": "1.26"}, ENVIRONMENT)
    assert [one.requirement for one in found] == ["torch"] * unmet


@pytest.mark.parametrize(
    ("tag", "machine"),
    [
        ("linux-x86_64", "x86_64"),
        ("linux-aarch64", "aarch64"),
        ("win-amd64", "AMD64"),
        ("win32", "x86"),
        ("win-arm64", "ARM64"),
        ("macosx-14-arm64", "arm64"),
        ("", ""),
    ],
)
def test_machine(tag, machine):
    assert machine_of(tag) == machine


def test_the_targets_environment_is_not_ours():
    windows = Interpreter(executable="p", chosen_by="PATH", version="3.6.8", implementation="pypy", platform="win32")
    seen = marker_environment("win32", windows)
    assert set(seen) == set(ENVIRONMENT)
    assert (seen["os_name"], seen["platform_system"], seen["python_version"]) == ("nt", "Windows", "3.6")
    assert seen["platform_python_implementation"] == "PyPy"
