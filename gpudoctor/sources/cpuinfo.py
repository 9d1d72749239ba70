"""/proc/cpuinfo: the processor's model and its instruction sets."""

from gpudoctor.facts.system import Cpu

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
