"""Tells IP addresses from version numbers of four parts (cuDNN 9.1.0.70), by the context."""

from gpudoctor.facts import lazy_re as re

#: Characters before the numbers that are looked at.
_BEFORE = 60
_PRIVATE = re.compile(r"192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.")
_PORT = re.compile(r":\d{2,5}\b(?![.:])")
_NETWORK = re.compile(r"/(?:[89]|[12]\d|3[0-2])\b(?!\.)")
_WORDS = re.compile(r"[A-Za-z]+|[=<>~!]=|[<>^]|@|//|==")
#: What a variable's name begins with says of what it is, not of its value: NCCL_COMM_ID.
_OF_A_NAME = re.compile(r"(?<![A-Za-z0-9])[A-Z][A-Z0-9]{0,30}(?=_[A-Z])")
#: Signs and words of versions; and beginnings of names that have them.
_VERSIONS = frozenset({
    "==", ">=", "<=", "~=", "!=", "<", ">", "^", "v", "version", "versions", "ver", "release", "driver", "toolkit",
    "runtime", "build", "built", "compiled", "compiler", "sdk", "api", "package", "wheel", "pip", "conda", "python",
    "so", "dll", "requires", "required", "needs", "older", "newer", "than", "minimum", "least", "upgrade", "downgrade",
    "upgraded", "update", "updated", "install", "installed", "installing", "kernel", "firmware", "bios", "vbios",
    "windows", "nccl", "npp", "rocm", "hip", "onnxruntime", "openvino", "mkl", "numpy", "scipy", "glibc", "gcc", "msvc",
    "chrome", "firmwareversion", "image", "tag", "cupti", "cutlass", "triton", "xformers", "flash", "apex",
})  # fmt: skip
_VERSIONED = ("cu", "nv", "lib", "tensor", "torch", "jax", "keras")
#: Words after which an address stands; and those after which one of a private network does.
_ADDRESSES = frozenset({
    "addr", "address", "addresses", "ip", "ipv", "inet", "host", "hosts", "server", "peer", "remote", "bind", "bound",
    "listen", "listening", "connect", "connecting", "connected", "connection", "ping", "ssh", "scp", "rsync", "curl",
    "telnet", "nameserver", "dns", "gateway", "router", "route", "subnet", "netmask", "master", "endpoint",
    "rendezvous", "rdzv", "socket", "eth", "ib", "proxy", "client", "src", "dst", "source", "destination", "node",
    "nodes", "resolv", "resolved", "dhcp", "lease", "nfs", "mount", "bmc", "ipmi", "tcp", "udp", "http", "rank",
    "@", "//",
})  # fmt: skip
_WEAK = frozenset({"from", "to", "at", "on", "via", "by", "with", "and", "or", "is", "of", "for", "in", "using"})


def is_address(text: str, start: int, end: int) -> bool:
    """Whether the four numbers at text[start:end] are an address of a machine."""
    numbers = text[start:end].split(".")
    if any(int(number) > 255 or (len(number) > 1 and number[0] == "0") for number in numbers):
        return False
    line = text.rfind("\n", max(0, start - _BEFORE), start) + 1
    before = text[max(line, start - _BEFORE, 0) : start]
    if _PORT.match(text, end):
        return True
    words = [word.lower() for word in _WORDS.findall(_OF_A_NAME.sub(_without_product, before))][-8:][::-1]
    said = _said(words)
    if said is not None:
        return said
    if _PRIVATE.match(text, start) or _NETWORK.match(text, end):
        return True
    # A table of packages and their versions, a field that holds nothing else, or an unknown name at the line's end.
    follows = text[end : end + 1]
    if int(numbers[0]) > 20:
        return bool(before.strip() or text[end:].strip())
    in_prose = bool(before.strip("\"' \t-[(,")) and not before.endswith(("  ", "\t"))
    return numbers[0] == "10" and in_prose and ((words[:1] != [] and words[0] in _WEAK) or follows == " ")


def _without_product(part: re.Match[str]) -> str:
    return part[0] if part[0].lower() in _ADDRESSES else ""


def _said(words: list[str]) -> bool | None:
    """What the nearest word that tells says."""
    for word in words:
        if word in _VERSIONS or (len(word) > 2 and word.startswith(_VERSIONED)):
            return False
        if word in _ADDRESSES:
            return True
    return None
