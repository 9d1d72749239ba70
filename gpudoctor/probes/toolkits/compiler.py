"""The C++ compiler that nvcc would call, and its version from where it is installed; it is not run."""

import posixpath

from gpudoctor.facts import lazy_re as re
from gpudoctor.host.port import Host
from gpudoctor.probes.reading import names_in

_NAMES = ("gcc", "cc", "clang")
#: gcc-12, x86_64-linux-gnu-gcc-12, clang-17: the real file behind the link.
_NUMBERED = re.compile(r"(?:gcc|g\+\+|cc|clang)-(\d+(?:\.\d+)*)$")
_GCC_HOMES = ("/usr/lib/gcc", "/usr/libexec/gcc", "/usr/lib64/gcc")


def find_compiler(host: Host) -> tuple[str | None, str | None]:
    """Path and version; the version None where no file says it. On Windows neither is looked for."""
    if host.platform == "win32":
        return None, None
    chosen = host.env.get("NVCC_CCBIN") or host.env.get("CC") or ""
    path = host.which(chosen) if chosen and " " not in chosen else None
    path = path or next((found for name in _NAMES if (found := host.which(name))), None)
    return path, _version(host, path) if path else None


def _version(host: Host, path: str) -> str | None:
    real = host.real(path)
    numbered = _NUMBERED.search(posixpath.basename(real))
    if numbered:
        return numbered.group(1)
    if "gcc" not in posixpath.basename(real) or posixpath.dirname(real) not in {"/usr/bin", "/bin"}:
        return None
    # Fedora and Arch have one gcc, and its own files in a folder named by the version: /usr/lib/gcc/<triplet>/14.
    versions = {
        version
        for home in _GCC_HOMES
        for triplet in names_in(host, home) or ()
        for version in names_in(host, f"{home}/{triplet}") or ()
        if version[:1].isdigit()
    }
    return versions.pop() if len(versions) == 1 else None
