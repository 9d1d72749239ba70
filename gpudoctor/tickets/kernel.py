"""Kernel output about the driver: NVRM and Xid lines, /proc/driver/nvidia/version, lsmod, mokutil."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.driver import DkmsState, Driver, KernelLine
from gpudoctor.facts.gpus import DeviceNode
from gpudoctor.redact.credentials import excerpt
from gpudoctor.sources.kernel_log import parse_kernel_log
from gpudoctor.sources.nvrm import parse_nvrm_version
from gpudoctor.tickets.fragment import Fragment, fragment, source
from gpudoctor.tickets.pasted import Pasted

LOG, VERSION, MODULES, BOOT = "kernel log", "/proc/driver/nvidia/version", "lsmod", "mokutil"

_LINE = re.compile(r"\bNVRM: (?!version)|\bXid \(PCI|fallen off the bus|\bnouveau [\da-f:.]+:"
    r"|nvidia: module verification failed"
                   r"|nvidia-uvm: |nvidia-modeset: |Lockdown: modprobe: |nvidia: loading out-of-tree")  # fmt: skip
_BEFORE = re.compile(r"^.*?(?=\bNVRM: |\bnouveau |\bnvidia[-\w]*: |\bLockdown: |\bXid )")
_NVRM = re.compile(r"NVRM version: |NVRM: loading NVIDIA UNIX ")
_LSMOD = re.compile(r"^\s*(nvidia(?:_uvm|_drm|_modeset|_peermem)?|nouveau|nova_core)\s+(\d{3,9})\s+(\d+|-?\d+)\b")
#: A shell's prompt with a command: "$ lsmod | grep nvidia", "(base) me@box:~$ dkms status".
_COMMAND = re.compile(r"^\s*(?:\([\w.-]+\)\s*)?(?:\[?[\w.-]+@[\w.-]+[:\s][^$#]{0,60})?[$#]\s+(\S.*)$")
_ASKED_MODULES = re.compile(r"^(?:sudo )?lsmod\s*\|\s*(?:e|f)?grep\s+(?:-\w+\s+)*['\"]?nvidia['\"]?\s*$", re.I)
_SECURE_BOOT = re.compile(r"^\s*SecureBoot (enabled|disabled)\s*$|^\s*Secure ?Boot:?\s*(enabled|disabled)\b", re.I)
_REJECTED = re.compile(r"could not insert '?nvidia[\w-]*'?: Key was rejected by service|Key was rejected by service")
_DKMS = re.compile(r"^\s*(nvidia[\w-]*)[/,]\s?(\d{3}[\d.]*)(?:,\s*(\d[^,\s]+),\s*\w+)?:\s*(added|built|installed)\b")
_NODE = re.compile(r"^\s*(c[rwx-]{9})[.+@]?\s+\d+\s+(\S+)\s+(\S+)\s+\d+,\s+\d+\s.*?(/dev/nvidia\S*)$")
_BITS = {"r": 4, "w": 2, "x": 1, "-": 0}
#: Lines kept of one log.
_MOST = 100


def parse_kernel(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    return (*_log(text), *_version(text), *_modules(text), *_secure_boot(text), *_dkms(text), *_nodes(text))


def _log(text: Pasted) -> tuple[Fragment, ...]:
    """The lines of the log, and those that continue one."""
    lines = [
        number
        for number, line in text.filled
        if ("NVRM" in line or "Xid" in line or "nvidia" in line or "nouveau" in line or "fallen" in line)
        and _LINE.search(line)
    ]
    if not lines:
        return ()
    rows = [_message(text.lines[number - 1]) for number in lines]
    messages = parse_kernel_log("\n".join(rows), excerpt)[-_MOST:]
    return fragment(LOG, lines, driver=Driver(kernel_log=messages))


def _message(line: str) -> str:
    """The message without what stands before it; a continued one keeps two blanks, by which it is known."""
    continued = re.match(r"^\s{4,}NVRM: (?!Xid|GPU |API)", line) or re.match(r"^.*?NVRM:  +(?=\S)", line)
    message = _BEFORE.sub("", line)
    return f"  {message.lstrip()}" if continued else message


def _version(text: Pasted) -> tuple[Fragment, ...]:
    for number, line in text.filled:
        release, flavour = parse_nvrm_version(line) if _NVRM.search(line) else (None, None)
        if release:
            where = source(VERSION, number)
            driver = Driver(release=release, module_release=release, module_flavour=flavour, source=where)
            return fragment(VERSION, (number,), driver=driver)
    return ()


def _modules(text: Pasted) -> tuple[Fragment, ...]:
    found = {match[1]: number for number, match in text.matches(_LSMOD)}
    if found:
        return fragment(MODULES, found.values(), driver=Driver(modules_loaded=tuple(sorted(found))))
    silent = next((number for number, match in text.matches(_COMMAND) if _is_silent(text, number, match[1])), None)
    return (Fragment(form=MODULES, lines=(silent,), sections={"driver": Driver(modules_loaded=())}),) if silent else ()


def _is_silent(text: Pasted, number: int, command: str) -> bool:
    """It asked for NVIDIA's modules, and the next thing is another prompt: there are none."""
    if not _ASKED_MODULES.match(command):
        return False
    after = next((line for line in text.lines[number:] if line.strip()), None)
    return after is not None and _COMMAND.match(after) is not None


def _secure_boot(text: Pasted) -> tuple[Fragment, ...]:
    for number, match in text.matches(_SECURE_BOOT):
        state = (match[1] or match[2]).lower() == "enabled"
        return fragment(BOOT, (number,), driver=Driver(secure_boot=state))
    for number, match in text.found(_REJECTED):
        line = KernelLine(text=match[0])
        return fragment(LOG, (number,), driver=Driver(kernel_log=(line,)))
    return ()


def _dkms(text: Pasted) -> tuple[Fragment, ...]:
    rows = [(number, match) for number, match in text.matches(_DKMS)]
    states = tuple(
        DkmsState(module=match[1], version=match[2].rstrip("."), kernel=match[3], state=match[4]) for _, match in rows
    )
    return fragment("dkms status", (number for number, _ in rows), driver=Driver(dkms=states)) if states else ()


def _nodes(text: Pasted) -> tuple[Fragment, ...]:
    """`ls -l /dev/nvidia*`."""
    rows = [(number, match) for number, match in text.matches(_NODE)]
    nodes = tuple(
        DeviceNode(path=match[4], mode=_mode(match[1][1:]), owner=match[2], group=match[3]) for _, match in rows
    )
    return (
        fragment("ls /dev/nvidia*", (number for number, _ in rows), driver=Driver(device_nodes=nodes)) if nodes else ()
    )


def _mode(letters: str) -> int:
    triples = (letters[start : start + 3] for start in (0, 3, 6))
    values = [sum(_BITS[letter] for letter in triple) for triple in triples]
    return values[0] * 64 + values[1] * 8 + values[2]
