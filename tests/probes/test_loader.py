import random
import shutil
import subprocess
from pathlib import Path

import pytest

from gpudoctor.host.real import RealHost
from gpudoctor.probes.loader.cache import parse_cache, parse_configuration
from gpudoctor.probes.loader.machine import Machine, parse_levels
from gpudoctor.probes.loader.search import Process
from tests.probes.compiled import TAGS, Parts, needs_compiler, run_real

FOLDERS = ("app", "app/own", "shared", "lib/own", "lib", "env1", "env2")


@pytest.fixture(scope="session")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    return Parts(tmp_path_factory.mktemp("parts"))


def simulate(
    program: Path, first: str, names: tuple[str, ...], env: dict[str, str], cwd: Path
) -> dict[str, str | None]:
    """What we say of the compiled libraries: name → path, None where it is found nowhere."""
    host = RealHost(env=env)
    host.cwd = str(cwd)
    process = Process(Machine(host), str(program))
    library = process.open(first)
    for name in names:
        process.open(name, library)
    return {name: asked.library.path if asked.library else None for name, asked in process.requests.items()}


def lay_out(parts: Parts, chance: random.Random, root: Path) -> tuple[Path, str, dict[str, str]]:
    """A random tree with copies of the parts; the program, what it opens first, and the environment."""
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
        for name, source in (("leaf", parts.leaf), ("middle", parts.middle[chance.choice(list(TAGS))])):
            if chance.random() < 0.4:
                shutil.copy(source, root / folder / f"lib{name}.so.1")
    shutil.copy(chance.choice((parts.linked_top, parts.bare_top))[chance.choice(list(TAGS))], root / "lib/libtop.so.1")
    program = root / "app/program"
    shutil.copy(parts.program[chance.choice(list(TAGS))], program)
    path = chance.choice(
        ["", str(root / "env1"), f"{root}/env2:{root}/env1", f":{root}/env2", "env1;$ORIGIN/own", f"{root}/lib/../env1"]
    )
    return program, str(root / "lib/libtop.so.1"), {"LD_LIBRARY_PATH": path} if path else {}


@needs_compiler
@pytest.mark.parametrize("seed", range(200))
def test_agrees_with_the_real_loader(parts: Parts, tmp_path: Path, seed: int) -> None:
    program, first, env = lay_out(parts, random.Random(seed), tmp_path)
    names = ("libmiddle.so.1", "libleaf.so.1")
    real = run_real(program, first, names, env, tmp_path)
    ours = simulate(program, first, names, env, tmp_path)
    if None in ours.values():
        assert len(real) < 3  # a file whose needs are not met is not mapped
    else:
        assert ours == real


def entry(name: str, path: str, hwcap: int = 0) -> tuple[str, str, int]:
    return name, path, hwcap


def cache_of(*entries: tuple[str, str, int]) -> bytes:
    """A cache file in glibc's format."""
    import struct

    start = 48 + 24 * len(entries)
    strings, rows = b"", b""
    for name, path, hwcap in entries:
        key = start + len(strings)
        strings += name.encode() + b"\0" + path.encode() + b"\0"
        rows += struct.pack("=iIIIQ", 0x303, key, key + len(name) + 1, 0, hwcap)
    return struct.pack("=20sII20x", b"glibc-ld.so.cache1.1", len(entries), len(strings)) + rows + strings


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (cache_of(), {}),
        (cache_of(entry("libcuda.so.1", "/usr/lib/libcuda.so.1")), {"libcuda.so.1": ("/usr/lib/libcuda.so.1",)}),
        (cache_of(entry("a", "/x/a"), entry("a", "/y/a"), entry("b", "/x/b")), {"a": ("/x/a", "/y/a"), "b": ("/x/b",)}),
        (cache_of(entry("a", "/hw/a", 1 << 62), entry("a", "/x/a")), {"a": ("/x/a",)}),
        (b"ld.so-1.7.0" + bytes(37) + cache_of(entry("a", "/x/a")), {"a": ("/x/a",)}),
        (b"", None),
        (b"not a cache", None),
        (cache_of(entry("a", "/x/a"))[:60], None),
        (b"rubbish" + cache_of(), None),
    ],
)
def test_parse_cache(raw: bytes, expected: dict[str, tuple[str, ...]] | None) -> None:
    assert parse_cache(raw) == expected


@pytest.mark.skipif(shutil.which("ldconfig", path="/sbin:/usr/sbin") is None, reason="needs ldconfig")
def test_cache_agrees_with_ldconfig(parts: Parts, tmp_path: Path) -> None:
    ldconfig = str(shutil.which("ldconfig", path="/sbin:/usr/sbin"))
    shutil.copy(parts.leaf, tmp_path / "libleaf.so.1.2.3")
    (tmp_path / "conf").write_text(f"{tmp_path}\n")
    subprocess.run([ldconfig, "-C", tmp_path / "cache", "-f", tmp_path / "conf"], check=True, capture_output=True)
    listed = subprocess.run([ldconfig, "-p", "-C", tmp_path / "cache"], check=True, capture_output=True, text=True)
    theirs = {
        (line.split(" (")[0].strip(), line.split(" => ")[1]) for line in listed.stdout.splitlines() if " => " in line
    }
    ours = parse_cache((tmp_path / "cache").read_bytes())
    assert ours is not None
    assert ours["libleaf.so.1"] == (f"{tmp_path}/libleaf.so.1",)
    assert {(name, path) for name, paths in ours.items() for path in paths} == theirs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("# comment\n/usr/local/cuda/lib64\n", (("directory", "/usr/local/cuda/lib64"),)),
        ("include /etc/ld.so.conf.d/*.conf\n", (("include", "/etc/ld.so.conf.d/*.conf"),)),
        ("  /opt/a  # why\nhwcap 1 nosegneg\n/opt/b=libc6\n", (("directory", "/opt/a"), ("directory", "/opt/b"))),
    ],
)
def test_parse_configuration(text: str, expected: tuple[tuple[str, str], ...]) -> None:
    assert parse_configuration(text) == expected


