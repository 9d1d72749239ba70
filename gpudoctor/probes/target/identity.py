"""Asks the interpreter who it is, in a child that runs none of its environment's code."""

import os.path

import msgspec

import gpudoctor
from gpudoctor.facts.base import Source
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.host.port import Host, Ran
from gpudoctor.probes.target.choice import Choice, Fault, FaultKind

#: Seconds. An interpreter on a cold network file system takes a few.
DEADLINE = 10.0
#: Given to the child, which prints it around its answer. Always the same, so that a recorded answer can be replayed.
COOKIE = "gpudoctor-answers-9d41f6c02b"
#: -I alone still runs .pth lines and sitecustomize, with -S too none; -B writes no bytecode.
FLAGS = ("-I", "-S", "-B", "-")
#: -I came with Python 3.4; this asks an older one for its version.
FLAGS_BEFORE_I = ("-E", "-s", "-S", "-B", "-")


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What the interpreter says of itself under -S, where the prefix of a venv is not set yet (before Python 3.14)."""

    executable: str
    version: str
    implementation: str
    bits: int
    abi: str | None
    free_threaded: bool
    os_name: str
    platform: str
    winver: str | None
    framework: str | None
    prefix: str
    base_prefix: str
    exec_prefix: str
    platlibdir: str
    stdlib: str | None
    home: str
    site_patch: str | None
    path: list[str]
    has_ssl: bool | None
    python_h: bool | None
    same_user: bool

    @property
    def numbers(self) -> tuple[int, int]:
        """Major and minor version."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)

    @property
    def version_directory(self) -> str:
        """As in the names of library folders: 3.11, 3.13t."""
        major, minor = self.numbers
        return f"{major}.{minor}{'t' * self.free_threaded}"


class TooOld(msgspec.Struct, frozen=True):
    """A Python before 3.6."""

    too_old: str


def identify(host: Host, choice: Choice) -> Identity | Fault:
    """Who the chosen interpreter is, or why it cannot be asked."""
    if choice.fault is not None:
        return choice.fault
    ran = _ask(host, choice.executable, FLAGS)
    if ran.outcome == "exited" and ran.code == 2 and b"Unknown option: -I" in ran.stderr:
        ran = _ask(host, choice.executable, FLAGS_BEFORE_I)
    answer = parse_answer(ran.text)
    if isinstance(answer, Identity):
        if "\ufffd" in answer.executable + answer.prefix:
            return _fault(
                choice, "unreadable", "is in a folder whose name is not UTF-8, so that it cannot be looked into"
            )
        return answer
    if isinstance(answer, TooOld):
        what = f"is Python {answer.too_old}; gpudoctor examines Python 3.6 and newer"
        return _fault(choice, "too-old", what)
    return _fault(choice, *_classify(ran))


def parse_answer(text: str) -> Identity | TooOld | None:
    """The JSON between two cookies; None where there is none."""
    parts = text.split(COOKIE)
    if len(parts) < 3:
        return None
    raw = parts[-2].encode()
    try:
        return decode_json(raw, type=Identity)
    except msgspec.DecodeError:
        pass
    try:
        return decode_json(raw, type=TooOld)
    except msgspec.DecodeError:
        return None


def _ask(host: Host, executable: str, flags: tuple[str, ...]) -> Ran:
    argv = (executable, *flags, COOKIE)
    return host.run(argv, timeout=DEADLINE, env=_environment(host), stdin=_script(), cap=256 * 1024)


def _script() -> bytes:
    path = os.path.join(os.path.dirname(gpudoctor.__file__), "agent", "inspect_target.py")
    with open(path, "rb") as file:
        return file.read()


def _environment(host: Host) -> dict[str, str]:
    """Without what changes how Python starts: PYTHON* and the variable by which macOS launchers name a venv.

    Of LD_LIBRARY_PATH what is there: the loader looks for each library in each folder, 0.1 s in the longest of them.
    """
    unwanted = ("PYTHON", "__PYVENV_LAUNCHER__", "LD_LIBRARY_PATH")
    env = {name: value for name, value in host.env.items() if not name.startswith(unwanted)}
    return {**env, "LD_LIBRARY_PATH": ":".join(host.library_path)} if host.library_path else env


def _classify(ran: Ran) -> tuple[FaultKind, str]:
    if ran.outcome == "not-started":
        return "not-executable", ran.describe()
    if ran.outcome in ("timed-out", "abandoned"):
        return "timed-out", ran.describe()
    if ran.truncated:  # whether it was stopped for that, or had just ended, is chance
        return "garbage", "printed too much and did not answer as Python does"
    if ran.outcome == "signalled":
        return "crashed", f"{ran.describe()} at start"
    said = _excerpt(ran.stderr) or _excerpt(ran.stdout)
    quoted = f' and said: "{said}"' if said else " and said nothing"
    if ran.code == 0:
        return "garbage", f"did not answer as Python does: it ended with exit code 0{quoted}"
    return "failed", f"did not start: it {ran.describe()}{quoted}"


def _excerpt(output: bytes) -> str:
    """The last line that says something, short and printable; Python puts the reason there."""
    lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    text = "".join(char if char.isprintable() else "?" for char in lines[-1].strip()) if lines else ""
    return text if len(text) <= 120 else f"{text[:117]}..."


def _fault(choice: Choice, kind: FaultKind, what: str) -> Fault:
    tried = (Source(kind="command", where=" ".join((choice.executable, *FLAGS))),)
    return Fault(kind=kind, reason=f"{choice.executable} {what}.", tried=tried)
