"""What nvidia-smi prints, of drivers old and new: the versions, the GPUs, and what a failure shows.

Layouts as in public reports: sgl-project/sglang#27487 (610), rossumai/nvgpu#15 (450), cBio/cbio-cluster#38 (331).
"""

import pytest
from msgspec import structs

from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import GpuProcess, Gpus, Power
from gpudoctor.facts.versions import Capability
from gpudoctor.host.port import Ran
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.gpus import probe as gpus
from gpudoctor.probes.gpus.smi import _FIELDS, parse_failure, read_smi
from gpudoctor.sources.nvidia_codes import SMI
from gpudoctor.sources.nvidia_smi import parse_csv
from gpudoctor.sources.nvidia_smi_table import parse_banner, parse_table
from gpudoctor.tickets.pasted import plain
from gpudoctor.tickets.smi import parse_smi
from tests.fake_driver import on_bus

OF_610 = """\
Sun Jun  7 08:16:57 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA B200                    On  |   00000000:63:00.0 Off |                    0 |
| N/A   26C    P0            139W / 1000W |       0MiB / 183359MiB |      0%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
|   1  NVIDIA GeForce RTX 3080 ...    Off |   00000000:68:00.0  On |                  N/A |
| ERR!  ERR! ERR!           N/A /   80W   |      14MiB /  16384MiB |      6%      Default |
+-----------------------------------------+------------------------+----------------------+
|  Processes:                                                                             |
|    0   N/A  N/A            1234      C   python                                  512MiB |
"""
OF_450 = """\
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 450.57       Driver Version: 450.57       CUDA Version: 11.0     |
|-------------------------------+----------------------+----------------------+
|   0  TITAN Xp            On   | 00000000:17:00.0 Off |                  N/A |
| 23%   39C    P8     9W / 250W |      7MiB / 12196MiB |      0%      Default |
"""
OF_331 = """\
| NVIDIA-SMI 331.62     Driver Version: 331.62         |
|   0  GeForce GTX 680     Off  | 0000:03:00.0     N/A |                  N/A |
| 30%   35C  N/A     N/A /  N/A |      9MiB /  4095MiB |     N/A      Default |
"""
OF_WINDOWS = """\
| NVIDIA-SMI 581.42                 Driver Version: 581.42         CUDA Version: 13.0     |
|   0  NVIDIA GeForce RTX 4090      WDDM  |   00000000:01:00.0  On |                  Off |
|  0%   38C    P8             18W /  450W |     825MiB /  24564MiB |      2%      Default |
"""
OF_GB10 = """\
| NVIDIA-SMI 580.95.05              Driver Version: 580.95.05      CUDA Version: 13.0     |
|   0  NVIDIA GB10                    On  |   0000000F:01:00.0 Off |                  N/A |
| N/A   40C    P8              4W /  N/A  | Not Supported          |      0%      Default |
"""

BANNERS = [
    (OF_610, "610.43.02", "13.3"),
    (OF_450, "450.57", "11.0"),
    (OF_331, "331.62", "None"),
    (OF_WINDOWS, "581.42", "13.0"),
    ("| NVIDIA-SMI 535.1   Driver Version: N/A   CUDA Version: ERR! |", "None", "None"),
    ("", "None", "None"),
]


@pytest.mark.parametrize(("text", "release", "cuda"), BANNERS)
def test_versions_of_the_banner(text: str, release: str, cuda: str) -> None:
    assert tuple(str(each) for each in parse_banner(text)) == (release, cuda)


TABLES = [
    (
        OF_610,
        [
            (0, "NVIDIA B200", "0000:63:00.0", 0, 183359),
            (1, "NVIDIA GeForce RTX 3080 ...", "0000:68:00.0", 14, 16384),
        ],
    ),
    (OF_450, [(0, "TITAN Xp", "0000:17:00.0", 7, 12196)]),
    (OF_331, [(0, "GeForce GTX 680", "0000:03:00.0", 9, 4095)]),
    (OF_WINDOWS, [(0, "NVIDIA GeForce RTX 4090", "0000:01:00.0", 825, 24564)]),
    (OF_GB10, [(0, "NVIDIA GB10", "000f:01:00.0", None, None)]),
    ("No devices were found\n", []),
]