V2 = "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"
V3 = V2 + " avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("", ()),
        ("fpu sse sse2", ()),
        (V2, ("x86-64-v2",)),
        (V3, ("x86-64-v3", "x86-64-v2")),
        (V3 + " avx512f avx512bw avx512cd avx512dq avx512vl", ("x86-64-v4", "x86-64-v3", "x86-64-v2")),
        (V3.replace("popcnt", ""), ()),
    ],
)
def test_parse_levels(flags: str, expected: tuple[str, ...]) -> None:
    assert parse_levels(f"processor\t: 0\nflags\t\t: {flags}\n") == expected


@needs_compiler
def test_hwcaps_folder_comes_first(parts: Parts, tmp_path: Path) -> None:
    levels = parse_levels(Path("/proc/cpuinfo").read_text())
    if not levels:
        pytest.skip("no x86-64 level above the first")
    for folder in ("lib/own", f"lib/own/glibc-hwcaps/{levels[0]}"):
        (tmp_path / folder).mkdir(parents=True)
        shutil.copy(parts.leaf, tmp_path / folder)
    shutil.copy(parts.bare_top["runpath"], tmp_path / "lib/libtop.so.1")
    program, first = parts.program["plain"], str(tmp_path / "lib/libtop.so.1")
    real = run_real(program, first, ("libleaf.so.1",), {}, tmp_path)
    assert simulate(program, first, ("libleaf.so.1",), {}, tmp_path) == real
    assert "glibc-hwcaps" in real["libleaf.so.1"]


@needs_compiler
def test_preloaded_library_wins_over_every_path(parts: Parts, tmp_path: Path) -> None:
    for folder in ("preloaded", "lib/own"):
        (tmp_path / folder).mkdir(parents=True)
        shutil.copy(parts.leaf, tmp_path / folder)
    shutil.copy(parts.bare_top["rpath"], tmp_path / "lib/libtop.so.1")
    env = {"LD_PRELOAD": str(tmp_path / "preloaded/libleaf.so.1")}
    program, first = parts.program["plain"], str(tmp_path / "lib/libtop.so.1")
    real = run_real(program, first, ("libleaf.so.1",), env, tmp_path)
    assert simulate(program, first, ("libleaf.so.1",), env, tmp_path) == real
    assert real["libleaf.so.1"] == env["LD_PRELOAD"]


@needs_compiler
def test_links_in_origin_are_followed_as_the_kernel_does(parts: Parts, tmp_path: Path) -> None:
    for folder in ("elsewhere/lib", "elsewhere/shared", "here", "shared"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "here/lib").symlink_to(tmp_path / "elsewhere/lib")
    shutil.copy(parts.leaf, tmp_path / "elsewhere/shared")
    shutil.copy(parts.leaf, tmp_path / "shared")
    shutil.copy(parts.bare_top["runpath"], tmp_path / "elsewhere/lib/libtop.so.1")
    program, first = parts.program["plain"], str(tmp_path / "here/lib/libtop.so.1")
    ours = simulate(program, first, ("libleaf.so.1",), {}, tmp_path)
    assert ours["libleaf.so.1"] == str(tmp_path / "elsewhere/shared/libleaf.so.1")
    assert ours["libleaf.so.1"] == run_real(program, first, ("libleaf.so.1",), {}, tmp_path)["libleaf.so.1"]


@needs_compiler
def test_a_file_for_another_processor_is_passed_over(parts: Parts, tmp_path: Path) -> None:
    (tmp_path / "env1").mkdir()
    (tmp_path / "lib/own").mkdir(parents=True)
    foreign = bytearray(parts.leaf.read_bytes())
    foreign[18:20] = b"\xb7\x00" if foreign[18] != 0xB7 else b"\x3e\x00"
    (tmp_path / "env1/libleaf.so.1").write_bytes(foreign)
    shutil.copy(parts.leaf, tmp_path / "lib/own")
    shutil.copy(parts.bare_top["runpath"], tmp_path / "lib/libtop.so.1")
    env = {"LD_LIBRARY_PATH": str(tmp_path / "env1")}
    first = str(tmp_path / "lib/libtop.so.1")
    real = run_real(parts.program["plain"], first, ("libleaf.so.1",), env, tmp_path)
    assert simulate(parts.program["plain"], first, ("libleaf.so.1",), env, tmp_path) == real


@needs_compiler
@pytest.mark.parametrize("size", [0, 20, 200])
def test_a_file_that_is_no_library_is_named(parts: Parts, tmp_path: Path, size: int) -> None:
    (tmp_path / "lib/own").mkdir(parents=True)
    broken = tmp_path / "lib/own" / Path(parts.leaf).name
    broken.write_bytes(Path(parts.leaf).read_bytes()[:size])
    shutil.copy(parts.bare_top["runpath"], tmp_path / "lib/libtop.so.1")
    host = RealHost(env={})
    process = Process(Machine(host), str(parts.program["plain"]))
    process.open(broken.name, process.open(str(tmp_path / "lib/libtop.so.1")))
    asked = process.requests[broken.name]
    assert (asked.library, asked.unusable) == (None, str(broken))
