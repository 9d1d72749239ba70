"""CUDA toolkits, nvcc and the C compiler a build would use, by their files; nothing is run."""

import posixpath

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap, Source
from gpudoctor.facts.libraries import Origin, Toolkit, Toolkits
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import exists, names_in, text_of
from gpudoctor.probes.target.choice import path_rules
from gpudoctor.probes.toolkits.version import parse_cuda_h, read_ptxas_version, read_version

#: Where toolkits lie when no variable says so: NVIDIA's installers, Arch, Debian's alternative, Debian's own package.
_FIXED = ("/opt/cuda", "/usr/lib/cuda")
_WINDOWS = "NVIDIA GPU Computing Toolkit\\CUDA"
_VARIABLES = ("CUDA_HOME", "CUDA_PATH")


def probe(host: Host) -> Toolkits | Gap | None:
    """All toolkits found; None where there is none, no nvcc and no variable that names one."""
    windows = host.platform == "win32"
    named = next((value for name in _VARIABLES if (value := host.env.get(name))), None)
    nvcc, ptxas = host.which("nvcc"), host.which("ptxas")
    found = _windows(host) if windows else _unix(host)
    if named and not any(host.real(named) == host.real(one.root) for one in found):
        found += _at(host, named, "environment")
    root = _root_of(host, nvcc) if nvcc else None
    if root and not any(host.real(one.root) == root for one in found):
        found += _at(host, root, _origin_of(root))
    if not (found or named or nvcc or ptxas):
        return None
    compiler, version = find_compiler(host)
    return Toolkits(
        found=tuple(found),
        nvcc_on_path=nvcc,
        ptxas_on_path=ptxas,
        ptxas_version=read_ptxas_version(host, ptxas) if ptxas else None,
        cuda_home=named,
        cuda_home_exists=_is_directory(host, named) if named else None,
        build_root=_build_root(host, named, root),
        compiler=compiler,
        compiler_version=version,
    )


def _build_root(host: Host, named: str | None, of_nvcc: str | None) -> str | None:
    """As torch/utils/cpp_extension.py finds it; a variable that leads nowhere is not passed over."""
    usual = "/usr/local/cuda"
    root = named or of_nvcc or (usual if host.platform != "win32" else None)
    return host.real(root) if root and _is_directory(host, root) else None


def _unix(host: Host) -> list[Toolkit]:
    """Toolkits at the usual places and in the active conda environment; each once, whatever links lead there."""
    local = [f"/usr/local/{name}" for name in names_in(host, "/usr/local") or () if re.match(r"cuda(-\d|$)", name)]
    default = host.real("/usr/local/cuda") if "/usr/local/cuda" in local else None
    roots: dict[str, Origin] = {}
    for root in (*local, *_FIXED):
        if _is_directory(host, root):
            roots.setdefault(host.real(root), "toolkit")
    conda = host.env.get("CONDA_PREFIX")
    if conda:
        roots.setdefault(conda, "conda")
    for root in _pip(host):
        roots.setdefault(root, "pip")
    found = [one for root, origin in roots.items() for one in _at(host, root, origin, is_default=root == default)]
    return found + _debian(host)


def _pip(host: Host) -> list[str]:
    """NVIDIA's nvcc package in the active virtual environment."""
    base = host.env.get("VIRTUAL_ENV")
    pythons = [name for name in names_in(host, f"{base}/lib") or () if name.startswith("python")] if base else []
    folders = [f"{base}/lib/{python}/site-packages/nvidia" for python in pythons]
    return [
        f"{folder}/{name}"
        for folder in folders
        for name in names_in(host, folder) or ()
        if name in {"cuda_nvcc", "cu13"}
    ]


def _debian(host: Host) -> list[Toolkit]:
    """Debian's package nvidia-cuda-toolkit: nvcc in /usr/bin, the headers in /usr/include."""
    if not exists(host, "/usr/lib/nvidia-cuda-toolkit"):
        return []
    text = text_of(host, "/usr/include/cuda.h", limit=65536)
    version = parse_cuda_h(text) if text else None
    return [
        Toolkit(
            root="/usr",
            version=CudaVersion.parse(version),
            origin="system",
            nvcc=next(
                (path for path in ("/usr/bin/nvcc", "/usr/lib/nvidia-cuda-toolkit/bin/nvcc") if exists(host, path)),
                None,
            ),
            source=Source(kind="file", where="/usr/include/cuda.h") if version else None,
        )
    ]


def _windows(host: Host) -> list[Toolkit]:
    base = f"{host.env.get('ProgramFiles', 'C:' + chr(92) + 'Program Files')}\\{_WINDOWS}"
    default = host.env.get("CUDA_PATH", "").rstrip("\\").lower()
    names = [name for name in names_in(host, base) or () if re.match(r"v\d", name)]
    return [
        one
        for name in names
        for one in _at(host, f"{base}\\{name}", "toolkit", is_default=f"{base}\\{name}".lower() == default)
    ]


def _at(host: Host, root: str, origin: Origin, *, is_default: bool = False) -> list[Toolkit]:
    """The toolkit at `root`, if nvcc or a version is there."""
    join = path_rules(host).join
    nvcc = join(root, "bin", "nvcc.exe" if host.platform == "win32" else "nvcc")
    present = nvcc if exists(host, nvcc) else None
    full, source = read_version(host, root)
    # /usr/local/bin may hold an nvcc of its own without being a toolkit; a conda prefix may hold headers alone.
    if full is None and (present is None or not exists(host, join(root, "nvvm"))):
        return []
    return [
        Toolkit(
            root=root,
            version=CudaVersion.parse(".".join(full.split(".")[:2])) if full else None,
            full_version=full if full and full.count(".") > 1 else None,
            origin=origin,
            nvcc=present,
            is_default=is_default,
            source=source,
        )
    ]


def _root_of(host: Host, nvcc: str) -> str:
    """The folder above the `bin` of the real nvcc; where that is a script, of the nvcc it calls."""
    rules = path_rules(host)
    real = host.real(nvcc)
    head = host.read(real, limit=2048)
    if isinstance(head, bytes) and head.startswith(b"#!"):
        called = parse_wrapper(head.decode("utf-8", "replace"))
        real = host.real(called) if called else real
    return rules.dirname(rules.dirname(real))


def parse_wrapper(text: str) -> str | None:
    """The nvcc that a shell script calls."""
    match = re.search(r"(/[\w./+-]{1,400}/bin/nvcc)\b", text)
    return match.group(1) if match else None


def _origin_of(root: str) -> Origin:
    if "/site-packages/" in root or "\\site-packages\\" in root.lower():
        return "pip"
    return "system" if root in {"/usr", "/usr/lib/nvidia-cuda-toolkit"} else "other"


def _is_directory(host: Host, path: str) -> bool:
    stat = host.stat(path)
    return stat is not None and not isinstance(stat, Gap) and stat.kind == "directory"


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
