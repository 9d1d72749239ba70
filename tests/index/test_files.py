"""Names of files, and the pages that list them."""

import pytest

from gpudoctor.index.files import platforms_of, python_of, read_wheel, releases
from gpudoctor.index.pages import Link, NotAnIndexPage, parse_html, parse_json

HERE = "https://a.example/simple/torch/"


@pytest.mark.parametrize(
    ("interpreter", "abi", "python"),
    [
        ("cp310", "cp310", "3.10"),
        ("cp27", "cp27mu", "2.7"),
        ("cp37", "cp37m", "3.7"),
        ("cp313", "cp313t", "3.13t"),
        ("cp39", "abi3", ">=3.9"),
        ("cp315", "abi3t", ">=3.15t"),
        ("py3", "none", ">=3"),
        ("py2", "none", "2"),
        ("py310", "none", ">=3.10"),
        ("pp39", "pypy39_pp73", None),
    ],
)
def test_python_tags(interpreter, abi, python):
    assert python_of(interpreter, abi) == python


@pytest.mark.parametrize(
    ("tag", "platforms"),
    [
        ("manylinux_2_28_x86_64", ("linux-x86_64",)),
        ("manylinux1_x86_64", ("linux-x86_64",)),
        ("linux_x86_64", ("linux-x86_64",)),
        ("manylinux2014_aarch64", ("linux-aarch64",)),
        ("win_amd64", ("windows-x86_64",)),
        ("macosx_11_0_arm64", ("macos-arm64",)),
        ("macosx_10_9_universal2", ("macos-arm64", "macos-x86_64")),
        ("any", ("any",)),
        ("win32", ()),
        ("musllinux_1_2_x86_64", ()),
        ("manylinux2014_ppc64le", ()),
    ],
)
def test_platform_tags(tag, platforms):
    assert platforms_of(tag) == platforms


@pytest.mark.parametrize(
    ("tags", "oldest"),
    [
        (["cp312-cp312-macosx_14_0_arm64", "cp313-cp313-macosx_14_0_arm64"], {"macos-arm64": "14.0"}),
        (
            ["cp313-none-macosx_11_0_arm64", "cp314-cp314-macosx_14_0_arm64"],
            {"macos-arm64 3.13": "11.0", "macos-arm64 3.14": "14.0"},
        ),
        # Free-threaded Pythons are not asked about; a universal wheel serves Apple's processors from their first macOS.
        (["cp313-none-macosx_11_0_arm64", "cp313-cp313t-macosx_14_0_arm64"], {"macos-arm64": "11.0"}),
        (["cp312-cp312-macosx_10_13_universal2"], {"macos-arm64": "11.0", "macos-x86_64": "10.13"}),
        # numpy has a second wheel for newer systems.
        (["cp312-cp312-macosx_14_0_x86_64", "cp312-cp312-macosx_10_13_x86_64"], {"macos-x86_64": "10.13"}),
        (["cp312-cp312-manylinux_2_28_x86_64"], {}),
    ],
)
def test_the_oldest_macos(tags, oldest):
    (found,) = releases("torch", [link(f"torch-2.0.0-{tag}.whl") for tag in tags])
    assert found.macos == oldest


def link(name, **more):
    return Link(name=name, url=HERE + name, **more)


def test_releases():
    found = releases(
        "torch",
        [
            link("torch-2.0.0-cp311-cp311-win_amd64.whl", requires_python=">=3.8"),
            link("torch-2.0.0-cp38-cp38-manylinux1_x86_64.whl", requires_python=">=3.8"),
            link("torch-2.0.0-cp311-cp311-manylinux1_x86_64.whl", requires_python=">=3.8"),
            link("torch-2.0.0-cp39-cp39-manylinux1_x86_64.whl", requires_python=">=3.8", yanked=True),
            link("torch-2.1.0-cp311-cp311-win_amd64.whl", yanked=True),
            link("torch-1.0.tar.gz"),
            link("torch-vision-9.0-py3-none-any.whl"),
            link("torch-nonsense.whl"),
            link("other-1.0.tar.gz"),
            link("torch-1.0.zip.asc"),
        ],
    )
    assert [(one.version, one.yanked) for one in found] == [("2.1.0", True), ("2.0.0", False), ("1.0", False)]
    assert found[1].wheels == {"linux-x86_64": ("3.8", "3.11"), "windows-x86_64": ("3.11",)}
    assert found[1].requires_python == ">=3.8"
    assert found[2].wheels == {}


def test_a_local_tag_is_kept():
    wheel = read_wheel(link("torch-2.6.0%2Bcu124-cp310-cp310-linux_x86_64.whl".replace("%2B", "+")))
    assert wheel.version == "2.6.0+cu124"


def test_html():
    text = """<html><head><base href="https://cdn.example/w/"></head><body>
      <a href="torch-1.0%2Bcpu-cp37-cp37m-linux_x86_64.whl#sha256=1" data-yanked="bad"
       data-requires-python="&gt;=3.6">x</a>
      <a href="/abs/torch-1.1.tar.gz" data-core-metadata="sha256=2">y</a><a name="top">z</a></body></html>"""
    first, second = parse_html(text, HERE)
    assert first.name == "torch-1.0+cpu-cp37-cp37m-linux_x86_64.whl"
    assert first.url == "https://cdn.example/w/torch-1.0%2Bcpu-cp37-cp37m-linux_x86_64.whl"
    assert (first.yanked, first.requires_python, first.metadata) == (True, ">=3.6", False)
    assert (second.url, second.yanked, second.metadata) == ("https://cdn.example/abs/torch-1.1.tar.gz", False, True)


def test_json():
    raw = b"""{"meta": {"api-version": "1.3"}, "name": "torch", "files": [
      {"filename": "torch-1.0.tar.gz", "url": "../../f/torch-1.0.tar.gz", "yanked": "broken",
       "core-metadata": {"sha256": "1"}},
      {"filename": "torch-1.1.tar.gz", "url": "https://c.example/torch-1.1.tar.gz", "requires-python": ">=3.8"}]}"""
    first, second = parse_json(raw, HERE)
    assert (first.url, first.yanked, first.metadata) == ("https://a.example/f/torch-1.0.tar.gz", True, True)
    assert (second.url, second.yanked, second.requires_python) == ("https://c.example/torch-1.1.tar.gz", False, ">=3.8")


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b"{}", b'{"meta": {"api-version": "2.0"}, "files": []}', b'{"meta": {"api-version": "1.0"}}',
     b'{"meta": {"api-version": "1.0"}, "files": [1]}', b"[" * 100_000],
)  # fmt: skip
def test_json_that_is_none(raw):
    with pytest.raises(NotAnIndexPage):
        parse_json(raw, HERE)


def test_text_is_no_html():
    with pytest.raises(NotAnIndexPage):
        parse_html("Service unavailable", HERE)
