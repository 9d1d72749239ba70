"""Reads the NVIDIA driver's lines (NVRM, Xid) from the kernel log since boot."""

from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.driver import KernelLine
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import text_of, word_of
from gpudoctor.probes.system.probe import parse_status
from gpudoctor.redact.credentials import excerpt
from gpudoctor.sources.kernel_log import parse_kernel_log

#: Log files that hold kernel messages, where the system keeps any: Debian's, Red Hat's, the boot's alone.
_FILES = ("/var/log/kern.log", "/var/log/messages", "/var/log/dmesg")
_TAIL = 512 * 1024
_DMESG_SECONDS = 2.0


def read_kernel_log(host: Host) -> tuple[KernelLine, ...] | Gap:
    """The lines on the driver and on sleep, oldest first; a Gap with what was tried where no log may be read."""
    tried = []
    for path in _FILES:
        text = _tail(host, path)
        if isinstance(text, str) and text.strip():
            return parse_kernel_log(text, excerpt)
        if isinstance(text, Gap):
            tried.append(Source(kind="file", where=path))
    return _dmesg(host, tried)


def _tail(host: Host, path: str) -> str | Gap | None:
    stat = host.stat(path)
    if stat is None or isinstance(stat, Gap):
        return stat
    raw = host.read_range(path, max(0, stat.size - _TAIL), _TAIL)
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw


def _dmesg(host: Host, tried: list[Source]) -> tuple[KernelLine, ...] | Gap:
    """The kernel's own buffer, where the machine lets everyone read it (kernel.dmesg_restrict)."""
    tool = host.tool("dmesg")
    if tool is None:
        return Gap(reason="no kernel log file could be read, and there is no dmesg", tried=tuple(tried))
    tried.append(Source(kind="command", where=tool))
    uid, _ = parse_status(text_of(host, "/proc/self/status") or "")
    if uid != 0 and word_of(host, "/proc/sys/kernel/dmesg_restrict") == "1":
        return Gap(reason="this machine shows the kernel log to administrators only", tried=tuple(tried))
    ran = host.run((tool,), timeout=_DMESG_SECONDS)
    if ran.ok:
        return parse_kernel_log(ran.text, excerpt)
    return Gap(reason=f"dmesg {ran.describe()}", tried=tuple(tried))
