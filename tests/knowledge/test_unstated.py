"""Requirements that releases have and do not state: each row can be read, and counts for the releases it names."""

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from gpudoctor.knowledge.companion_bounds import rows, unstated


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_row_can_be_read(row: tuple[str, str, str, str]) -> None:
    package, releases, needed, source = row
    assert Requirement(f"{package}{releases}").specifier == SpecifierSet(releases)
    assert Requirement(needed).specifier
    assert source


@pytest.mark.parametrize(
    ("package", "version", "needed"),
    [
        ("tensorboard", "2.12.1", ("setuptools<82",)),
        ("tensorboard", "2.20.0", ("setuptools<82",)),
        ("tensorboard", "2.21.0", ()),
        ("pytorch-lightning", "2.3.3", ("setuptools<82",)),
        ("numpy", "2.0.0", ()),
    ],
)
def test_what_a_release_needs(package: str, version: str, needed: tuple[str, ...]) -> None:
    assert unstated(package, version) == needed
