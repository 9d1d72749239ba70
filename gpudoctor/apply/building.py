"""Runs the install commands of a plan in the environment being built, each after a dry run."""

import os
import tempfile
from collections.abc import Callable, Mapping
from functools import partial

from msgspec.structs import replace

from gpudoctor.apply.disk_space import Announced, check, rooms, uv_links
from gpudoctor.apply.disk_usage import Growth
from gpudoctor.apply.distributions import installed
from gpudoctor.apply.downloads import cache_option
from gpudoctor.apply.dry_run import asked, is_compiled, is_install, is_pip, is_uv, tool_of, verify, with_files
from gpudoctor.apply.dry_run_answers import Answers
from gpudoctor.apply.dry_run_result import Archive, Sizer, Verification, measured
from gpudoctor.apply.events import Asked, Event, Output, Progress, Stepped, Verified
from gpudoctor.apply.installer import run, scrubbed
from gpudoctor.apply.installer_errors import unreachable
from gpudoctor.apply.pins import pinned
from gpudoctor.apply.preconditions import Refused, Unreachable
from gpudoctor.apply.retarget import Step, rebased
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.fix import Run, Write
from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.places import TENSORFLOWS

#: What pip says then.
COUNTED = re.compile(r"Progress (?P<done>\d+)(?: of (?P<of>\d+))?")


class Failed(RuntimeError):
    """A step did not succeed; the message says which and why."""


class CutOff(Failed):
    """The installer itself failed, and may have left half of what it was to write."""


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
        space: str | None = None,
        answers: Answers | None = None,
    ) -> None:
        """`names`: paths of the environment in the commands; `place`: where it is being built.

        `space`: where it would need space, if not there. `answers`: what installers said before.
        """
        self._names = names
        self._place = place
        self._detour = detour
        self._variables = variables
        self._say = say
        self._size_of = size_of
        self._keep_open = keep_open
        self._space = space or place
        self._answers = answers if answers is not None else Answers()
        #: What was verified, in the order in which it was.
        self.archives: tuple[Archive, ...] = ()

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
            asks = verify and is_install(moved.argv)
            later = asks and self._is_harmless(moved, step)
            found = self._ask(moved, step) if asks and not later else None
            self._say(Stepped(argv=scrubbed(step.argv), number=number, of=len(commands)))
            try:
                self._run(moved, step, found)
            except CutOff:
                if later:
                    # Where it cannot be installed at all, its dry run says so, and why.
                    self._ask(moved, step)
                raise

    def _is_harmless(self, moved: Run, step: Run) -> bool:
        """Nothing is there that it could break, and uv says itself how much it downloads: its dry run is half of it."""
        present = installed(self._place)
        return is_uv(moved.argv) and not present and self._answers.of(step.argv, present) is None

    def _run(self, moved: Run, step: Run, found: Verification | None) -> None:
        growth = Growth(self._place)
        cached = cache_option(self._variables) if is_pip(moved.argv) else ()
        with tempfile.TemporaryDirectory(prefix="gpudoctor-") as folder:
            command = (*pinned(moved.argv, found, folder), *cached)
            install = partial(
                run,
                env={**asking_once(found), **self._variables, **moved.env, **counting(found)},
                tick=lambda: self._say(Progress(written_mib=growth.mib())),
                keep_open=self._keep_open,
            )
            lines: list[str] = []
            if has_all(moved.argv, found) and install((*command, "--offline"), tell=lines.append).ok:
                for line in lines:
                    self._heard(line)
                return
            announced = Announced(self._space, self._variables) if found is None and is_uv(moved.argv) else None
            done = install(command, tell=lambda line: self._heard(line, announced))
        if not done.ok:
            if found is None and unreachable(done.lines):
                lost = Verification(by=asked(moved.argv), refused=done.why, unreachable=True, seconds=done.seconds)
                raise Unreachable(self._final(_refusal(lost)))
            how = "could not be started" if done.code is None else f"ended with exit code {done.code}"
            if done.code is not None and done.code < 0:
                how = f"was ended by signal {-done.code}"
            raise CutOff(f"{' '.join(scrubbed(step.argv))} {how}:\n{self._final(done.why)}")

    def _heard(self, line: str, announced: Announced | None = None) -> None:
        if announced is not None:
            announced.heard(line)
        counted = COUNTED.fullmatch(line)
        if counted is None:
            self._say(Output(text=self._final(line)))
        else:
            self._say(Progress(done_bytes=int(counted["done"]), of_bytes=int(counted["of"] or 0) or None))

    def ask(self, steps: tuple[Step, ...]) -> None:
        """Only ask what these commands would do. Raises Refused, NoRoom, OSError."""
        for step in steps:
            if isinstance(step, Run) and is_install((moved := rebased(step, self._names, self._place)).argv):
                if is_compiled(moved.argv):
                    self._say(Verified(by="nothing: it is compiled once the rest is there", installs=(), says=False))
                else:
                    self._ask(moved, step)

    def _answer(self, moved: Run, step: Run, variables: Mapping[str, str]) -> Verification:
        """What the installer says; what it said before, where nothing has changed since."""
        present = installed(self._place)
        known = self._answers.of(step.argv, present)
        if known is not None:
            return known
        found = verify(moved.argv, variables, self._keep_open, lambda: self._say(Progress()))
        self._answers.note(step.argv, present, found)
        return found

    def _ask(self, moved: Run, step: Run) -> Verification:
        self._say(Asked(by=asked(moved.argv)))
        variables = {**self._variables, **moved.env}
        found = self._answer(moved, step, variables)
        if found.refused is not None:
            kind = Unreachable if found.unreachable else Refused
            raise kind(self._final(_refusal(found)))
        both = sorted({*_named(found), *(one.name for one in installed(self._place))} & set(TENSORFLOWS))
        if len(both) > 1 and set(both) & set(_named(found)):
            raise Refused(
                f"{' and '.join(both)} would be installed over each other: they own the same files. Something that is "
                "asked for requires one of them by its name: ask for that one, or install what requires it without its "
                "dependencies (--no-deps)."
            )
        takes_none = is_uv(moved.argv) and found.to_download == 0 and uv_links(self._space, variables)
        if not takes_none:
            found = measured(with_files(found, moved.argv, variables), self._size_of)
        self._say(
            Verified(
                by=found.by,
                installs=found.installs,
                says=found.says,
                download_bytes=found.download_bytes,
                known_bytes=found.known_bytes,
                unknown_sizes=found.unknown_sizes,
                to_download=found.to_download,
                took=round(found.seconds, 3),
            )
        )
        self.archives += found.archives or ()
        if found.installs and not takes_none:
            download = found.to_download != 0
            spaces = rooms(
                self._space, found.archives or (), by=tool_of(moved.argv), download=download, variables=variables
            )
            spaces = tuple(replace(room, path=self._final(room.path)) for room in spaces)
            for room in spaces:
                self._say(room)
            check(spaces)
        return found

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


