"""A recorded machine answers as the real one did."""

import sys
from pathlib import Path

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import Space
from gpudoctor.host.machine import Command, Machine, Piece, dump_machine, load_machine
from gpudoctor.host.port import Host, Ran, Stat
from gpudoctor.host.real import RealHost
from gpudoctor.host.recorded import RecordedHost, command_key

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from host_anonymous import anonymous, placeholders
from host_recording import RecordingHost, without_large_files

GPU = "/sys/devices/pci0000:00/0000:01:00.0"


@pytest.fixture
def host() -> RecordedHost:
    return RecordedHost(
        {f"{GPU}/vendor": "0x10de\n", "/etc/os-release": "ID=ubuntu\n", "/lib/libcuda.so.580.65.06": b"\x7fELF\xff"},
        links={
            "/sys/bus/pci/devices/0000:01:00.0": "../../../devices/pci0000:00/0000:01:00.0",
            "/lib/libcuda.so.1": "libcuda.so.580.65.06",
            "/dangling": "/nowhere",
        },
        stats={
            "/dev/nvidia0": Stat(kind="character", mode=0o660, owner="root", group="video"),
            "/empty": Stat(kind="directory", mode=0o700),
            "/lib/large.so": Stat(kind="file", size=5000),
        },
        directories={"/proc/driver/nvidia/gpus": ("0000:01:00.0",)},
        gaps={"/root": "permission denied", "/dev/kmsg": "not permitted"},
        pieces={"/lib/large.so": (Piece(offset=0, data=b"header"), Piece(offset=4990, data=b"0123456789"))},
        spaces={"/tmp": Space(path="/tmp", total=10, free=5)},
        unopenable={"/dev/nvidia0": "EPERM"},
        unwritable={"/etc/os-release": "EACCES"},
        programs={"python3": "/opt/python/bin/python3"},
        commands={("nvidia-smi", "-q"): "text", ("/usr/bin/uname", "-r"): Ran(argv=(), outcome="timed-out")},
        env={"PATH": "/opt/tools:/lib"},
    )


def test_reading(host: RecordedHost) -> None:
    assert host.read_text("/etc/os-release") == "ID=ubuntu\n"
    assert host.read("/etc/os-release", limit=2) == b"ID"
    assert host.read("/lib/libcuda.so.1") == b"\x7fELF\xff"
    assert host.read_range("/lib/libcuda.so.1", 1, 2) == b"EL"
    assert host.read("/none") is None
    assert host.read("/dangling") is None
    assert host.read("/sys/bus/pci/devices/0000:01:00.0/vendor") == b"0x10de\n"


def test_pieces(host: RecordedHost) -> None:
    assert host.read_range("/lib/large.so", 2, 4) == b"ader"
    assert host.read_range("/lib/large.so", 4995, 100) == b"56789"
    assert isinstance(host.read_range("/lib/large.so", 100, 4), Gap)
    assert isinstance(host.read_range("/lib/large.so", 2, 40), Gap)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/root", "permission denied"),
        ("/etc", "it is a directory"),
        ("/dev/nvidia0", "not recorded"),
        ("/proc/driver/nvidia/gpus/0000:01:00.0", "not recorded"),
    ],
)
def test_gaps(host: RecordedHost, path: str, reason: str) -> None:
    answer = host.read(path)
    assert isinstance(answer, Gap)
    assert answer.reason == reason


def test_listing(host: RecordedHost) -> None:
    assert host.list("/") == ("dangling", "dev", "empty", "etc", "lib", "proc", "root", "sys")
    assert host.list("/empty") == ()
    assert host.list("/sys/bus/pci/devices") == ("0000:01:00.0",)
    assert host.list("/sys/bus/pci/devices/0000:01:00.0") == ("vendor",)
    assert host.list("/proc/driver/nvidia/gpus/") == ("0000:01:00.0",)
    assert host.list("/etc/os-release") is None
    assert host.list("/none") is None
    assert isinstance(host.list("/root"), Gap)


