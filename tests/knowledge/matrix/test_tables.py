"""What must hold of every row, whatever is added later."""

import json
import re
from collections import Counter
from datetime import date
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from gpudoctor.facts.versions import Capability, CudaVersion, LibraryVersion
from gpudoctor.knowledge.matrix.load import load_matrix, read_table
from gpudoctor.knowledge.matrix.tables import ALL_TABLES, _dotted, table_type
from gpudoctor.knowledge.matrix.types import PLATFORMS, DriverBranch, DriverFloor, ForwardCompat

MATRIX = load_matrix()
KEYS: dict[str, tuple[str, ...]] = {
    "builds": ("framework", "version", "package", "variant"),
    "companions": ("torch",),
    "cuda_arch": ("row", "capabilities", "cuda"),
    "cuda_driver": ("row", "kind", "cuda", "os", "toolkit", "branch"),
    "cudnn": ("cudnn", "cuda"),
    "dates": ("package",),
    "extensions": ("package", "dist", "versions"),
    "faults": ("product", "affected"),
    "engines": ("package", "releases"),
    "gpu_peaks": ("name",),
    "glibc": ("package", "since", "kinds"),
    "gpu_reference": ("name",),
    "gpus": ("name", "device_ids"),
    "images": ("image",),
    "jax": ("version", "variant"),
    "keras": ("tensorflow",),
    "matlab": ("release",),
    "networks": ("name",),
    "numpy": ("package", "version", "os"),
    "programs": ("program", "releases", "min_capability"),
    "protobuf": ("tensorflow",),
    "recipes": ("purpose", "system"),
    "amd_families": ("family",),
    "toolkit_parts": ("cuda",),
    "chips": ("chip", "first"),
    "amd_gpus": ("name",),
    "rocm": ("framework", "version", "variant"),
    "pairs": ("package", "releases"),
    "runtimes": ("runtime", "release", "platforms"),
    "ready_wheels": ("package", "version", "cuda", "platform", "torch"),
    "releases": ("package", "versions"),
    "tensorflow": ("first", "last", "platform", "dist"),
    "throughput": ("gpu", "network", "precision", "source", "samples_per_second"),
    "torch": ("version", "variant"),
    "triton": ("version",),
    "xids": ("xid",),
    "containers": ("image", "tag"),
    "elsewhere": ("framework", "platforms", "only", "tegra", "vendor", "driver_below"),
}


def raw(name: str) -> dict[str, Any]:
    return json.loads(read_table(name))


def plain(value: object) -> object:
    return json.loads(msgspec.json.encode(value, enc_hook=str))


@pytest.mark.parametrize("name", ALL_TABLES)
def test_shape(name: str) -> None:
    table = raw(name)
    assert list(table) == ["table", "checked", "sources", "rows"]
    assert table["table"] == name
    assert date.fromisoformat(table["checked"])
    assert table["rows"]
    used = {row["source"] for row in table["rows"]}
    assert used == set(table["sources"]), "a source that no row cites, or the other way round"
    assert all(citation.strip() for citation in table["sources"].values())


@pytest.mark.parametrize("name", ALL_TABLES)
def test_rows_hold_only_known_fields_and_nothing_that_is_a_default(name: str) -> None:
    table = raw(name)
    typed = msgspec.json.decode(read_table(name), type=table_type(name), dec_hook=_dotted)
    assert [plain(row) for row in typed.rows] == table["rows"]


@pytest.mark.parametrize("name", ALL_TABLES)
def test_one_row_a_line(name: str) -> None:
    lines = read_table(name).decode().splitlines()
    rows = [line.rstrip(",") for line in lines if line.startswith('  {"')]
    assert [json.loads(row) for row in rows] == raw(name)["rows"]


@pytest.mark.parametrize("name", ALL_TABLES)
def test_no_duplicates(name: str) -> None:
    keys = Counter(tuple(json.dumps(row.get(field)) for field in KEYS[name]) for row in raw(name)["rows"])
    assert not [key for key, count in keys.items() if count > 1]


@pytest.mark.parametrize(
    ("name", "field"), [("builds", "version"), ("torch", "version"), ("jax", "version"), ("tensorflow", "last")]
)
def test_newest_first(name: str, field: str) -> None:
    versions = [Version(row[field]) for row in raw(name)["rows"]]
    assert versions == sorted(versions, reverse=True)


