import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpudoctor.host.real import RealHost
from gpudoctor.probes.elf import (
    Elf,
    parse_defined_versions,
    parse_elf,
    parse_needed_versions,
    parse_strings,
    read_elf,
    reader,
)
from tests.probes.compiled import Parts, needs_compiler

READELF = shutil.which("readelf")


@pytest.fixture(scope="session")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    return Parts(tmp_path_factory.mktemp("parts"))


def of(raw: bytes) -> Elf | None:
    return parse_elf(lambda offset, size: raw[offset : offset + size])


@needs_compiler
@pytest.mark.parametrize(
    ("tag", "rpath", "runpath"),
    [
        ("plain", (), ()),
        ("rpath", ("$ORIGIN/own", "$ORIGIN/../shared"), ()),
        ("runpath", (), ("$ORIGIN/own", "$ORIGIN/../shared")),
    ],
)
def test_reads_a_compiled_library(parts: Parts, tag: str, rpath: tuple[str, ...], runpath: tuple[str, ...]) -> None:
    elf = of(parts.middle[tag].read_bytes())
    assert elf is not None
    assert (elf.soname, elf.rpath, elf.runpath) == ("libmiddle.so.1", rpath, runpath)
    assert elf.needed == ("libleaf.so.1", "libc.so.6")
    assert elf.bits == (64 if sys.maxsize > 2**32 else 32)


@needs_compiler
def test_cut_and_damaged_files_are_not_elf(parts: Parts) -> None:
    raw = parts.middle["runpath"].read_bytes()
    whole = of(raw)
    assert whole is not None
    for size in (0, 3, 4, 20, 51, 64, 100, 500):
        assert of(raw[:size]) is None or of(raw[:size]) != whole
    for place in range(min(len(raw), 1200)):
        of(raw[:place] + b"\xff" + raw[place + 1 :])  # never raises, whatever is said of it


def test_what_is_no_elf_file() -> None:
    assert of(b"#!/bin/sh\n" + b"exec python3\n" * 10) is None
    assert of(b"MZ" + bytes(200)) is None
    assert read_elf(RealHost(), "/nowhere/at/all") is None


@pytest.mark.skipif(READELF is None or not Path("/usr/lib").is_dir(), reason="needs readelf")
def test_agrees_with_readelf_on_the_systems_own_libraries() -> None:
    files = sorted({*Path("/usr/lib/x86_64-linux-gnu").glob("lib*.so.*"), *Path("/usr/lib64").glob("lib*.so.*")})[::12]
    assert READELF
    for file in [one for one in files if one.is_file()][:25]:
        shown = subprocess.run([READELF, "-dVW", file], capture_output=True, text=True, check=True).stdout
        elf = read_elf(RealHost(), str(file))
        assert elf is not None
        assert list(elf.needed) == re.findall(r"\(NEEDED\).*\[(.*)\]", shown), file
        assert [elf.soname] == (re.findall(r"\(SONAME\).*\[(.*)\]", shown) or [None]), file
        assert sorted(parse_needed_versions(reader(RealHost(), str(file)))) == sorted(
            re.findall(r"Version: 1  File: (\S+)", shown)
        )


@pytest.mark.skipif(not Path("/usr/lib/x86_64-linux-gnu/libstdc++.so.6").exists(), reason="needs libstdc++")
def test_versions_defined_by_the_cpp_library() -> None:
    path = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"
    versions = parse_defined_versions(reader(RealHost(), path))
    # libstdc++.so.6.0.N defines GLIBCXX_3.4.N as its newest: gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html
    number = Path(path).resolve().name.rpartition(".")[2]
    assert max(int(v.split(".")[2]) for v in versions if re.fullmatch(r"GLIBCXX_3\.4\.\d+", v)) == int(number)


@needs_compiler
def test_the_names_in_a_compiled_library(parts: Parts) -> None:
    raw = parts.bare_top["plain"].read_bytes()
    names = parse_strings(lambda offset, size: raw[offset : offset + size]).split(b"\0")
    assert {b"dlopen", b"open_from", b"libtop.so.1"} <= set(names)
    for cut in (0, 40, 600):
        assert parse_strings(lambda offset, size, cut=cut: raw[:cut][offset : offset + size]) == b""
