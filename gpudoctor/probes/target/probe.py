"""The examined Python: chosen, asked who it is, and its environment worked out from outside."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact, Gap
from gpudoctor.facts.codec import presentable
from gpudoctor.facts.python import Interpreter, Pin
from gpudoctor.host.port import Host
from gpudoctor.knowledge.frameworks import descriptors
from gpudoctor.probes.host_files import names_in, text_of
from gpudoctor.probes.kernelspecs import read_kernelspecs
from gpudoctor.probes.target.choice import Choice, Fault, choose, path_rules
from gpudoctor.probes.target.identity import Identity, identify
from gpudoctor.probes.target.shadow import find_shadows
from gpudoctor.probes.target.site import read_environment, read_sites
from gpudoctor.sources.package_names import normalise

MANAGERS = ("uv", "conda", "mamba", "micromamba", "poetry", "pixi", "pipenv", "pipx")
PROJECT_FILES = (
    "uv.lock",
    "poetry.lock",
    "pixi.toml",
    "pixi.lock",
    "Pipfile.lock",
    "environment.yml",
    "conda-lock.yml",
)
#: A Windows launcher is about 100 kB with its script behind it.
LAUNCHER_LIMIT = 1024 * 1024


class PipFacts(Fact, frozen=True, kw_only=True):
    """pip in the target, and pip on PATH with the interpreter in its first line."""

    version: str | None = None
    on_path: str | None = None
    on_path_interpreter: str | None = None


def read_pip(host: Host, site_dirs: tuple[str, ...]) -> PipFacts:
    """Both pips; neither is run."""
    on_path = host.which("pip") or host.which("pip3")
    raw = host.read(on_path, limit=LAUNCHER_LIMIT) if on_path is not None else None
    interpreter = parse_shebang(raw) if isinstance(raw, bytes) else None
    if interpreter is not None and not interpreter.startswith("/") and "\\" not in interpreter:
        interpreter = host.which(interpreter)
    return PipFacts(version=pip_version(host, site_dirs), on_path=on_path, on_path_interpreter=interpreter)


def pip_version(host: Host, site_dirs: tuple[str, ...]) -> str | None:
    """The version of the first pip on the search path, by its metadata folder's name; None where it cannot start."""
    for folder in site_dirs:
        for name in names_in(host, folder) or ():
            match = re.fullmatch(r"pip-([^-]+)(?:\.dist-info|(?:-py[\d.]+)?\.egg(?:-info)?)", name)
            if match is not None:
                return match.group(1) if _can_start(host, folder, name) else None
    return None


def _can_start(host: Host, folder: str, metadata: str) -> bool:
    """Whether the files that pip begins with are there: an uninstall that was cut off leaves a part of them."""
    inside = (metadata,) if metadata.endswith(".egg") else ()
    names = host.list(path_rules(host).join(folder, *inside, "pip"))
    if isinstance(names, Gap):
        return True
    # Before pip 10 it was pip/commands, since then pip/_internal/commands.
    there = frozenset(names or ())
    return {"__main__.py", "_vendor"} <= there and bool({"_internal", "commands"} & there)


def parse_shebang(raw: bytes) -> str | None:
    """The Python that a script starts with: its path, or a bare name that env looks up. None where it is no Python.

    Three forms: `#!python`; a shell line that starts Python, which installers write where the path is long or has
    spaces; and a Windows launcher, an .exe with the script appended.
    """
    start = raw.rfind(b"#!") if raw.startswith(b"MZ") else 0
    if start < 0 or not raw.startswith(b"#!", start):
        return None
    head = raw[start : start + 4096].decode("utf-8", "replace").splitlines()
    first = head[0][2:].strip()
    if first in ("/bin/sh", "/usr/bin/sh") and len(head) > 1:
        match = re.match(r"""'''exec' (?:"([^"]+)"|'([^']+)'|(\S+)) "\$0" """, head[1])
        return next((group for group in match.groups() if group), None) if match else None
    quoted = re.match(r'"([^"]+)"', first)
    words = [quoted.group(1)] if quoted else first.split() if "\\" not in first else [first.split(".exe")[0] + ".exe"]
    if words and words[0].endswith("/env"):
        words = [word for word in words[1:] if word != "-S"]
    name = re.split(r"[/\\]", words[0])[-1] if words else ""
    return words[0] if re.match(r"(python|pypy)[\d.]*t?(\.exe)?$", name) else None


