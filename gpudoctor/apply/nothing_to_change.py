"""Whether an install would change nothing, so that no copy of the environment is built."""

import os
from collections.abc import Callable, Mapping

from gpudoctor.apply.distributions import installed
from gpudoctor.apply.dry_run import is_conda, is_install, verify
from gpudoctor.apply.dry_run_answers import Answers
from gpudoctor.apply.dry_run_result import Verification
from gpudoctor.apply.retarget import Step
from gpudoctor.facts.fix import Run
from gpudoctor.sources.package_names import normalise

#: Options that install what is there already.
_ANEW = frozenset({"--force-reinstall", "--reinstall", "--ignore-installed", "-I", "-r", "-e"})


def is_needless(
    environment: str, steps: tuple[Step, ...], variables: Mapping[str, str], tick: Callable[[], None], answers: Answers
) -> bool:
    """Whether all that the steps ask for is there, as the installer itself says, too. It is asked only then."""
    commands = [step for step in steps if isinstance(step, Run) and not _is_linked(step.argv)]
    others = any(not isinstance(step, Run) for step in steps)
    if not commands or others or not all(_is_there(step.argv, environment) for step in commands):
        return False
    present = installed(environment)

    def said(step: Run) -> Verification:
        found = answers.of(step.argv, present)
        if found is None:
            found = verify(step.argv, {**variables, **step.env}, (), tick)
            answers.note(step.argv, present, found)
        return found

    return all(one.refused is None and one.says and not one.installs for one in map(said, commands))


def _is_linked(argv: tuple[str, ...]) -> bool:
    """Whether it makes a link that is there."""
    return argv[:2] == ("ln", "-sf") and os.path.islink(argv[3]) and os.readlink(argv[3]) == argv[2]


def _is_there(argv: tuple[str, ...], environment: str) -> bool:
    """Whether the requirements that a command names are met by what is installed; False where it names other things."""
    # Imported here: only a change reads requirements.
    from packaging.requirements import InvalidRequirement, Requirement

    if not is_install(argv) or is_conda(argv) or _ANEW & {word.partition("=")[0] for word in argv}:
        return False
    versions = {one.name: one.version for one in installed(environment)}
    met = 0
    for word in argv[argv.index("install") + 1 :]:
        try:
            wanted = Requirement(word)
        except InvalidRequirement:  # an option, or a path
            continue
        version = versions.get(normalise(wanted.name))
        if wanted.url is None and version is not None and wanted.specifier.contains(version, prereleases=True):
            met += 1
        elif wanted.specifier or wanted.extras:
            return False
    return met > 0