def test_newest_cuda_first_within_a_release_of_torch() -> None:
    nothing = CudaVersion("0.0")
    order = [(Version(row.version), row.cuda or nothing) for row in MATRIX.torch_builds()]
    assert order == sorted(order, reverse=True)


# Driver.


@pytest.mark.parametrize("os", ["linux", "windows"])
def test_floors_rise_with_the_toolkit(os: str) -> None:
    rows = [row for row in MATRIX.table("cuda_driver") if isinstance(row, DriverFloor) and row.os == os]
    toolkits = sorted((row for row in rows if row.kind == "toolkit"), key=lambda row: Version(row.toolkit))
    releases = [row.release for row in toolkits]
    assert releases == sorted(releases)
    families = sorted((row for row in rows if row.kind == "family"), key=lambda row: row.cuda)
    assert [row.cuda.major for row in families] == [11, 12, 13]
    assert [row.release for row in families] == sorted(row.release for row in families)
    for family in families:
        own = [row.release for row in toolkits if row.cuda.major == family.cuda.major and row.toolkit >= "11.1"]
        assert all(family.release <= release or family.cuda.major == 11 for release in own)


@pytest.mark.parametrize("os", ["linux", "windows"])
def test_branches_do_not_overlap_and_offer_ever_more(os: str) -> None:
    rows = [row for row in MATRIX.table("cuda_driver") if isinstance(row, DriverBranch) and row.os == os]
    rows.sort(key=lambda row: row.first)
    assert all(row.first <= row.last for row in rows)
    assert all(a.last < b.first and a.cuda <= b.cuda for a, b in pairwise(rows))


def test_a_branch_offers_what_its_toolkit_needs() -> None:
    """The driver that a toolkit came with offers that toolkit's CUDA."""
    for row in MATRIX.table("cuda_driver"):
        if isinstance(row, DriverFloor) and row.kind == "toolkit":
            offered = MATRIX.offered_cuda(row.release, row.os)
            assert offered is None or offered >= row.cuda, row


def test_forward_compat_drivers_are_older_than_what_they_help() -> None:
    for row in MATRIX.table("cuda_driver"):
        if isinstance(row, ForwardCompat):
            assert row.drivers
            assert not {driver.branch for driver in row.drivers} & set(row.refused)
            newest = max(driver.branch for driver in row.drivers)
            offered = MATRIX.offered_cuda(max(row.drivers), "linux")
            assert offered is None or offered <= row.cuda, (row.cuda, newest)


# GPUs.


def test_architectures() -> None:
    for row in raw("cuda_arch")["rows"]:
        if row["row"] == "architecture":
            assert len(row["capabilities"]) == 1
            first, last = row.get("first_branch", 0), row.get("last_branch", 10**6)
            assert first <= last


def test_gpu_rows_agree_with_the_architecture_of_their_capability() -> None:
    for row in MATRIX.table("gpus"):
        assert all(re.fullmatch(r"[0-9a-f]{4}", device) for device in row.device_ids), row
        assert row.capability is not None, row
        architecture = MATRIX.architecture(row.capability)
        assert architecture is not None, row
        if row.architecture is not None:
            assert row.architecture == architecture.name, row
        if architecture.last_branch is not None and not architecture.tegra:
            assert row.last_branch in (None, architecture.last_branch), row
        if row.first_listed is not None and architecture.first_branch is not None:
            # Betas of branch 525 listed what branch 525 and 570 served.
            assert row.first_listed.branch >= min(architecture.first_branch, 525), row


def test_a_pci_id_has_one_capability() -> None:
    capabilities: dict[str, set[Capability]] = {}
    for row in MATRIX.table("gpus"):
        for device in row.device_ids:
            capabilities.setdefault(device, set()).add(row.capability)
    assert not {device: found for device, found in capabilities.items() if len(found) > 1}


def test_toolkits_compile_for_known_architectures() -> None:
    for row in raw("cuda_arch")["rows"]:
        for capability in row.get("capabilities", ()):
            assert MATRIX.architecture(Capability(capability)) is not None, row


# Frameworks.

