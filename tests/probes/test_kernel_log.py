"""What is taken from a kernel log, in the forms in which dmesg, rsyslog and journald write it."""

from typing import Any

import pytest

from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import KernelLine
from gpudoctor.host.machine import Command, Machine
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.kernel_log import read_kernel_log
from gpudoctor.redact.credentials import excerpt
from gpudoctor.sources import kernel_log
from gpudoctor.sources.kernel_log import parse_message, says_resumed


def parse_kernel_log(text: str) -> tuple[KernelLine, ...]:
    return kernel_log.parse_kernel_log(text, excerpt)


MISMATCH = (
    "NVRM: API mismatch: the client has the version 570.153.02, but this kernel module has the version 570.144. Please"
    " make sure that this kernel module and all NVIDIA driver components have the same version."
)
DMESG_MISMATCH = """\
[   12.014918] NVRM: API mismatch: the client has the version 570.153.02, but
               NVRM: this kernel module has the version 570.144.  Please
               NVRM: make sure that this kernel module and all NVIDIA driver
               NVRM: components have the same version.
[   12.014999] usb 1-1: new device
"""
SYSLOG_MISMATCH = (
    "Jun 30 11:07:05 gpu-0 kernel: NVRM: API mismatch: the client has the version 570.153.02, but#012NVRM: this kernel"
    " module has the version 570.144.  Please#012NVRM: make sure that this kernel module and all NVIDIA"
    " driver#012NVRM: components have the same version.\n"
)
LEGACY = """\
[Sun May 17 15:55:50 2026] nvidia-nvlink: Nvlink Core is being initialized, major device number 234
[Sun May 17 15:55:50 2026] NVRM: The NVIDIA NVIDIA GeForce GTX 1050 GPU installed in this system is
                           NVRM:  supported through the NVIDIA 580.xx Legacy drivers. Please
                           NVRM:  visit http://www.nvidia.com/object/unix.html for more
                           NVRM:  information.  The 595.71.05 NVIDIA driver will ignore
                           NVRM:  this GPU.  Continuing probe...
[Sun May 17 15:55:50 2026] NVRM: No NVIDIA GPU found.
"""
LEGACY_TEXT = (
    "NVRM: The NVIDIA NVIDIA GeForce GTX 1050 GPU installed in this system is supported through the NVIDIA 580.xx"
    " Legacy drivers. Please visit http://www.nvidia.com/object/unix.html for more information."
    " The 595.71.05 NVIDIA driver will ignore this GPU. Continuing probe..."
)
OLD = """\
[15280.304871] NVRM: The NVIDIA Tesla M2070 GPU installed in this system is
NVRM:  supported through 390.xx Legacy drivers.
[15280.304880] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  396.26
"""
LOST = """\
[ 1843.308145] NVRM: The NVIDIA GPU 0000:b3:00.0
               NVRM: (PCI ID: 10de:26b5) installed in this system has
               NVRM: fallen off the bus and is not responding to commands.
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DMESG_MISMATCH, [MISMATCH]),
        (SYSLOG_MISMATCH, [MISMATCH]),
        (DMESG_MISMATCH * 3, [MISMATCH]),
        (
            LEGACY,
            [
                "nvidia-nvlink: Nvlink Core is being initialized, major device number 234",
                LEGACY_TEXT,
                "NVRM: No NVIDIA GPU found.",
            ],
        ),
        (
            OLD,
            [
                "NVRM: The NVIDIA Tesla M2070 GPU installed in this system is supported through 390.xx Legacy drivers.",
                "NVRM: loading NVIDIA UNIX x86_64 Kernel Module 396.26",
            ],
        ),
        (
            "2025-01-02T03:04:05.678901+01:00 ada-box kernel: [ 1.5] nouveau 0000:01:00.0: fifo: fault\n",
            ["nouveau 0000:01:00.0: fifo: fault"],
        ),
        ("<6>[    2.5] NVRM: loading\n", ["NVRM: loading"]),
        ("[    2.5] r8169 0000:83:00.0: nothing of it\n", []),
        ("Jan  1 00:00:00 nvidia-box systemd[1]: Started\n", []),
        ("", []),
        ("\0\n\r\n[\n", []),
    ],
)
def test_messages(text: str, expected: list[str]) -> None:
    assert [line.text for line in parse_kernel_log(text)] == expected


def test_only_the_last_start_counts() -> None:
    text = "[ 0.0] Linux version 5.1\n[ 9.0] NVRM: before\n[ 0.0] Linux version 5.2\n[ 9.0] NVRM: after\n"
    assert [line.text for line in parse_kernel_log(text)] == ["NVRM: after"]


def test_a_flood_is_cut_to_the_newest() -> None:
    lines = parse_kernel_log("".join(f"[ {second}.0] NVRM: message {second}\n" for second in range(5000)))
    assert len(lines) == 100
    assert lines[-1].text == "NVRM: message 4999"


def test_a_long_line_is_cut() -> None:
    assert len(parse_kernel_log("[ 1.0] NVRM: " + "x " * 50_000)[0].text) == 400


@pytest.mark.parametrize("before", range(330, 410, 3))
def test_a_cut_leaves_no_rest_of_a_credential(before: int) -> None:
    secret = "hf_" + "a1B2c3D4e5" * 3 + "f6G7"
    (line,) = parse_kernel_log(f"[ 1.0] NVRM: {'x' * (before - 14)} {secret} {'y ' * 300}")
    assert not {secret[start : start + 6] for start in range(len(secret) - 5)} & {
        line.text[start : start + 6] for start in range(len(line.text) - 5)
    }


@pytest.mark.parametrize(
    ("message", "xid", "where"),
    [
        ("NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.", 79, "0000:01:00.0"),
        ("NVRM: Xid (PCI:0000:B3:00): 31, pid=1234, name=python, Ch 00000008", 31, "0000:b3:00.0"),
        ("NVRM: Xid (0000:01:00): 13, Graphics Exception", 13, "0000:01:00.0"),
        ("NVRM: Xid (PCI:0000:44:00): 119, pid=1, Timeout waiting for RPC from GSP!", 119, "0000:44:00.0"),
        ("NVRM: GPU at 0000:01:00.0 has fallen off the bus.", 79, "0000:01:00.0"),
        ("NVRM: GPU 00000000:07:00.0: RmInitAdapter failed! (0x61:0x56:1770)", None, "0000:07:00.0"),
        ("NVRM: nothing", None, None),
    ],
)
def test_message(message: str, xid: int | None, where: str | None) -> None:
    line = parse_message(message)
    assert (line.xid, line.pci_bus_id) == (xid, where)


def test_a_lost_gpu_without_a_number() -> None:
    (line,) = parse_kernel_log(LOST)
    assert (line.xid, line.pci_bus_id) == (79, "0000:b3:00.0")


def test_sleep() -> None:
    assert says_resumed(parse_kernel_log("[ 99.0] PM: suspend exit\n"))
    assert not says_resumed(parse_kernel_log("[ 99.0] PM: suspend entry (deep)\n"))


DMESG = Command(argv=("dmesg",), code=0, stdout="[ 1.0] NVRM: seen\n")
HUNG = Command(argv=("dmesg",), outcome="timed-out", seconds=2.0)
RESTRICT, STATUS = "/proc/sys/kernel/dmesg_restrict", "/proc/self/status"
ADMINISTRATORS = "this machine shows the kernel log to administrators only"
NO_LOG = "no kernel log file could be read, and there is no dmesg"


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (Machine(files={"/var/log/kern.log": "[ 1.0] NVRM: seen\n"}), ["NVRM: seen"]),
        (Machine(files={"/var/log/messages": "[ 1.0] NVRM: seen\n"}), ["NVRM: seen"]),
        (Machine(files={"/var/log/kern.log": ""}, commands=(DMESG,)), ["NVRM: seen"]),
        (Machine(gaps={"/var/log/kern.log": "permission denied"}, commands=(DMESG,)), ["NVRM: seen"]),
        (Machine(gaps={"/var/log/kern.log": "permission denied"}), NO_LOG),
        (Machine(commands=(HUNG,)), "dmesg did not answer within 2.0 s and was stopped"),
        (Machine(), NO_LOG),
        (Machine(files={RESTRICT: "1", STATUS: "Uid:\t0\t0\nGid:\t0\t0\n"}, commands=(DMESG,)), ["NVRM: seen"]),
        (Machine(files={RESTRICT: "1", STATUS: "Uid:\t9\t9\nGid:\t9\t9\n"}, commands=(DMESG,)), ADMINISTRATORS),
    ],
)
def test_where_a_log_is_found(machine: Machine, expected: Any) -> None:
    log = read_kernel_log(RecordedHost.of(machine))
    assert (log.reason if isinstance(log, Gap) else [line.text for line in log]) == expected


def test_what_was_tried() -> None:
    log = read_kernel_log(RecordedHost(gaps={"/var/log/kern.log": "permission denied"}))
    assert isinstance(log, Gap)
    assert [source.where for source in log.tried] == ["/var/log/kern.log"]
