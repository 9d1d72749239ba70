"""Parses the options that describe a machine: --gpu, --driver, --python, --os, --arch, --glibc, --macos."""

import re
from difflib import get_close_matches

import click

from gpudoctor.cli.matrix import not_known
from gpudoctor.facts.versions import Capability, DriverRelease, LibraryVersion
from gpudoctor.knowledge.matrix.amd import amd_gpus, gfx_of
from gpudoctor.knowledge.matrix.gpus import closest, near
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.machine import Machine
from gpudoctor.report.matrix_tables_stack import products

#: Other names of processors, and what a platform is called with them.
PROCESSORS = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}
OLDEST_DRIVER = 100
FIRST_MACOS = 10
#: How AMD calls its GPUs.
AMD = re.compile(r"(?i)\b(?:(?:amd|radeon|instinct|ryzen|mi\d{2,3}[a-z]?)\b|rx ?\d{3,4}|gfx[0-9a-f]{3,4}(?![0-9a-z]))")


def described_machine(
    matrix: Matrix,
    *,
    gpus: tuple[str, ...],
    driver: str | None,
    python: str | None,
    system: str,
    arch: str | None,
    glibc: str | None,
    macos: str | None = None,
    cpu_only: bool = False,
) -> Machine:
    """The machine of --gpu, --driver, --python, --os, --arch, --glibc and --macos. Raises click.BadParameter."""
    gfx = _gfx(gpus, matrix)
    models = [products(matrix, name) for name in gpus if _given(name) is None] if not gfx else []
    is_jetson = bool(models) and all(one.segment == "jetson" for found in models for one in found)
    return Machine(
        driver=driver_of(driver),
        capabilities=() if gfx else tuple(capability_of(name, matrix) for name in gpus),
        gpu_names=tuple(_amd_name(name, matrix) if gfx else name_of(name, matrix) for name in gpus),
        gfx=gfx,
        python=python_of(python),
        platform=platform_of(system, arch or ("aarch64" if is_jetson else None)),
        libc="musl" if glibc == "musl" else "glibc" if glibc else None,
        libc_version=glibc_of(glibc),
        macos=macos_of(macos),
        cpu_only=cpu_only,
        tegra="as described" if is_jetson else None,
    )


def _gfx(gpus: tuple[str, ...], matrix: Matrix) -> tuple[str, ...]:
    """The architectures of AMD's GPUs; empty where none is one. Raises click.BadParameter."""
    if not any(_is_amd(name, matrix) for name in gpus):
        return ()
    found = []
    for name in gpus:
        gfx = gfx_of(name, matrix)
        if gfx is None and AMD.search(name):
            known = get_close_matches(f"AMD {name}", [row.name for row in matrix.table("amd_gpus")], n=3, cutoff=0.5)
            hint = f" Did you mean {', '.join(known)}?" if known else ""
            text = f"{name!r} is AMD's, and its architecture is not known here; write it as gfx1100.{hint}"
            raise click.BadParameter(text, param_hint="--gpu")
        if gfx is None:
            raise click.BadParameter(
                "AMD's and NVIDIA's GPUs need different builds; name one kind.", param_hint="--gpu"
            )
        found.append(gfx)
    return tuple(found)


def _is_amd(name: str, matrix: Matrix) -> bool:
    """Whether AMD's word stands in a name, or only a product of AMD is called so: 6700xt, 780M; not 580."""
    is_called_so = bool(amd_gpus(name, matrix)) and (not name.isdecimal() or not products(matrix, name))
    return bool(AMD.search(name)) or is_called_so


def _amd_name(name: str, matrix: Matrix) -> str:
    found = () if "gfx" in name.lower() else amd_gpus(name, matrix)
    return found[0].name if len(found) == 1 else name


def driver_of(text: str | None) -> DriverRelease | None:
    """The driver in --driver. Raises click.BadParameter."""
    if text is None:
        return None
    release = DriverRelease.parse(text)
    if release is None or release.branch < OLDEST_DRIVER:
        raise click.BadParameter(
            f"{text!r} is no driver release; write 535, 535.54 or 580.65.06.", param_hint="--driver"
        )
    return release


def python_of(text: str | None) -> str | None:
    """The Python in --python. Raises click.BadParameter."""
    if text is None:
        return None
    match = re.fullmatch(r"([23]\.\d{1,2})(?:\.\d+)?", text.strip())
    if match is None:
        raise click.BadParameter(f"{text!r} is no Python version; write 3.12.", param_hint="--python")
    return match.group(1)


def glibc_of(text: str | None) -> LibraryVersion | None:
    """The C library in --glibc. Raises click.BadParameter."""
    if text in (None, "musl"):
        return None
    version = LibraryVersion.parse(text)
    if version is None or not (version.major, version.minor) > (2, 0):
        raise click.BadParameter(f"{text!r} is no glibc version; write 2.35, or musl.", param_hint="--glibc")
    return version


def macos_of(text: str | None) -> LibraryVersion | None:
    """The release in --macos. Raises click.BadParameter."""
    version = LibraryVersion.parse(text) if text is not None else None
    if text is not None and (version is None or version.major < FIRST_MACOS):
        raise click.BadParameter(f"{text!r} is no release of macOS; write 14.5, or 10.15.", param_hint="--macos")
    return version


def system_of(system: str | None, macos: str | None) -> str:
    """The operating system of --os and --macos. Raises click.UsageError."""
    if macos is not None and system not in (None, "macos"):
        raise click.UsageError(f"--macos is the release of macOS, and --os is {system}.")
    return system or ("linux" if macos is None else "macos")


def platform_of(system: str, arch: str | None) -> str:
    """The platform of --os and --arch. Raises click.BadParameter."""
    machine = (arch or ("arm64" if system == "macos" else "x86_64")).lower()
    machine = PROCESSORS.get(machine, machine)
    if machine not in ("x86_64", "aarch64"):
        raise click.BadParameter(f"{arch!r} is not known; write x86_64 or aarch64.", param_hint="--arch")
    return f"{system}-{'arm64' if system == 'macos' and machine == 'aarch64' else machine}"


def capability_of(name: str, matrix: Matrix) -> Capability:
    """The compute capability of a GPU, given by itself or by a name that has one only."""
    given = _given(name)
    if given is not None:
        if matrix.architecture(given) is None:
            raise click.BadParameter(f"no GPU of compute capability {given} is known.", param_hint="--gpu")
        return given
    found = products(matrix, name)
    known = {model.capability for model in found if model.capability is not None}
    if not found:
        raise not_known(f"GPU {name!r}", near(matrix.table("gpus"), name))
    if len(known) != 1:
        names = ", ".join(f"{model.name} ({model.capability or 'unknown'})" for model in found[:4])
        raise click.BadParameter(f"{name!r} is more than one: {names}. Name one of them.", param_hint="--gpu")
    return known.pop()


def _given(name: str) -> Capability | None:
    match = re.fullmatch(r"(?:sm_|compute_)(\d+)(\d)[af]?|(\d+)\.(\d)", name.strip().lower())
    return Capability(".".join(part for part in match.groups() if part is not None)) if match else None


def name_of(name: str, matrix: Matrix) -> str:
    """The product's name; the user's words where several products answer to them."""
    if _given(name) is not None:
        return "GPU"
    named = closest(products(matrix, name))
    return named[0].name if len(named) == 1 else name
