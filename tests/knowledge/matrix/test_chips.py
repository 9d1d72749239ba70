"""The compute capability of GPUs that no list of products names."""

import pytest

from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.gpu_types import Architecture, Chip
from gpudoctor.knowledge.matrix.gpus import called, capability_of_device, closest
from gpudoctor.knowledge.matrix.load import load_matrix

CHIPS: tuple[Chip, ...] = load_matrix().table("chips")


def test_ranges_are_ordered_and_apart() -> None:
    flat = [number for one in CHIPS if one.first for number in (one.first, one.last)]
    assert flat == sorted(flat)
    assert len(set(flat)) == len(flat)


def test_ranges_agree_with_every_product() -> None:
    """Each product of the matrix whose id lies in a range has the capability of that range."""
    checked = 0
    for model in load_matrix().table("gpus"):
        for device in model.device_ids:
            found = capability_of_device(f"10de:{device}", CHIPS)
            if found is not None:
                checked += 1
                assert found == model.capability, (model.name, device)
    assert checked > 400


def test_capabilities_are_architectures() -> None:
    matrix = load_matrix()
    for one in CHIPS:
        row = matrix.architecture(one.capability)
        assert isinstance(row, Architecture), one.chip
        assert not row.tegra, one.chip


@pytest.mark.parametrize(
    ("name", "pci_id", "capability"),
    [
        ("GP104GL [Tesla P4]", "10de:1bb3", "6.1"),
        (None, "10de:1bb3", "6.1"),
        ("GK210GL [Tesla K80]", None, "3.7"),
        ("GB202 [GeForce RTX 5090]", None, "12.0"),
        ("NVIDIA Corporation AD102 [Something New]", None, "8.9"),
        ("GB205 [Something New]", "10de:2f7e", "12.0"),
        ("NVIDIA RTX PRO 1000 Blac...", None, "12.0"),
        ("Quadro RTX 6000 with Ma...", None, None),
        ("NVIDIA GeForce ...", None, None),
        ("NVIDIA ...", None, None),
        ("...", None, None),
        (None, "10de:ffff", None),
        (None, "1002:1bb3", None),
        ("Something New", None, None),
        ("GM20B", None, None),
        (None, "10de:1bg3", None),
    ],
)
def test_capability(name: str | None, pci_id: str | None, capability: str | None) -> None:
    found = load_matrix().capability(Gpu(vendor="nvidia", name=name, pci_id=pci_id))
    assert found == (Capability(capability) if capability else None)


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("Tesla M10", "5.0"), ("M10", "5.0"), ("A10M", "8.6"), ("Tesla P4", "6.1"), ("P4", "6.1"), ("T4", "7.5"),
        ("Tesla P100", "6.0"), ("P100", "6.0"), ("P 100", "6.0"), ("P104-100", "6.1"), ("P102-100", "6.1"),
        ("V100", "7.0"), ("A100", "8.0"), ("A100X", "8.0"), ("A10", "8.6"), ("L4", "8.9"), ("L40G", "8.9"),
        ("T4G", "7.5"), ("CMP 170HX", "8.0"), ("GRID K520", "3.0"), ("RTX3090Ti", "8.6"), ("rtx a6000", "8.6"),
    ],
)  # fmt: skip
def test_a_name_as_people_write_it(name: str, capability: str) -> None:
    found = closest(called(load_matrix().table("gpus"), name))
    assert {str(model.capability) for model in found} == {capability}, [model.name for model in found]


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("Tesla K40", "3.5"),
        ("GRID V100D-32Q", "7.0"),
        ("NVIDIA A10-24Q", "8.6"),
        ("NVIDIA A100-3-20C", "8.0"),
        ("GRID T4-16Q", "7.5"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "8.0"),
        ("Jetson Nano", "5.3"),
    ],
)
def test_boards_vgpus_and_slices(name: str, capability: str) -> None:
    matrix = load_matrix()
    found = matrix.models_by_name(name) or called(matrix.table("gpus"), name)
    assert {str(model.capability) for model in found} == {capability}


@pytest.mark.parametrize("name", ["RTX6000-24Q", "K4", "GTX 9"])
def test_a_name_that_says_too_little_names_no_one_gpu(name: str) -> None:
    assert len({model.capability for model in called(load_matrix().table("gpus"), name)}) != 1


def test_a_vgpu_that_says_its_name_alone_has_the_capability_of_its_board() -> None:
    assert str(load_matrix().capability(Gpu(name="GRID V100D-32Q"))) == "7.0"
