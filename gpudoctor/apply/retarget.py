"""Rewrites a command that names an environment to act on the copy being built instead."""

import os
from itertools import pairwise

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.fix import Ask, Run, SetEnv, Write

Step = Run | SetEnv | Write | Ask

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*(?:\.exe)?")
#: What an installer left behind under a name that no package has, and its own notes.
_LEFT = re.compile(r"/site-packages/(?:~[^/]*|[^/]+\.dist-info)$")
_INSTALLERS = frozenset({"uv", "conda", "mamba", "micromamba"})
_VERBS = frozenset({"pip", "install", "remove", "update", "create", "venv"})


def is_own(step: Step, names: tuple[str, ...]) -> bool:
    """Whether a step changes the user's own environment (known by `names`, its paths), and nothing else."""
    if isinstance(step, Write):
        return _is_in(step.path, names)
    if not isinstance(step, Run) or len(step.argv) < 2:
        return False
    program = re.sub(r"\.(exe|bat)$", "", os.path.basename(step.argv[0]))
    if step.argv[:2] == ("ln", "-sf"):
        # A relative link: it leads to the same place in the copy that is being built.
        return len(step.argv) == 4 and not os.path.isabs(step.argv[2]) and _is_in(step.argv[3], names)
    if step.argv[:2] == ("rm", "-r"):
        return len(step.argv) > 2 and all(_is_in(path, names) and _LEFT.search(path) for path in step.argv[2:])
    if program in _INSTALLERS:
        return step.argv[1] in _VERBS
    return bool(_PYTHON.fullmatch(program)) and _module(step.argv) in ("ensurepip", "pip", "venv")


def _module(argv: tuple[str, ...]) -> str | None:
    return next((after for word, after in pairwise(argv[:5]) if word == "-m"), None)


def rebased(step: Run, names: tuple[str, ...], tree: str) -> Run:
    """The same command, on `tree` in place of the environment; `names` are all ways in which its path may be given."""
    argv = tuple(_moved(word, names, tree) for word in step.argv)
    if _PYTHON.fullmatch(os.path.basename(argv[0])) and argv[1:2] == ("-m",):
        # -I: no file in the current folder is taken for pip.
        argv = (argv[0], "-I", *argv[1:])
    return Run(argv=argv, env=step.env)


def led(step: Run, folder: str, to: str) -> Run:
    """The same command, with everything that begins with the path `folder`, as it is written there, below `to`."""
    argv = tuple(to + word[len(folder) :] if _within(word, folder) else word for word in step.argv)
    return Run(argv=argv, env=step.env)


def names_of(environment: str, given: str | None = None) -> tuple[str, ...]:
    """The ways in which the path of an environment may be written, the longest first. A bare word is none."""
    ways = {way.rstrip(os.sep) for way in (environment, os.path.realpath(environment), given or "")}
    return tuple(sorted((way for way in ways if os.sep in way), key=len, reverse=True))


def _moved(word: str, names: tuple[str, ...], tree: str) -> str:
    for name in names:
        if _within(word, name):
            return tree + word[len(name) :]
        option, equals, value = word.partition("=")
        if equals and option.startswith("--") and _within(value, name):
            return f"{option}={tree}{value[len(name) :]}"
    return word


def _is_in(path: str, names: tuple[str, ...]) -> bool:
    return any(_within(path, name) for name in names) and ".." not in path.split(os.sep)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith((f"{folder}/", f"{folder}{os.sep}"))
