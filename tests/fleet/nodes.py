"""Records for tests: a node of a sound fleet, and what is wrong with it."""

from gpudoctor.facts.codec import encode
from gpudoctor.fleet.gather import Gathered
from gpudoctor.fleet.merge import Asked, overview_of
from gpudoctor.fleet.overview import Overview
from gpudoctor.fleet.reading import read_lines
from gpudoctor.fleet.record import RECORD_SCHEMA, Measured, NodeFinding, NodeFix, NodeGpu, NodeRecord

FIELDS = {
    "GPUs": "2",
    "VBIOS": "96.00",
    "kernel": "6.8.0",
    "driver": "580.65.06",
    "CUDA of the driver": "13.0",
    "torch": "2.9.1",
}
FIX = NodeFix(
    title="Install the driver 580.65.06", commands=("sudo apt install -y nvidia-driver-580",), needs_root=True
)


def node(host: str, *, fields: dict[str, str | None] | None = None, rate: float | None = None, **more) -> NodeRecord:
    """A sound node, with these fields changed (None: not seen)."""
    merged = {**FIELDS, **(fields or {})}
    values = {
        "role": "train",
        "time": "2026-11-22T22:00:00+00:00",
        "gpudoctor": "1.0",
        "verdict": "healthy",
        "gpus": (NodeGpu(index=0, model="H100"), NodeGpu(index=1, model="H100")),
        "measured": () if rate is None else (Measured(name="memory", unit="GB/s", values=(3000.0, rate)),),
    }
    kept = {name: value for name, value in merged.items() if value is not None}
    return NodeRecord(schema=RECORD_SCHEMA, host=host, fingerprint=kept, **{**values, **more})


def ill(host: str, code: str = "DRV001", severity: str = "error", fix: NodeFix | None = FIX) -> NodeRecord:
    """A node with one finding."""
    finding = NodeFinding(code=code, name="driver-missing", severity=severity, summary=f"Wrong on {host}.", fix=fix)
    return node(host, verdict="findings" if severity == "error" else "healthy", findings=(finding,))


def fleet(count: int) -> list[NodeRecord]:
    """Sound nodes n1, n2 …"""
    return [node(f"n{number}") for number in range(1, count + 1)]


def merged(records, **asked) -> Overview:
    """The overview of records."""
    gathered = Gathered()
    gathered.take(records)
    return overview_of(gathered, Asked(**asked))


def merged_lines(tmp_path, raw: bytes, **asked) -> Overview:
    """The overview of a file with these bytes."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(raw)
    gathered = Gathered()
    with path.open("rb") as file:
        gathered.take(read_lines(file, path.name))
    return overview_of(gathered, Asked(**asked))


def lines(records) -> bytes:
    """The file of records."""
    return b"".join(encode(one) + b"\n" for one in records)
