"""Companions that break old releases: each row can be read, and counts for the releases and messages it names."""

import re

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from gpudoctor.knowledge.companion_bounds import Bound, bound_shown_by, bounds, bounds_of


@pytest.mark.parametrize("row", bounds(), ids=lambda row: f"{row.package}-{row.companion}")
def test_a_row_can_be_read(row: Bound) -> None:
    assert Requirement(f"{row.package}{row.releases}").specifier == SpecifierSet(row.releases)
    assert Requirement(row.requirement).name == row.companion
    assert re.compile(row.prints) and row.source


@pytest.mark.parametrize(
    ("package", "version", "needed"),
    [
        ("tensorflow", "1.14.0", {"h5py<3", "numpy<1.20", "keras<2.4"}),
        ("tensorflow", "2.3.1", {"h5py<3", "numpy<1.20", "keras<2.5"}),
        ("tensorflow", "2.6.0", {"numpy<1.20"}),
        ("tensorflow", "2.9.0", set()),
        ("keras", "2.2.4", {"h5py<3"}),
        ("keras", "2.4.3", set()),
    ],
)
def test_what_a_release_works_with(package: str, version: str, needed: set[str]) -> None:
    assert {one.requirement for one in bounds_of(package, version)} == needed


@pytest.mark.parametrize(
    ("version", "wheel", "needed"),
    [
        ("1.11.0+cpu", "windows 3.10", {"numpy>=1.22,<2"}),
        ("2.0.1", "windows 3.10", {"numpy>=1.23,<2"}),
        ("2.1.0", "windows 3.10", set()),
        ("1.11.0", "windows 3.9", set()),
        ("1.11.0", "linux 3.10", set()),
        ("2.0.1", "", set()),
    ],
)
def test_what_single_wheels_work_with(version: str, wheel: str, needed: set[str]) -> None:
    assert {one.requirement for one in bounds_of("torch", version, wheel)} == needed


@pytest.mark.parametrize(
    ("message", "releases", "needed"),
    [
        ("AttributeError: 'str' object has no attribute 'decode'", {"tensorflow": "1.15.0"}, "h5py<3"),
        ("AttributeError: 'str' object has no attribute 'decode'", {"tensorflow": "2.10.0"}, None),
        ("AttributeError: module 'numpy' has no attribute 'object'.", {"tensorflow": "2.4.1"}, "numpy<1.20"),
        ("AttributeError: module 'numpy' has no attribute 'object'.", {"torch": "2.4.1"}, None),
        (
            "AttributeError: module 'tensorflow.compat.v2' has no attribute '__internal__'",
            {"tensorflow": "2.4.1"},
            "keras<2.5",
        ),
    ],
)
def test_what_a_message_is_about(message: str, releases: dict[str, str], needed: str | None) -> None:
    found = bound_shown_by(message, releases)
    assert (found.requirement if found else None) == needed
