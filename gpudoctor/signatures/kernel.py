"""Lines of the kernel log, of modprobe and of DKMS about NVIDIA's modules."""

from gpudoctor.signatures.catalogue import Signature, signature

_XIDS = "https://docs.nvidia.com/deploy/xid-errors/index.html"
_DKMS = "https://github.com/dell/dkms"


def _xid(numbers: str, name: str, meaning: str, causes: dict[str, float], ask: str, words: str = "") -> Signature:
    """An NVRM Xid line: "NVRM: Xid (PCI:0000:01:00): 79, ...", "XID 79(...)"."""
    pattern = rf"\bxid\b(?:\s*\([^)\n]{{0,40}}\))?\s*:?\s*(?:{numbers})\b" + (f"|{words}" if words else "")
    needles = ("xid (", "xid ", "xid:", *(word.replace("\\", "") for word in words.split("|") if word))
    return signature(name, pattern, needles=needles, meaning=meaning, causes=causes, ask=ask, source=_XIDS)


SIGNATURES = (
    _xid(
        "79",
        "xid-79",
        "The GPU has fallen off the bus: the machine can no longer reach it.",
        {"xid-79": 0.95, "overclocked-or-unstable": 0.2},
        "sudo dmesg | grep -i -B2 -A8 'fallen off'",
        "fallen off the bus",
    ),
    _xid(
        "119|120",
        "xid-119",
        "The GPU's own system processor (GSP) stopped answering the driver.",
        {"xid-119-gsp": 0.95, "xid-79": 0.1},
        "nvidia-smi -q | grep -i gsp; sudo dmesg | grep Xid",
        "timeout waiting for rpc from gsp",
    ),
    _xid(
        "48|63|64|92|94|95",
        "xid-ecc",
        "The GPU's memory had errors that could not be corrected, or a part of it was taken out of use.",
        {"ecc-uncorrectable": 0.8, "row-remap-failure": 0.4},
        "nvidia-smi -q -d ECC,ROW_REMAPPER",
    ),
    _xid(
        "13|31|32|43|45|68|69",
        "xid-program",
        "The GPU stopped a program, mostly because of a fault in that program.",
        {"bug-in-gpu-code": 0.6, "overclocked-or-unstable": 0.25, "ecc-uncorrectable": 0.1},
        "compute-sanitizer python your_program.py",
    ),
    _xid(
        "8|61|62|109|110|143|154",
        "xid-hang",
        "The GPU or its controller stopped answering.",
        {"overclocked-or-unstable": 0.5, "xid-79": 0.3, "xid-119-gsp": 0.2},
        "nvidia-smi -q | grep -i -E 'reset|recovery'; sudo dmesg | grep Xid",
    ),
    _xid(
        "74",
        "xid-nvlink",
        "A link between two GPUs (NVLink) had an error.",
        {"nvlink-fault": 0.8, "fabric-state-incomplete": 0.3},
        "nvidia-smi nvlink -e",
    ),
    signature(
        "rm-init-adapter-failed",
        r"rminitadapter failed|rm_init_adapter failed",
        needles=("rminitadapter failed", "rm_init_adapter failed"),
        meaning="The driver found the GPU and could not start it.",
        causes={
            "rm-init-failed": 0.7,
            "blackwell-needs-open-module": 0.25,
            "open-module-unsupported-gpu": 0.2,
            "xid-79": 0.1,
        },
        ask="sudo dmesg | grep NVRM; modinfo -F license nvidia",
        source="https://docs.nvidia.com/deploy/xid-errors/index.html",
    ),
    signature(
        "requires-open-module",
        r"requires use of the nvidia open kernel modules",
        needles=("open kernel modules",),
        meaning="This GPU works only with NVIDIA's open kernel modules.",
        causes={"blackwell-needs-open-module": 0.95},
        ask="modinfo -F license nvidia",
        source="https://developer.nvidia.com/blog/nvidia-transitions-fully-towards-open-source-gpu-kernel-modules/",
    ),
    signature(
        "open-module-refuses-gpu",
        r"does not include the required gpu(?: system processor|$)|not supported by open(?: nvidia\.ko|$)",
        needles=("include the required gpu", "not supported by open"),
        meaning="The GPU is too old for NVIDIA's open kernel modules.",
        causes={"open-module-unsupported-gpu": 0.95},
        ask="modinfo -F license nvidia",
        source="https://github.com/NVIDIA/open-gpu-kernel-modules",
    ),
    signature(
        "release-refuses-gpu",
        r"installed in this system is not supported by the\b|nvrm: nvidia [\d.]+ driver release",
        needles=("is not supported by the", "driver release"),
        meaning="The loaded driver release does not know this GPU: it is too old or too new for it, or made for other "
        "virtual GPUs.",
        causes={
            "driver-too-old-for-gpu": 0.45,
            "driver-dropped-gpu": 0.4,
            "vgpu-driver-mismatch": 0.25,
            "vgpu-driver-mismatch @ vgpu": 0.25,
        },
        ask="lspci -nn -d 10de:; cat /proc/driver/nvidia/version",
        source="https://www.nvidia.com/en-us/drivers/unix/legacy-gpu/",
    ),
    signature(
        "legacy-driver-needed",
        r"supported through the nvidia [\dx.]+ legacy driver|\bnvidia driver will ignore\b",
        needles=("legacy driver", "driver will ignore"),
        meaning="The installed driver is too new for this GPU: an older branch serves it.",
        causes={"driver-dropped-gpu": 0.95},
        ask="lspci -nn -d 10de:; nvidia-smi",
        source="https://www.nvidia.com/en-us/drivers/unix/legacy-gpu/",
    ),
    signature(
        "module-key-rejected",
        r"key was rejected by service|loading of (?:unsigned module|module with unavailable key) is rejected"
        r"|required key not available|not signed by a key that is trusted by the kernel",
        needles=(
            "key was rejected",
            "unsigned module",
            "unavailable key",
            "required key not available",
            "not signed by a key",
        ),
        meaning="Secure Boot is on, and the kernel refuses the driver's module because its signature is not trusted.",
        causes={"drv-secureboot-rejected": 0.95},
        ask="mokutil --sb-state; mokutil --list-enrolled | grep -i subject",
        source="https://wiki.ubuntu.com/UEFI/SecureBoot/DKMS",
    ),
    signature(
        "modprobe-no-device",
        r"could not insert ['\"]?nvidia\w*['\"]?: no such device",
        needles=("could not insert",),
        meaning="The driver's module starts and finds no GPU that it serves.",
        causes={
            "drv-nouveau-bound": 0.3,
            "driver-dropped-gpu": 0.3,
            "open-module-unsupported-gpu": 0.2,
            "driver-too-old-for-gpu": 0.2,
            "gpu-passed-through": 0.1,
        },
        ask="lspci -nnk -d 10de:; sudo dmesg | grep -i nvidia | tail",
        source=_DKMS,
    ),
    signature(
        "modprobe-not-found",
        r"modprobe: fatal: module nvidia\w* not found",
        needles=("fatal: module nvidia",),
        meaning="There is no NVIDIA module for the running kernel.",
        causes={"drv-dkms-not-built": 0.75, "drv-kernel-headers-missing": 0.35, "drv-absent": 0.2},
        ask="uname -r; dkms status",
        source=_DKMS,
    ),
    signature(
        "dkms-bad-return",
        r"bad return status for module build on kernel|dkms apport\): kernel package \S+ is not supported"
        r"|building dkms module .{0,3}nvidia\S* for kernel\S+ failed|dkms module .{0,3}nvidia\S* failed to build"
        r"|\bdkms\b[^\n]{0,60}failed for[^\n]{0,30}\bnvidia",
        needles=("bad return status for module build", "dkms apport", "dkms module", "failed for"),
        meaning="The driver's module could not be compiled for this kernel.",
        causes={"drv-dkms-not-built": 0.75, "drv-kernel-headers-missing": 0.5, "nvcc-gcc-too-new": 0.05},
        ask="dkms status; tail -30 /var/lib/dkms/nvidia/*/build/make.log; ls /lib/modules/$(uname -r)/build",
        source=_DKMS,
    ),
    signature(
        "dkms-no-conf",
        r"could not locate dkms\.conf|dkms\.conf does not exist",
        needles=("dkms.conf",),
        meaning="DKMS remembers a driver whose source files are gone.",
        causes={"drv-dkms-not-built": 0.9},
        ask="dkms status; ls -l /var/lib/dkms/nvidia",
        source=_DKMS,
    ),
    signature(
        "kernel-headers-missing",
        r"missing \S+ kernel headers for module nvidia|kernel headers for (?:target )?kernel \S+ cannot be found"
        r"|your kernel headers for kernel",
        needles=("kernel headers for",),
        meaning="The headers of the running kernel are missing, so the driver's module cannot be compiled.",
        causes={"drv-kernel-headers-missing": 0.9, "drv-dkms-not-built": 0.4},
        ask="uname -r; ls -l /lib/modules/$(uname -r)/build",
        source=_DKMS,
    ),
    signature(
        "nouveau-in-use",
        r"kernel driver in use: nouveau|nouveau kernel driver is currently in use"
        r"|(?<!modules: )(?<!modules:\t)(?:nvidia_drm, nouveau|nouveau, nvidia)",
        needles=("nouveau",),
        meaning="The free driver nouveau holds the GPU, so NVIDIA's driver cannot.",
        causes={"drv-nouveau-bound": 0.95},
        ask="lspci -nnk -d 10de:",
        source="https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/index.html",
    ),
    signature(
        "pcie-link-downgraded",
        r"lnksta:[^\n]{0,60}\(downgraded\)",
        needles=("(downgraded)",),
        meaning="The GPU's link to the machine is slower or narrower than it could be; at rest a slow link is normal.",
        causes={"pcie-link-downgraded": 0.6, "pcie-width-low": 0.5, "harmless": 0.4},
        ask="nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width."
        "max "
        "--format=csv, while the GPU works",
        source="https://man7.org/linux/man-pages/man8/lspci.8.html",
    ),
)
