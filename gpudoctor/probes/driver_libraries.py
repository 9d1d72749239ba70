"""The driver's user-space libraries: every copy a program could meet, and the one the loader takes."""

import re

from gpudoctor.host.port import Host
from gpudoctor.model.base import Gap
from gpudoctor.model.driver import DriverLibrary
from gpudoctor.model.versions import DriverRelease
from gpudoctor.probes.driver_module import desktop_release
from gpudoctor.probes.reading import exists, names_in, text_of

NAMES = ("libcuda.so.1", "libnvidia-ml.so.1")
_WINDOWS = ("nvcuda.dll", "nvml.dll")

#: Where distributions, containers and NVIDIA's installer put them, searched after ld.so.conf.
_DEFAULT = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")
_MULTIARCH = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu", "ppc64le": "powerpc64le-linux-gnu"}
#: Not on the loader's default path, but where a driver may lie: WSL, Kubernetes nodes, NixOS, Jetson.
_ELSEWHERE = (
    "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64",
    "/run/opengl-driver/lib",
    "/usr/lib64/nvidia",
    "/usr/lib/nvidia",
    "/usr/lib/aarch64-linux-gnu/tegra",
    "/usr/lib/aarch64-linux-gnu/nvidia",
)


def read_libraries(host: Host, arch: str | None = None) -> tuple[DriverLibrary, ...]:
    """The copies found, in the order the loader searches; empty where there is none."""
    if host.platform == "win32":
        return _windows(host)
    searched = search_order(host, arch)
    others = (*_ELSEWHERE, *_toolkit_dirs(host))
    return tuple(copy for name in NAMES for copy in _copies(host, name, searched, others))


def search_order(host: Host, arch: str | None) -> tuple[str, ...]:
    """Directories that the loader searches for a program without RPATH, in order: ld.so(8)."""
    own = [entry or host.cwd for entry in re.split("[:;]", path)] if (path := host.env.get("LD_LIBRARY_PATH")) else []
    triplets = [triplet for key, triplet in _MULTIARCH.items() if arch in (key, None)]
    multiarch = [f"{top}/{triplet}" for top in ("/lib", "/usr/lib") for triplet in triplets]
    return tuple(dict.fromkeys((*own, *_configured(host), *multiarch, *_DEFAULT)))


def _configured(host: Host) -> list[str]:
    """Directories of /etc/ld.so.conf and its folder, which ldconfig read when it last wrote its cache."""
    names = names_in(host, "/etc/ld.so.conf.d") or ()
    files = ["/etc/ld.so.conf", *(f"/etc/ld.so.conf.d/{name}" for name in names if name.endswith(".conf"))]
    return [folder for path in files for folder in parse_ld_conf(text_of(host, path) or "")]


def parse_ld_conf(text: str) -> tuple[str, ...]:
    """The directories of an ld.so.conf file, comments and include lines left out."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(line.rstrip("/") for line in lines if line.startswith("/"))


def _toolkit_dirs(host: Host) -> tuple[str, ...]:
    """The folders of CUDA toolkits that hold forward-compatibility libraries and stubs."""
    toolkits = [name for name in names_in(host, "/usr/local") or () if re.fullmatch(r"cuda(-\d+(\.\d+)?)?", name)]
    return tuple(f"/usr/local/{name}/{part}" for name in toolkits for part in ("compat", "lib64/stubs"))


def _copies(host: Host, name: str, searched: tuple[str, ...], others: tuple[str, ...]) -> list[DriverLibrary]:
    """Every different file; the first on the search path is the loader's choice."""
    found: dict[str, DriverLibrary] = {}
    chosen = False
    for folder in dict.fromkeys((*searched, *others)):
        stub = "stubs" in folder.split("/")
        path = f"{folder}/{name}"
        if not exists(host, path):
            path = f"{folder}/{name.removesuffix('.1')}"
            if not (stub and exists(host, path)):
                continue
        real = host.real(path)
        first = not chosen and folder in searched and path.endswith(".1")
        chosen = chosen or first
        if real not in found:
            found[real] = _library(host, name, path, real, first=first)
    return list(found.values())


def _library(host: Host, name: str, path: str, real: str, *, first: bool) -> DriverLibrary:
    stat = host.stat(real)
    places = {*path.split("/"), *real.split("/")}
    return DriverLibrary(
        name=name,
        path=path,
        real_path=real,
        release=parse_library_release(real),
        stub="stubs" in places,
        compat="compat" in places,
        first=first,
        size=None if stat is None or isinstance(stat, Gap) else stat.size,
    )


def parse_library_release(path: str) -> DriverRelease | None:
    """The release in a real file's name: libcuda.so.535.161.07. A Jetson's libcuda.so.1.1 tells none."""
    match = re.search(r"\.so\.(\d+\.\d+(?:\.\d+)?)$", path)
    return desktop_release(match.group(1)) if match else None


def _windows(host: Host) -> tuple[DriverLibrary, ...]:
    """On Windows the driver's libraries lie in System32, and carry no release in their names."""
    root = host.env.get("SYSTEMROOT") or host.env.get("SystemRoot") or "C:\\Windows"
    paths = ((name, f"{root}\\System32\\{name}") for name in _WINDOWS)
    return tuple(DriverLibrary(name=name, path=path, first=True) for name, path in paths if exists(host, path))
