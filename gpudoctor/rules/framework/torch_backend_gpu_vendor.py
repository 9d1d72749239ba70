"""FRM018: PyTorch is built for another vendor's GPUs, or is CPU-only beside an AMD GPU."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.plan.recipes import torch_for_gpus
from gpudoctor.rules.sections import Framework, Frameworks, Gpu, Gpus, Matrix, Scene
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

MAKERS = {"cuda": "nvidia", "rocm": "amd", "xpu": "intel"}
NAMES = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel"}

#: PCI ids of AMD's Instinct accelerators (MI50 to MI350; pci.ids): they are there for computing only.
INSTINCT = re.compile(r"1002:(66a[01]|738[ce]|740[8cf]|74[ab][0-9a-f]|75[ab][0-9a-f])")
#: Its graphics cards from the Radeon RX 6000 series on (Navi 2, 3 and 4; pci.ids), and how people name them.
RADEON = re.compile(r"1002:(73[a-f][0-9a-f]|74[2-9][0-9a-f]|75[59][0-9a-f])")
NAMED = re.compile(r"instinct|\bMI\d{2,3}X?\b|\bRX ?[679]\d{3}|\bPRO [WRV]\d{3,4}", re.IGNORECASE)
ROCM = "Install PyTorch's ROCm build for this ROCm version: choose it on https://pytorch.org/get-started/locally/"


@rule(
    "FRM018",
    name="torch-backend-gpu-vendor",
    severity="error",
    when="frameworks.torch.variant, not frameworks.torch.variant=cuda or not gpus.nvidia",
)
def torch_backend_gpu_vendor(gpus: Gpus, frameworks: Frameworks, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """PyTorch is built for another vendor's GPUs.

    What it means:
    A build for CUDA drives NVIDIA GPUs only, a build for ROCm AMD GPUs only, a build for XPU Intel GPUs only.

    Why it breaks:
    The builds look alike: the ROCm build even answers to `torch.cuda`. A plain `pip install torch` on Linux gives the
    CUDA build (on ARM from 2.11 on), whatever GPU is there.

    How to fix it:
    Install the build for your GPU's maker from PyTorch's own index.

    When to ignore it:
    If the GPU is only the graphics part of the processor and is not meant for computing; most of those are not
    supported. That is why a CUDA build is only a note beside such graphics, and an error beside an AMD card that ROCm
    serves (Instinct, Radeon PRO, Radeon RX 7000 and newer; of the RX 6000 the 6800 and 6900 by themselves, the others
    by setting HSA_OVERRIDE_GFX_VERSION). A CPU build is named only beside an AMD accelerator (Instinct), which is there
    for computing: as a warning.

    Sources:
    https://pytorch.org/get-started/locally/
    https://github.com/ROCm/ROCm/issues/2353 (RX 6600 and 6700)
    https://rocm.docs.amd.com/projects/install-on-linux/en/latest/reference/system-requirements.html
    """
    torch = frameworks.get("torch")
    if torch is not None and torch.variant == "cpu":
        yield from _unused_accelerator(torch, gpus)
        return
    maker = MAKERS.get(torch.variant or "") if torch else None
    present = {gpu.vendor for gpu in gpus.devices if gpu.vendor in NAMES}
    if torch is None or maker is None or not present or maker in present:
        return
    has_nvidia = "nvidia" in present
    if maker == "nvidia" and present == {"intel"}:
        return
    words = " and ".join(sorted(NAMES[one] for one in present if one))
    serves = any(_is_of_rocm(gpu) for gpu in gpus.devices)
    own = ROCM if serves else "Choose the compute platform on https://pytorch.org/get-started/locally/"
    title = "Install the ROCm build" if serves else "Install the build for this GPU, if PyTorch supports it"
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.amd_fix import torch_for_amd

    note = (torch_for_amd(scene, matrix) if serves else None) or by_hand(title, own)
    yield problem(
        f"{torch.label} is built for {NAMES[maker]} GPUs, but this machine has {words}.",
        seen("PyTorch build", torch.version or torch.variant, torch.source),
        *(seen("GPU", f"{gpu.label}, made by {gpu.vendor}", gpu.source) for gpu in gpus.devices),
        subject=torch.label,
        severity=None if has_nvidia or serves else "info",
        fixes=(torch_for_gpus(scene, matrix, torch.version),) if has_nvidia else (note,),
    )


def _is_of_rocm(gpu: Gpu) -> bool:
    """An AMD card that computes, rather than the graphics of a processor."""
    known = RADEON.fullmatch(gpu.pci_id or "") or INSTINCT.fullmatch(gpu.pci_id or "")
    return gpu.vendor == "amd" and bool(known or NAMED.search(gpu.name or ""))


def _unused_accelerator(torch: Framework, gpus: Gpus) -> Iterator[Problem]:
    """A CPU build beside an AMD accelerator."""
    found = [
        gpu for gpu in gpus.devices if INSTINCT.fullmatch(gpu.pci_id or "") or "instinct" in (gpu.name or "").lower()
    ]
    if not found or gpus.nvidia:
        return
    yield problem(
        f"{torch.label} is a CPU-only build, and this machine has an AMD accelerator.",
        seen("PyTorch build", f"{torch.version or 'unknown version'}, no ROCm", torch.source),
        *(seen("GPU", f"{gpu.label}, made by AMD", gpu.source) for gpu in found),
        subject=torch.label,
        severity="warning",
        fix=by_hand("Install the ROCm build", ROCM),
    )