def test_stat(host: RecordedHost) -> None:
    assert host.stat("/etc") == Stat(kind="directory", mode=0o755)
    assert host.stat("/etc/os-release") == Stat(kind="file", size=10, mode=0o644)
    assert host.stat("/lib/libcuda.so.1") == Stat(kind="file", size=5, mode=0o644)
    assert host.stat("/none") is None
    assert host.stat("/dangling") is None
    assert isinstance(host.stat("/root"), Gap)


def test_links(host: RecordedHost) -> None:
    assert host.link("/lib/libcuda.so.1") == "libcuda.so.580.65.06"
    assert host.link("/lib/libcuda.so.580.65.06") is None
    assert host.real("/lib/libcuda.so.1") == "/lib/libcuda.so.580.65.06"
    assert host.real("/sys/bus/pci/devices/0000:01:00.0/vendor") == f"{GPU}/vendor"


def test_opening(host: RecordedHost) -> None:
    assert host.openable("/dev/nvidia0") == "EPERM"
    assert host.openable("/etc/os-release") is None
    assert host.openable("/etc/os-release", write=True) == "EACCES"
    assert host.openable("/none") == "ENOENT"
    assert host.space("/tmp") == Space(path="/tmp", total=10, free=5)


def test_programs(host: RecordedHost) -> None:
    assert host.which("python3") == "/opt/python/bin/python3"
    assert host.which("libcuda.so.1") == "/lib/libcuda.so.1"
    assert host.which("nvidia-smi") is None
    assert host.tool("nvidia-smi") == "/usr/bin/nvidia-smi"
    assert host.tool("nvcc") is None


def test_commands(host: RecordedHost) -> None:
    assert host.run(("/opt/bin/nvidia-smi", "-q"), timeout=1).text == "text"
    assert host.run(("/bin/uname", "-r"), timeout=1).outcome == "timed-out"
    ran = host.run(("/opt/bin/nvidia-smi",), timeout=1)
    assert (ran.outcome, ran.reason) == ("not-started", "not recorded")


@pytest.mark.parametrize(
    ("argv", "key"),
    [
        (("/usr/bin/python3.11", "-I", "/a/b/ask_nvml.py", "/tmp/x", "all"), ("python", "-I", "ask_nvml.py", "all")),
        (("C:\\Python\\python.exe", "-I", "C:\\a\\ask.py", "C:\\x.dll"), ("python", "-I", "ask.py")),
        (("/venv/bin/python", "-I", "-S", "-"), ("python", "-I", "-S", "-")),
        (("/usr/sbin/ldconfig", "-C", "/etc/ld.so.cache", "-p"), ("ldconfig", "-C", "/etc/ld.so.cache", "-p")),
        (("nvidia-smi",), ("nvidia-smi",)),
    ],
)
def test_a_command_is_known_without_the_places_of_its_machine(argv: tuple[str, ...], key: tuple[str, ...]) -> None:
    assert command_key(argv) == key


def test_windows() -> None:
    host = RecordedHost(
        {"C:\\Windows\\System32\\nvml.dll": b"MZ", "C:\\Windows\\System32\\nvidia-smi.exe": b"MZ"}, platform="win32"
    )
    assert host.read("c:/windows/system32/NVML.dll") == b"MZ"
    assert host.list("C:\\Windows\\") == ("System32",)
    assert host.tool("nvidia-smi") == "C:\\Windows\\System32\\nvidia-smi.exe"
    assert host.real("C:\\Windows") == "C:\\Windows"


# There and back ------------------------------------------------------------------------------------------------------


def asked(host: Host, root: str) -> list[object]:
    """What a look at the tree would ask."""
    files = [
        f"{root}/{name}" for name in ("text", "binary", "large", "link", "dangling", "none", "folder", "away/inside")
    ]
    answers: list[object] = [host.list(root), host.list(f"{root}/away"), host.real(f"{root}/away/inside")]
    answers += [
        host.real(f"{root}/link"),
        host.link(f"{root}/link"),
        host.which("sh"),
        host.tool("sh"),
        host.space(root),
    ]
    for path in files:
        answers += [host.read_text(path, limit=1000), host.stat(path), host.openable(path, write=True)]
        answers += [host.read_range(path, 3, 4), host.read_range(path, 2_999_990, 100)]
    answers.append(host.run(("/bin/sh", "-c", "echo out; echo err >&2; exit 3"), timeout=5))
    answers.append(host.run(("/bin/sh", "-c", "printf '\\377'"), timeout=5))
    answers.append(host.run(("/no/such",), timeout=5))
    return answers


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "text").write_text("name: ann\nat: /home/ann/x\n")
    (tmp_path / "binary").write_bytes(b"\x00\xff/home/ann/lib")
    (tmp_path / "large").write_bytes(b"0123456789" * 300_000)
    (tmp_path / "link").symlink_to("text")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/inside").write_text("inside")
    (tmp_path / "away").symlink_to("folder")
    return tmp_path