def find_managers(host: Host) -> tuple[str, ...]:
    """The package managers that can be started; conda also where only its shell function is."""
    found = [name for name in MANAGERS if host.which(name) is not None]
    conda = host.env.get("CONDA_EXE")
    if "conda" not in found and conda and host.stat(conda) is not None:
        found.append("conda")
    return tuple(found)


def find_project_files(host: Host) -> tuple[str, ...]:
    """The lock and project files of package managers in the working directory."""
    join = path_rules(host).join
    return tuple(name for name in PROJECT_FILES if host.stat(join(host.cwd, name)) is not None)


__all__ = ["Choice", "Fault", "choose", "identify", "probe"]


def probe(host: Host, choice: Choice, identity: Identity | Fault | None = None) -> Interpreter | Gap:
    """The chosen interpreter, or why it could not be examined; `identity` is what it said where it was asked before."""
    identity = identity or identify(host, choice)
    if isinstance(identity, Fault):
        return identity.gap
    return presentable(_describe(host, choice, identity))


def _describe(host: Host, choice: Choice, identity: Identity) -> Interpreter:
    environment = read_environment(host, identity)
    sites = read_sites(host, identity, environment)
    pip = read_pip(host, sites.folders)
    executable = identity.executable or choice.executable
    return Interpreter(
        executable=executable,
        chosen_by=choice.chosen_by,
        started_as=choice.executable if choice.executable != executable else None,
        passed_over=choice.passed_over,
        version=identity.version,
        implementation=identity.implementation,
        bits=64 if identity.bits == 64 else 32,
        abi=identity.abi,
        platform=identity.platform,
        free_threaded=identity.free_threaded,
        prefix=environment.prefix,
        base_prefix=identity.base_prefix,
        environment=environment.kind,
        made_by=environment.made_by,
        externally_managed=environment.externally_managed,
        include_system_site=environment.include_system_site,
        site_dirs=sites.folders,
        python_path=sites.python_path,
        user_site=sites.user_site,
        user_site_enabled=sites.user_site_enabled,
        executable_pth=sites.executable_pth,
        editables=sites.editables,
        shadows=find_shadows(host, identity, sites),
        has_ssl=identity.has_ssl,
        has_python_h=identity.python_h,
        pip_version=pip.version,
        pip_on_path=pip.on_path,
        pip_on_path_interpreter=pip.on_path_interpreter,
        managers=find_managers(host),
        project_files=find_project_files(host),
        pins=read_pins(host),
        kernelspecs=read_kernelspecs(host, executable, environment.prefix, identity.home),
    )


#: The packages whose version decides whether the GPU is used.
WATCHED = frozenset(
    name for one in descriptors() if not one.backends for name in (*one.packages, *one.parts, *one.companions)
)
#: A lock file of a large project has a few megabytes.
LIMIT = 8 * 1024 * 1024

_LOCKED = re.compile(r'name = "(?P<name>[^"]+)"\nversion = "(?P<version>[^"]+)"\n')
_INDEX = re.compile(r'["\']https://download\.pytorch\.org/(whl/[\w./-]*?)/?["\']')
_REQUIREMENT = re.compile(r"^([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*((?:[<>=!~]{1,3}\s*[^<>=!~;#,\s]+\s*(?:,\s*)?)*)")


def read_pins(host: Host) -> tuple[Pin, ...]:
    """All of them."""
    join = path_rules(host).join
    found: list[Pin] = []
    for name in ("uv.lock", "poetry.lock"):
        text = text_of(host, join(host.cwd, name), limit=LIMIT)
        found += parse_lock(name, text) if text else ()
    text = text_of(host, join(host.cwd, "requirements.txt"))
    return (*found, *(parse_requirements("requirements.txt", text) if text else ()))


def parse_lock(file: str, text: str) -> Iterator[Pin]:
    """The watched packages of a uv.lock or poetry.lock. Both write a table [[package]] with name and version first."""
    for table in text.replace("\r\n", "\n").split("[[package]]\n")[1:]:
        match = _LOCKED.match(table)
        if match is not None and match["name"] in WATCHED:
            index = _INDEX.search(table)
            yield Pin(
                file=file,
                package=match["name"],
                wanted=match["version"],
                is_locked=True,
                index=index.group(1) if index else None,
            )


def parse_requirements(file: str, text: str) -> Iterator[Pin]:
    """The watched packages of a requirements file; options and links are passed over."""
    for line in text.splitlines():
        match = _REQUIREMENT.match(line.strip())
        name = normalise(match.group(1)) if match else None
        if match and name in WATCHED and "@" not in line:
            yield Pin(file=file, package=name, wanted=re.sub(r"\s", "", match.group(2)))
