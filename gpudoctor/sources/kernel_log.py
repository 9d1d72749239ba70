"""Picks the NVIDIA driver's lines out of a kernel log."""

from collections.abc import Callable

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import KernelLine

#: Different lines kept; a failing GPU can repeat itself for hours.
_MOST_LINES = 100
_LONGEST_LINE = 400

#: syslog's time, host and program; only the kernel's own lines are read, and of those neither time nor host.
_SYSLOG = re.compile(r"^(?:\w{3} +\d+ [\d:]+|\d{4}-\S+) \S+ (kernel|\S+?)(?:\[\d+\])?: ?")
_PREFIX = re.compile(r"^(?:<\d+>)?(?:\[[^\]]{3,40}\] ?)?")
_BOOT = re.compile(r"(?:^|kernel: |\] ?)Linux version \d")
_RELEVANT = re.compile(
    r"\bNVRM\b|\bnvidia\b|\bnvidia-|\bnouveau\b|\bnova_core\b|fallen off the bus|^PKCS#7|unsigned module"
    r"|unavailable key|^Lockdown: modprobe|^PM: (?:suspend|hibernation) exit"
)
_RESUMED = re.compile(r"^PM: (?:suspend|hibernation) exit")
#: A message of several lines arrives as indented lines (dmesg, journald), as #012 (rsyslog), or with two blanks.
_CONTINUED = re.compile(r"^(?:\s+|NVRM:  )")
_XID = re.compile(r"\bXid \((?:PCI:)?[0-9a-fA-F:.]+\): (\d{1,4})\b")
_PCI = re.compile(r"\b([0-9a-fA-F]{4,8}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})(?:\.([0-7]))?(?![0-9a-fA-F:])")


def parse_kernel_log(text: str, shorten: Callable[[str, int], str]) -> tuple[KernelLine, ...]:
    """The relevant messages since the last start, without time and host name, each once.

    `shorten` gives at most so many characters of a text. It is the caller's, who knows how to take credentials out
    before a cut leaves the rest of one.
    """
    messages = dict.fromkeys(message for message in _messages(text) if _RELEVANT.search(message))
    shortened = (
        message if len(message) <= _LONGEST_LINE else shorten(message, _LONGEST_LINE)
        for message in list(messages)[-_MOST_LINES:]
    )
    return tuple(parse_message(message) for message in shortened)


def _messages(text: str) -> list[str]:
    """The messages of the last start, several lines of one message joined."""
    messages: list[str] = []
    for line in text.splitlines():
        if _BOOT.search(line):
            messages.clear()
        syslog = _SYSLOG.match(line)
        if syslog and syslog.group(1) != "kernel":
            continue
        message = _PREFIX.sub("", line[syslog.end() :] if syslog else line, count=1).replace("#012", " ")
        if messages and _CONTINUED.match(message):
            messages[-1] = f"{messages[-1]} {message}"
        else:
            messages.append(message)
    return [_tidy(message) for message in messages]


def _tidy(message: str) -> str:
    head, *rest = re.split(r"\s*NVRM:\s+", message)
    joined = " ".join((head, "NVRM:", *rest)) if rest else head
    return " ".join(joined.split())


def parse_message(message: str) -> KernelLine:
    """The line with the Xid and the GPU it names.

    "Fallen off the bus" is Xid 79 in NVIDIA's list (docs.nvidia.com/deploy/xid-errors), also where it has no number.
    """
    xid = _XID.search(message)
    number = int(xid.group(1)) if xid else None
    if number is None and "fallen off the bus" in message:
        number = 79
    pci = _PCI.search(message)
    where = f"{pci.group(1)[-4:]}:{pci.group(2)}:{pci.group(3)}.{pci.group(4) or 0}".lower() if pci else None
    return KernelLine(text=message, xid=number, pci_bus_id=where)


def says_resumed(lines: tuple[KernelLine, ...]) -> bool:
    """The log tells of a sleep that ended."""
    return any(_RESUMED.match(line.text) for line in lines)
