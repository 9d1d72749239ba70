"""Parses os-release, WSL kernel names, Jetson (L4T) releases and /proc/cpuinfo."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.system import Cpu


def parse_os_release(text: str) -> dict[str, str]:
    """The assignments of os-release(5), quotes removed."""
    found = re.findall(r"^([A-Z_]+)=(.*)$", text, re.MULTILINE)
    return {name: re.sub(r"\\(.)", r"\1", value.strip().strip("\"'")) for name, value in found}


def is_wsl(text: str) -> bool:
    """The text names a kernel of WSL 2."""
    return bool(re.search(r"microsoft-standard|-microsoft\b|WSL2", text))


_FILE = re.compile(r"\bR(\d{2}) \(release\), REVISION: (\d{1,2}(?:\.\d{1,2})?)")
_PLAIN = re.compile(r"^R(\d{2}\.\d{1,2}(?:\.\d{1,2})?)$")
#: An image whose tag names its L4T: nvcr.io/nvidia/l4t-pytorch:r32.7.1-pth1.10-py3.
L4T_OF_IMAGE = re.compile(
    r"(?<![\w./-])[\w.-]+(?:/[\w.-]+)*:(?:[\w.]+-)*r((?:2[89]|3\d)\.\d{1,2}(?:\.\d{1,2})?)(?:-[\w.-]+)?(?![\w.]*\d)"
)


def release_of(tegra: str) -> str | None:
    """The release in what states a Jetson's system: 32.7.1 of "# R32 (release), REVISION: 7.1", of "R32.7.1"."""
    match = _FILE.search(tegra)
    if match:
        return f"{match[1]}.{match[2]}"
    plain = _PLAIN.match(tegra)
    return plain[1] if plain else None


def release_of_image(image: str) -> str | None:
    """The release that an image is made for, by its tag."""
    match = L4T_OF_IMAGE.search(image)
    return match[1] if match else None


#: What frameworks, their wheels and virtual machines ask for; the x86 names first, then those of aarch64.
_FLAGS = (
    "sse3", "ssse3", "sse4_1", "sse4_2", "avx", "f16c", "fma", "avx2", "avx512f", "avx512_bf16", "avx512_vnni",
    "amx_tile", "asimd", "asimddp", "fphp", "asimdhp", "i8mm", "bf16", "sve", "sve2", "atomics",
)  # fmt: skip


def parse_cpuinfo(text: str) -> tuple[Cpu, bool | None]:
    """Model and instruction sets of the first processor, and its hypervisor flag."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            fields.setdefault(name.strip().lower(), value.strip())
    model = fields.get("model name") or fields.get("cpu") or fields.get("hardware")
    raw = fields.get("flags") or fields.get("features")
    if raw is None:
        return Cpu(model=model), None
    words = set(raw.split()) | ({"sse3"} if "pni" in raw.split() else set())
    x86 = "flags" in fields
    return Cpu(
        model=model, flags=tuple(flag for flag in _FLAGS if flag in words)
    ), "hypervisor" in words if x86 else None
