"""PYT002: NumPy 2 is installed with a framework or package compiled for NumPy 1."""

from gpudoctor.facts.specifiers import is_met
from gpudoctor.knowledge.frameworks import computing
from gpudoctor.knowledge.matrix.types import Os
from gpudoctor.plan.places import install, safety
from gpudoctor.rules._unmet_requirements import bounded
from gpudoctor.rules.builds import is_conda, release_numbers
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Framework, Frameworks, Gap, Live, Matrix, Packages, Scene, System
from gpudoctor.rules.terms import Evidence, Fix, Iterator, Problem, problem, rule, seen


@rule("PYT002", name="numpy2-abi", severity="error", when="packages.numpy, frameworks.found.version")
def numpy2_abi(
    packages: Packages, frameworks: Frameworks, host: System, live: Live | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """NumPy 2 is installed with a framework or package compiled for NumPy 1.

    What it means:
    NumPy 2 changed its binary interface. Programs compiled against NumPy 1 do not work with it.

    Why it breaks:
    TensorFlow fails to import: "A module that was compiled using NumPy 1.x cannot be run in NumPy 2". PyTorch imports,
    but `tensor.numpy()` fails with "Numpy is not available". Old releases set no upper limit for NumPy, so pip
    installs version 2.

    How to fix it:
    Install `numpy<2`, or a newer framework: PyTorch from 2.3 (Windows: 2.4.1), TensorFlow from 2.18.

    When to ignore it:
    If your program uses PyTorch and never turns tensors into NumPy arrays.

    Sources:
    https://numpy.org/doc/stable/numpy_2_0_migration_guide.html
    """
    numpy = packages.find("numpy")
    numbers = release_numbers(numpy.version) if numpy else None
    if numpy is None or numbers is None or numbers < (2,) or host.os not in ("linux", "windows", "macos"):
        return
    told = False
    for name in computing():
        framework = frameworks.get(name)
        if framework is None or framework.version is None or is_conda(packages, name, "pytorch"):
            continue
        known = matrix.works_with_numpy2(name, framework.version, host.os)
        derived = _derived(framework, packages, matrix, host.os) if known is None else None
        if known is not False and derived is None:
            continue
        told = True
        yield problem(
            f"{framework.label} was compiled for NumPy 1, but NumPy {numpy.version} is installed.",
            seen("numpy", numpy.version),
            seen(name, framework.version, framework.source),
            *((derived,) if derived else ()),
            subject=framework.label,
            confidence="certain" if derived is None else "likely",
            fix=_numpy_1(scene, packages, numpy.version),
        )
    met = next((one for one in pasted(live) if one.signature == "numpy1-module-in-numpy2"), None)
    if met is not None and not told:
        yield problem(
            f"A compiled package was built for NumPy 1, but NumPy {numpy.version} is installed.",
            seen("numpy", numpy.version),
            seen(met.where or "the pasted text", met.text),
            confidence="likely",
            severity="warning",
            fix=_numpy_1(scene, packages, numpy.version),
        )


def _numpy_1(scene: Scene, packages: Packages, version: str) -> Fix:
    """The newest that all admit: TensorFlow 2.12 asks for one below 1.24."""
    steps = install(scene, bounded("numpy", ("<2",), packages.unmet))
    return Fix("Install NumPy 1", safety(scene), steps, undo=f"install numpy=={version}")


def _derived(framework: Framework, packages: Packages, matrix: Matrix, os: Os) -> Evidence | None:
    """What says that a release the tables lack was compiled for NumPy 1; None where nothing does."""
    for unmet in packages.unmet:
        is_its_own = unmet.package == (framework.dist or framework.name) and unmet.requirement == "numpy"
        if is_its_own and not is_met(unmet.wanted, "2.0.0"):
            return seen("asks for numpy", f"{unmet.wanted} (derived from its metadata)", framework.source)
    if matrix.numpy2_by_neighbours(framework.name, framework.version or "", os) is False:
        return seen("compiled for", "NumPy 1 (derived: a later release still is)")
    return None
