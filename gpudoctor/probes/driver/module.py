"""The driver's kernel modules: loaded, built, blacklisted, and for which kernel."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Gap
from gpudoctor.facts.driver import DkmsState, ModuleFile
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import exists, names_in, text_of, word_of
from gpudoctor.sources.nvrm import desktop_release

VERSION_FILE = "/proc/driver/nvidia/version"

#: Modules of NVIDIA's driver and those that take the GPU in its stead.
_MODULES = frozenset({
    "nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nvidia_peermem", "nvidia_fs", "nouveau", "nova_core",
    "nova_drm", "nvgpu", "nvidia_current", "nvidia_vgpu_vfio", "vfio_pci",
})  # fmt: skip

#: Debian names the file nvidia-current.ko, its legacy branches nvidia-legacy-390xx.ko and the like.
_MODULE_FILE = re.compile(rb"/nvidia(?:-current|-open|-(?:legacy|tesla)[\w-]*)?\.ko(?:\.(?:zst|xz|gz))?:")
_INDEX_LIMIT = 16 * 1024 * 1024
#: A failed build's log has its first error early; verbose kernels write some 100 KB.
_MAKE_LOG = 1024 * 1024
#: Kernels looked at besides the running one; machines that never remove any have dozens.
_OTHER_KERNELS = 8

_MODPROBE_DIRS = ("/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d")
_SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


def parse_modules(text: str) -> tuple[str, ...]:
    """The modules of /proc/modules that concern NVIDIA GPUs."""
    names = (line.split(" ", 1)[0] for line in text.splitlines())
    return tuple(sorted(_MODULES.intersection(names)))


def read_parameters(host: Host) -> dict[str, str]:
    """Parameters that the loaded modules run with."""
    found = parse_params(text_of(host, "/proc/driver/nvidia/params") or "")
    if hmm := word_of(host, "/sys/module/nvidia_uvm/parameters/uvm_disable_hmm"):
        found["uvm_disable_hmm"] = hmm
    return found


def parse_params(text: str) -> dict[str, str]:
    """The "Name: value" lines of /proc/driver/nvidia/params; empty texts are left out."""
    return {name: value for name, value in re.findall(r'^(\w+): "?(.*?)"?$', text, re.MULTILINE) if value}


def read_module_files(
    host: Host, kernel: str | None, dkms: tuple[DkmsState, ...] | None
) -> tuple[ModuleFile, ...] | None:
    """nvidia.ko for the running kernel and a few others, from depmod's index; None without modules (a container)."""
    kernels = names_in(host, "/lib/modules")
    if kernels is None:
        return None
    others = [name for name in reversed(kernels) if name != kernel][:_OTHER_KERNELS]
    files = (_module_file(host, name, dkms) for name in (kernel, *others) if name)
    return tuple(file for file in files if file is not None)


def _module_file(host: Host, kernel: str, dkms: tuple[DkmsState, ...] | None) -> ModuleFile | None:
    path = find_module_file(host, kernel)
    if path is None:
        return None
    built = [row.version for row in dkms or () if row.kernel == kernel and row.state in ("built", "installed")]
    return ModuleFile(kernel=kernel, path=path, release=desktop_release(built[0]) if len(built) == 1 else None)


def find_module_file(host: Host, kernel: str | None) -> str | None:
    """The file that modprobe would load as NVIDIA's driver for that kernel."""
    index = host.read(f"/lib/modules/{kernel}/modules.dep", limit=_INDEX_LIMIT) if kernel else None
    path = None if index is None or isinstance(index, Gap) else parse_modules_dep(index)
    return path if path is None or path.startswith("/") else f"/lib/modules/{kernel}/{path}"


def parse_modules_dep(index: bytes) -> str | None:
    """The path of NVIDIA's module in depmod's modules.dep, as written there: what modprobe would load."""
    match = _MODULE_FILE.search(index)
    if match is None:
        return None
    return index[index.rfind(b"\n", 0, match.start()) + 1 : match.end() - 1].decode("utf-8", "replace")


def read_headers(host: Host, kernel: str | None) -> bool | None:
    """Whether headers of the running kernel are there to build a module with; None in a container."""
    if kernel is None or not exists(host, f"/lib/modules/{kernel}"):
        return None
    return exists(host, f"/lib/modules/{kernel}/build")


