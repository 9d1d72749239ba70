"""What stated facts imply of one another; and what they do not."""

import pytest
from msgspec import structs

from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.libraries import Libraries, Resolution
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Environ
from gpudoctor.inference.infer import infer
from gpudoctor.knowledge.matrix.load import load_matrix
from tests.rules.situations import OK
from tests.whole import driver, gpu, machine

FOLDER = "/opt/cuda/lib64"
TAKEN = Resolution(
    framework="torch", soname="libcudnn.so.8", wanted_by="x", how="opened", path=f"{FOLDER}/libcudnn.so.8"
)


def implied(snapshot: Snapshot) -> Snapshot:
    return infer(snapshot, load_matrix())


def test_a_whole_machine_implies_nothing_new() -> None:
    whole = machine((gpu("NVIDIA GeForce RTX 3090", "8.6"),), driver("580.95.05"))
    assert implied(whole) is whole
    assert implied(machine()) == machine()


@pytest.mark.parametrize(
    ("fields", "maker"),
    [
        ({"name": "Tesla T4"}, "nvidia"),
        ({"name": "RTX 3090"}, "nvidia"),
        ({"pci_id": "10de:2204"}, "nvidia"),
        ({"name": "Radeon RX 7900 XTX"}, None),
        ({"name": "Tesla T4", "vendor": "other"}, "other"),
        ({}, None),
    ],
)
def test_the_maker_of_a_gpu(fields: dict[str, str], maker: str | None) -> None:
    snapshot = implied(machine(gpus=(Gpu(**fields),)))
    assert isinstance(snapshot.gpus, Gpus)
    assert snapshot.gpus.devices[0].vendor == maker


@pytest.mark.parametrize(("counted", "indices"), [(2, [0, 1]), (1, [None, None]), (None, [None, None])])
def test_numbers_where_nvml_lists_as_many(counted: int | None, indices: list[int | None]) -> None:
    nvml = structs.replace(OK, device_count=counted)
    cards = (Gpu(name="Tesla T4", uuid="GPU-0"), Gpu(name="Tesla T4", uuid="GPU-1"))
    snapshot = machine(cards, driver("580.95.05", nvml=nvml))
    found = implied(snapshot).gpus
    assert isinstance(found, Gpus)
    assert [one.index for one in found.devices] == indices
    named = structs.replace(snapshot, gpus=Gpus(devices=(Gpu(name="Tesla T4"),) * 2))
    assert [one.index for one in implied(named).gpus.devices] == indices
    # What only the PCI bus shows is not listed.
    of_bus = structs.replace(snapshot, gpus=Gpus(devices=(Gpu(vendor="nvidia", pci_id="10de:1eb8"),) * 2))
    assert implied(of_bus) is of_bus


@pytest.mark.parametrize(
    ("value", "path", "via"),
    [
        (f"/x:{FOLDER}/", ("/x", f"{FOLDER}/"), "LD_LIBRARY_PATH"),
        (f"{FOLDER}:", (FOLDER, "."), "LD_LIBRARY_PATH"),
        ("/x", ("/x",), None),
        ("", (), None),
        (None, (), None),
    ],
)
def test_the_variable_the_family_and_the_way(value: str | None, path: tuple[str, ...], via: str | None) -> None:
    variables = {} if value is None else {"LD_LIBRARY_PATH": value}
    snapshot = machine(libraries=Libraries(resolutions=(TAKEN,)), environ=Environ(variables=variables))
    found = implied(snapshot).libraries
    assert isinstance(found, Libraries)
    assert found.search_path == path
    assert found.resolutions == (structs.replace(TAKEN, family="cudnn", via=via),)


def test_what_is_stated_stays() -> None:
    stated = structs.replace(TAKEN, family="other", via="cache")
    kept = Libraries(resolutions=(stated,), search_path=(FOLDER,))
    variables = {"LD_LIBRARY_PATH": "/elsewhere"}
    assert implied(machine(libraries=kept, environ=Environ(variables=variables))).libraries == kept
