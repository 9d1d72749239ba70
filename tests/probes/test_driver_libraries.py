"""Which copies of the driver's libraries are found, and which one the loader takes."""

import struct
from typing import Any

import pytest

from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.driver.libraries import own_directories, parse_library_release, read_libraries


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/usr/lib/x86_64-linux-gnu/libcuda.so.535.161.07", "535.161.07"),
        ("/usr/lib64/libnvidia-ml.so.580.65.06", "580.65.06"),
        ("/usr/lib/libcuda.so.555.58", "555.58"),
        ("/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1", None),
        ("/usr/lib/wsl/lib/libcuda.so.1", None),
    ],
)
def test_library_release(path: str, expected: str | None) -> None:
    release = parse_library_release(path)
    assert (release and str(release)) == expected


SYSTEM = "/usr/lib/x86_64-linux-gnu/libcuda.so.535.1"
COPIES = {
    SYSTEM: "ELF",
    "/usr/local/cuda-12.4/compat/libcuda.so.550.54.15": "ELF",
    "/usr/local/cuda-12.4/lib64/stubs/libcuda.so": "ELF",
}
COPY_LINKS = {
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1": "libcuda.so.535.1",
    "/usr/local/cuda-12.4/compat/libcuda.so.1": "libcuda.so.550.54.15",
    "/usr/local/cuda": "cuda-12.4",
}


@pytest.mark.parametrize(
    ("path", "files", "links", "chosen"),
    [
        (None, {}, {}, SYSTEM),
        ("", {}, {}, SYSTEM),
        ("/usr/local/cuda/compat:/x", {}, {}, "/usr/local/cuda-12.4/compat/libcuda.so.550.54.15"),
        # A stub is met only where somebody gave it the name that programs ask for.
        ("/usr/local/cuda/lib64/stubs", {}, {}, SYSTEM),
        (
            "/usr/local/cuda/lib64/stubs",
            {},
            {"/usr/local/cuda-12.4/lib64/stubs/libcuda.so.1": "libcuda.so"},
            "/usr/local/cuda-12.4/lib64/stubs/libcuda.so",
        ),
        # An empty entry means the working directory.
        ("/x:", {"/home/ada/libcuda.so.1": "ELF"}, {}, "/home/ada/libcuda.so.1"),
        (
            None,
            {"/etc/ld.so.conf": "/usr/local/cuda-12.4/compat\n"},
            {},
            "/usr/local/cuda-12.4/compat/libcuda.so.550.54.15",
        ),
    ],
)
def test_which_copy_the_loader_takes(path: str | None, files: Any, links: Any, chosen: str) -> None:
    env = {} if path is None else {"LD_LIBRARY_PATH": path}
    host = RecordedHost({**COPIES, **files}, links={**COPY_LINKS, **links}, env=env, cwd="/home/ada")
    copies = read_libraries(host, "x86_64")
    assert [copy.real_path for copy in copies if copy.first] == [chosen]
    assert [copy.stub for copy in copies if "stubs" in copy.path] == [True]
    assert [copy.compat for copy in copies if "compat" in copy.path] == [True]
    assert len({copy.real_path for copy in copies}) == len(copies)


def _cache(*files: tuple[str, str]) -> bytes:
    """/etc/ld.so.cache as glibc writes it (sysdeps/generic/dl-cache.h): SONAME and path of each entry."""
    strings, entries = b"", b""
    start = 48 + 24 * len(files)
    for name, path in files:
        key = start + len(strings)
        strings += name.encode() + b"\0"
        entries += struct.pack("=iIIIQ", 0x303, key, start + len(strings), 0, 0)
        strings += path.encode() + b"\0"
    return struct.pack("=20sII20x", b"glibc-ld.so.cache1.1", len(files), len(strings)) + entries + strings


OPT = "/opt/nvidia/libcuda.so.1"
FRESH = {"/etc/ld.so.cache": _cache(("libcuda.so.1", OPT)), OPT: "ELF"}
STALE = {"/etc/ld.so.cache": _cache(("libz.so.1", "/lib/libz.so.1")), "/etc/ld.so.conf": "/opt/nvidia\n", OPT: "ELF"}


@pytest.mark.parametrize(
    ("files", "env", "chosen"),
    [
        (FRESH, {}, [OPT]),
        (FRESH, {"LD_LIBRARY_PATH": "/usr/lib/x86_64-linux-gnu"}, [SYSTEM]),
        # The file of the cache is gone: the loader goes on to its own directories.
        ({"/etc/ld.so.cache": _cache(("libcuda.so.1", OPT))}, {}, [SYSTEM]),
        # A configured directory that ldconfig has not read since: the loader does not look there.
        (STALE, {}, [SYSTEM]),
        ({"/etc/ld.so.cache": b"", "/etc/ld.so.conf": "/opt/nvidia\n", OPT: "ELF"}, {}, [OPT]),
    ],
)
def test_the_loaders_cache(files: Any, env: Any, chosen: list[str]) -> None:
    host = RecordedHost({SYSTEM: "ELF", **files}, links=COPY_LINKS, env=env)
    assert [copy.real_path for copy in read_libraries(host, "x86_64") if copy.first] == chosen


def test_a_copy_that_the_loader_cannot_find() -> None:
    """The file is there, its directory is configured, and the cache is older: nothing is taken."""
    host = RecordedHost(STALE)
    assert [(copy.path, copy.first) for copy in read_libraries(host, "x86_64")] == [(OPT, False)]


def test_another_release_beside_the_copy_that_is_taken() -> None:
    """What the container toolkit hands in, while the link leads to the image's own file."""
    other, backup = "/usr/lib/x86_64-linux-gnu/libcuda.so.545.23.08", "/usr/lib/x86_64-linux-gnu/libcuda.so.bak"
    host = RecordedHost({SYSTEM: "ELF", other: "ELF", backup: "ELF"}, links=COPY_LINKS)
    copies = read_libraries(host, "x86_64")
    assert [(copy.real_path, copy.first) for copy in copies] == [(SYSTEM, True), (other, False)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [(None, ()), ("", ()), ("/a:/b/:/a", ("/a", "/b")), (":/a;/b", ("/home", "/a", "/b"))],
)
def test_own_directories(path: str | None, expected: tuple[str, ...]) -> None:
    host = RecordedHost(env={} if path is None else {"LD_LIBRARY_PATH": path}, cwd="/home")
    assert own_directories(host) == expected
