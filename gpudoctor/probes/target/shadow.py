"""Files that shadow a framework on import: in the working directory, PYTHONPATH or the user site."""

from collections.abc import Collection, Iterator
from typing import Literal

from gpudoctor.facts.python import Shadow
from gpudoctor.host.port import Host
from gpudoctor.knowledge.frameworks import descriptors
from gpudoctor.probes.host_files import names_in
from gpudoctor.probes.target.choice import PathRules, path_rules
from gpudoctor.probes.target.identity import Identity
from gpudoctor.probes.target.site import Sites

Place = Literal["current directory", "PYTHONPATH", "user site"]

#: Modules that must come from their own distribution: those of the frameworks, and what is used beside them.
FRAMEWORK_MODULES = tuple(
    sorted(
        {
            *(name for one in descriptors() for name in (one.module, *one.parts, *one.companions)),
            *("bitsandbytes", "cupy", "flash_attn", "numpy", "onnxruntime", "transformers", "triton", "xformers"),
        }
    )
)
#: Modules of the standard library that frameworks import and that Python has not loaded yet when it looks in the
#: working directory; torch/random.py is one (https://github.com/pytorch/pytorch/issues/19943).
STANDARD_MODULES = (
    "ast", "calendar", "code", "copy", "dis", "email", "enum", "html", "http", "inspect", "json", "logging",
    "numbers", "pickle", "platform", "profile", "queue", "random", "secrets", "select", "signal", "socket", "ssl",
    "statistics", "string", "tempfile", "threading", "token", "tokenize", "types", "typing", "uuid", "warnings",
)  # fmt: skip


def find_shadows(host: Host, identity: Identity, sites: Sites) -> tuple[Shadow, ...]:
    """What stands before the real modules on sys.path, in its order."""
    rules = path_rules(host)
    behind = [folder for folder in sites.folders if folder not in sites.python_path]
    installed = {host.real(folder) for folder in behind}
    found: list[Shadow] = []
    for folder, place in _first_places(host, identity, sites):
        if host.real(folder) in installed:
            continue
        for module, path, is_namespace in importable(host, folder, (*FRAMEWORK_MODULES, *STANDARD_MODULES)):
            if not (is_namespace and _is_provided(host, rules, module, behind)):
                found.append(Shadow(module=module, path=path, where=place))
    found += _user_site_shadows(host, rules, sites)
    return tuple({shadow.module: shadow for shadow in reversed(found)}.values())[::-1]


def _first_places(host: Host, identity: Identity, sites: Sites) -> Iterator[tuple[str, Place]]:
    """The folders before the standard library: the working directory (unless PYTHONSAFEPATH, 3.11) and PYTHONPATH."""
    is_safe_path = identity.numbers >= (3, 11) and host.env.get("PYTHONSAFEPATH")
    if not is_safe_path:
        yield host.cwd, "current directory"
    for folder in sites.python_path:
        yield folder, "PYTHONPATH"


def importable(host: Host, folder: str, modules: Collection[str]) -> list[tuple[str, str, bool]]:
    """Module, path and whether it is only a namespace folder, for each of `modules` that `folder` would give."""
    names = names_in(host, folder)
    if names is None:
        return []
    rules = path_rules(host)
    present = set(names)
    extensions = {name.split(".", 1)[0]: name for name in names if name.endswith((".so", ".pyd"))}
    found: list[tuple[str, str, bool]] = []
    for module in modules:
        path = rules.join(folder, module)
        # The order of importlib: a package, an extension module, a source file, at last a folder without __init__.py.
        has_folder = module in present
        if has_folder and host.stat(rules.join(path, "__init__.py")) is not None:
            found.append((module, path, False))
        elif module in extensions:
            found.append((module, rules.join(folder, extensions[module]), False))
        elif f"{module}.py" in present:
            found.append((module, f"{path}.py", False))
        elif has_folder and module in FRAMEWORK_MODULES and _holds_source(host, path):
            found.append((module, path, True))
    return found


def _holds_source(host: Host, path: str) -> bool:
    """Whether there is anything to import in it: downloads in a folder named jax are nobody's package."""
    names = host.list(path)
    return isinstance(names, tuple) and any(name.endswith((".py", ".so", ".pyd")) for name in names)


def _is_provided(host: Host, rules: PathRules, module: str, folders: Collection[str]) -> bool:
    """A namespace folder is taken only where no folder of sys.path has the module itself."""
    candidates = (rules.join(folder, name) for folder in folders for name in (f"{module}/__init__.py", f"{module}.py"))
    return any(host.stat(candidate) is not None for candidate in candidates)


def _user_site_shadows(host: Host, rules: PathRules, sites: Sites) -> Iterator[Shadow]:
    """Modules of the user site that the folders after it have too."""
    if not sites.user_site_enabled or sites.user_site not in sites.folders:
        return
    after = sites.folders[sites.folders.index(sites.user_site) + 1 :]
    for module, path, is_namespace in importable(host, sites.user_site, FRAMEWORK_MODULES):
        if not is_namespace and _is_provided(host, rules, module, after):
            yield Shadow(module=module, path=path, where="user site")
