"""Directories that may hold CUDA libraries, and which package or toolkit owns them."""

import posixpath

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.libraries import Origin
from gpudoctor.facts.python import Interpreter
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import names_in
from gpudoctor.probes.loader.machine import Machine

#: Where NVIDIA's installers, distributions and HPC modules put toolkits.
_TOOLKIT = re.compile(r"/(?:cuda(?:-[\d.]+)?|hpc_sdk|nvidia-cuda-toolkit)/|/targets/[\w-]+-linux/lib")
_WINDOWS = "NVIDIA GPU Computing Toolkit\\CUDA"
_SYSTEM = re.compile(r"/(?:usr/)?lib(?:32|64)?/")
_DRIVER = re.compile(r"/(?:wsl/lib|nvidia(?:-current|-\d+)?)/")
_WITHOUT_CACHE = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")
#: Folders of a site directory with libraries in them, and how a package there brings them.
_IN_SITE: dict[str, Origin] = {
    "tensorrt_libs": "pip",
    "tensorrt": "pip",
    "cutensor/lib": "pip",
    "cusparselt/lib": "pip",
    "torch/lib": "bundled",
    "cupy/.data/lib": "bundled",
    "onnxruntime/capi": "bundled",
}

_PIP_FOLDERS = {"nvidia", *(folder.split("/", 1)[0] for folder, origin in _IN_SITE.items() if origin == "pip")}


class Place(Fact, frozen=True, kw_only=True):
    """A directory and its origin. `module` is the folder below site-packages/nvidia, such as cudnn or cu13."""

    directory: str
    origin: Origin
    module: str | None = None


def places(host: Host, interpreter: Interpreter, machine: Machine) -> tuple[Place, ...]:
    """All directories to look in; those of the environment first."""
    found = [*_site(interpreter, machine), *_conda(interpreter), *_toolkits(host, machine)]
    found += [
        Place(directory=directory, origin=origin_of(directory, interpreter, "environment"))
        for directory in (posixpath.join(host.cwd, part) for part in host.library_path)
    ]
    found += _windows(host, interpreter)
    if not machine.cache and host.platform.startswith("linux"):
        found += [Place(directory=one, origin="system") for one in _WITHOUT_CACHE]
    first: dict[str, Place] = {}
    for place in found:
        first.setdefault(machine.real(place.directory), place)
    return tuple(first.values())


def _windows(host: Host, interpreter: Interpreter) -> list[Place]:
    """The folders with programs of NVIDIA's toolkits (of CUDA 13 bin/x64), and those of PATH."""
    if host.platform != "win32":
        return []
    programs = host.env.get("ProgramFiles") or host.env.get("PROGRAMFILES") or "C:\\Program Files"
    base = f"{programs}\\{_WINDOWS}"
    toolkits = [f"{base}\\{name}\\{part}" for name in names_in(host, base) or () for part in ("bin", "bin\\x64")]
    named = [entry.rstrip("\\") for entry in host.env.get("PATH", "").split(";") if entry]
    return [
        *(Place(directory=one, origin="toolkit") for one in toolkits),
        *(Place(directory=one, origin=origin_of(one, interpreter, "environment")) for one in named),
    ]


def origin_of(path: str, interpreter: Interpreter, otherwise: Origin = "other") -> Origin:
    """Whose a library at `path` is."""
    for site in interpreter.site_dirs:
        if path.startswith(f"{site}/"):
            brought = path[len(site) + 1 :].split("/", 1)[0]
            return "pip" if brought in _PIP_FOLDERS else "bundled"
    if _is_conda(interpreter) and interpreter.prefix and path.startswith(f"{interpreter.prefix}/"):
        return "conda"
    if "/conda-meta/" in path or re.search(r"/(?:ana|mini|micro)?(?:conda|mamba|forge)\d?/", path):
        return "conda"
    slashed = f"{path}/"
    if _TOOLKIT.search(slashed):
        return "toolkit"
    if _DRIVER.search(slashed):
        return "driver"
    return "system" if _SYSTEM.match(slashed) else otherwise


def _is_conda(interpreter: Interpreter) -> bool:
    return interpreter.environment in {"conda", "conda-base"}


def _site(interpreter: Interpreter, machine: Machine) -> list[Place]:
    found: list[Place] = []
    for site in interpreter.site_dirs:
        names = machine.names(site) or frozenset()
        if "nvidia" in names:
            found += _nvidia(f"{site}/nvidia", machine)
        found += [
            Place(directory=f"{site}/{folder}", origin=origin)
            for folder, origin in _IN_SITE.items()
            if folder.split("/", 1)[0] in names
        ]
    return found


def _nvidia(folder: str, machine: Machine) -> list[Place]:
    """The folders of NVIDIA's packages: nvidia/cudnn/lib, nvidia/cu13/lib; on Windows bin, of CUDA 13 bin/x86_64."""
    modules = sorted(name for name in machine.names(folder) or () if "." not in name and not name.startswith("_"))
    return [
        Place(directory=f"{folder}/{module}/{part}", origin="pip", module=module)
        for module in modules
        for part in ("lib", "bin", "bin/x86_64")
        if part.partition("/")[0] in (machine.names(f"{folder}/{module}") or ())
    ]


def _conda(interpreter: Interpreter) -> list[Place]:
    if not _is_conda(interpreter) or interpreter.prefix is None:
        return []
    return [Place(directory=f"{interpreter.prefix}/lib", origin="conda")]


def _toolkits(host: Host, machine: Machine) -> list[Place]:
    if not host.platform.startswith("linux"):
        return []
    local = [f"/usr/local/{name}" for name in sorted(machine.names("/usr/local") or ()) if name.startswith("cuda")]
    home = [value for name in ("CUDA_HOME", "CUDA_PATH") if (value := host.env.get(name))]
    roots = (machine.real(root) for root in (*local, "/opt/cuda", *home) if machine.names(root))
    libraries = dict.fromkeys(machine.real(f"{root}/lib64") for root in roots)
    return [Place(directory=directory, origin="toolkit") for directory in libraries]