ARCH = re.compile(r"(?:sm|compute)_\d{2,3}[af]?")


def test_torch_builds() -> None:
    for row in MATRIX.torch_builds():
        assert Version(row.version)
        assert set(row.platforms) <= set(PLATFORMS)
        assert row.platforms
        assert set(row.archs) <= set(row.platforms), row
        assert set(row.default_on) <= set(row.platforms), row
        assert set(row.os) == {platform.split("-")[0] for platform in row.platforms}, row
        assert all(ARCH.fullmatch(arch) for archs in row.archs.values() for arch in archs), row
        assert row.pythons
        if row.variant == "cpu":
            assert row.cuda is None
            continue
        assert row.cuda is not None
        assert row.variant == "cu" + "".join(map(str, row.cuda.numbers)), row
        assert MATRIX.toolkit(row.cuda) is not None, row
        assert MATRIX.family_floor(row.cuda, "linux") is not None, row
        assert row.index_suffix in (None, f"whl/{row.variant}")
        assert row.cudnn is None or LibraryVersion.parse(row.cudnn)
        for platform, archs in row.archs.items():
            compiled_for = MATRIX.toolkit(row.cuda).capabilities
            for arch in archs:
                number = Capability(f"{arch.split('_')[1][:-1]}.{arch[-1]}")
                assert number in compiled_for, (row.version, row.variant, platform, arch)


def test_one_default_build_a_platform_and_release() -> None:
    defaults = Counter((row.version, platform) for row in MATRIX.torch_builds() for platform in row.default_on)
    assert not [key for key, count in defaults.items() if count > 1]


def test_ptx_and_architectures_agree_on_linux() -> None:
    for row in MATRIX.torch_builds():
        archs = row.archs.get("linux-x86_64")
        if row.ptx is not None and archs is not None:
            assert row.ptx == any(arch.startswith("compute_") for arch in archs), row


def test_tensorflow_builds() -> None:
    for row in MATRIX.tensorflow_builds():
        assert Version(row.first) <= Version(row.last), row
        assert Version(row.first).release[:2] == tuple(map(int, row.line.split("."))), row
        assert row.platform in (*PLATFORMS, "any"), row
        assert (row.build == "gpu") >= (row.cuda is not None), row
        if row.cuda is not None:
            assert MATRIX.toolkit(row.cuda) is not None, row
        assert all(ARCH.fullmatch(arch) for arch in (*(row.archs or ()), *row.partial)), row
        assert not set(row.archs or ()) & set(row.partial), row
        assert row.cudnn is None or re.fullmatch(r"\d+(\.\d+)?", row.cudnn), row


def test_tensorflow_ranges_of_one_distribution_do_not_overlap() -> None:
    places: dict[tuple[str, str], list[Any]] = {}
    for row in MATRIX.tensorflow_builds():
        places.setdefault((row.platform, row.dist), []).append(row)
    for rows in places.values():
        rows.sort(key=lambda row: Version(row.first))
        for a, b in pairwise(rows):
            same_place_twice = Version(a.last) >= Version(b.first)
            assert not same_place_twice, (a.first, a.last, b.first, b.last, a.platform, a.dist)


def test_requirements_are_specifiers() -> None:
    for row in MATRIX.table("protobuf"):
        assert SpecifierSet(row.required) is not None
        if row.works is not None:
            assert SpecifierSet(row.works) is not None
    for row in (*MATRIX.tensorflow_builds(), *MATRIX.table("numpy")):
        for text in (getattr(row, "numpy", None), getattr(row, "required", None), getattr(row, "protobuf", None)):
            for alternative in (text or "").split("|"):
                assert SpecifierSet(alternative.partition(";")[0].strip()) is not None


def test_companions_name_every_torch_release() -> None:
    assert {row.torch for row in MATRIX.table("companions")} == {row.version for row in MATRIX.torch_builds()}


def test_jax_builds() -> None:
    for row in MATRIX.jax_builds():
        assert Version(row.version)
        assert row.cuda is None or isinstance(row.cuda, CudaVersion)
        assert set(row.platforms) <= set(PLATFORMS)
        assert all(ARCH.fullmatch(arch) for arch in row.archs or ()), row
        assert re.match(r"cuda(-?1[0123]|$)", row.variant), row
