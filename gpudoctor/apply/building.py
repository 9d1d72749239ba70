"""The environment that is being built: commands are run in it, asked first what they would do."""

import os
import shutil
from collections.abc import Callable, Mapping

from gpudoctor.apply.distributions import installed
from gpudoctor.apply.events import Event, Output, Progress, Stepped, Verified
from gpudoctor.apply.installer import run, scrubbed
from gpudoctor.apply.rebase import Step, rebased
from gpudoctor.apply.refuse import Refused
from gpudoctor.apply.room import check, rooms
from gpudoctor.apply.verify import Sizer, is_install, verify
from gpudoctor.model.fix import Run, Write


class Failed(RuntimeError):
    """A step did not succeed; the message says which and why."""


class Building:
    """The place in which commands act."""

    def __init__(
        self,
        *,
        names: tuple[str, ...],
        place: str,
        detour: str,
        variables: Mapping[str, str],
        say: Callable[[Event], None],
        size_of: Sizer,
        keep_open: tuple[int, ...],
    ) -> None:
        """`names`: paths of the environment in the commands; `place`: where it is being built."""
        self._names = names
        self._place = place
        self._detour = detour
        self._variables = variables
        self._say = say
        self._size_of = size_of
        self._keep_open = keep_open

    @property
    def python(self) -> str:
        """Its interpreter."""
        return interpreter_of(self._place)

    def run(self, steps: tuple[Step, ...], *, verify: bool) -> None:
        """Run the commands, write the files. Raises Failed, Refused, NoRoom, OSError."""
        commands = [step for step in steps if isinstance(step, Run | Write)]
        for number, step in enumerate(commands, 1):
            if isinstance(step, Write):
                self._write(step)
                continue
            moved = rebased(step, self._names, self._place)
            if verify and is_install(moved.argv):
                self._ask(moved)
            self._say(Stepped(argv=scrubbed(step.argv), number=number, of=len(commands)))
            self._run(moved, step)

    def _run(self, moved: Run, step: Run) -> None:
        free = shutil.disk_usage(os.path.dirname(self._place)).free

        def tick() -> None:
            less = free - shutil.disk_usage(os.path.dirname(self._place)).free
            self._say(Progress(written_mib=max(0, less >> 20)))

        done = run(
            moved.argv,
            env={**self._variables, **moved.env},
            tell=lambda line: self._say(Output(text=self._final(line))),
            tick=tick,
            keep_open=self._keep_open,
        )
        if not done.ok:
            how = "could not be started" if done.code is None else f"ended with exit code {done.code}"
            if done.code is not None and done.code < 0:
                how = f"was ended by signal {-done.code}"
            raise Failed(f"{' '.join(scrubbed(step.argv))} {how}:\n{self._final(done.why)}")

    def ask(self, steps: tuple[Step, ...]) -> None:
        """Only ask what these commands would do. Raises Refused, NoRoom, OSError."""
        for step in steps:
            if isinstance(step, Run) and is_install((moved := rebased(step, self._names, self._place)).argv):
                self._ask(moved)

    def _ask(self, moved: Run) -> None:
        found = verify(moved.argv, {**self._variables, **moved.env}, self._size_of, self._keep_open)
        if found.refused is not None:
            raise Refused(f"{found.by} says that it cannot be installed:\n{self._final(found.refused)}")
        self._say(Verified(by=found.by, installs=found.installs, download_bytes=found.download_bytes))
        if found.download_bytes:
            for room in (spaces := tuple(rooms(self._place, found.download_bytes))):
                self._say(room)
            check(spaces)

    def _write(self, step: Write) -> None:
        moved = rebased(Run(argv=("write", step.path)), self._names, self._place).argv[1]
        os.makedirs(os.path.dirname(moved), exist_ok=True)
        with open(f"{moved}.gpudoctor", "w", encoding="utf-8") as stream:
            stream.write(step.text)
        os.replace(f"{moved}.gpudoctor", moved)

    def expect(self, wanted: tuple[str, ...]) -> None:
        """Raises Failed unless these distributions are there."""
        present = {one.name for one in installed(self._place)}
        missing = [name for name in wanted if name not in present]
        if missing:
            raise Failed(
                f"the installer reported success, and {', '.join(missing)} is not in the environment; a setting of it "
                "may lead packages elsewhere (target, prefix, user)"
            )

    def starts(self, environment: str) -> None:
        """Raises Failed unless the interpreter of the finished environment starts and knows where it is."""
        lines: list[str] = []
        argv = (interpreter_of(environment), "-I", "-c", "import sys; print(sys.prefix)")
        done = run(argv, env=self._variables, tell=lines.append)
        here = lines and os.path.realpath(lines[-1]) == os.path.realpath(environment)
        if not done.ok or not here:
            raise Failed(f"the interpreter in {environment} does not start where it was put: {done.why}")

    def _final(self, text: str) -> str:
        return text.replace(self._detour, "")


def interpreter_of(environment: str) -> str:
    """The interpreter in the folder of an environment."""
    windows = (os.path.join("Scripts", "python.exe"), "python.exe")
    usual = os.path.join("bin", "python")
    places = (os.path.join(environment, name) for name in windows)
    return next(filter(os.path.exists, places), os.path.join(environment, usual))
