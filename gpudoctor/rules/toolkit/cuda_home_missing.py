"""TLK001: GPU code has to be compiled, but the CUDA compiler (nvcc) was not found."""

from gpudoctor.rules._toolkit_taken import (
    build_wanted,
    fault_of_home,
    folder_meant,
    is_setting_only,
    named_home,
    taken_toolkit,
    wants_builds_only,
)
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Environ, Frameworks, Gap, Gpus, Live, Packages, Toolkits, Wish
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, by_hand, problem, rule, seen

#: Messages that only a build with nvcc at hand prints.
BY_NVCC = ("nvcc-torch-mismatch", "gcc-too-new", "nvcc-unsupported-arch")


@rule("TLK001", name="cuda-home-missing", severity="error")
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
    A package is to be compiled with nvcc, the compiler of the CUDA toolkit. No toolkit was found, or nothing leads to
    it: CUDA_HOME is a list, or names a folder that does not exist or has no nvcc. PyTorch then looks no further.

    Why it breaks:
    Building stops with "CUDA_HOME environment variable is not set" or "nvcc was not found". PyTorch and TensorFlow
    themselves need no toolkit: their packages bring the libraries, not the compiler.

    How to fix it:
    Take a ready-made wheel of the package where there is one. Else install the toolkit of the CUDA version that torch
    was built with, and let CUDA_HOME name its folder: one, without a colon, and not its bin.

    When to ignore it:
    If you do not compile GPU code. Without a sign of that, this rule says nothing; where the only sign is a variable
    such as TORCH_CUDA_ARCH_LIST, it is a note.

    Sources:
    https://docs.pytorch.org/docs/stable/cpp_extension.html
    https://developer.nvidia.com/cuda-toolkit-archive
    """
    wanted = build_wanted(packages, environ, wish, live)
    if not gpus.nvidia or any(one.signature in BY_NVCC for one in pasted(live)):
        return
    home = named_home(toolkits, environ)
    fault = _fault(home, toolkits, environ) if home else None
    unused = _unused(toolkits, environ) if wanted and not home else None
    if fault is None and unused is None and (wanted is None or _has_compiler(toolkits)):
        return
    torch = frameworks.get("torch") if frameworks is not None else None
    version = f" {torch.cuda}" if torch is not None and torch.cuda is not None else ""
    meant = folder_meant(home, toolkits) if home and fault else unused
    yield problem(
        _summary(home, fault, toolkits, unused),
        seen("nvcc", _where(toolkits)),
        seen("CUDA_HOME", home or "not set"),
        *((seen("sign of a build", wanted),) if wanted else ()),
        subject="nvcc",
        severity=None if wanted and not is_setting_only(wanted) else "warning" if meant else "info",
        confidence="likely",
        not_leading_to=() if wants_builds_only(packages, wish) else ("package-required",),
        fix=_fix(meant, version),
    )


def _fault(home: str, toolkits: Toolkits | None, environ: Environ | Gap | None) -> str | None:
    fault = fault_of_home(home, toolkits)
    if fault is not None or toolkits is None or toolkits.excerpt:
        return fault
    taken = taken_toolkit(toolkits, environ)
    return "has no nvcc" if toolkits.cuda_home_exists and (taken is None or taken.nvcc is None) else None


def _unused(toolkits: Toolkits | None, environ: Environ | Gap | None) -> str | None:
    """The folder of a toolkit that is there and that nothing leads to."""
    if toolkits is None or toolkits.excerpt or toolkits.nvcc_on_path is not None:
        return None
    if taken_toolkit(toolkits, environ) is not None:
        return None
    return next((one.root for one in toolkits.found if one.nvcc is not None), None)


def _summary(home: str | None, fault: str | None, toolkits: Toolkits | None, unused: str | None) -> str:
    if unused is not None:
        return f"Builds of GPU code do not find the CUDA toolkit in {unused}: CUDA_HOME is not set, nvcc not on PATH."
    if fault is None:
        return "The CUDA compiler nvcc is not installed, but GPU code has to be compiled."
    if _has_compiler(toolkits):
        return f"CUDA_HOME ({home}) {fault}: builds of GPU code find no nvcc."
    return f"CUDA_HOME ({home}) {fault}, and no other nvcc was found."


def _where(toolkits: Toolkits | None) -> str:
    path = (toolkits.nvcc_on_path if toolkits else None) or next(
        (one.nvcc for one in (toolkits.found if toolkits else ()) if one.nvcc), None
    )
    return path or "not found on PATH, in CUDA_HOME or in the usual folders"


def _fix(meant: str | None, version: str) -> Fix:
    if meant is not None:
        step = SetEnv(name="CUDA_HOME", value=meant)
        return Fix("Let CUDA_HOME name the toolkit's folder", "safe", (step,), undo="unset CUDA_HOME")
    return by_hand(
        f"Install a prebuilt wheel, or the CUDA toolkit{version}",
        f"Look for a wheel of the package for your torch. Else install the CUDA toolkit{version}"
        " (https://developer.nvidia.com/cuda-toolkit-archive) without its driver, and set CUDA_HOME.",
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
