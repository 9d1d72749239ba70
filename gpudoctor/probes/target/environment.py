"""What kind of environment an interpreter belongs to, and what made it: from pyvenv.cfg, conda-meta and the path."""

from typing import Literal

from gpudoctor.facts.base import Fact
from gpudoctor.host.port import Host
from gpudoctor.probes.target.choice import PathRules, path_rules
from gpudoctor.probes.target.identity import Identity

EnvironmentKind = Literal["venv", "conda", "conda-base", "system", "standalone"]


class Environment(Fact, frozen=True, kw_only=True):
    """`prefix` is what sys.prefix is after a normal start."""

    prefix: str
    kind: EnvironmentKind
    made_by: str | None = None
    #: None where the question does not arise: not a virtual environment.
    include_system_site: bool | None = None
    externally_managed: bool = False

    @property
    def is_virtual(self) -> bool:
        """A venv or virtualenv on top of another Python."""
        return self.kind == "venv"


def parse_pyvenv_cfg(text: str) -> dict[str, str]:
    """The keys of a pyvenv.cfg, in lower case, as site.venv() reads them."""
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def read_environment(host: Host, identity: Identity) -> Environment:
    """The environment that the interpreter is in."""
    rules = path_rules(host)
    beside = rules.dirname(identity.executable)
    own_prefix = rules.dirname(beside)
    for folder in (beside, own_prefix):
        text = host.read_text(rules.join(folder, "pyvenv.cfg"))
        if isinstance(text, str):
            return _virtual(own_prefix, parse_pyvenv_cfg(text))
    return _old_virtualenv(host, identity, rules) or _based(host, identity, rules)


def _virtual(prefix: str, config: dict[str, str]) -> Environment:
    # A missing key means yes to site.py; every tool writes it.
    system_site = config.get("include-system-site-packages", "true").lower() == "true"
    return Environment(prefix=prefix, kind="venv", made_by=_maker(prefix, config), include_system_site=system_site)


def _maker(prefix: str, config: dict[str, str]) -> str:
    """Poetry and pipx have their environments made by virtualenv or venv; their folders tell."""
    path = prefix.replace("\\", "/").lower()
    for tool, place in (("poetry", "/pypoetry/"), ("pipx", "/pipx/venvs/"), ("pipx", "/pipx/.cache/")):
        if place in path:
            return tool
    return "uv" if "uv" in config else "virtualenv" if "virtualenv" in config else "venv"


def _old_virtualenv(host: Host, identity: Identity, rules: PathRules) -> Environment | None:
    """Before release 20, virtualenv wrote no pyvenv.cfg, but its own site.py and these two notes beside it."""
    if identity.stdlib is None or host.stat(rules.join(identity.stdlib, "orig-prefix.txt")) is None:
        return None
    closed = host.stat(rules.join(identity.stdlib, "no-global-site-packages.txt")) is not None
    return Environment(prefix=identity.prefix, kind="venv", made_by="virtualenv", include_system_site=not closed)


def _based(host: Host, identity: Identity, rules: PathRules) -> Environment:
    prefix = identity.prefix
    managed = identity.stdlib is not None and host.stat(rules.join(identity.stdlib, "EXTERNALLY-MANAGED")) is not None
    is_conda = host.stat(rules.join(prefix, "conda-meta")) is not None
    kind, made_by = _conda(host, prefix, rules) if is_conda else _owner(host, prefix)
    return Environment(prefix=prefix, kind=kind, made_by=made_by, externally_managed=managed)


def _conda(host: Host, prefix: str, rules: PathRules) -> tuple[EnvironmentKind, str | None]:
    """The base environment is the one that holds conda itself (its condabin folder) and the others (envs)."""
    if "/.pixi/" in prefix.replace("\\", "/"):
        return "conda", "pixi"
    is_base = host.stat(rules.join(prefix, "condabin")) is not None
    return ("conda-base" if is_base else "conda"), "conda"


def _owner(host: Host, prefix: str) -> tuple[EnvironmentKind, str | None]:
    """The operating system's Python, or one of its own (pyenv, uv, python.org, a build in /opt)."""
    path = prefix.replace("\\", "/")
    if "/uv/python/" in path:
        return "standalone", "uv"
    if "/.pyenv/versions/" in path or "/pyenv-win/versions/" in path:
        return "standalone", "pyenv"
    system = {"darwin": ("/usr", "/Library/Developer/", "/Applications/Xcode.app/")}.get(host.platform, ("/usr",))
    is_system = host.platform != "win32" and (path == "/usr" or path.startswith(system[1:]))
    return ("system" if is_system else "standalone"), None