def test_a_recording_answers_as_the_machine_did(tree: Path) -> None:
    recording = RecordingHost(RealHost(env={"PATH": "/usr/bin:/bin", "SECRET": "x"}))
    answers = asked(recording, str(tree))
    raw = dump_machine(recording.machine({"PATH": "/usr/bin:/bin"}))
    assert b"SECRET" not in raw
    replayed = RecordedHost.load(raw)
    assert asked(replayed, str(tree)) == answers
    assert dump_machine(load_machine(raw)) == raw


def test_large_files_are_left_out_and_said_to_be(tree: Path) -> None:
    recording = RecordingHost(RealHost())
    recording.read(f"{tree}/large")
    recording.read(f"{tree}/text")
    host = RecordedHost.of(without_large_files(recording.machine({}), 1000))
    answer = host.read(f"{tree}/large")
    assert isinstance(answer, Gap)
    assert answer.reason == "not recorded: 3,000,000 bytes"
    assert host.read_text(f"{tree}/text") == "name: ann\nat: /home/ann/x\n"
    assert host.stat(f"{tree}/large") is not None


def test_a_damaged_recording_is_refused() -> None:
    for raw in (b"", b"[]", b'{"files": 3}', b'{"files": {"/x": 3}}'):
        with pytest.raises(ValueError):
            RecordedHost.load(raw)


def test_text_that_is_no_text_survives() -> None:
    ran = Ran(argv=("/bin/x",), outcome="exited", code=0, stdout=b"\xff\x00", stderr=b"e", seconds=0.5)
    assert Command.of(ran).ran() == ran


# Names ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user", "home", "host", "names"),
    [
        ("ann", "/home/ann", "lab7.example.org", {"/home/ann", "ann", "lab7.example.org", "lab7"}),
        ("root", "/root", "vm", set()),
        ("ubuntu", "/home/ubuntu", "ubuntu", {"/home/ubuntu"}),
        ("Ann", "C:\\Users\\Ann", "DESKTOP-1", {"C:\\Users\\Ann", "Ann", "DESKTOP-1"}),
        ("", "", "", set()),
    ],
)
def test_only_names_that_tell_are_replaced(user: str, home: str, host: str, names: set[str]) -> None:
    assert set(placeholders(user, home, host)) == names


def test_names_are_replaced_everywhere() -> None:
    machine = Machine(
        cwd="/home/ann/work",
        env={"HOME": "/home/ann", "PATH": "/home/ann/bin:/usr/bin"},
        files={"/home/ann/.config": "owner=Ann\nplanner=annika\n", "/etc/hostname": "lab7\n"},
        binaries={"/lib/x": b"\xff/home/ann/lib\0"},
        stats={"/home/ann": Stat(kind="directory", owner="ann")},
        commands=(Command(argv=("/home/ann/bin/python",), stdout="/home/ann lab7.example.org"),),
    )
    clean, count = anonymous(machine, placeholders("ann", "/home/ann", "lab7.example.org"))
    raw = dump_machine(clean)
    assert b"/home/ann" not in raw
    assert b"lab7" not in raw
    assert clean.files == {"/home/user/.config": "owner=user\nplanner=annika\n", "/etc/hostname": "host\n"}
    assert clean.binaries == {"/lib/x": b"\xffxxxxxxxxx/lib\0"}
    assert clean.stats["/home/user"].owner == "user"
    assert clean.commands[0].argv == ("/home/user/bin/python",)
    assert count == 12
    assert anonymous(machine, {}) == (machine, 0)
