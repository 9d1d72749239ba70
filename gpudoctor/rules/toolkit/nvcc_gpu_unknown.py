"""TLK007: the CUDA compiler (nvcc) that a build would take does not know this GPU."""

import re

from gpudoctor.facts.versions import Capability
from gpudoctor.rules._toolkit_taken import build_wanted, has_nvcc, is_setting_only, taken_toolkit
from gpudoctor.rules.builds import device_code
from gpudoctor.rules.sections import (
    Environ,
    Framework,
    Frameworks,
    Gap,
    Gpus,
    Live,
    Matrix,
    Scene,
    System,
    Toolkits,
    Wish,
)
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, by_hand, problem, rule, seen

_LISTED = re.compile(r"\b(\d{1,2}\.\d)[a-f]?\b")


@rule("TLK007", name="nvcc-gpu-unknown", severity="error")
def nvcc_gpu_unknown(
    gpus: Gpus,
    toolkits: Toolkits,
    frameworks: Frameworks,
    environ: Environ | Gap | None,
    live: Live | Gap | None,
    wish: Wish,
    scene: Scene,
    matrix: Matrix,
) -> Iterator[Problem]:
    """The CUDA compiler (nvcc) that a build would take does not know this GPU.

    What it means:
    Each CUDA version compiles for a list of GPU architectures. The toolkit that a build of a PyTorch extension would
    take is older than this GPU, or so new that it has dropped it.

    Why it breaks:
    nvcc stops with "Unsupported gpu architecture 'compute_89'". PyTorch asks for the architecture of each GPU, but none
    newer than those it was itself built for; TORCH_CUDA_ARCH_LIST asks for others.

    How to fix it:
    Build with a toolkit of the CUDA version that torch has. Or name an architecture in TORCH_CUDA_ARCH_LIST that both
    the compiler and the GPU know: code for 8.6 runs on 8.9.

    When to ignore it:
    If you do not compile extensions. Without a sign that you do, this is only a note.

    Sources:
    https://docs.pytorch.org/docs/stable/cpp_extension.html
    https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/
    """
    torch, taken = frameworks.get("torch"), taken_toolkit(toolkits, environ)
    if torch is None or torch.variant != "cuda" or taken is None or not has_nvcc(taken, toolkits):
        return
    row = matrix.toolkit(taken.version) if taken.version is not None else None
    if row is None or not row.capabilities:
        return
    listed = environ.get("TORCH_CUDA_ARCH_LIST") if isinstance(environ, Environ) else None
    asked = _listed(listed) if listed else _of_gpus(gpus, torch, matrix, scene.host)
    unknown = sorted(one for one in asked if one not in row.capabilities)
    if not unknown:
        return
    names = ", ".join(one.text for one in unknown)
    wanted = build_wanted(scene.packages, environ, wish, live)
    runs = max((one for one in row.capabilities if one.major == unknown[0].major and one < unknown[0]), default=None)
    yield problem(
        f"nvcc of CUDA {taken.version} in {taken.root} cannot compile for compute capability {names}.",
        seen("toolkit that a build takes", f"CUDA {taken.version} in {taken.root}", taken.source),
        seen("it compiles for", f"{row.capabilities[0]} to {row.capabilities[-1]}"),
        seen("TORCH_CUDA_ARCH_LIST" if listed else "a build asks for", listed or names),
        subject=taken.root,
        severity=None if wanted and not is_setting_only(wanted) else "info",
        confidence="certain" if listed or torch.archs else "likely",
        fixes=_fixes(torch, runs),
    )


def _listed(text: str) -> set[Capability]:
    return {Capability(number) for number in _LISTED.findall(text)}


def _of_gpus(gpus: Gpus, torch: Framework, matrix: Matrix, host: System | Gap | None) -> set[Capability]:
    """What PyTorch asks of nvcc where nobody says: each GPU's architecture, at most the newest of its own."""
    code = device_code(torch, matrix, host)
    if code is None:
        return set()
    return {min(one.capability, code.highest) for one in gpus.nvidia if one.capability is not None}


def _fixes(torch: Framework, runs: Capability | None) -> tuple[Fix, ...]:
    toolkit = by_hand(
        f"Build with a toolkit of CUDA {torch.cuda}" if torch.cuda else "Build with torch's CUDA version",
        f"Install the CUDA toolkit {torch.cuda or ''} without its driver"
        " (https://developer.nvidia.com/cuda-toolkit-archive), and set CUDA_HOME to its folder.",
    )
    if runs is None:
        return (toolkit,)
    step = SetEnv(name="TORCH_CUDA_ARCH_LIST", value=f"{runs}+PTX")
    lesser = Fix(f"Compile for {runs}, whose code runs here too", "safe", (step,))
    return (toolkit, lesser)
