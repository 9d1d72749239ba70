"""The driver's libraries (libcuda, libnvidia-ml): every copy a program could meet, and the one it would load."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import DriverLibrary
from gpudoctor.facts.versions import DriverRelease
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import exists, names_in
from gpudoctor.probes.loader.cache import configured_directories, read_cache
from gpudoctor.sources.nvrm import desktop_release

NAMES = ("libcuda.so.1", "libnvidia-ml.so.1")
_WINDOWS = ("nvcuda.dll", "nvml.dll")

#: The loader's own directories, searched after its cache: ld.so(8).
_DEFAULT = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")
_MULTIARCH = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu", "ppc64le": "powerpc64le-linux-gnu"}
#: Not on the loader's path by themselves, but where a driver may lie: WSL, Kubernetes nodes, NixOS, Jetson.
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
    own, default = own_directories(host), default_directories(arch)
    configured = configured_directories(host)
    folders = tuple(dict.fromkeys((*own, *configured, *default, *_ELSEWHERE, *_toolkit_dirs(host))))
    found = {name: [path for folder in folders if (path := _path_in(host, folder, name))] for name in NAMES}
    if not any(found.values()):
        return ()
    cache = read_cache(host)
    libraries: list[DriverLibrary] = []
    for name, paths in found.items():
        cached = (cache or {}).get(name, ())
        middle = cached if cache is not None else tuple(f"{folder}/{name}" for folder in configured)
        order = (*(f"{folder}/{name}" for folder in own), *middle, *(f"{folder}/{name}" for folder in default))
        chosen = next((path for path in order if path in paths or (path in cached and exists(host, path))), None)
        beside = _releases_beside(host, chosen, name) if chosen else []
        libraries += _distinct(host, name, [*([chosen] if chosen else []), *paths, *beside], chosen)
    return tuple(libraries)


def own_directories(host: Host) -> tuple[str, ...]:
    """The directories of LD_LIBRARY_PATH; an empty entry means the working directory."""
    entries = (host.cwd if entry == "." else entry.rstrip("/") or host.cwd for entry in host.library_path)
    return tuple(dict.fromkeys(entries))


def default_directories(arch: str | None) -> tuple[str, ...]:
    """The directories that the loader of that architecture knows by itself."""
    triplets = [triplet for key, triplet in _MULTIARCH.items() if arch in (key, None)]
    return (*(f"{top}/{triplet}" for top in ("/lib", "/usr/lib") for triplet in triplets), *_DEFAULT)


def _path_in(host: Host, folder: str, name: str) -> str | None:
    """The copy in `folder`. A stub has the name that linkers ask for, not the one that programs do."""
    names = (name, name.removesuffix(".1")) if "stubs" in folder.split("/") else (name,)
    return next((path for one in names if exists(host, path := f"{folder}/{one}")), None)


def _releases_beside(host: Host, chosen: str, name: str) -> list[str]:
    """Files of other releases in the same folder: an image's own driver beside the one its host handed in."""
    folder = chosen.rpartition("/")[0]
    pattern = re.compile(re.escape(name.removesuffix(".1")) + r"\.\d+\.\d+(\.\d+)?")
    return [f"{folder}/{entry}" for entry in sorted(names_in(host, folder) or ()) if pattern.fullmatch(entry)]


def _toolkit_dirs(host: Host) -> tuple[str, ...]:
    """The folders of CUDA toolkits that hold forward-compatibility libraries and stubs."""
    toolkits = [name for name in names_in(host, "/usr/local") or () if re.fullmatch(r"cuda(-\d+(\.\d+)?)?", name)]
    return tuple(f"/usr/local/{name}/{part}" for name in toolkits for part in ("compat", "lib64/stubs"))


def _distinct(host: Host, name: str, paths: list[str], chosen: str | None) -> list[DriverLibrary]:
    """Every different file once, under the first of its paths."""
    by_file: dict[str, str] = {}
    for path in paths:
        by_file.setdefault(host.real(path), path)
    return [_library(host, name, path, real, first=path == chosen) for real, path in by_file.items()]


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
