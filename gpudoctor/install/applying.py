"""Carries out an install plan for one environment, proves it with a training, and reports how it ended."""

import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress

from gpudoctor.apply.building import Building, Failed
from gpudoctor.apply.carry_out import Work, carry_out
from gpudoctor.apply.disk_space import NoRoom
from gpudoctor.apply.dry_run_result import Sizer
from gpudoctor.apply.events import EXIT_CODES, Event, Finished, Stepped, Verified
from gpudoctor.apply.installer import environment_for
from gpudoctor.apply.preconditions import Refused, Unreachable, check_empty, check_new, check_target
from gpudoctor.apply.retarget import names_of
from gpudoctor.apply.sizes import sizer
from gpudoctor.facts.plan import InstallPlan
from gpudoctor.facts.python import Interpreter
from gpudoctor.install.reporters import JsonLines, ending
from gpudoctor.install.smoke_proof import Proving
from gpudoctor.install.target import Site
from gpudoctor.knowledge.frameworks import that_run
from gpudoctor.report.output import write_text
from gpudoctor.sources.package_names import normalise

Tell = Callable[[Event], None]


def install(
    plan: InstallPlan, site: Site, tell: Tell, *, replace: bool, verify: bool, quiet: bool, is_last: bool = True
) -> Finished:
    """Carry a plan out for one environment, prove it, and tell how it ended.

    `is_last` False: there is another way where an index does not answer, so that this is not told as the end.
    """
    tell = tell if is_last else but_unreachable(tell)
    try:
        work = _work(plan, site, replace=replace, verify=verify)
    except Refused as error:
        end = Finished(outcome="refused", exit_code=EXIT_CODES["refused"], reason=str(error))
        tell(end)
        environment = plan.place.interpreter
    else:
        before = plan.place.python if work.kind == "changed" else None
        wanted = tuple(one.framework for one in plan.choices if one.framework in that_run("smoke"))
        end = carry_out(work, Proving(wanted=wanted, before=before, quiet=quiet), tell, file_sizes(site.target))
        environment = work.environment
    if not quiet and (is_last or not end.unreachable):
        write_text(ending(end, environment))
    return end


def but_unreachable(tell: Tell) -> Tell:
    """Tells everything but an end for want of an index: there is another way."""
    return lambda event: None if isinstance(event, Finished) and event.unreachable else tell(event)


def _work(plan: InstallPlan, site: Site, *, replace: bool, verify: bool) -> Work:
    """Raises Refused."""
    place = plan.place
    wanted = distributions_of(plan.requirements)
    asked = {
        "make": plan.make,
        "steps": (*plan.remove, *plan.install),
        "wanted": wanted,
        "verify": verify,
        "variables": site.variables,
        "answers": site.answers,
    }
    if place.venv is not None:
        folder = real_folder(place.venv)
        check_new(folder, replace=replace)
        kind = "replaced" if os.path.lexists(folder) else "new"
        return Work(environment=folder, given=place.venv, kind=kind, **asked)  # type: ignore[arg-type]
    if place.conda is not None:
        folder = os.path.abspath(place.conda)
        check_empty(folder)
        return Work(environment=folder, kind="new", way="in-place", **asked)  # type: ignore[arg-type]
    return Work(**of_target(site.target, conda_base=site.is_base), **asked)  # type: ignore[arg-type]


def folder_of(plan: InstallPlan, site: Site) -> str | None:
    """The folder of the environment that a plan is for, there or not."""
    named = plan.place.venv or plan.place.conda
    return real_folder(named) if named is not None else site.target.prefix


def distributions_of(requirements: tuple[str, ...]) -> tuple[str, ...]:
    """The names of the distributions that are asked for, as far as they are named: tensorflow-cpu for tensorflow."""
    # Imported here: only an installation reads requirements.
    from packaging.requirements import InvalidRequirement, Requirement

    names = []
    for text in requirements:
        with suppress(InvalidRequirement):
            names.append(normalise(Requirement(text).name))
    return tuple(dict.fromkeys(names))


def of_target(target: Interpreter, *, conda_base: bool = False) -> dict[str, object]:
    """What a Work says of the environment that an interpreter belongs to. Raises Refused."""
    folder = check_target(target, conda_base=conda_base)
    # An environment of conda holds its own path in binaries: it cannot be built elsewhere and moved.
    way = "in-place" if target.environment in ("conda", "conda-base") else "beside"
    return {"environment": real_folder(folder), "given": folder, "kind": "changed", "way": way}


def real_folder(path: str) -> str:
    """The absolute path of an environment's folder; where it is a link, of what it leads to."""
    return os.path.realpath(path) if os.path.islink(path) else os.path.abspath(path)


def file_sizes(target: Interpreter) -> Sizer:
    """Asks the index with the certificates and the proxy that pip is set up for."""
    from gpudoctor.host.real import RealHost
    from gpudoctor.index.settings import read_connection

    return sizer(lambda: read_connection(RealHost(), (target.executable, sys.executable)))


def try_out(plan: InstallPlan, site: Site, tell: Tell, *, must: bool, is_last: bool = True) -> Finished:
    """Let the installer say what it would do, in an empty environment in the temporary folder.

    `must` False: before anyone is asked; then what makes that environment need not be told. One of conda is not made:
    conda says what it would do. `is_last` as above.
    """
    agreed = Finished(outcome="dry-run", exit_code=EXIT_CODES["dry-run"])
    by_conda = plan.place.conda is not None
    new = plan.place.venv or plan.place.conda
    with tempfile.TemporaryDirectory(prefix="gpudoctor-") as folder:
        building = Building(
            names=names_of(real_folder(new), new) if new is not None else (),
            place=os.path.join(folder, "env") if new is not None else (site.target.prefix or ""),
            detour="",
            variables=environment_for(site.variables),
            say=tell if must else lambda event: None if isinstance(event, Stepped) else tell(event),
            size_of=file_sizes(site.target),
            keep_open=(),
            space=real_folder(new) if new is not None else None,
            answers=site.answers,
        )
        try:
            if by_conda:
                building.ask(plan.make)
                tell(Verified(by="nothing yet: pip is asked once the environment is there", installs=(), says=False))
            else:
                building.run(plan.make, verify=False)
                building.ask(plan.install)
        except (Refused, NoRoom, Failed, OSError) as error:
            lost = isinstance(error, Unreachable)
            end = Finished(outcome="refused", exit_code=EXIT_CODES["refused"], reason=str(error), unreachable=lost)
            return end if lost and not is_last else _refused(end, tell)
    if must:
        tell(agreed)
    return agreed


def _refused(end: Finished, tell: Tell) -> Finished:
    tell(end)
    if not isinstance(tell, JsonLines):
        write_text(ending(end, ""))
    return end
