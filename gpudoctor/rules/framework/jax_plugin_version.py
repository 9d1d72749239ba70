"""FRM014: the packages that make up JAX with CUDA have different versions."""

from gpudoctor.facts.python import Unmet
from gpudoctor.facts.versions import package_version
from gpudoctor.plan.places import install, safety
from gpudoctor.plan.recipes import jax_for_gpus
from gpudoctor.rules._jax_parts import all_parts
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Frameworks, Gap, Libraries, Matrix, Packages, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, seen


@rule("FRM014", name="jax-plugin-version", severity="error", when="frameworks.jaxlib or packages.jaxlib")
def jax_plugin_version(
    frameworks: Frameworks, packages: Packages, libraries: Libraries | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """The packages that make up JAX with CUDA have different versions.

    What it means:
    JAX with CUDA is four packages: jax, jaxlib, the CUDA plugin and its pjrt part. The plugin and its pjrt part must
    have the version of jaxlib, and jaxlib must not be newer than jax, nor older than what jax asks for.

    Why it breaks:
    JAX compares the numbers at the start. It says that the plugin "is not compatible with the installed jaxlib version"
    and goes on without the GPU, or it refuses to start, or it crashes. It happens when one of them is updated alone.

    How to fix it:
    Install all four together through the extra, as below.

    When to ignore it:
    Never, if JAX is to use the GPU.

    Sources:
    https://docs.jax.dev/en/latest/installation.html
    https://github.com/jax-ml/jax/blob/main/jax/_src/xla_bridge.py
    """
    versions = _versions(frameworks, packages)
    jaxlib = release_numbers(versions.get("jaxlib"))
    if jaxlib is None:
        return
    parts = {name: release_numbers(text) for name, text in versions.items() if "-cuda" in name}
    wrong = [name for name, numbers in parts.items() if numbers is not None and numbers != jaxlib]
    jax = release_numbers(versions.get("jax"))
    if jax is not None and jax < jaxlib:
        wrong.append("jax")
    refused = next((one for one in packages.unmet if (one.package, one.requirement) == ("jax", "jaxlib")), None)
    if refused is not None and not wrong and "jax" in versions:
        wrong.append("jax")
    if not wrong:
        return
    mixed = ", ".join(f"{name} {versions[name]}" for name in wrong)
    yield problem(
        f"JAX's packages do not match: jaxlib is {versions['jaxlib']}, but there is {mixed}.",
        *(seen(name, version) for name, version in versions.items()),
        *((seen("jax asks for jaxlib", refused.wanted),) if refused else ()),
        subject="jax",
        fixes=_fixes(scene, matrix, versions, refused, libraries if isinstance(libraries, Libraries) else None),
    )


def _fixes(
    scene: Scene, matrix: Matrix, versions: dict[str, str], refused: Unmet | None, libraries: Libraries | None
) -> tuple[Fix, ...]:
    """What goes with the installed jax; then the extra for CUDA of a release that fits this machine."""
    parts = [name for name in versions if "-cuda" in name]
    if refused is not None and not parts:
        return (_belonging(scene, f"jaxlib{refused.wanted}", what="jaxlib"),)
    newest = jax_for_gpus(scene, matrix, versions.get("jax"))
    jax = versions.get("jax")
    known = {f"jax-{row.variant}" for row in matrix.jax_builds(jax)} if jax else set()
    if not parts and known and package_version(jax or "") != package_version(versions["jaxlib"]):
        return (_belonging(scene, f"jaxlib=={jax}", what="jaxlib"), newest)
    if not parts or not all(name.rpartition("-")[0] in known for name in parts):
        return (newest,)
    majors = {name.removeprefix("jax-cuda").partition("-")[0] for name in parts}
    together = all_parts(scene, int(majors.pop()), libraries, matrix) if len(majors) == 1 else None
    if together is not None:
        # The libraries are missing, too: the same command brings them.
        return (together, newest)
    return (_belonging(scene, f"jaxlib=={jax}", *(f"{name}=={jax}" for name in parts), what="parts"), newest)


def _belonging(scene: Scene, *wanted: str, what: str) -> Fix:
    return Fix(
        f"Install the {what} that {'belongs' if what == 'jaxlib' else 'belong'} to jax",
        safety(scene),
        install(scene, *wanted),
    )


def _versions(frameworks: Frameworks, packages: Packages) -> dict[str, str]:
    names = ["jax", "jaxlib"]
    names += [f"jax-cuda{major}-{part}" for major in (12, 13, 14) for part in ("plugin", "pjrt")]
    found = {name: package.version for name in names if (package := packages.find(name)) is not None}
    for framework in frameworks.found:
        if framework.name in ("jax", "jaxlib") and framework.version:
            found[framework.name] = framework.version
    return found
