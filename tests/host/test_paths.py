"""Links resolved and programs found, as text."""

import pytest

from gpudoctor.host.paths import find_program, resolve, search_path, tool_directories
from gpudoctor.host.real import parse_names
from gpudoctor.host.tree import Tree

LINKS = {
    "/bin": "usr/bin",
    "/sys/class/drm/card0": "../../devices/pci0000:00/0000:01:00.0/drm/card0",
    "/sys/devices/pci0000:00/0000:01:00.0/drm/card0/device": "../../../0000:01:00.0",
    "/lib/libcuda.so": "libcuda.so.1",
    "/lib/libcuda.so.1": "/usr/lib/libcuda.so.580.65.06",
    "/a": "/b",
    "/b": "a",
    "/self": ".",
}


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("/", "/"),
        ("", "/"),
        ("/usr//lib/./x/", "/usr/lib/x"),
        ("/bin/sh", "/usr/bin/sh"),
        ("/bin/../etc", "/usr/etc"),
        ("/../../etc", "/etc"),
        ("/sys/class/drm/card0/device/vendor", "/sys/devices/pci0000:00/0000:01:00.0/vendor"),
        ("/lib/libcuda.so", "/usr/lib/libcuda.so.580.65.06"),
        ("/self/self/self/etc", "/etc"),
    ],
)
def test_resolve(path: str, real: str) -> None:
    assert resolve(path, LINKS.get) == real


def test_a_circle_of_links_ends() -> None:
    assert resolve("/a/x", LINKS.get) in ("/a/x", "/b/x")


POSIX_FILES = {"/usr/bin/nvcc", "/opt/tools/nvcc", "/home/x/bin/nvcc"}


@pytest.mark.parametrize(
    ("name", "path", "found"),
    [
        ("nvcc", "/home/x/bin:/usr/bin", "/home/x/bin/nvcc"),
        ("nvcc", "/none:/usr/bin/", "/usr/bin/nvcc"),
        ("nvcc", "", None),
        ("nvcc", "bin:.:", None),
        ("../bin/nvcc", "/usr/bin", None),
        ("/usr/bin/nvcc", "/usr/bin", None),
        ("", "/usr/bin", None),
        ("nvidia-smi", "/usr/bin", None),
    ],
)
def test_search_path(name: str, path: str, found: str | None) -> None:
    env = {"PATH": path}
    assert find_program(name, search_path("linux", env), "linux", env, POSIX_FILES.__contains__) == found


def test_search_path_of_windows() -> None:
    env = {"PATH": "C:\\Tools;relative;D:\\bin\\", "PATHEXT": ".EXE;.BAT"}
    files = {"D:\\bin\\nvcc.exe", "C:\\Tools\\x.bat"}
    directories = search_path("win32", env)
    assert directories == ("C:\\Tools", "D:\\bin\\")
    assert find_program("nvcc", directories, "win32", env, files.__contains__) == "D:\\bin\\nvcc.exe"
    assert find_program("nvcc.exe", directories, "win32", env, files.__contains__) == "D:\\bin\\nvcc.exe"
    assert find_program("x", directories, "win32", env, files.__contains__) == "C:\\Tools\\x.bat"


def test_tools_are_never_looked_for_on_path() -> None:
    env = {"PATH": "/evil", "GPUDOCTOR_TOOL_PATH": "/mine:/ours"}
    assert tool_directories("linux", env)[:3] == ("/mine", "/ours", "/usr/bin")
    assert "/evil" not in tool_directories("linux", env)
    assert tool_directories("win32", {"SystemRoot": "D:\\Win"})[0] == "D:\\Win\\System32"


def test_names_of_users() -> None:
    text = "root:x:0:0::/root:/bin/sh\nann:x:1000:1000\nbob:x:1000:1\n\n# comment\nbad:x:y:0\n"
    assert parse_names(text) == {0: "root", 1000: "ann"}


def test_directories_follow_from_paths() -> None:
    tree = Tree()
    tree.keyed({"/a/b/c": 1, "/a/d": 2})
    tree.plant_directory("/empty", ())
    assert tree.names("") == ("a", "empty")
    assert tree.names("/a") == ("b", "d")
    assert tree.names("/empty") == ()
    assert tree.names("/a/d") is None
    assert tree.has("/a/b")
    assert tree.has("/a/b/c")
    assert not tree.has("/a/c")


def test_directories_of_windows_have_no_case() -> None:
    tree = Tree(windows=True)
    tree.plant("C:\\Windows\\System32\\nvml.dll")
    tree.plant("c:/windows/SYSTEM32/NVCUDA.dll")
    assert tree.names(tree.key("C:\\WINDOWS\\system32\\")) == ("NVCUDA.dll", "nvml.dll")
    assert tree.has(tree.key("c:\\windows\\system32\\NVML.DLL"))
