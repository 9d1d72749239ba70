"""Files that are not ours, whatever lies under their names: a clear word or a bounded read, never an endless wait."""

import ast
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import gpudoctor

PACKAGE = Path(gpudoctor.__file__).parent
COMMAND = [sys.executable, "-m", "gpudoctor"]

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


def run(*words: str | os.PathLike[str], cwd: Path | None = None, seconds: float = 20) -> subprocess.CompletedProcess:
    """A command with 2 GB of memory; a wait without end fails."""

    def bounded() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    env = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    return subprocess.run(
        [*COMMAND, *words],
        cwd=cwd,
        env=env,
        timeout=seconds,
        capture_output=True,
        preexec_fn=bounded,
        check=False,
    )


def fifo(path: Path) -> None:
    os.mkfifo(path)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(5 << 30)


def deep(path: Path) -> None:
    path.write_text("[tool.gpudoctor]\nselect = " + "[" * 500_000)


def dotted(path: Path) -> None:
    path.write_text("[tool.gpudoctor]\na" + ".a" * 200_000 + " = 1")


def locked(path: Path) -> None:
    if os.getuid() == 0:
        pytest.skip("root reads everything")
    path.write_text("[tool.gpudoctor]\n")
    path.chmod(0)


def folder(path: Path) -> None:
    path.mkdir()


def circle(path: Path) -> None:
    path.symlink_to(path.name)


ODD = [fifo, zeros, sparse, deep, dotted, locked, folder, circle]


@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_an_odd_pyproject_is_named_and_never_waited_for(make: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.gpudoctor]\nselect = ["NO-SUCH-RULE"]\n')
    inner = tmp_path / "inner"
    inner.mkdir()
    make(inner / "pyproject.toml")
    shown = run("triage", "-q", "/dev/null", cwd=inner)
    # Never that of the folder above, which would be refused with 2 for another reason.
    assert b"NO-SUCH-RULE" not in shown.stderr
    assert shown.returncode in (2, 3), shown.stderr
    assert str(inner / "pyproject.toml").encode() in shown.stderr


#: What is refused at once. A pipe is waited for (below), and triage walks through a folder.
REFUSED = [
    (make, words, codes)
    for make in ODD
    for words, codes in [(("plan", "-r"), (2,)), (("triage",), (3,)), (("check", "--from"), (2, 3))]
    if make is not fifo and (make, words) != (folder, ("triage",))
]


@pytest.mark.parametrize(("make", "words", "codes"), REFUSED)
def test_an_odd_file_that_is_named(
    make: Callable[[Path], None], words: tuple[str, ...], codes: tuple[int, ...], tmp_path: Path
) -> None:
    make(tmp_path / "given")
    shown = run(*words, tmp_path / "given", cwd=tmp_path)
    assert shown.returncode in codes, (shown.stdout, shown.stderr)
    assert b"Traceback" not in shown.stderr


@pytest.mark.parametrize("make", [zeros, sparse], ids=lambda make: make.__name__)
@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (("brief",), (2, 3)),
        (("verify",), (2, 3)),
        (("verify", "pip install torch", "--for"), (2, 3)),
        (("fleet", "merge"), (2, 3)),
        (("fleet", "run", "--via", "ssh", "--nodes", "a", "--pyz"), (1, 2, 3)),
        (("matrix", "update", "--from"), (3,)),
        (("matrix", "update", "--from", "/", "--root"), (3,)),
        (("advise", "resnet-50", "--from"), (2, 3)),
        (("advise", "resnet-50", "--bench"), (2, 3)),
        (("advise", "resnet-50", "--prices"), (2, 3)),
    ],
)
def test_what_has_no_end_is_refused_by_each_command(
    make: Callable[[Path], None], words: tuple[str, ...], codes: tuple[int, ...], tmp_path: Path
) -> None:
    make(tmp_path / "given")
    shown = run(*words, tmp_path / "given", cwd=tmp_path)
    assert shown.returncode in codes, (shown.stdout, shown.stderr)
    assert b"Traceback" not in shown.stderr


def test_a_pipe_is_read_when_somebody_writes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", "sleep 0.5; echo torch > pipe; "], cwd=tmp_path):
        shown = run("triage", "-q", "pipe", cwd=tmp_path)
    assert shown.returncode == 3
    assert b"nothing in its" in shown.stdout


def test_a_pipe_that_nobody_writes_to_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gpudoctor.host import safe_files

    monkeypatch.setattr(safe_files, "SILENCE", 0.2)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="brought nothing") as met:
        safe_files.read_given(str(tmp_path / "pipe"), limit=10, pipes=True)
    assert met.value.strerror


#: Who may open files himself, and what they are.
ROOMS = {
    "host": "the reader, and what the kernel serves",
    "agent": "run by the inspected interpreter",
    "cli/files.py": "writes",
    "cli/main.py": "the null device",
    "cli/start.py": "the null device",
    "apply/carry_out.py": "writes",
    "apply/clone.py": "copies an environment that is changed",
    "apply/building.py": "writes",
    "apply/contents.py": "files of an environment that is changed",
    "apply/in_use.py": "what the kernel serves",
    "apply/ownership.py": "records of an environment that is changed",
    "apply/journal.py": "our own journal",
    "apply/lock.py": "our own lock",
    "apply/matrix_update.py": "writes, and what it downloaded itself",
    "apply/pins.py": "writes",
    "apply/rewrite_paths.py": "scripts and records of an environment that is changed",
    "apply/dry_run_pip.py": "the report that pip was told to write",
    "apply/dry_run_uv.py": "the lock that uv was told to write",
    "fleet/budget.py": "what the kernel serves",
    "fleet/collect.py": "writes, and the end of what it wrote",
    "index/fetch.py": "our own cache",
    "knowledge": "our own data",
    "redact": "our own data",
    "facts/needles.py": "our own data",
    "rules/load.py": "our own data",
    "tables.py": "our own data",
    "probes/target/identity.py": "our own script",
}
#: Methods and functions that read a file. `host.read_text` and a loader's `open` are the port's own.
_READERS = {"open", "open_file", "read_text", "read_bytes", "fdopen"}
_OURS = {"_archive", "host", "process", "trial", "metadata", "archive", "self"}


