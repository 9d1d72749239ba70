"""Whole stacks, from the GPU to the framework, that the tests of the upper half are put together from."""

from typing import Any

from gpudoctor.facts.gpus import Gpu
from gpudoctor.facts.libraries import Libraries, LibraryCopy, Resolution, Toolkit, Toolkits
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Package, Packages
from gpudoctor.facts.system import Environ, System
from gpudoctor.facts.versions import Capability, CudaVersion, LibraryVersion
from gpudoctor.facts.wish import Requirement, Wish
from tests.rules.situations import BARE, UBUNTU, driver, gpu, gpus

SITE = "/home/me/env/lib/python3.12/site-packages"
WINDOWS = System(os="windows", arch="AMD64", pretty_name="Windows 11")
MACOS = System(os="macos", arch="arm64", pretty_name="macOS 15")
ARM = System(os="linux", arch="aarch64", distribution="ubuntu")
JETSON = System(os="linux", arch="aarch64", tegra="R36.4.3")
NO_GPU = None


def card(name: str, capability: str, index: int = 0, **fields: Any) -> Gpu:
    return gpu(index, name=name, pci_id=None, capability=Capability(capability), **fields)


RTX_4090 = card("NVIDIA GeForce RTX 4090", "8.9")
RTX_3090 = card("NVIDIA GeForce RTX 3090", "8.6")
RTX_5090 = card("NVIDIA GeForce RTX 5090", "12.0")
GTX_1080_TI = card("NVIDIA GeForce GTX 1080 Ti", "6.1")
V100 = card("Tesla V100-SXM2-16GB", "7.0")
T4 = card("Tesla T4", "7.5")
H100 = card("NVIDIA H100 PCIe", "9.0")
K80 = card("Tesla K80", "3.7")
GT_710 = card("NVIDIA GeForce GT 710", "3.5", index=1, display_active=True)
RADEON = Gpu(vendor="amd", name="AMD Radeon RX 7900 XTX", pci_bus_id="0000:03:00.0")


def interpreter(version: str = "3.12.4", **fields: Any) -> Interpreter:
    given = {
        "executable": "/home/me/env/bin/python",
        "chosen_by": "VIRTUAL_ENV",
        "implementation": "CPython",
        "bits": 64,
        "prefix": "/home/me/env",
        "environment": "venv",
        "pip_version": "25.0",
    }
    return Interpreter(version=version, **{**given, **fields})


def torch(version: str = "2.6.0+cu124", **fields: Any) -> Framework:
    """A torch as its own version file shows it; the architectures are then the matrix's."""
    return framework("torch", version, **fields)


def paddle(version: str = "3.3.1", cuda: str | None = "12.6", **fields: Any) -> Framework:
    """A PaddlePaddle as its version file shows it."""
    given = {
        "dist": "paddlepaddle-gpu" if cuda else "paddlepaddle",
        "variant": "cuda" if cuda else "cpu",
        "cuda": CudaVersion.parse(cuda),
    }
    return Framework(name="paddle", version=version, **{**given, **fields})


def framework(name: str, version: str, **fields: Any) -> Framework:
    """A framework or a companion of one; the build is as its version's tag says."""
    tag = version.partition("+")[2]
    cuda = CudaVersion(f"{tag[2:-1]}.{tag[-1]}") if tag.startswith("cu") else None
    variant = "cuda" if cuda else "rocm" if tag.startswith("rocm") else "cpu" if tag == "cpu" else None
    return Framework(**{"name": name, "version": version, "variant": variant, "cuda": cuda, **fields})


def tensorflow(version: str = "2.20.0", cuda: str | None = "12.5", **fields: Any) -> Framework:
    given = {"dist": "tensorflow", "variant": "cuda" if cuda else "cpu", "cuda": CudaVersion(cuda) if cuda else None}
    return Framework(name="tensorflow", version=version, **{**given, **fields})


def jax(version: str = "0.12.0", variant: str | None = "cpu") -> Framework:
    return Framework(name="jax", version=version, variant=variant)


def jax_plugin(version: str = "0.12.0", major: int = 12) -> Framework:
    dist = f"jax-cuda{major}-plugin"
    return Framework(name="jax-cuda-plugin", dist=dist, version=version, variant="cuda", cuda=CudaVersion(str(major)))


def frameworks(*found: Framework | tuple[str, str]) -> Frameworks | None:
    """Those that were found, of which a name and a version may be all that is known; None without any."""
    known = (one if isinstance(one, Framework) else Framework(name=one[0], version=one[1]) for one in found)
    return Frameworks(found=tuple(known)) if found else None


def packages(*installed: str, installer: str = "pip", **fields: Any) -> Packages:
    """Installed distributions, written name==version."""
    pairs = (one.split("==") for one in installed)
    return Packages(
        installed=tuple(Package(name=name, version=version, installer=installer) for name, version in pairs), **fields
    )


def resolution(framework: str, soname: str, family: str, path: str | None = None, **fields: Any) -> Resolution:
    for key in ("version", "shadows_version"):
        if key in fields:
            fields[key] = LibraryVersion(fields[key])
    given = {"wanted_by": f"{SITE}/{framework}/lib.so", "how": "opened"}
    return Resolution(framework=framework, soname=soname, family=family, path=path, **{**given, **fields})


def copy(family: str, soname: str, path: str, **fields: Any) -> LibraryCopy:
    return LibraryCopy(family=family, soname=soname, path=path, origin=fields.pop("origin", "pip"), **fields)


def libraries(
    *resolutions: Resolution, copies: tuple[LibraryCopy, ...] = (), search: tuple[str, ...] = ()
) -> Libraries:
    return Libraries(resolutions=resolutions, copies=copies, search_path=search)


def toolkit(version: str, root: str | None = None, **fields: Any) -> Toolkit:
    folder = root or f"/usr/local/cuda-{version}"
    return Toolkit(root=folder, version=CudaVersion(version), nvcc=f"{folder}/bin/nvcc", **fields)


def toolkits(*found: Toolkit, **fields: Any) -> Toolkits:
    return Toolkits(found=found, **fields)


def wish(subject: str, *comparisons: tuple[str, str]) -> Wish:
    text = subject + ",".join(sign + version for sign, version in comparisons)
    return Wish(requirements=(Requirement(subject=subject, comparisons=comparisons, text=text),))


def stack(*cards: Gpu, release: str = "535.183.01", on: Interpreter | None = None, **sections: Any) -> dict[str, Any]:
    """The sections of a machine whose driver works and whose Python is a virtual environment."""
    found = sections.get("frameworks")
    names = [f"{one.dist or one.name}=={one.version}" for one in (found.found if found else ())]
    given = {
        "host": UBUNTU,
        "container": BARE,
        "environ": Environ(),
        "gpus": gpus(*cards) if cards else NO_GPU,
        "driver": driver(release),
        "interpreter": on or interpreter(),
        "packages": packages(*names),
        "frameworks": None,
        "libraries": None,
        "toolkits": None,
    }
    return {**given, **sections}