def _named(found: Verification) -> list[str]:
    return [re.split("[ =@]", text)[0].lower() for text in found.installs]


def _refusal(found: Verification) -> str:
    if found.unreachable:
        return (
            f"{found.refused}\nIt was tried for {found.seconds:.0f} s. Look at the network, the proxy and the address; "
            "another one is named with --index-url or --torch-index."
        )
    return f"{found.by} says that it cannot be installed:\n{found.refused}"


def counting(found: Verification | None) -> dict[str, str]:
    """Makes pip count the bytes of a download also where it writes to a pipe (where pip can)."""
    release = re.match(r"(\d+)\.(\d+)", (found and found.release) or "")
    counts = release is not None and (int(release[1]), int(release[2])) >= numbers_of("pip-progress-raw")
    return {"PIP_PROGRESS_BAR": "raw"} if counts else {}


def asking_once(found: Verification | None) -> dict[str, str]:
    """An index that did not answer while all was found elsewhere is not waited for again at each package."""
    return {"PIP_RETRIES": "0"} if found is not None and found.without_index else {}


def has_all(argv: tuple[str, ...], found: Verification | None) -> bool:
    """All that uv would install is in its cache: what it asked the index a moment ago it need not ask again."""
    if found is None or not is_uv(argv) or found.to_download != 0:
        return False
    return all("==" in text and " " not in text for text in found.installs)


def interpreter_of(environment: str) -> str:
    """The interpreter in the folder of an environment."""
    windows = (os.path.join("Scripts", "python.exe"), "python.exe")
    usual = os.path.join("bin", "python")
    places = (os.path.join(environment, name) for name in windows)
    return next(filter(os.path.exists, places), os.path.join(environment, usual))
