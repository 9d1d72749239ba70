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


@pytest.mark.parametrize(
    ("one", "listed", "told"),
    [
        (framework("torch", "1.2.0", variant=None, cuda=CudaVersion("10.0")), (), ("cuda", "10.0")),
        (framework("torch", "1.7.1", variant=None, archs=("sm_37", "sm_75")), (), ("cuda", None)),
        (framework("jax-cuda-plugin", "0.4.30", dist="jax-cuda12-plugin", variant=None), (), ("cuda", "12")),
        (
            framework("torch", "2.4.0"),
            (Package(name="pytorch", version="2.4.0", build="cpu_generic_0"),),
            ("cpu", None),
        ),
        (framework("torch", "2.4.0"), (Package(name="pytorch", version="2.3.0", build="cpu_0"),), (None, None)),
        (framework("tensorflow", "2.17.0"), (), ("cuda", "12.3")),
    ],
)
def test_facts_that_a_person_wrote_tell_the_build(one, listed, told):
    snapshot = machine((GPU,), driver("580.95.05"), (one,))
    snapshot = structs.replace(snapshot, packages=Packages(installed=listed))
    variant, cuda = frameworks_of(snapshot)[one.name]
    assert (variant, str(cuda) if cuda else None) == told


def test_no_build_for_the_processor_is_guessed():
    snapshot = machine((GPU,), driver("580.95.05"), (framework("torch", "2.1.2"),))
    on_windows = structs.replace(snapshot, host=structs.replace(snapshot.host, os="windows"))
    assert frameworks_of(on_windows) == {"torch": (None, None)}


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
