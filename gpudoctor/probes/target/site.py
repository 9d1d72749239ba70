"""Works out an interpreter's sys.path from outside, as its site.py would, without running it.

The order is that of site.main(): the virtual environment's own folders, the user site, the folders of the base. Each is
followed by what the path lines of its .pth files name. https://docs.python.org/3/library/site.html
"""

from collections.abc import Iterable
from typing import Literal

from gpudoctor.facts.base import Fact, Gap
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


#: A .pth file is a few lines; one of megabytes is not read to its end.
PTH_LIMIT = 256 * 1024


class Sites(Fact, frozen=True, kw_only=True):
    """Where packages are imported from, in order."""

    folders: tuple[str, ...] = ()
    python_path: tuple[str, ...] = ()
    user_site: str | None = None
    user_site_enabled: bool | None = None
    executable_pth: tuple[str, ...] = ()
    editables: tuple[str, ...] = ()


class Pth(Fact, frozen=True, kw_only=True):
    """A .pth file: folders it adds, and lines Python would run."""

    paths: tuple[str, ...] = ()
    code: tuple[str, ...] = ()


def parse_pth(text: str) -> Pth:
    """The lines of a .pth file, by the rule of site.addpackage: `import` at the very start makes a line code."""
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if line.strip() and not line.startswith("#")]
    code = tuple(line for line in lines if line.startswith(("import ", "import\t")))
    paths = tuple(line.rstrip() for line in lines if not line.startswith(("import ", "import\t")))
    return Pth(paths=paths, code=code)


def editable_names(code: Iterable[str]) -> tuple[str, ...]:
    """What setuptools' editable finders serve: `import __editable___foo_1_0_finder; …` is foo_1_0."""
    modules = (line.split(None, 1)[1].split(";")[0].strip() for line in code)
    return tuple(
        name.removeprefix("__editable__").strip("_").removesuffix("_finder")
        for name in modules
        if name.startswith("__editable__")
    )


def read_sites(host: Host, identity: Identity, environment: Environment) -> Sites:
    """The folders of the interpreter's sys.path that installed packages are in."""
    rules = path_rules(host)
    user_site = user_site_folder(host, identity)
    enabled = user_site_enabled(host, identity, environment)
    python_path = _python_path(host, rules)
    walk = _Walk(host, rules, identity, (*python_path, *identity.path))
    own = (environment.prefix,)
    below = (identity.base_prefix, identity.exec_prefix)
    if environment.is_virtual:
        walk.add(site_folders(identity, own, rules, is_virtual=True))
    if enabled and user_site is not None:
        walk.add((user_site,))
    if not environment.is_virtual or environment.include_system_site:
        walk.add(site_folders(identity, below, rules, is_virtual=environment.is_virtual))
    return Sites(
        folders=(*python_path, *walk.folders),
        python_path=python_path,
        user_site=user_site,
        user_site_enabled=enabled,
        executable_pth=tuple(walk.executable_pth),
        editables=tuple(walk.editables),
    )


class _Walk:
    """Grows the search path folder by folder, as site.addsitedir does: nothing twice, nothing that is not there."""

    def __init__(self, host: Host, rules: PathRules, identity: Identity, known: Iterable[str]) -> None:
        self.host, self.rules = host, rules
        self.hides_dotfiles = identity.numbers >= (3, 13)
        self.known = {rules.normcase(path) for path in known}
        self.folders: list[str] = []
        self.executable_pth: list[str] = []
        self.editables: list[str] = []

    def add(self, folders: Iterable[str]) -> None:
        for folder in folders:
            names = self.host.list(folder)
            if names is not None and self._is_new(folder):
                self.folders.append(folder)
                for name in () if isinstance(names, Gap) else names:
                    if name.endswith(".pth") and not (self.hides_dotfiles and name.startswith(".")):
                        self._read(folder, name)

    def _is_new(self, folder: str) -> bool:
        key = self.rules.normcase(folder)
        is_new = key not in self.known
        self.known.add(key)
        return is_new

    def _read(self, folder: str, name: str) -> None:
        path = self.rules.join(folder, name)
        text = self.host.read_text(path, limit=PTH_LIMIT)
        if not isinstance(text, str):
            return
        pth = parse_pth(text)
        if pth.code:
            self.executable_pth.append(path)
            self.editables += editable_names(pth.code)
        for line in pth.paths:
            extra = self.rules.normpath(self.rules.join(folder, line))
            if "\0" not in extra and self.host.stat(extra) is not None and self._is_new(extra):
                self.folders.append(extra)


def site_folders(identity: Identity, prefixes: Iterable[str], rules: PathRules, *, is_virtual: bool) -> tuple[str, ...]:
    """site.getsitepackages(prefixes), with the changes that Debian and Fedora make to it; some may not exist."""
    prefixes = list(dict.fromkeys(prefixes))
    if identity.os_name == "nt":
        return tuple(path for prefix in prefixes for path in (prefix, rules.join(prefix, "Lib", "site-packages")))
    if identity.site_patch == "fedora" and not is_virtual:
        prefixes.insert(0, "/usr/local")
    version = f"{_library_name(identity)}{identity.version_directory}"
    found: list[str] = []
    for prefix in prefixes:
        if identity.site_patch == "debian":
            found += [rules.join(prefix, "lib", version, "site-packages")] * is_virtual
            found += [
                rules.join(prefix, part) for part in (f"local/lib/{version}/dist-packages", "lib/python3/dist-packages")
            ]
            found.append(rules.join(prefix, "lib", version, "dist-packages"))
            continue
        found += [
            rules.join(prefix, lib, version, "site-packages") for lib in dict.fromkeys((identity.platlibdir, "lib"))
        ]
        if identity.implementation == "pypy":  # PyPy before 3.8 (7.3.8)
            found.append(rules.join(prefix, "site-packages"))
    if identity.framework and not is_virtual:
        found.append(f"/Library/{identity.framework}/{identity.numbers[0]}.{identity.numbers[1]}/site-packages")
    return tuple(found)


def _library_name(identity: Identity) -> str:
    return "pypy" if identity.implementation == "pypy" else "python"


def user_site_folder(host: Host, identity: Identity) -> str | None:
    """site.getusersitepackages(): PYTHONUSERBASE, else the place of the system."""
    base = host.env.get("PYTHONUSERBASE")
    if identity.os_name == "nt":
        base = base or f"{host.env.get('APPDATA') or identity.home}\\Python"
        return f"{base}\\Python{(identity.winver or '').replace('.', '')}\\site-packages"
    major, minor = identity.numbers
    if identity.framework and host.platform == "darwin":
        base = base or f"{identity.home}/Library/{identity.framework}/{major}.{minor}"
        return f"{base}/lib/python/site-packages"
    return f"{base or identity.home + '/.local'}/lib/python{identity.version_directory}/site-packages"


def user_site_enabled(host: Host, identity: Identity, environment: Environment) -> bool:
    """Whether a plain start would use the user site: not in a closed environment, not as another user, not if told."""
    closed = environment.is_virtual and not environment.include_system_site
    return not closed and identity.same_user and not host.env.get("PYTHONNOUSERSITE")


def _python_path(host: Host, rules: PathRules) -> tuple[str, ...]:
    """PYTHONPATH as Python reads it: an empty entry is the working directory. Only what exists."""
    value = host.env.get("PYTHONPATH")
    if not value:
        return ()
    paths = (rules.normpath(rules.join(host.cwd, entry)) for entry in value.split(rules.pathsep))
    return tuple(path for path in dict.fromkeys(paths) if host.stat(path) is not None)
