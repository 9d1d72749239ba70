"""What follows from a snapshot that names a build only by its tag, or only its packages."""

import pytest
from msgspec import structs

from gpudoctor.facts.base import Gap
from gpudoctor.facts.python import Frameworks, Package, Packages
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.inference.infer import infer
from gpudoctor.knowledge.matrix.load import load_matrix
from tests.whole import driver, framework, gpu, machine

GPU = gpu("NVIDIA GeForce RTX 4090", "8.9")
UNSEEN = Gap(reason="not seen")


def frameworks_of(snapshot):
    made = infer(snapshot, load_matrix()).frameworks
    return {one.name: (one.variant, one.cuda) for one in made.found} if isinstance(made, Frameworks) else made


@pytest.mark.parametrize(
    ("version", "variant", "cuda"),
    [("2.6.0+cu124", "cuda", "12.4"), ("2.6.0+cpu", "cpu", None), ("2.6.0+rocm6.2", "rocm", None)],
)
def test_a_tag_names_the_build(version, variant, cuda):
    plain = framework("torch", version, variant=None, cuda=None)
    told = frameworks_of(machine((GPU,), driver("580.95.05"), (plain,)))
    assert told == {"torch": (variant, CudaVersion(cuda) if cuda else None)}


def test_what_was_seen_stays():
    own = framework("torch", "2.6.0+cu124", variant="cuda", cuda=CudaVersion("12.6"))
    snapshot = machine((GPU,), driver("580.95.05"), (own, framework("keras", "3.6.0")))
    assert infer(snapshot, load_matrix()) is snapshot
    none_there = machine((GPU,), driver("580.95.05"))
    assert infer(none_there, load_matrix()) is none_there


@pytest.mark.parametrize("frameworks", [None, UNSEEN])
@pytest.mark.parametrize(
    ("package", "told"),
    [
        (Package(name="torch", version="2.6.0+cu124", installer="pip"), {"torch": ("cuda", CudaVersion("12.4"))}),
        (
            Package(name="pytorch", version="2.1.0", installer="conda", build="cpu_generic_py310h3fe2e36_3"),
            {"torch": ("cpu", None)},
        ),
        (
            Package(name="jaxlib", version="0.4.23", installer="conda", build="cuda120py311h8c5e3f9_202"),
            {"jaxlib": ("cuda", CudaVersion("12.0"))},
        ),
        # Somebody's own build says no more of itself.
        (Package(name="tensorflow", version="1.5.0", installer="pip"), {"tensorflow": (None, None)}),
    ],
)
def test_packages_tell_where_the_frameworks_were_not_seen(frameworks, package, told):
    beside = (Package(name="jax", version="0.4.23", installer="conda"),) if package.name == "jaxlib" else ()
    snapshot = machine((GPU,), driver("580.95.05"), packages=Packages(installed=(package, *beside)))
    found = frameworks_of(structs.replace(snapshot, frameworks=frameworks))
    assert {name: found[name] for name in told} == told


def test_a_build_string_is_conda_s():
    installed = (
        Package(name="pytorch", version="2.1.0", build="cpu_generic_py310h3fe2e36_3"),
        Package(name="requests", version="2.32.0"),
        Package(name="numpy", version="2.0.0", installer="pip"),
    )
    snapshot = machine((GPU,), driver("580.95.05"), packages=Packages(installed=installed))
    told = infer(snapshot, load_matrix()).packages.installed
    assert [one.installer for one in told] == ["conda", None, "pip"]


def test_packages_without_a_framework_tell_nothing():
    only_keras = Packages(installed=(Package(name="keras", version="3.6.0"),))
    snapshot = machine((GPU,), driver("580.95.05"), packages=only_keras, frameworks=())
    assert frameworks_of(structs.replace(snapshot, frameworks=None)) is None
