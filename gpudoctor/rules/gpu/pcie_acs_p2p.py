"""GPU019: GPUs report direct access to each other (P2P), but the machine's settings block it."""

from gpudoctor.facts.finding import Confidence
from gpudoctor.rules._p2p import copies_fail, pcie_peers, possible_peers
from gpudoctor.rules._situation import known
from gpudoctor.rules.sections import Environ, Gap, Gpu, Gpus, Live, System
from gpudoctor.rules.terms import Evidence, Fix, Iterator, Problem, by_hand, problem, rule, seen

#: With these the kernel leaves a device's addresses as they are, or has no IOMMU at all.
HARMLESS = (
    "iommu=pt",
    "iommu.passthrough=1",
    "iommu.passthrough=on",
    "iommu=off",
    "noiommu",
    "intel_iommu=off",
    "amd_iommu=off",
)
TURNED_ON = ("intel_iommu=on", "iommu=force", "amd_iommu=force_enable", "amd_iommu=force_isolation", "amd_iommu=on")


@rule("GPU019", name="pcie-acs-p2p", severity="warning", when="gpus.several")
def pcie_acs_p2p(gpus: Gpus, host: System, environ: Environ | Gap | None, live: Live | Gap | None) -> Iterator[Problem]:
    """GPUs report direct access to each other (P2P), but the machine's settings block it.

    What it means:
    Training on several GPUs copies data between them. Without NVLink it goes over PCIe, from card to card (peer to
    peer). The IOMMU, or a setting of the PCIe bridges named ACS, sends that traffic up to the processor first.

    Why it breaks:
    Copies then are slow, never end (NCCL hangs in its first all-reduce), or bring wrong data. NVIDIA does not support
    peer-to-peer copies over PCIe with an IOMMU that translates addresses, unless it is in a virtual machine.

    How to fix it:
    If you pass no devices to virtual machines, turn the IOMMU off in the firmware (VT-d, AMD-Vi) or with
    intel_iommu=off or amd_iommu=off; or start the kernel with iommu=pt, which lets addresses through. Turn ACS off in
    the firmware. As a stop-gap, the variable NCCL_P2P_DISABLE=1 makes NCCL copy through the main memory, which is slow.

    When to ignore it:
    When you use one GPU at a time, or training on several works and is as fast as it should be. It is an error where
    such training was seen to hang, or NCCL_P2P_DISABLE=1 shows that somebody had to turn direct copies off.

    Sources:
    CUDA C++ programming guide, "IOMMU on Linux", https://docs.nvidia.com/cuda/cuda-c-programming-guide/; NCCL user
    guide, troubleshooting, "PCI Access Control Services",
    https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html
    """
    variables = known(environ)
    avoided = variables.get("NCCL_P2P_DISABLE") if variables else None
    # Where nobody asked the driver: cards of a server or workstation do reach one another; of GeForce it takes a sign.
    suspect = avoided == "1" or copies_fail(live)
    peers = pcie_peers(gpus) or tuple(
        gpu for gpu in possible_peers(gpus) if suspect or (gpu.name and "GeForce" not in gpu.name)
    )
    if len(peers) < 2 or host.virtualization not in ("none", None):
        return
    redirected = [gpu for gpu in peers if gpu.acs_redirect]
    translated = _translated(peers, host)
    if not redirected and translated is None:
        return
    confidence: Confidence = "certain" if redirected else translated[1] if translated else "possible"
    yield problem(
        "Copies between the GPUs go through the CPU: they can be slow, hang or corrupt data.",
        seen("GPUs that should reach each other over PCIe", ", ".join(gpu.label for gpu in peers)),
        *((seen("bridges with ACS redirection above", len(redirected)),) if redirected else ()),
        *((translated[0],) if translated else ()),
        *((seen("NCCL_P2P_DISABLE", avoided),) if avoided else ()),
        severity="error" if avoided == "1" else None,
        confidence=confidence,
        fixes=_fixes(redirected=bool(redirected), translated=translated is not None),
    )


def _translated(peers: tuple[Gpu, ...], host: System) -> tuple[Evidence, Confidence] | None:
    """What shows that an IOMMU translates the GPUs' addresses. On ARM it always does, and NVIDIA supports that."""
    if host.arch not in ("x86_64", None):
        return None
    domains = {gpu.iommu for gpu in peers}
    if "translated" in domains:
        return seen("IOMMU domain of the GPUs", "translated (DMA)"), "likely"
    options = host.kernel_options or ()
    words = [word for word in options if word.partition(",")[0] in TURNED_ON]
    if domains != {None} or not words or any(word in HARMLESS for word in options):
        return None
    return seen("kernel options", " ".join(words)), "possible"


def _fixes(*, redirected: bool, translated: bool) -> tuple[Fix, ...]:
    off = by_hand(
        "Turn the IOMMU off, or let addresses through",
        "Add iommu=pt to the kernel's options (GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub).",
        "Or, if no virtual machine needs it: intel_iommu=off or amd_iommu=off, or off in the firmware.",
        needs_root=True,
        needs_reboot=True,
    )
    acs = by_hand(
        "Turn ACS off in the firmware's setup",
        'In the firmware\'s setup, look for "ACS" among the PCIe or northbridge settings.',
        needs_reboot=True,
    )
    return (*((acs,) if redirected else ()), *((off,) if translated or redirected else ()))