def read_dkms(host: Host) -> tuple[DkmsState, ...] | None:
    """The NVIDIA rows of DKMS's tree (dkms(8), "tree"); None where DKMS is not there."""
    modules = names_in(host, "/var/lib/dkms")
    if modules is None:
        return None
    return tuple(row for module in modules if module.startswith("nvidia") for row in _dkms_rows(host, module))


def _dkms_rows(host: Host, module: str) -> list[DkmsState]:
    top = f"/var/lib/dkms/{module}"
    names = names_in(host, top) or ()
    installed = {target for name in names if name.startswith("kernel-") and (target := host.link(f"{top}/{name}"))}
    rows = []
    for version in names:
        if not version[:1].isdigit():
            continue
        built = _dkms_kernels(host, f"{top}/{version}")
        for kernel, arch in built:
            state = "installed" if f"{version}/{kernel}/{arch}" in installed else "built"
            rows.append(DkmsState(module=module, version=version, kernel=kernel, state=state))
        failed = _failed_build(host, module, version)
        if failed is not None and failed.kernel not in [kernel for kernel, _ in built]:
            rows.append(failed)
        elif not built:
            # A source link that leads nowhere is what `dkms status` calls broken: every dkms command stops at it.
            state = "added" if exists(host, f"{top}/{version}/source") else "broken"
            rows.append(DkmsState(module=module, version=version, state=state))
    return rows


def _failed_build(host: Host, module: str, version: str) -> DkmsState | None:
    """The build whose log DKMS left in its working folder, which it empties after one that succeeds."""
    log = text_of(host, f"/var/lib/dkms/{module}/{version}/build/make.log", limit=_MAKE_LOG)
    kernel = re.search(r"make\.log for \S+ for kernel (\S+)", log or "")
    if log is None or kernel is None:
        return None
    error = next(
        (line.strip() for line in log.splitlines() if re.search(r"\b(?:error|ERROR|Error)\b ?[:!]", line)), None
    )
    return DkmsState(module=module, version=version, kernel=kernel[1], state="failed", error=error and error[:300])


def _dkms_kernels(host: Host, top: str) -> list[tuple[str, str]]:
    """(kernel, architecture) pairs whose folder holds a built module."""
    kernels = [name for name in names_in(host, top) or () if name not in ("source", "build")]
    pairs = ((kernel, arch) for kernel in kernels for arch in names_in(host, f"{top}/{kernel}") or ())
    return [(kernel, arch) for kernel, arch in pairs if exists(host, f"{top}/{kernel}/{arch}/module")]


def read_secure_boot(host: Host) -> bool | None:
    """Whether Secure Boot is on. Without EFI there is none; in a container /sys/firmware is masked: unknown."""
    raw = host.read(_SECURE_BOOT, limit=16)
    if isinstance(raw, bytes):
        return parse_secure_boot(raw)
    firmware = names_in(host, "/sys/firmware")
    return False if firmware and "efi" not in firmware else None


def parse_secure_boot(raw: bytes) -> bool | None:
    """The variable's value, after its four bytes of attributes."""
    return raw[4] == 1 if len(raw) >= 5 else None


def parse_lockdown(text: str) -> str | None:
    """The mode in brackets in /sys/kernel/security/lockdown."""
    match = re.search(r"\[(\w+)\]", text)
    return match.group(1) if match else None


def read_blacklist(host: Host) -> tuple[str, ...] | None:
    """Modules of the GPU that modprobe.d forbids; None where there is no such folder."""
    folders = [(folder, names) for folder in _MODPROBE_DIRS if (names := names_in(host, folder)) is not None]
    if not folders:
        return None
    # Only names that speak of these modules would be a guess: any file may hold the line.
    paths = dict.fromkeys(
        host.real(f"{folder}/{name}") for folder, names in folders for name in names if name.endswith(".conf")
    )
    found = {module for path in paths for module in parse_modprobe(text_of(host, path) or "")}
    return tuple(sorted(found))


def parse_modprobe(text: str) -> set[str]:
    """Modules of the GPU that a modprobe.d file blacklists, turns off by alias, or replaces by a command that fails."""
    pattern = r"^\s*(?:blacklist\s+(\S+)|alias\s+(\S+)\s+off|install\s+(\S+)\s+/(?:usr/)?bin/(?:false|true))\s*$"
    names = {"".join(groups).replace("-", "_") for groups in re.findall(pattern, text, re.MULTILINE)}
    return names & _MODULES
