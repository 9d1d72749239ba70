"""TLK001: GPU code has to be compiled, but the CUDA compiler (nvcc) was not found."""

from gpudoctor.rules._building import build_wanted, is_setting_only, wants_builds_only
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Environ, Frameworks, Gap, Gpus, Live, Packages, Toolkits, Wish
from gpudoctor.rules.terms import Iterator, Problem, by_hand, rule, seen

#: Messages that only a build with nvcc at hand prints.
BY_NVCC = ("nvcc-torch-mismatch", "gcc-too-new", "nvcc-unsupported-arch")


@rule("TLK001", name="cuda-home-missing", severity="error", since="0.1")
def cuda_home_missing(
    gpus: Gpus,
    toolkits: Toolkits | None,
    frameworks: Frameworks | None,
    packages: Packages | Gap | None,
    environ: Environ | Gap | None,
    live: Live | Gap | None,
    wish: Wish,
) -> Iterator[Problem]:
    """GPU code has to be compiled, but the CUDA compiler (nvcc) was not found.

    What it means:
    A package is to be compiled with nvcc, the compiler of the CUDA toolkit. No toolkit was found, or CUDA_HOME leads to
    a folder that does not exist.

    Why it breaks:
    Building stops with "CUDA_HOME environment variable is not set" or "nvcc was not found". PyTorch and TensorFlow
    themselves need no toolkit: their packages bring the libraries, not the compiler.

    How to fix it:
    Take a ready-made wheel of the package where there is one. Else install the toolkit of the CUDA version that torch
    was built with, and let CUDA_HOME name its folder.

    When to ignore it:
    If you do not compile GPU code. Without a sign of that, this rule says nothing; where the only sign is a variable
    such as TORCH_CUDA_ARCH_LIST, it is a note.

    Sources:
    https://docs.pytorch.org/docs/stable/cpp_extension.html
    https://developer.nvidia.com/cuda-toolkit-archive
    """
    wanted = build_wanted(packages, environ, wish, live)
    if not gpus.nvidia or _has_compiler(toolkits) or any(one.signature in BY_NVCC for one in pasted(live)):
        return
    is_dangling = toolkits is not None and toolkits.cuda_home_exists is False
    if wanted is None and not is_dangling:
        return
    torch = frameworks.get("torch") if frameworks is not None else None
    version = f" {torch.cuda}" if torch is not None and torch.cuda is not None else ""
    home = (toolkits.cuda_home if toolkits is not None else None) or "not set"
    yield Problem(
        summary=f"CUDA_HOME names {home}, which does not exist, and no other nvcc was found."
        if is_dangling
        else "The CUDA compiler nvcc is not installed, but GPU code has to be compiled.",
        subject="nvcc",
        severity=None if wanted and not is_setting_only(wanted) else "info",
        confidence="likely",
        evidence=(
            seen("nvcc", "not found on PATH, in CUDA_HOME or in the usual folders"),
            seen("CUDA_HOME", home),
            *((seen("sign of a build", wanted),) if wanted else ()),
        ),
        not_leading_to=() if wants_builds_only(packages, wish) else ("package-required",),
        fixes=(
            by_hand(
                f"Install a prebuilt wheel, or the CUDA toolkit{version}",
                f"Look for a wheel of the package for your torch. Else install the CUDA toolkit{version}"
                " (https://developer.nvidia.com/cuda-toolkit-archive) without its driver, and set CUDA_HOME.",
            ),
        ),
    )


def _has_compiler(toolkits: Toolkits | None) -> bool:
    """It has, or may have."""
    if toolkits is None:
        return False
    return (
        toolkits.excerpt
        or toolkits.nvcc_on_path is not None
        or any(toolkit.nvcc is not None for toolkit in toolkits.found)
    )
