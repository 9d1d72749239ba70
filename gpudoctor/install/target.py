"""Which environment to install into, what manages it, and which are never touched."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping

import msgspec

from gpudoctor.apply.dry_run_answers import Answers
from gpudoctor.apply.installer import program_of
from gpudoctor.apply.pip_files import may_set
from gpudoctor.apply.preconditions import Refused, check_empty, check_folder, check_target
from gpudoctor.errors import CannotExamine, Misused, NothingChanged
from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.plan import Manager, Place
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.index.settings import PIP_TIMEOUT_S, parse_pip_config, parse_pip_environment
from gpudoctor.plan.places import CHANNEL, CONDAS
from gpudoctor.plan.places import conda as conda_command
from gpudoctor.plan.this_machine import place_here, scene_of
from gpudoctor.probes.target.choice import python_of_environment

#: Settings of pip by which it finds packages where uv would not look.
_OWN_INDEX = ("index-url", "extra-index-url", "find-links", "no-index")


class Site(Fact, frozen=True, kw_only=True):
    """The place, the machine, and what was asked for."""

    place: Place
    snapshot: Snapshot
    #: conda's base was named by the user.
    is_base: bool = False
    #: What installers said already.
    answers: Answers = msgspec.field(default_factory=Answers)
    #: What installers are started with.
    variables: Mapping[str, str] = msgspec.field(default_factory=lambda: dict(os.environ))

    @property
    def target(self) -> Interpreter:
        """The interpreter of the environment; of a new one, that which makes it."""
        assert isinstance(self.snapshot.interpreter, Interpreter)
        return self.snapshot.interpreter


def site_of(
    *, venv: str | None, python: str | None, conda: str | None, manager: Manager | None, index_url: str | None
) -> Site:
    """The place that is meant. Raises Failure."""
    folder = conda_folder(conda, manager) if conda is not None else None
    existing = folder is not None and os.path.isdir(os.path.join(folder, "conda-meta"))
    if existing and folder is not None:
        python, conda = folder, None
        _check_python(folder)
    from gpudoctor.examine.look import begin_to_examine

    snapshot = begin_to_examine(_named_python(python))()
    target = snapshot.interpreter
    if isinstance(target, Gap):
        raise CannotExamine(f"the interpreter could not be examined: {target.reason}")
    assert isinstance(target, Interpreter)
    if venv is None and conda is None and python is None and target.environment not in ("venv", "conda"):
        # No environment is active: packages belong into one of their own.
        venv = "gpu-env"
    if venv is not None:
        venv = os.path.abspath(venv)
    tool = manager if conda is not None else _pip_like(manager, target, index_url, into=venv is None)
    place = place_here(scene_of(snapshot), manager=tool, venv=venv, conda=folder if conda is not None else None)
    if python is not None and venv is None and place.is_new:
        # The planner would make a new environment; who names an interpreter means that one.
        place = Place(python=target.executable, version=_minor(target))
    site = Site(place=place, snapshot=snapshot, is_base=existing and target.environment == "conda-base")
    try:
        if not place.is_new:
            check_target(target, conda_base=site.is_base)
        elif (new := place.venv or place.conda) is not None:
            check_folder(new, exists=False)
            if place.conda is not None:
                check_empty(place.conda)
    except Refused as error:
        raise NothingChanged(f"{error} Nothing was changed.") from None
    return site


def _check_python(environment: str) -> None:
    """Raises NothingChanged where an environment of conda holds other things only, as one for compilers may."""
    from gpudoctor.host.real import RealHost

    if python_of_environment(RealHost(), environment) is None:
        typed = shlex.join(("conda", "install", "--prefix", environment, "--channel", CHANNEL, "python", "pip"))
        raise NothingChanged(f"{environment} is of conda, and has no Python. Add one: {typed}. Nothing was changed.")


def _named_python(python: str | None) -> str | None:
    """The interpreter that is meant by --python: 3.12 is python3.12 on PATH. Raises Misused."""
    if python is None or os.path.exists(python) or not re.fullmatch(r"3\.\d{1,2}", python):
        return python
    if shutil.which(f"python{python}") is None:
        raise Misused(f"--python {python}: there is no python{python} on PATH. Name its path.")
    return f"python{python}"


def _minor(target: Interpreter) -> str | None:
    return ".".join(target.version.split(".")[:2]) if target.version else None


def _pip_like(manager: Manager | None, target: Interpreter, index_url: str | None, *, into: bool) -> Manager | None:
    """Prefer uv where there is one: its dry run takes half a second. But pip where only pip knows the user's index.

    `into`: it is installed into the target's own environment. Raises Failure.
    """
    has_uv = shutil.which("uv") is not None
    by_conda = target.environment in ("conda", "conda-base")
    without_pip = into and (by_conda or target.environment == "venv") and target.pip_version is None
    if manager == "uv" and not has_uv:
        raise Misused("--manager uv: there is no uv on PATH.")
    if without_pip and (manager == "pip" or not has_uv):
        own = conda_command(target, "install", "pip").argv
        typed = shlex.join(own if by_conda else (target.executable, "-m", "ensurepip"))
        uv = ", or leave --manager out: uv is here" if has_uv else ""
        raise NothingChanged(f"{target.executable} has no pip. Install it: {typed}{uv}. Nothing was changed.")
    if manager is not None or not has_uv:
        return manager
    if without_pip:
        return "uv"
    if by_conda:
        return "pip"
    return "uv" if index_url is not None or uv_knows() or not pip_knows(target) else "pip"


def uv_knows() -> bool:
    """Whether uv was told of an index."""
    return any(os.environ.get(name) for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_FIND_LINKS"))


def pip_knows(target: Interpreter) -> bool:
    """Whether pip was told of an index, by its files or variables."""
    from gpudoctor.host.real import RealHost

    host = RealHost()
    if sys.platform != "win32" and not any(may_set(name, host.env, target.prefix, sys.prefix) for name in _OWN_INDEX):
        return False
    for python in (target.executable, sys.executable):
        ran = host.run((python, "-I", "-m", "pip", "config", "list"), timeout=PIP_TIMEOUT_S)
        if ran.ok:
            return any(parse_pip_config(ran.text).get(name) for name in _OWN_INDEX)
    return any(parse_pip_environment(host.env).get(name) for name in _OWN_INDEX)


def conda_folder(name: str, manager: Manager | None) -> str:
    """The folder of a conda environment, there or not. Raises Failure."""
    if os.sep in name:
        return os.path.abspath(name)
    tools = (manager,) if manager is not None else CONDAS
    found = next((path for one in tools if (path := program_of(one, os.environ)) is not None), None)
    if found is None:
        raise Misused(f"--conda: there is no {' or '.join(tools)} on PATH.")
    from gpudoctor.host.real import RealHost

    ran = RealHost().run((found, "info", "--json"), timeout=PIP_TIMEOUT_S)
    try:
        told = decode_json(ran.stdout, type=dict[str, object])
        # micromamba writes them with spaces.
        root = told.get("root_prefix") or told.get("base environment")
        folders = told.get("envs_dirs") or told.get("envs directories")
        assert isinstance(folders, list)
    except (msgspec.MsgspecError, AssertionError):
        raise CannotExamine(f"{found} info --json {ran.describe()}, and names no folder for environments") from None
    if name == "base" and root:
        return str(root)
    places = [os.path.join(str(folder), name) for folder in folders]
    return next((place for place in places if os.path.isdir(place)), places[0] if places else name)
