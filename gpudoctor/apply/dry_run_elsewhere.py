"""Dry runs in a throw-away environment, for one that does not exist yet or is on another machine.

What is missing is made in a temporary folder, with the command that would make it; for another machine uv is asked,
which resolves for any Python and platform.
"""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from gpudoctor.apply.distributions import installed
from gpudoctor.apply.dry_run import is_compiled, is_uv, verify
from gpudoctor.apply.dry_run_answers import Answers
from gpudoctor.apply.dry_run_result import Verification
from gpudoctor.apply.installer import run
from gpudoctor.apply.retarget import led
from gpudoctor.facts.fix import Run
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.places import new_folder

#: A platform as `uv pip install --python-platform` names it; {} is the C library of a Linux.
_UV_PLATFORMS = {
    "linux-x86_64": "x86_64-manylinux_{}",
    "linux-aarch64": "aarch64-manylinux_{}",
    "windows-x86_64": "x86_64-pc-windows-msvc",
    "macos-arm64": "aarch64-apple-darwin",
    "macos-x86_64": "x86_64-apple-darwin",
}
#: Options of pip that uv has too, but where they stand behind its own settings.
_OF_UV = {"--index-url": "--default-index", "--extra-index-url": "--index"}
#: The C libraries that uv knows there.
_GLIBCS = tuple(LibraryVersion(f"2.{minor}") for minor in (17, 28, *range(31, 41)))
#: What is taken where that of the machine is not known: the newest that wheels of frameworks ask for.
_USUAL = LibraryVersion("2.28")
#: Newer than every macOS: one whose release is not known is refused no wheel for it.
_ANY_MACOS = LibraryVersion("99.0")


class NotAsked(RuntimeError):
    """The installer could not be asked; the message says why."""


class Asking:
    """A folder for environments that are made only to be asked about. `tick` is called about once a second.

    `answers`: where to keep what was said.
    """

    def __init__(
        self,
        folder: str,
        variables: Mapping[str, str],
        tick: Callable[[], None] = lambda: None,
        answers: Answers | None = None,
    ) -> None:
        self._folder = folder
        self._variables = variables
        self._tick = tick
        self._answers = answers
        self._made: dict[str, str] = {}

    def ask(self, step: Run, makes: Sequence[Run] = (), *, anew: bool = False) -> Verification:
        """What `step` would install. `makes`: the commands that make its environment where that is not there.

        `anew`: make it whatever is there. Raises NotAsked.
        """
        _refuse_compiled(step.argv)
        moved = self._moved(step, makes) if anew or not _is_there(step.argv) else step
        found = verify(moved.argv, {**self._variables, **moved.env}, (), self._tick)
        if self._answers is not None:
            self._answers.note(step.argv, installed(_environment_of(moved.argv)), found)
        return found

    def ask_uv_for(self, words: tuple[str, ...], python: str | None, machine: Machine) -> Verification:
        """What the requirements and options `words` would install for a Python on a machine. Raises NotAsked."""
        _refuse_compiled(words)
        platform = _UV_PLATFORMS.get(machine.platform or "")
        if shutil.which("uv") is None or python is None or platform is None or machine.libc == "musl":
            raise NotAsked("another machine can be asked about with uv only, where its Python and platform are known")
        libc = max((one for one in _GLIBCS if one <= (machine.libc_version or _USUAL)), default=_GLIBCS[0])
        there = platform.format(f"{libc.major}_{libc.minor}")
        target = ("--target", os.path.join(self._folder, "empty"))
        machine_words = ("--python-version", python, "--python-platform", there)
        strategy = () if "--index-strategy" in words else ("--index-strategy", "unsafe-best-match")
        argv = ("uv", "pip", "install", *target, *machine_words, *(_OF_UV.get(one, one) for one in words), *strategy)
        variables, release = self._variables, machine.macos or _ANY_MACOS
        if machine.os == "macos":
            # uv takes it for the release that is meant (https://docs.astral.sh/uv/reference/cli/, --python-platform).
            variables = {**variables, "MACOSX_DEPLOYMENT_TARGET": f"{release.major}.{release.minor}"}
        found = verify(argv, variables, (), self._tick)
        is_any_macos = machine.os == "macos" and machine.macos is None
        by = f"{found.by} for Python {python} on {'a new enough ' if is_any_macos else ''}{machine.platform}"
        return replace(found, by=by)

    def _moved(self, step: Run, makes: Sequence[Run]) -> Run:
        """The step, led to an environment that is made as one of `makes` would make it."""
        for make in makes:
            folder = new_folder((make,))
            if folder is not None and led(step, folder, os.devnull) != step:
                return led(step, folder, self._make(make, folder))
        raise NotAsked("its environment is not there")

    def _make(self, make: Run, folder: str) -> str:
        if folder not in self._made:
            to = os.path.join(self._folder, f"env{len(self._made)}")
            done = run((*make.argv[:-1], to), env=self._variables, tell=lambda _: None, tick=self._tick)
            if not done.ok:
                raise NotAsked(f"its environment cannot be made here: {done.why}")
            self._made[folder] = to
        return self._made[folder]


def _is_there(argv: tuple[str, ...]) -> bool:
    """Whether the installer and the interpreter it installs for can be started."""
    return shutil.which(argv[0]) is not None and shutil.which(_python_of(argv)) is not None


def _python_of(argv: tuple[str, ...]) -> str:
    return argv[argv.index("--python") + 1] if is_uv(argv) and "--python" in argv[:-1] else argv[0]


def _environment_of(argv: tuple[str, ...]) -> str:
    python = _python_of(argv)
    return os.path.dirname(os.path.dirname(os.path.abspath(shutil.which(python) or python)))


def _refuse_compiled(words: tuple[str, ...]) -> None:
    """Raises NotAsked for what is compiled against packages that a command before it installs."""
    if is_compiled(words):
        raise NotAsked("it is compiled against what the commands before it install")
