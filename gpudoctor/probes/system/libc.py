"""The C library and the architecture, from the dynamic loader's file: nothing is run."""

from typing import Literal

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap
from gpudoctor.host.port import Host
from gpudoctor.probes.reading import exists, names_in, text_of, word_of

#: The paths that the ABI of each architecture fixes for glibc's loader.
_LOADERS = {
    "/lib64/ld-linux-x86-64.so.2": "x86_64",
    "/lib/ld-linux-aarch64.so.1": "aarch64",
    "/lib64/ld64.so.2": "ppc64le",
    "/lib/ld-linux-riscv64-lp64d.so.1": "riscv64",
    "/lib64/ld-linux-loongarch-lp64d.so.1": "loongarch64",
    "/lib/ld-linux-armhf.so.3": "armv7l",
    "/lib/ld-linux.so.2": "i686",
}
_MUSL = re.compile(r"ld-musl-(\w+)\.so\.1")

Libc = Literal["glibc", "musl"]


def read_libc(host: Host) -> tuple[Libc | None, str | None, str | None]:
    """(kind, version, architecture) of the C library that programs of this machine use."""
    for path, arch in _LOADERS.items():
        if exists(host, path):
            return "glibc", _glibc_version(host, path), arch
    for name in names_in(host, "/lib") or ():
        if match := _MUSL.fullmatch(name):
            return "musl", parse_apk_musl(text_of(host, "/lib/apk/db/installed") or ""), match.group(1)
    return None, None, None


def read_arch(host: Host, loader_arch: str | None) -> str | None:
    """The machine's architecture: the kernel's word (since Linux 6.1), else the loader's."""
    return word_of(host, "/proc/sys/kernel/arch") or loader_arch


def _glibc_version(host: Host, loader: str) -> str | None:
    """The loader's version: up to glibc 2.33 it is in the file's name, since 2.33 in its --version text."""
    if match := re.search(r"ld-(\d+\.\d+)\.so$", host.real(loader)):
        return match.group(1)
    raw = host.read(loader)
    return None if raw is None or isinstance(raw, Gap) else parse_loader(raw)


def parse_loader(raw: bytes) -> str | None:
    """The version in the bytes of glibc's loader (or of libc.so.6)."""
    match = re.search(rb"release version (\d+\.\d+)", raw)
    return match.group(1).decode() if match else None


def parse_apk_musl(installed: str) -> str | None:
    """The version of musl in Alpine's package database."""
    match = re.search(r"^P:musl\nV:(\d[\d.]*)", installed, re.MULTILINE)
    return match.group(1) if match else None