def _opened(path: Path) -> list[int]:
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id == "open":
            found.append(node.lineno)
        elif isinstance(called, ast.Attribute) and called.attr in _READERS:
            owner = getattr(called.value, "id", getattr(called.value, "attr", ""))
            own_data = isinstance(called.value, ast.BinOp)  # files("gpudoctor.facts") / ...
            if owner not in _OURS and not own_data:
                found.append(node.lineno)
    return found


def test_nobody_else_opens_files() -> None:
    met = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name not in ROOMS and name.partition("/")[0] not in ROOMS and (lines := _opened(path)):
            met[name] = lines
    assert met == {}, "read it through gpudoctor.host.safe_files, or name the file here with its reason"


LATIN = b"log\xb0\xe9.txt"


def _ticket_folder(folder: Path) -> Path:
    folder.mkdir()
    good = b"RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
    (folder / "a-good.txt").write_bytes(good)
    Path(os.fsdecode(os.fsencode(folder) + b"/" + LATIN)).write_bytes(good)
    for number, digits in enumerate(("5555555555", "5" * 4400)):
        (folder / f"b-{number}.txt").write_text(
            f"Found GPU0 NVIDIA K40 which is of cuda capability 3.{digits}\n"
            f"kernel reported version is: 470.57.{digits}\nPython {digits}.{digits}.1\n"
            f"PyTorch has CUDA Version={digits}.1 whereas torchvision has CUDA Version={digits}.2\n"
            f"detected CUDA version ({digits}.4) mismatches the version that was used to compile\n"
            f"torch=={digits}.1\nphysical_device:GPU:{digits}\nGPU {digits}: NVIDIA A100\n"
        )
    (folder / "z-good.txt").write_bytes(good)
    return folder


@pytest.mark.parametrize("form", ["terminal", "json", "markdown", "html"])
def test_odd_names_and_numbers_cost_nobody_his_answer(form: str, tmp_path: Path) -> None:
    shown = run("triage", "--format", form, _ticket_folder(tmp_path / "tickets"))
    assert shown.returncode == 1, shown.stderr
    text = shown.stdout.decode("utf-8")
    assert "itself failed" not in text
    assert text.count("good.txt") >= 2
    assert "log\\xb0\\xe9.txt" in text.replace("\\\\", "\\")
    if form == "json":
        tickets = json.loads(text)["tickets"]
        assert [bool(one.get("causes")) for one in tickets if "b-" not in one["name"]] == [True] * 3


@pytest.mark.parametrize("form", ["terminal", "json", "markdown", "html"])
def test_our_own_failure_on_a_ticket_is_said_of_that_ticket(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import CliRunner

    from gpudoctor.cli.main import cli
    from gpudoctor.examine import triage

    judged = triage.subject_of

    def failing(given, matrix):
        return 1 // 0 if "b-1" in given.name else judged(given, matrix)

    monkeypatch.setattr(triage, "subject_of", failing)
    shown = CliRunner().invoke(cli, ["triage", "--format", form, str(_ticket_folder(tmp_path / "tickets"))])
    assert shown.exit_code == 1, shown.output
    assert shown.stdout.count("itself failed on it (ZeroDivisionError") == 1
    if form == "json":
        errors = [one.get("error") for one in json.loads(shown.stdout)["tickets"]]
        assert [bool(one) for one in errors] == [False, False, True, False, False]


def _group(pid: int) -> list[int]:
    """The living processes of that process group, without the dead that wait for their parent."""
    shown = subprocess.run(["ps", "-eo", "pid=,pgid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in shown.splitlines())
    return [int(one) for one, group, state in rows if int(group) == pid and not state.startswith("Z")]


#: How often, with what, and how long after the start. GPUDOCTOR_HOSTILE=all: more moments.
_MOMENTS = [0.4, 0.6, 0.8, 1.0, 1.5] if os.environ.get("GPUDOCTOR_HOSTILE") == "all" else [0.8]
INTERRUPTS = [
    (times, number, after)
    for after in _MOMENTS
    for times, number in ((1, signal.SIGINT), (2, signal.SIGINT), (3, signal.SIGINT), (2, signal.SIGTERM))
]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads ps as Linux prints it")
@pytest.mark.parametrize(("times", "number", "after"), INTERRUPTS)
def test_an_interrupted_triage_leaves_no_worker(times: int, number: int, after: float, tmp_path: Path) -> None:
    text = "\n".join(f"line {row}: CUDA error, driver 470.{row % 99}, torch 2.{row % 9}.1" for row in range(4000))
    for count in range(150):
        (tmp_path / f"{count}.txt").write_text(text)
    with subprocess.Popen(
        [*COMMAND, "triage", "-q", "--jobs", "3", tmp_path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        time.sleep(after)
        for _ in range(times):
            os.killpg(child.pid, number) if number == signal.SIGINT else child.send_signal(number)
            time.sleep(0.05)
        started = time.monotonic()
        child.communicate(timeout=20)  # ends only when nobody holds the pipe
        assert time.monotonic() - started < 5
    assert child.returncode == 130 or (after < 0.5 and child.returncode in (-number, 130))
    until = time.monotonic() + 3
    while (left := _group(child.pid)) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == []
