"""The pip command that reinstalls JAX's CUDA plugin and libraries for the installed jax."""

from gpudoctor.facts.libraries import Libraries
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.nvidia_libraries import owners_of_the_same
from gpudoctor.plan.places import install, safety
from gpudoctor.rules.terms import Fix

#: The parts whose libraries the loader is asked about.
PARTS = ("jax", "jaxlib", "jax-cuda-plugin")


def extra_of(scene: Scene, major: int, matrix: Matrix) -> str | None:
    """jax[cuda12]==0.6.2, of the installed jax; None where that release has no such extra."""
    jax = scene.find("jax")
    version = package_version(jax.version) if jax is not None else None
    if jax is None or version is None:
        return None
    rows = matrix.jax_builds(version.public)
    return f"jax[cuda{major}]=={version.public}" if any(row.variant == f"cuda{major}" for row in rows) else None


def all_parts(scene: Scene, major: int, libraries: Libraries | None, matrix: Matrix) -> Fix | None:
    """One command for the parts and the libraries that the loader does not find; None where it finds them all.

    None too where their files are those of packages for another CUDA.
    """
    wanted = extra_of(scene, major, matrix)
    lost = libraries is not None and any(libraries.missing(name) for name in PARTS)
    if wanted is None or not lost or owners_of_the_same(scene, (f"nvidia-cudnn-cu{major}",)):
        return None
    return Fix(f"Install JAX's parts for CUDA {major} with their libraries", safety(scene), install(scene, wanted))