@pytest.mark.parametrize(("text", "expected"), TABLES)
def test_gpus_of_the_table(text: str, expected: list[tuple[object, ...]]) -> None:
    seen = [(g.index, g.name, g.pci_bus_id, g.memory_used_mib, g.memory_total_mib) for g in parse_table(text)]
    assert seen == expected


FULL = """\
| NVIDIA-SMI 535.129.03             Driver Version: 535.129.03   CUDA Version: 12.2     |
|   0  NVIDIA A100-SXM4-40GB          On  | 00000000:0F:00.0 Off |                    0 |
| N/A   38C    P0              62W / 400W |  17284MiB / 40960MiB |     17%   E. Process |
|                                         |                      |              Enabled |
|    0   N/A  N/A      2345      C   /opt/env/bin/python                       17268MiB |
"""


def test_readings_of_the_table() -> None:
    """They are the same, whether the table is our own fallback or was pasted."""
    (gpu,) = parse_table(FULL)
    assert (gpu.temperature_c, gpu.performance_state, gpu.utilization_percent) == (38, 0, 17)
    assert gpu.power == Power(draw=62.0, limit=400.0)
    assert (gpu.persistence, gpu.mig_enabled, gpu.compute_mode) == (True, True, "exclusive-process")
    assert gpu.processes == (GpuProcess(pid=2345, name="python", used_mib=17268, kind="compute"),)
    (pasted,) = parse_smi(plain("\n".join(f"> {line}" for line in FULL.splitlines())))
    (same,) = pasted.sections["gpus"].devices
    assert structs.replace(same, source=None) == structs.replace(gpu, source=None)


HEADER = (
    "index, name, uuid, pci.bus_id, pci.device_id, driver_version, memory.total [MiB], memory.used [MiB], "
    "power.draw [W], power.limit [W], temperature.gpu, utilization.gpu [%], persistence_mode, compute_mode, "
    "display_active, ecc.mode.current, pcie.link.gen.current, pcie.link.gen.max, pcie.link.width.current, "
    "pcie.link.width.max, compute_cap"
)
A_4090 = (
    "0, NVIDIA GeForce RTX 4090, GPU-01, 00000000:01:00.0, 0x268410DE, 580.65.06, 24564 MiB, 12 MiB, 21.55 W, "
    "450.00 W, 38, 3 %, Disabled, Default, Enabled, [N/A], 1, 4, 16, 16, 8.9"
)


def test_a_row_of_the_query() -> None:
    (gpu,) = parse_csv(f"{HEADER}\n{A_4090}\n")
    assert (gpu.index, gpu.name, gpu.uuid, gpu.pci_bus_id) == (0, "NVIDIA GeForce RTX 4090", "GPU-01", "0000:01:00.0")
    assert (gpu.pci_id, gpu.memory_total_mib, gpu.memory_used_mib) == ("10de:2684", 24564, 12)
    assert (gpu.capability, gpu.compute_mode) == (Capability("8.9"), "default")
    assert (gpu.persistence, gpu.display_active, gpu.ecc_enabled) == (False, True, None)
    assert gpu.power and (gpu.power.draw, gpu.power.limit) == (21.55, 450.0)
    assert gpu.pcie and (gpu.pcie.generation, gpu.pcie.generation_max, gpu.pcie.width) == (1, 4, 16)
    assert not gpu.refusals


#: A value that is none, and whether it is a refusal.
NO_VALUES = [
    ("[N/A]", False),
    ("N/A", False),
    ("[Not Supported]", False),
    ("[Unknown Error]", True),
    ("[GPU is lost]", True),
    ("[Insufficient Permissions]", True),
    ("ERR!", True),
    ("", False),
]


@pytest.mark.parametrize(("value", "refused"), NO_VALUES)
def test_what_is_no_value_is_unknown(value: str, refused: bool) -> None:
    row = ", ".join(["1", *[value] * HEADER.count(",")])
    (gpu,) = parse_csv(f"{HEADER}\n{row}\n")
    stated = {name for name in gpu.__struct_fields__ if getattr(gpu, name) not in (None, ())}
    assert stated == {"vendor", "index", "source"} | ({"refusals"} if refused else set())


@pytest.mark.parametrize("text", ["", "No devices were found", HEADER, f"{HEADER}\n0, a, b", 'Field "x" is not valid'])
def test_what_is_no_table_holds_no_gpu(text: str) -> None:
    assert parse_csv(text) == ()


FAILURES = [
    (9, "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "answered", 9),
    (255, "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.1", "answered", 18),
    (18, "Failed to initialize NVML: Driver/library version mismatch", "answered", 18),
    (4, "Failed to initialize NVML: Insufficient Permissions", "answered", 4),
    (255, "Failed to initialize NVML: Unknown Error", "answered", 999),
    (12, "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.", "no-library", 12),
    (6, "No devices were found", "answered", 6),
    (255, "Failed to initialize NVML: GPU access blocked by the operating system", "answered", 17),
    (255, "Unable to determine the device handle for GPU 0000:05:00.0: GPU is lost.  Reboot", "answered", 15),
    (1, "nonsense", "garbage", None),
    (77, "nonsense", "garbage", None),
]


@pytest.mark.parametrize(("status", "text", "outcome", "code"), FAILURES)
def test_what_a_failure_shows(status: int, text: str, outcome: str, code: int | None) -> None:
    answer = parse_failure(Ran(argv=("nvidia-smi",), outcome="exited", code=status, stdout=text.encode()))
    assert (answer.outcome, answer.code, answer.ok) == (outcome, code, False)


ENDINGS = [
    (Ran(argv=(), outcome="timed-out"), "timed-out"),
    (Ran(argv=(), outcome="abandoned", state="D", wchan="rm_ioctl"), "stuck"),
    (Ran(argv=(), outcome="signalled", signal="SIGSEGV"), "crashed"),
    (Ran(argv=(), outcome="not-started", reason="permission denied"), "not-asked"),
]


@pytest.mark.parametrize(("ran", "outcome"), ENDINGS)
def test_how_it_ended(ran: Ran, outcome: str) -> None:
    assert parse_failure(ran).outcome == outcome


# The whole ----------------------------------------------------------------------------------------------------------

WITH_CAP = ("nvidia-smi", f"--query-gpu={','.join(_FIELDS)},compute_cap", "--format=csv")
WITHOUT_CAP = ("nvidia-smi", f"--query-gpu={','.join(_FIELDS)}", "--format=csv")
REFUSED = Ran(argv=WITH_CAP, outcome="exited", code=2, stdout=b'Field "compute_cap" is not a valid field to query.\n')


def test_an_old_driver_is_asked_without_the_field_it_rejects() -> None:
    csv = f"{HEADER.removesuffix(', compute_cap')}\n{A_4090.removesuffix(', 8.9')}\n"
    host = RecordedHost(commands={("nvidia-smi",): OF_450, WITH_CAP: REFUSED, WITHOUT_CAP: csv})
    smi = read_smi(host, 5)
    assert smi is not None and smi.answer.ok and str(smi.release) == "450.57"
    assert [(gpu.pci_id, gpu.capability) for gpu in smi.gpus] == [("10de:2684", None)]


def test_the_query_serves_where_the_table_does_not() -> None:
    broken = Ran(argv=("nvidia-smi",), outcome="exited", code=255, stdout=b"Internal NVML error")
    smi = read_smi(RecordedHost(commands={("nvidia-smi",): broken, WITH_CAP: f"{HEADER}\n{A_4090}\n"}), 5)
    assert smi is not None and (smi.answer.ok, str(smi.release), smi.cuda) == (True, "580.65.06", None)


def test_the_table_serves_where_the_query_does_not() -> None:
    smi = read_smi(RecordedHost(commands={("nvidia-smi",): OF_610}), 5)
    assert smi is not None and [gpu.name for gpu in smi.gpus] == ["NVIDIA B200", "NVIDIA GeForce RTX 3080 ..."]


def test_a_machine_of_which_only_nvidia_smi_tells() -> None:
    csv = f"{HEADER}\n{A_4090}\n"
    commands = {("nvidia-smi",): OF_610, WITH_CAP: csv}
    bus = on_bus()
    host = RecordedHost(bus["files"], links=bus["links"], commands=commands)
    seen, nvml, _ = gpus.probe(host)
    assert isinstance(seen, Gpus) and len(seen.devices) == 1
    gpu = seen.devices[0]
    assert (gpu.name, gpu.bound_driver, gpu.capability) == ("NVIDIA GeForce RTX 4090", "nvidia", Capability("8.9"))
    assert nvml.nvml.ok and nvml.nvml.device_count == 1 and nvml.nvml.source == SMI
    assert (str(nvml.release), str(nvml.cuda)) == ("610.43.02", "13.3")
    assert [source.where for source in seen.sources] == ["nvidia-smi", "/sys/bus/pci/devices"]


def test_windows_without_nvml() -> None:
    host = RecordedHost(commands={("nvidia-smi",): OF_WINDOWS}, platform="win32", cwd="C:\\")
    seen, nvml, _ = gpus.probe(host)
    assert isinstance(seen, Gpus) and seen.devices[0].memory_total_mib == 24564
    assert str(nvml.release) == "581.42"
    assert isinstance(gpus.probe(RecordedHost(platform="win32", cwd="C:\\"))[0], Gap)


@pytest.mark.parametrize(
    ("how", "outcome"),
    [
        ({"outcome": "exited", "code": 0}, "garbage"),
        ({"outcome": "exited", "code": 1}, "garbage"),
        ({"outcome": "exited", "code": 127}, "garbage"),
        ({"outcome": "exited", "code": 9}, "answered"),
        ({"outcome": "exited", "code": 255, "stderr": b"Failed to initialize NVML: Unknown Error"}, "answered"),
        ({"outcome": "signalled", "signal": "SIGSEGV"}, "crashed"),
        ({"outcome": "not-started", "reason": "exec format error"}, "not-asked"),
    ],
)
def test_nvidia_smi_that_prints_nothing(how, outcome):
    seen = read_smi(Silent(how), 1.0)
    assert seen is not None and (seen.answer.outcome, seen.gpus, seen.release) == (outcome, (), None)
    assert seen.answer.outcome != "garbage" or seen.answer.detail


class Silent(RecordedHost):
    """A machine whose nvidia-smi ends as it is told."""

    def __init__(self, how) -> None:
        super().__init__({"/usr/bin/nvidia-smi": ""})
        self._how = how

    def run(self, argv, **_) -> Ran:
        return Ran(argv=argv, **self._how)


@pytest.mark.parametrize("size", ["9" * 400, "9" * 5000])
def test_numbers_without_end_are_no_numbers(size):
    row = f"index, name, memory.total [MiB], temperature.gpu\n{size}, A, {size} MiB, {size}\n"
    assert [(gpu.index, gpu.memory_total_mib, gpu.temperature_c) for gpu in parse_csv(row)] == [(None, None, None)]
    assert parse_table(f"|   {size}  A  Off | 0000:03:00.0 |\n| {size}MiB / {size}MiB |\n") == ()
    assert parse_banner(f"Driver Version: {size}.1 CUDA Version: {size}") == (None, None)


def test_a_mismatch_beside_an_empty_bus_is_not_no_gpu():
    how = {"outcome": "exited", "code": 18, "stdout": b"Failed to initialize NVML: Driver/library version mismatch\n"}
    host = Silent(how)
    seen, nvml, _ = gpus.probe(host)
    assert isinstance(seen, Gap) and nvml.nvml.code == 18
