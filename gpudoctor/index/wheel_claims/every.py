"""Checks all matrix tables that rest on the METADATA of wheels."""

from collections.abc import Iterator

from gpudoctor.index.claims import Claim, Shelf
from gpudoctor.index.claims_tensorflow import CARRIERS
from gpudoctor.index.wheel_claims.extensions import extension_claims
from gpudoctor.index.wheel_claims.jax import jax_claims
from gpudoctor.index.wheel_claims.pairs import pair_claims, toolkit_claims
from gpudoctor.index.wheel_claims.tensorflow import ARM_CARRIER, required_claims, tensorflow_claims
from gpudoctor.index.wheel_claims.torch import companion_claims, torch_claims, triton_claims
from gpudoctor.index.wheel_facts import Library, WheelFacts
from gpudoctor.knowledge.matrix.query import Matrix


def content_claims(matrix: Matrix, library: Library, shelf: Shelf) -> Iterator[Claim]:
    """Of every table that has wheels behind it."""
    for build in matrix.torch_builds():
        yield from torch_claims(build, library, shelf)
    yield from companion_claims(matrix, library, shelf)
    for row in matrix.tensorflow_builds():
        yield from tensorflow_claims(row, library, shelf)
    yield from required_claims(matrix, library, shelf)
    for jax in matrix.jax_builds():
        yield from jax_claims(jax, library, shelf)
    yield from extension_claims(matrix, library)
    yield from triton_claims(matrix, library)
    yield from pair_claims(matrix, library)
    yield from toolkit_claims(matrix, library)


def wheels_to_read(matrix: Matrix, shelf: Shelf) -> tuple[tuple[str, str, str], ...]:
    """The wheels that these claims ask for, so that they can be read at once."""
    asked: dict[tuple[str, str, str], None] = {}
    carried = (*CARRIERS.values(), ARM_CARRIER, "jax-cuda12-plugin", "jax-cuda13-plugin")

    def note(package: str, version: str, platform: str) -> WheelFacts | None:
        asked[(package, version, platform)] = None
        # A requirement on each that may lead to another wheel.
        return WheelFacts(requires=tuple(f"{name}>=0" for name in carried))

    for _ in content_claims(matrix, note, shelf):
        pass
    return tuple(asked)
