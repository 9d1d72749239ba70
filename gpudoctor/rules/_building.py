"""Whether somebody evidently wants to compile GPU code in this environment."""

from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Environ, Gap, Live, Packages, Wish

#: Packages that compile GPU code when they are used.
COMPILE_AT_USE = ("deepspeed",)
#: Packages that are compiled at installation where no wheel fits.
COMPILED_AT_INSTALL = (
    "flash-attn",
    "apex",
    "xformers",
    "transformer-engine",
    "mamba-ssm",
    "causal-conv1d",
    "pytorch3d",
)
#: Variables that only a build of GPU code reads.
VARIABLES = ("TORCH_CUDA_ARCH_LIST", "FORCE_CUDA", "CUDAARCHS", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")
#: Messages that only a build of GPU code prints.
MESSAGES = (
    "cuda-home-missing",
    "nvcc-not-found-warning",
    "nvcc-torch-mismatch",
    "gcc-too-new",
    "nvcc-unsupported-arch",
    "extension-build-failed",
    "extension-needs-torch-to-build",
)


def build_wanted(
    packages: Packages | Gap | None, environ: Environ | Gap | None, wish: Wish, live: Live | Gap | None
) -> str | None:
    """What shows that GPU code is to be compiled, in words; None where nothing does."""
    if any(symptom.signature in MESSAGES for symptom in pasted(live)):
        return "a build failed, as its message says"
    named = _package(packages, wish) if isinstance(packages, Packages) else None
    return named or (_variable(environ) if isinstance(environ, Environ) else None)


def _package(packages: Packages, wish: Wish) -> str | None:
    for name in COMPILED_AT_INSTALL:
        if wish.of(name) and packages.find(name) is None:
            return f"{name} is required and not installed"
    found = next((name for name in COMPILE_AT_USE if packages.find(name) is not None), None)
    return f"{found} is installed; it compiles its GPU code when it is used" if found else None


def _variable(environ: Environ) -> str | None:
    found = next((name for name in VARIABLES if environ.get(name)), None)
    return f"{found} is set" if found else None


def wants_builds_only(packages: Packages | Gap | None, wish: Wish) -> bool:
    """All that is required and not installed are packages that are compiled at installation."""
    if not isinstance(packages, Packages):
        return False
    others = ("gpu", "driver", "cuda", "compute-capability", "python")
    missing = [
        one.subject for one in wish.requirements if one.subject not in others and packages.find(one.subject) is None
    ]
    return bool(missing) and all(name in COMPILED_AT_INSTALL for name in missing)


def is_setting_only(wanted: str) -> bool:
    """The sign is a variable alone: those stay set in shells and images long after a build."""
    return wanted.endswith(" is set")
