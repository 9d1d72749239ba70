"""FRM024: PyTorch is built for AMD GPUs, but a CUDA extension is installed or required."""

from gpudoctor.plan.recipes import torch_for_gpus
from gpudoctor.rules._toolkit_taken import COMPILED_AT_INSTALL, wants_builds_only
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.sections import Frameworks, Gpus, Matrix, Scene, Wish
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: Their wheels hold code for CUDA only; bitsandbytes has parts for both.
CUDA_EXTENSIONS = ("flash-attn", "xformers")


@rule("FRM024", name="torch-rocm-build", severity="error", when="frameworks.torch.variant=rocm")
def torch_rocm_build(frameworks: Frameworks, wish: Wish, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """PyTorch is built for AMD GPUs, but a CUDA extension is installed or required.

    What it means:
    The installed PyTorch is a ROCm build: it drives AMD GPUs. An extension such as flash-attn is compiled for CUDA.

    Why it breaks:
    The build of the extension looks for nvcc, or its compiled part asks for CUDA libraries: "flash_attn was requested,
    but nvcc was not found". Installing a CUDA toolkit does not help while torch is a ROCm build.

    How to fix it:
    With an NVIDIA GPU: install the CUDA build of PyTorch. With an AMD GPU: use the extension's own ROCm build.

    When to ignore it:
    If you compile the extension for ROCm yourself.

    Sources:
    https://pytorch.org/get-started/locally/
    https://github.com/Dao-AILab/flash-attention#amd-rocm-support
    """
    torch = frameworks.get("torch")
    if torch is None or torch.variant != "rocm":
        return
    wanted = [name for name in COMPILED_AT_INSTALL if wish.of(name)]
    found = (frameworks.get(name) for name in CUDA_EXTENSIONS)
    present = [one.name for one in found if one is not None and one.variant == "cuda"]
    names = tuple(dict.fromkeys((*wanted, *present)))
    if not names:
        return
    has_nvidia = isinstance(scene.gpus, Gpus) and bool(scene.gpus.nvidia)
    text = f"Use the ROCm build of {in_words(names)}; its own page says how."
    yield problem(
        f"{torch.label} is built for AMD GPUs, but {in_words(names)} is made for CUDA.",
        seen("torch", f"{torch.version or 'unknown version'}, built for ROCm", torch.source),
        *(seen("wanted", name) for name in wanted),
        *(seen("installed for CUDA", name) for name in present),
        subject=torch.label,
        not_leading_to=() if wants_builds_only(scene.packages, wish) else ("package-required",),
        fix=torch_for_gpus(scene, matrix, torch.version) if has_nvidia else by_hand("Use what is built for ROCm", text),
    )
