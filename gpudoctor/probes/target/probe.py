"""The target interpreter: chosen, asked who it is, and its environment worked out from outside."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap
from gpudoctor.facts.codec import presentable
from gpudoctor.facts.python import Interpreter, Pin
from gpudoctor.host.port import Host
from gpudoctor.knowledge.frameworks import descriptors
from gpudoctor.probes.kernelspecs import read_kernelspecs
from gpudoctor.probes.reading import text_of
from gpudoctor.probes.target.choice import Choice, Fault, choose, path_rules
from gpudoctor.probes.target.environment import read_environment
from gpudoctor.probes.target.identity import Identity, identify
from gpudoctor.probes.target.pip import find_managers, find_project_files, read_pip
from gpudoctor.probes.target.shadow import find_shadows
from gpudoctor.probes.target.site import read_sites
from gpudoctor.sources.packages_names import normalise

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
