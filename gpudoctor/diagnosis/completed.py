"""A snapshot with what follows from it: a version's tag names the build, a list of packages the frameworks."""

from msgspec import structs

from gpudoctor.facts.python import Framework, Frameworks, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.frameworks import computing
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.installed_builds import Builds, framework_of, with_its_tag


def completed(snapshot: Snapshot, matrix: Matrix) -> Snapshot:
    """The snapshot; what a look of ours saw stays as it is."""
    snapshot = _with_installers(snapshot)
    frameworks = snapshot.frameworks
    if isinstance(frameworks, Frameworks):
        found = tuple(with_its_tag(one) for one in frameworks.found)
        if found == frameworks.found:
            return snapshot
        return structs.replace(snapshot, frameworks=structs.replace(frameworks, found=found))
    found = _of_packages(snapshot, matrix)
    # A look that found none of these lists no packages of theirs either.
    if not any(one.name in computing() for one in found):
        return snapshot
    return structs.replace(snapshot, frameworks=Frameworks(found=found))


def _with_installers(snapshot: Snapshot) -> Snapshot:
    """Only conda's packages bear a build string."""
    packages = snapshot.packages
    if not isinstance(packages, Packages) or all(one.installer or not one.build for one in packages.installed):
        return snapshot
    told = tuple(
        structs.replace(one, installer="conda") if one.build and not one.installer else one
        for one in packages.installed
    )
    return structs.replace(snapshot, packages=structs.replace(packages, installed=told))


def _of_packages(snapshot: Snapshot, matrix: Matrix) -> tuple[Framework, ...]:
    packages = snapshot.packages
    if not isinstance(packages, Packages):
        return ()
    builds = Builds(matrix, packages, snapshot.host, snapshot.interpreter)
    named = (framework_of(package, packages) for package in packages.installed)
    made = (builds.completed(one) for one in named if one is not None)
    return tuple(_without_doubtful(one) for one in made)


def _without_doubtful(one: Framework) -> Framework:
    """TensorFlow and JAX may be somebody's own build for GPUs: without its files a list does not tell."""
    doubtful = one.variant == "cpu" and not one.name.startswith("torch")
    return structs.replace(one, variant=None) if doubtful else one
