"""Whether GPU code is built here, and which CUDA toolkit such a build would take (CUDA_HOME, nvcc)."""

import ntpath
import posixpath

from gpudoctor.facts.libraries import Toolkit
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Container, Environ, Gap, Gpus, Live, Packages, Toolkits, Wish

_USUAL = "/usr/local/cuda"


def named_home(toolkits: Toolkits | None, environ: Environ | Gap | None) -> str | None:
    """What CUDA_HOME or CUDA_PATH says; None where neither is set."""
    stated = environ.get("CUDA_HOME") or environ.get("CUDA_PATH") if isinstance(environ, Environ) else None
    return (toolkits.cuda_home if toolkits is not None else None) or stated


def taken_toolkit(toolkits: Toolkits, environ: Environ | Gap | None) -> Toolkit | None:
    """The toolkit at CUDA_HOME or CUDA_PATH, else that of nvcc on PATH, else the default one.

    None: the variable leads to none of them, or there is none.
    """
    home = named_home(toolkits, environ)
    if toolkits.build_root is not None:
        return _at(toolkits.build_root, toolkits)
    if home is not None:
        return _at(home, toolkits)
    if toolkits.nvcc_on_path is not None:
        of_path = next((one for one in toolkits.found if one.nvcc == toolkits.nvcc_on_path), None)
        return of_path or _at(posixpath.dirname(posixpath.dirname(toolkits.nvcc_on_path)), toolkits)
    return next((one for one in toolkits.found if one.is_default), None)


def is_for_gpus(gpus: Gpus | Gap | None, container: Container | Gap | None) -> bool:
    """GPU code matters here: there is a GPU, or this is a container, whose image is built where there is none."""
    inside = isinstance(container, Container) and container.kind not in ("none", None)
    return inside or (isinstance(gpus, Gpus) and bool(gpus.nvidia))


def has_nvcc(toolkit: Toolkit, toolkits: Toolkits) -> bool:
    """It has the compiler; what a text leaves out it may have."""
    on_path = (toolkits.nvcc_on_path or "").startswith(f"{toolkit.root}/")
    return toolkit.nvcc is not None or on_path or toolkits.excerpt


def fault_of_home(home: str, toolkits: Toolkits | None) -> str | None:
    """What is wrong with the variable's value, for a sentence; None where it may be right."""
    windows = ntpath.splitdrive(home)[0] != ""
    if (";" if windows else ":") in home:
        return "is a list; it must name one folder"
    last = home.rstrip("/\\").replace("\\", "/").rpartition("/")[2]
    if last in ("bin", "nvcc", "nvcc.exe"):
        return "must name the toolkit's own folder, the one above bin"
    if toolkits is not None and toolkits.cuda_home_exists is False:
        return "does not exist"
    return None


def folder_meant(home: str, toolkits: Toolkits | None) -> str | None:
    """The folder that a list, or a path into a toolkit, was meant to name."""
    found = toolkits.found if toolkits is not None else ()
    folders = [part.rstrip("/").removesuffix("/nvcc").removesuffix("/bin") for part in home.split(":")]
    named = [one for one in folders if any(it.root == one or (one == _USUAL and it.is_default) for it in found)]
    return named[0] if named and named[0] != home.rstrip("/") else None


def _at(root: str, toolkits: Toolkits) -> Toolkit | None:
    root = root.rstrip("/\\") or root
    for one in toolkits.found:
        if one.root.rstrip("/\\") == root:
            return one
    if root == _USUAL:
        usual = next((one for one in toolkits.found if one.is_default), None)
        return usual or (toolkits.found[0] if len(toolkits.found) == 1 else None)
    # Debian keeps nvcc in /usr/bin and the toolkit's folder elsewhere.
    return next((one for one in toolkits.found if root == "/usr" and one.origin == "system"), None)


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
