"""Fixes for failed runs that depend on the machine, by name of the rule in failures.toml."""

import re
from collections.abc import Callable

from gpudoctor.knowledge.frameworks import planned
from gpudoctor.plan.places import install, safety
from gpudoctor.plan.recipes import framework_for_gpus, jax_for_gpus, reinstall
from gpudoctor.rules._failing_package import broken_package, fixes_of, package_of, wanted_by_others
from gpudoctor.rules.live_problem import Failed
from gpudoctor.rules.sections import Matrix, Scene
from gpudoctor.rules.terms import Fix, by_hand, run


def _import_failed(failed: Failed, scene: Scene, _: Matrix) -> tuple[Fix, ...]:
    return fixes_of(failed, scene)


def _import_hung(failed: Failed, scene: Scene, _: Matrix) -> tuple[Fix, ...]:
    python = scene.target.executable if scene.target else "python"
    code = f"import faulthandler; faulthandler.dump_traceback_later(60); import {failed.name or 'torch'}"
    look = by_hand(
        "See where it hangs",
        run(python, "-X", "faulthandler", "-c", code),
        "If it finishes after minutes, give gpudoctor more time: gpudoctor smoke --timeout 600.",
    )
    return (look,)


def _no_kernel_image(failed: Failed, scene: Scene, matrix: Matrix) -> tuple[Fix, ...]:
    if failed.name in planned():
        return (framework_for_gpus(failed.name, scene, matrix, failed.version),)
    text = "See nvidia-smi --query-gpu=name,compute_cap --format=csv, and choose a build for that capability."
    return (by_hand("Install a build for this GPU", text),)


def _jax_plugin(failed: Failed, scene: Scene, matrix: Matrix) -> tuple[Fix, ...]:
    return (jax_for_gpus(scene, matrix, failed.version if failed.name == "jax" else None),)


#: The number of NumPy's interface in its messages, by the release that it came with (numpy/core/code_generators/
#: cversions.txt). What is built for one up to 0x11 is of NumPy 1.
_NUMPY_RELEASES = {0xD: "1.16", 0xE: "1.20", 0xF: "1.22", 0x10: "1.23", 0x11: "1.25", 0x12: "2.0", 0x13: "2.1"}
_OF_NUMPY_1 = 0x11
_NUMPY_API = re.compile(r"compiled against API version (?:0x)?([0-9a-f]+) but this version of numpy is", re.IGNORECASE)


def _newer_numpy(failed: Failed) -> str | None:
    """The NumPy that a message asks for, where the package was built for a newer one than there is."""
    run = failed.first.run
    lines = (failed.first.text, *(one.text for one in failed.symptoms), *(run.log if run is not None else ()))
    found = next((match for line in lines if (match := _NUMPY_API.search(line))), None)
    if found is None:
        return "numpy" if any(one.signature == "numpy-api-newer" for one in failed.symptoms) else None
    number = int(found[1], 16)
    release = _NUMPY_RELEASES.get(number)
    upper = ",<2" if number <= _OF_NUMPY_1 else ""
    return f"numpy>={release}{upper}" if release else "numpy"


def _numpy_abi(failed: Failed, scene: Scene, _: Matrix) -> tuple[Fix, ...]:
    asked = wanted_by_others("numpy", scene)
    if asked is not None:
        return (asked,)
    numpy = scene.find("numpy")
    # What is built for NumPy 1 and does not run with a NumPy 1 wants a newer one.
    newer = _newer_numpy(failed) or ("numpy<2" if numpy and (numpy.version or "").startswith("1.") else None)
    if newer is not None:
        return (Fix("Install a newer NumPy", safety(scene), install(scene, newer, options=("--upgrade",))),)
    undo = f"install numpy=={numpy.version}" if numpy else None
    return (Fix("Install NumPy 1", safety(scene), install(scene, "numpy<2"), undo=undo),)


def _library_not_loaded(failed: Failed, scene: Scene, _: Matrix) -> tuple[Fix, ...]:
    """The package in whose files the import ended was not whole; CUDA's libraries come from many places."""
    package = broken_package(failed.first, scene)
    if package is not None and package != package_of(failed.name or "", scene):
        return (reinstall(scene, (package,), f"Reinstall {package}"),)
    looks: tuple[str, ...] = ("pip list | grep -i -E 'nvidia|torch|tensorflow|jax'", 'echo "$LD_LIBRARY_PATH"')
    if scene.os == "windows":
        looks = ('pip list | findstr /i "nvidia torch tensorflow jax"',)
    return (by_hand("See where it comes from", *looks),)


FIXES: dict[str, Callable[[Failed, Scene, Matrix], tuple[Fix, ...]]] = {
    "framework-import-failed": _import_failed,
    "framework-import-hung": _import_hung,
    "no-kernel-image": _no_kernel_image,
    "jax-plugin-init-failed": _jax_plugin,
    "numpy-abi": _numpy_abi,
    "library-not-loaded": _library_not_loaded,
}
