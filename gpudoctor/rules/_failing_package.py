"""Which installed package an import error comes from, and how to repair that package."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.plan.places import TENSORFLOWS, install, safety
from gpudoctor.plan.recipes import reinstall
from gpudoctor.rules._unmet_requirements import complete
from gpudoctor.rules.failures import Failure
from gpudoctor.rules.live_problem import Failed
from gpudoctor.rules.sections import Packages, Scene
from gpudoctor.rules.terms import Fix, by_hand

#: Modules that frameworks need, and the packages that bring them. Others are not proposed: a name that is only guessed
#: may be anybody's package.
_PACKAGES = {
    **{name: name for name in ("numpy", "scipy", "sympy", "mpmath", "filelock", "fsspec", "networkx", "packaging")},
    **{name: name for name in ("six", "wrapt", "gast", "h5py", "termcolor", "astunparse", "flatbuffers", "requests")},
    **{name: name for name in ("optree", "namex", "rich", "keras", "jaxlib", "tensorboard", "jinja2", "markupsafe")},
    "absl": "absl-py",
    "google": "protobuf",
    "grpc": "grpcio",
    "ml_dtypes": "ml-dtypes",
    "opt_einsum": "opt-einsum",
    "tensorflow_estimator": "tensorflow-estimator",
    "tf_keras": "tf-keras",
    "typing_extensions": "typing-extensions",
    "yaml": "pyyaml",
}
_NAMED = (
    re.compile(r"No module named '?([A-Za-z0-9_]+)"),
    re.compile(r"cannot import name '\w+' from (?:partially initialized module )?'([A-Za-z0-9_]+)"),
    re.compile(r"module '([A-Za-z0-9_]+)[\w.]*' has no attribute"),
)
#: A file of an installed package, as a traceback names it.
_FRAME = re.compile(r'File "[^"\n]*[/\\](?:site|dist)-packages[/\\]([A-Za-z0-9_]+)')


def fixes_of(failed: Failed, scene: Scene) -> tuple[Fix, ...]:
    """Install what is missing or of a release that is not accepted, write anew what is not whole."""
    module = named_module(failed.first)
    if module is None or module == failed.name:
        return _anew(failed, scene)
    package = package_of(module, scene)
    if package is None:
        return (by_hand("Install what is missing", f"Install the package that brings the module {module}."),)
    wanted = wanted_by_others(package, scene)
    if wanted is not None:
        return (wanted,)
    if scene.find(package) is not None:
        return (reinstall(scene, (package,), f"Reinstall {package}"),)
    return (Fix(f"Install {package}", safety(scene), install(scene, package)),)


def broken_package(failure: Failure, scene: Scene) -> str | None:
    """The installed package in whose files an import ended, as the traceback says."""
    error = failure.run.error if failure.run is not None else None
    frames = _FRAME.findall((error.traceback if error is not None else None) or "")
    return package_of(frames[-1], scene) if frames else None


def named_module(failure: Failure) -> str | None:
    """The top-level module that an error names, where it names one."""
    return next((match[1] for pattern in _NAMED if (match := pattern.search(failure.text))), None)


def package_of(module: str, scene: Scene) -> str | None:
    """The package that brings a module, where that is known: by a list, or because it is installed under that name."""
    known = _PACKAGES.get(module)
    if known is not None:
        return known
    names = TENSORFLOWS if module == "tensorflow" else (re.sub(r"_+", "-", module).lower(),)
    return next((name for name in names if scene.find(name) is not None), None)


def wanted_by_others(package: str, scene: Scene) -> Fix | None:
    """The release that those who require it accept, where the installed one is not, or there is none."""
    packages = scene.packages if isinstance(scene.packages, Packages) else Packages()
    unmet = tuple(one for one in packages.unmet if one.requirement == package)
    return complete(scene, unmet[0].package, unmet) if unmet else None


def _anew(failed: Failed, scene: Scene) -> tuple[Fix, ...]:
    """The package in whose files the import ended; the framework, where no traceback tells."""
    if failed.name is None:
        return ()
    package = broken_package(failed.first, scene) or package_of(failed.name, scene) or failed.name
    return (reinstall(scene, (package,), f"Reinstall {package}"),)
