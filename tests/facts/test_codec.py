"""Snapshots to JSON and back, and their public schema."""

import json
from importlib.resources import files

import msgspec
import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.codec import NotASnapshot, decode_snapshot, encode, json_schema
from gpudoctor.facts.snapshot import SECTIONS, SNAPSHOT_SCHEMA, Snapshot
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from tests.whole import driver, framework, gpu, machine

WHOLE = machine([gpu("RTX 4090", "8.9")], driver("535.161.07"), [framework("torch", "2.6.0+cu124")])


def test_present_absent_and_unseen_survive_the_way_to_json_and_back():
    snapshot = Snapshot(gpus=None, driver=Gap(reason="locked"), host=WHOLE.host)
    again = decode_snapshot(encode(snapshot))
    assert again == snapshot
    assert again.gpus is None
    assert again.driver == Gap(reason="locked")


def test_a_section_that_was_not_written_was_not_seen():
    assert isinstance(decode_snapshot(b'{"schema": 1}').gpus, Gap)


def test_versions_are_text_in_json_and_typed_in_python():
    raw = json.loads(encode(WHOLE))
    assert raw["driver"]["release"] == "535.161.07"
    again = decode_snapshot(encode(WHOLE))
    assert again.driver.release == DriverRelease("535.161.07")
    assert again.gpus.devices[0].capability == Capability("8.9")


@pytest.mark.parametrize(
    ("text", "words"), [('{"schema": 2}', "schema is 2"), ('{"schema": 1, "gpus": {"section": "x"}}', "gpus")]
)
def test_what_is_wrong_is_named(text, words):
    with pytest.raises(NotASnapshot, match=words):
        decode_snapshot(text.encode())


def test_the_shipped_schema_is_that_of_the_types():
    shipped = (files("gpudoctor.facts") / "snapshot.schema.json").read_text(encoding="utf-8")
    expected = json.dumps(json_schema(), indent=1, sort_keys=True) + "\n"
    assert shipped == expected, "run scripts/write_snapshot_schema.py"


def test_the_schema_names_every_section_and_its_version():
    properties = json_schema()["$defs"]["Snapshot"]["properties"]
    assert set(SECTIONS) < set(properties)
    assert properties["schema"]["default"] == SNAPSHOT_SCHEMA


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (DriverRelease, "580.65.06", "580.65.06"),
        (DriverRelease, "[N/A]", None),
        (DriverRelease, "", None),
        (CudaVersion, "12.4.1", "12.4.1"),
        (Capability, "ERR!", None),
        (Capability, "8.9", "8.9"),
    ],
)
def test_what_is_no_version_is_unknown(kind, text, value):
    parsed = kind.parse(text)
    assert (parsed and str(parsed)) == value


def test_a_driver_release_is_never_compared_with_a_cuda_version():
    with pytest.raises(TypeError):
        assert DriverRelease("580.65") > CudaVersion("13.0")
    assert DriverRelease("13.0") != CudaVersion("13.0")


def test_patch_numbers_of_cuda_do_not_compare():
    assert CudaVersion("12.4.1") == CudaVersion("12.4")
    assert CudaVersion.from_number(12040) == CudaVersion("12.4")
    assert DriverRelease("570.124.04") < DriverRelease("570.124.06")


def test_facts_are_frozen():
    with pytest.raises(AttributeError):
        WHOLE.taken_at = "now"
    assert msgspec.structs.replace(WHOLE, taken_at="now").taken_at == "now"


def test_a_report_is_read_as_the_snapshot_in_it() -> None:
    snapshot = Snapshot(taken_at="2026-01-01T00:00:00+00:00")
    report = b'{"schema": 1, "verdict": "healthy", "diagnosis": {}, "snapshot": ' + encode(snapshot) + b"}"
    assert decode_snapshot(report) == snapshot


def test_a_key_that_is_no_utf_8_is_no_snapshot() -> None:
    for raw in (
        b'{"sch\xd1ma": 1}',
        b'{"schema": 1, "taken_at": "\xd1"}',
        b'{"diagnosis": {}, "snapshot": {"\xff": 1}}',
    ):
        with pytest.raises(NotASnapshot):
            decode_snapshot(raw)
