"""Where a fix installs: into the examined environment with its own tool, or into a new one; and the commands."""

from collections.abc import Iterable

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import Driver
from gpudoctor.facts.fix import Ask, Run, Safety, SetEnv, Write, run
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.plan import Manager
from gpudoctor.facts.python import Interpreter, Packages
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.frameworks import packages_of
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.indexes import index_options
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.system_packages import install_command
from gpudoctor.sources.package_names import normalise

Steps = tuple[Run | SetEnv | Write | Ask, ...]

#: Distributions of TensorFlow that own the same files.
TENSORFLOWS = packages_of("tensorflow")
#: Packages that most environments with torch have.
USUAL = ("torchvision", "torchaudio")
#: Folder of a new environment, below the current directory.
NEW_ENVIRONMENT = "gpu-env"
#: Tools that own an environment through a project file; what is changed behind their back is undone at the next sync.
PROJECT_TOOLS = {"poetry": "poetry lock", "pixi": "pixi install", "pdm": "pdm lock", "pipenv": "pipenv lock"}

#: conda, and the programs with the same commands, in the order in which they are taken.
CONDAS: tuple[Manager, ...] = ("conda", "mamba", "micromamba")
#: Where they take packages from: micromamba has no channel of its own (mamba.readthedocs.io).
CHANNEL = "conda-forge"

_MACHINES = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}


def machine_of(scene: Scene, matrix: Matrix) -> Machine | None:
    """What a build must fit on this machine; None where its platform or its GPUs were not seen."""
    platform = wheel_platform(scene.host)
    capabilities = tuple(c for gpu in nvidia_gpus(scene) if (c := matrix.capability(gpu)) is not None)
    if platform is None or not capabilities:
        return None
    driver = scene.driver.release if isinstance(scene.driver, Driver) else None
    host = scene.host if isinstance(scene.host, System) else System()
    return Machine(
        driver=driver,
        capabilities=capabilities,
        python=scene.python_minor,
        platform=platform,
        libc=host.libc,
        libc_version=LibraryVersion.parse(host.libc_version),
    )


def nvidia_gpus(scene: Scene) -> tuple[Gpu, ...]:
    """The NVIDIA GPUs, where they were seen."""
    return scene.gpus.nvidia if isinstance(scene.gpus, Gpus) else ()


def wheel_platform(host: System | Gap | None) -> str | None:
    """The platform as the matrix writes it: linux-x86_64, windows-x86_64, macos-arm64."""
    if not isinstance(host, System) or host.os not in ("linux", "windows", "macos") or host.arch is None:
        return None
    machine = _MACHINES.get(host.arch.lower(), host.arch.lower())
    if host.os == "macos" and machine == "aarch64":
        machine = "arm64"
    return f"{host.os}-{machine}"


def conda_prefix(interpreter: Interpreter | Gap | None) -> str | None:
    """The folder of the conda environment, where the target is in one."""
    if not isinstance(interpreter, Interpreter) or interpreter.environment not in ("conda", "conda-base"):
        return None
    return interpreter.prefix


def conda_tool(managers: Iterable[str]) -> Manager:
    """Who is asked for conda's packages: conda itself, else what has the same commands."""
    there = frozenset(managers)
    return next((name for name in CONDAS if name in there), "conda")


def conda(interpreter: Interpreter | Gap | None, verb: str, *words: str) -> Run:
    """A command for the packages of the target's conda environment, from conda-forge where it installs."""
    tool = conda_tool(interpreter.managers if isinstance(interpreter, Interpreter) else ())
    prefix = conda_prefix(interpreter)
    where = ("--prefix", prefix) if prefix is not None and verb != "create" else ()
    source = () if verb == "remove" else ("--channel", CHANNEL)
    return run(tool, verb, *where, *source, *words)


def install(scene: Scene, *requirements: str, index: str | None = None, options: tuple[str, ...] = ()) -> Steps:
    """Install into the target's environment, or into a new one where the target's is shared."""
    if scene.is_shared:
        return separately(scene, *requirements, index=index)
    tool: Manager = "uv" if _is_uv(scene) else "pip"
    found = index_options(tool, index, (), first=True)
    step = _pip(scene, "install", *options, *requirements, *found)
    return (*pip_anew(scene), *without_records(scene, requirements), step, *_project_note(scene))


def pip_anew(scene: Scene) -> Steps:
    """Where pip is missing or a part of it is, and uv is not at hand: the pip that Python brings with it.

    https://docs.python.org/3/library/ensurepip.html; with the metadata of the damaged one there it would do nothing.
    """
    if not _lacks_pip(scene) or _is_uv(scene):
        return ()
    package = scene.find("pip")
    left = package is not None and package.location is not None and scene.os in ("linux", "macos")
    folder = f"{package.location}/pip-{package.version}.dist-info" if left and package is not None else None
    gone = (run("rm", "-r", folder),) if folder is not None else ()
    return (*gone, run(scene.python, "-m", "ensurepip"))


def without_records(scene: Scene, requirements: Iterable[str]) -> Steps:
    """Delete the metadata of what is to be installed where its RECORD is no good: pip could not take it away.

    pip ends with "uninstall-no-record-file" or UnicodeDecodeError.
    """
    if not isinstance(scene.packages, Packages) or scene.os not in ("linux", "macos"):
        return ()
    names = {normalise(re.split(r"[^\w.-]", text.strip(), maxsplit=1)[0]) for text in requirements}
    folders = (match for one in scene.packages.broken if (match := _RECORD.fullmatch(one.path)))
    gone = tuple(match["folder"] for match in folders if normalise(match["name"]) in names)
    return (run("rm", "-r", *gone),) if gone else ()


