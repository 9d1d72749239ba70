"""Whether somebody evidently wants to compile GPU code in this environment."""

from gpudoctor.model.base import Gap
from gpudoctor.model.python import Packages
from gpudoctor.model.system import Environ
from gpudoctor.model.wish import Wish

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


def build_wanted(packages: Packages | Gap | None, environ: Environ | Gap | None, wish: Wish) -> str | None:
    """What shows that GPU code is to be compiled, in words; None where nothing does."""
    for name in COMPILED_AT_INSTALL:
        if wish.of(name) and isinstance(packages, Packages) and packages.find(name) is None:
            return f"{name} is required and not installed"
    if isinstance(packages, Packages):
        for name in COMPILE_AT_USE:
            if packages.find(name) is not None:
                return f"{name} is installed; it compiles its GPU code when it is used"
    if isinstance(environ, Environ):
        for name in VARIABLES:
            if environ.get(name):
                return f"{name} is set"
    return None


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
