"""SMK005 framework-import-failed."""

import re
from collections.abc import Iterator

from gpudoctor.model.base import Gap
from gpudoctor.model.driver import Driver
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Fix
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.live import Live
from gpudoctor.model.python import Interpreter, Packages
from gpudoctor.model.system import Container, System
from gpudoctor.plan.places import Scene, install, safety
from gpudoctor.plan.recipes import reinstall
from gpudoctor.rules._declare import rule
from gpudoctor.rules._live_problem import Failed, do, problems

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
    "tf_keras": "tf-keras",
    "typing_extensions": "typing-extensions",
    "yaml": "pyyaml",
}
#: Rules that tell why.
_CAUSES = (
    "py-name-shadow",
    "dependency-missing",
    "py-user-site-shadow",
    "files-damaged",
    "files-overwritten",
    "tf-protobuf",
    "numpy2-abi",
    "torch-nvidia-deps-missing",
    "torch-companion-version",
    "torch-companion-cuda",
    "keras3-tfkeras-version",
    "keras3-no-tfkeras",
    "keras3-legacy-model",
    "packages-unreadable",
    "python-unsupported-by-framework",
    "python-32bit",
    "venv-lib64-split",
    "win-dll-126",
    "win-libomp140-missing",
    "glibc-too-old",
    "libstdcxx-too-old",
    "ext-abi-mismatch",
    "jax-plugin-version",
    "nvidia-wheels-skew",
    "ld-path-shadows-nvidia-wheels",
)


@rule("SMK005", name="framework-import-failed", severity="error", since="0.1")
def framework_import_failed(
    live: Live,
    host: System | Gap | None,
    container: Container | Gap | None,
    gpus: Gpus | Gap | None,
    driver: Driver | Gap | None,
    interpreter: Interpreter | Gap | None,
    packages: Packages | Gap | None,
) -> Iterator[Problem]:
    """The framework cannot be imported.

    What it means:
    gpudoctor imported the framework as your program does, and Python raised an error.

    Why it breaks:
    A package that it needs is missing, is of a version that it does not know, is only partly installed, or is
    hidden by a file of the same name.

    How to mend it:
    Mend what this finding is listed under, where there is one. Else install the package that the last line of the
    error names, or install the framework anew.

    When to ignore it:
    If you do not use this framework.

    Sources:
    https://docs.python.org/3/library/exceptions.html#ImportError
    """
    scene = Scene(host=host, container=container, gpus=gpus, driver=driver, interpreter=interpreter, packages=packages)
    yield from problems(
        live,
        "framework-import-failed",
        lambda failed: (
            f"{failed.who} cannot be imported: {failed.first.text}"
            if not failed.first.pasted
            else f"{failed.meaning or 'A package does not fit the others.'}"
        ),
        fixes=lambda failed: _fixes(failed, scene),
        follows_from=_CAUSES,
    )


def _fixes(failed: Failed, scene: Scene) -> tuple[Fix, ...]:
    missing = re.search(r"No module named '([A-Za-z0-9_]+)", failed.first.text)
    package = _PACKAGES.get(missing[1]) if missing else None
    if package is not None and package != failed.name:
        return (Fix(title=f"Install {package}", safety=safety(scene), steps=install(scene, package)),)
    if missing is not None and missing[1] != failed.name:
        return (do("Install what is missing", f"Install the package that brings the module {missing[1]}."),)
    return (reinstall(scene, (failed.name,), f"Install {failed.name} anew"),) if failed.name else ()