#: The RECORD in a metadata folder: …/numpy-2.4.6.dist-info/RECORD
_RECORD = re.compile(r"(?P<folder>(?:.*/)?(?P<name>[^/~][^/]*?)-[^-/]+\.dist-info)/RECORD")


def uninstall(scene: Scene, *names: str) -> Steps:
    """Remove from the target's environment; nothing where that is shared, as the fix makes a new one."""
    if scene.is_shared or not names:
        return ()
    return (*pip_anew(scene), _pip(scene, "uninstall", *(() if _is_uv(scene) else ("--yes",)), *names))


def replace(scene: Scene, names: tuple[str, ...], *requirements: str, index: str | None = None) -> Steps:
    """Remove some distributions, then install others: a build with another local tag counts as "already there"."""
    present = tuple(name for name in names if scene.find(name) is not None or not isinstance(scene.packages, Packages))
    return once((*uninstall(scene, *present), *install(scene, *requirements, index=index)))


def once(steps: Steps) -> Steps:
    """The steps, without what an earlier one of them has already done: the same command a second time."""
    return tuple(step for number, step in enumerate(steps) if step not in steps[:number])


def separately(scene: Scene, *requirements: str, index: str | None = None, folder: str = NEW_ENVIRONMENT) -> Steps:
    """Make a new virtual environment with the target's interpreter and install there."""
    python = rf"{folder}\Scripts\python.exe" if scene.os == "windows" else f"{folder}/bin/python"
    make = run(scene.python, "-m", "venv", folder)
    return (
        *_venv_note(scene),
        make,
        run(python, "-m", "pip", "install", *requirements, *index_options("pip", index, ())),
    )


def own_folder(framework: str) -> str:
    """The folder of an environment for one framework only: what is typed for another one does not end up in it."""
    return f"{NEW_ENVIRONMENT}-{framework}"


def new_folder(steps: Steps) -> str | None:
    """The folder of the environment that these steps make; None where they make none."""
    for step in steps:
        if isinstance(step, Run) and (step.argv[1:3] == ("-m", "venv") or step.argv[:2] == ("uv", "venv")):
            return step.argv[-1]
    return None


def split_by_folder(steps: Steps, folder: str) -> tuple[Steps, Steps]:
    """The steps for the new environment in a folder, and those for the target's own. What a person does is for both."""
    there = tuple(step for step in steps if not isinstance(step, Run) or _is_in(step, folder))
    return there, tuple(step for step in steps if step not in there)


def _is_in(step: Run, folder: str) -> bool:
    inside = (f"{folder}/", f"{folder}\\")
    return any(word == folder or word.startswith(inside) for word in step.argv)


def companions_there(scene: Scene, names: Iterable[str]) -> tuple[str, ...]:
    """Those that are installed; where not all packages were seen, the usual ones, too: they must not stay behind."""
    seen = scene.packages if isinstance(scene.packages, Packages) else None
    usual = USUAL if seen is None or seen.excerpt else ()
    return tuple(name for name in names if name in usual or scene.find(name) is not None)


def safety(scene: Scene) -> Safety:
    """A new environment touches nothing; in the user's own one, versions change; conda's own one deserves a look."""
    return "review" if conda_prefix(scene.interpreter) else "safe"


def _pip(scene: Scene, verb: str, *arguments: str) -> Run:
    if _is_uv(scene):
        return run("uv", "pip", verb, "--python", scene.python, *arguments)
    return run(scene.python, "-m", "pip", verb, *arguments)


def _is_uv(scene: Scene) -> bool:
    target = scene.target
    if target is None or target.pip_version is not None:
        return False
    return target.made_by == "uv" or (_lacks_pip(scene) and "uv" in target.managers)


def _lacks_pip(scene: Scene) -> bool:
    """Whether no pip can be started in a virtual environment that was seen; what a ticket leaves out may be there."""
    target = scene.target
    return (
        target is not None
        and target.pip_version is None
        and target.environment == "venv"
        and target.chosen_by != "report"
        and bool(target.site_dirs)
    )


def _project_note(scene: Scene) -> Steps:
    tool = scene.target.made_by if scene.target else None
    if tool not in PROJECT_TOOLS:
        return ()
    return (
        Ask(text=f"Write the same version into the project's file ({PROJECT_TOOLS[tool]}), or {tool} undoes this."),
    )


def _venv_note(scene: Scene) -> Steps:
    host = scene.host
    if scene.target is not None and scene.target.base_prefix not in (None, "/usr"):
        return ()
    command = install_command(host, "venv")
    if command is None:
        return ()
    typed = " ".join(command.argv)
    return (Ask(text=f"If the next command says that ensurepip is missing: {typed} (as root), then again."),)


def tf_keras(scene: Scene, wanted: str) -> Steps:
    """Install tf-keras. It requires the distribution `tensorflow`: beside tensorflow-cpu it comes without."""
    own = [name for name in TENSORFLOWS if scene.find(name) is not None]
    options = ("--no-deps",) if own and "tensorflow" not in own else ()
    return install(scene, wanted, options=options)
