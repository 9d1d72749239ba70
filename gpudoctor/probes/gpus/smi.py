"""Queries nvidia-smi, as the last resort where NVML cannot be asked."""

from typing import NamedTuple

from gpudoctor.facts.driver import Answer
from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.versions import CudaVersion, DriverRelease
from gpudoctor.host.port import Host, Ran
from gpudoctor.sources.nvidia_codes import SMI, nvml_code
from gpudoctor.sources.nvidia_smi import parse_csv, parse_lost_gpu, parse_release
from gpudoctor.sources.nvidia_smi import parse_failure as parse_failure_words
from gpudoctor.sources.nvidia_smi_table import parse_banner, parse_table

_FIELDS = (
    "index", "name", "uuid", "pci.bus_id", "pci.device_id", "driver_version", "memory.total", "memory.used",
    "power.draw", "power.limit", "temperature.gpu", "utilization.gpu", "persistence_mode", "compute_mode",
    "display_active", "ecc.mode.current", "pcie.link.gen.current", "pcie.link.gen.max", "pcie.link.width.current",
    "pcie.link.width.max",
)  # fmt: skip
#: Drivers before 510 reject the whole query for this field.
_NEWER_FIELD = "compute_cap"

#: Its exit statuses that are codes of NVML (man page, RETURN VALUE); others it tells in words, and ends with 255.
_STATUSES = (3, 4, 6, 8, 9, 10, 12, 13, 14, 15)


class Smi(NamedTuple):
    """What nvidia-smi told. `answer` is NVML's answer as far as its words and exit status show it."""

    answer: Answer
    gpus: tuple[Gpu, ...] = ()
    release: DriverRelease | None = None
    cuda: CudaVersion | None = None


def read_smi(host: Host, deadline: float) -> Smi | None:
    """Ask nvidia-smi, at most `deadline` seconds in all; None where there is none."""
    tool = host.tool("nvidia-smi")
    if tool is None:
        return None
    asked, left = _query(host, tool, deadline)
    if asked.outcome in ("timed-out", "abandoned") or left <= 0:
        return Smi(parse_failure(asked))
    table = host.run((tool,), timeout=left)
    gpus = parse_csv(asked.text) or parse_table(table.text)
    release, cuda = parse_banner(table.text)
    release = release or parse_release(asked.text)
    if gpus or release:
        return Smi(_success(len(gpus)), gpus, release, cuda)
    return Smi(_nothing_said(table) if table.ok else parse_failure(table))


def _nothing_said(table: Ran) -> Answer:
    """It reports success, and what it printed is no table: nothing at all, or something else."""
    size = len(table.stdout)
    detail = f"{size} bytes that are no table" if size else "it printed nothing"
    return Answer(outcome="garbage", detail=detail, source=SMI)


def _success(count: int) -> Answer:
    name, meaning = nvml_code(0)
    return Answer(outcome="answered", code=0, name=name, meaning=meaning, device_count=count, source=SMI)


def _query(host: Host, tool: str, left: float) -> tuple[Ran, float]:
    """The query, repeated without the field that an older driver rejects; and the seconds that are left."""
    ran = _query_for(host, tool, (*_FIELDS, _NEWER_FIELD), left)
    left -= ran.seconds
    if _NEWER_FIELD in ran.text.partition("\n")[0] and not ran.ok and left > 0:
        ran = _query_for(host, tool, _FIELDS, left)
        left -= ran.seconds
    return ran, left


def _query_for(host: Host, tool: str, fields: tuple[str, ...], timeout: float) -> Ran:
    return host.run((tool, f"--query-gpu={','.join(fields)}", "--format=csv"), timeout=timeout)


def parse_failure(ran: Ran) -> Answer:
    """What a failed run shows of NVML: its exit status may be an NVML code, or its words tell."""
    if ran.outcome == "timed-out":
        return Answer(outcome="timed-out", source=SMI)
    if ran.outcome == "abandoned":
        return Answer(outcome="stuck", detail=ran.wchan, source=SMI)
    if ran.outcome == "signalled":
        return Answer(outcome="crashed", detail=ran.signal, source=SMI)
    if ran.outcome == "not-started":
        return Answer(outcome="not-asked", detail=ran.reason, source=SMI)
    said = f"{ran.text}\n{ran.stderr.decode('utf-8', 'replace')}"
    lost = parse_lost_gpu(said)
    code = parse_failure_words(said) or (lost and lost[1]) or (ran.code if ran.code in _STATUSES else None)
    if code is None:
        return Answer(outcome="garbage", detail=ran.describe(), source=SMI)
    name, meaning = nvml_code(code)
    return Answer(outcome="no-library" if code == 12 else "answered", code=code, name=name, meaning=meaning, source=SMI)
