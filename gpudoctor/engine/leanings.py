"""What partial facts say for or against a cause, where they do not suffice for its rule.

A ticket seldom states all that a rule must see. These look at what is stated: a PyTorch built with CUDA is not a CPU
build, whatever else is unknown; TensorFlow 2.16 on Windows has no GPU support, whichever GPU there is.
"""

import re
from collections.abc import Callable

from gpudoctor.engine.stated import Stated
from gpudoctor.formats.out_of_memory import parse_out_of_memory
from gpudoctor.matrix.kernels import coverage
from gpudoctor.model.driver import Driver
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.libraries import Libraries, Toolkits
from gpudoctor.model.python import Frameworks, Interpreter, Packages
from gpudoctor.model.system import Container, Environ
from gpudoctor.rules._gpu_packages import cuda_packages

#: Products of Ampere and later, and those before Volta.
_RECENT = re.compile(r"RTX (?:[3-9]0\d\d|A\d{4}|PRO)|\b(?:A\d{2,3}|H\d{2,3}|L4|L40S?|B\d{3}|GB\d+|GH200)\b")
_NOT_GEFORCE = re.compile(r"^(?!.*(?:GeForce|RTX [2-5]0\d\d|TITAN))")
_CUDA_FOLDER = re.compile(r"cuda|hpc_sdk|nvhpc", re.IGNORECASE)
_GEFORCE = re.compile(r"GeForce RTX [45]0\d\d")
_OLD = re.compile(
    r"\bGTX? ?(?:[4-9]\d\d|10[1-8]0)|\b(?:Tesla|Quadro) [KMP]\d|\bTITAN (?:X|Xp|Black|Z)\b|\b[KMP](?:40|60|80|100)\b"
)
#: The first TensorFlow without GPU support on Windows, with CUDA as an extra, and without libraries of a toolkit.
_NO_WINDOWS, _WITH_EXTRA = (2, 11), (2, 14)


def _tf_without_windows(stated: Stated) -> bool:
    numbers = stated.numbers("tensorflow")
    return stated.os == "windows" and numbers is not None and numbers >= _NO_WINDOWS


def _tf_before_windows_end(stated: Stated) -> bool:
    numbers = stated.numbers("tensorflow")
    return stated.os in ("linux", "macos", "wsl") or (numbers is not None and numbers < _NO_WINDOWS)


def _other_toolkit(stated: Stated) -> bool:
    """The toolkits that are stated are all of another version than TensorFlow wants, and it brings none along."""
    toolkits, tensorflow = stated.section(Toolkits, "toolkits"), stated.framework("tensorflow")
    numbers = stated.numbers("tensorflow")
    if tensorflow is None or tensorflow.cuda is None or not toolkits or (numbers or (9,)) >= _WITH_EXTRA:
        return False
    versions = [one.version for one in toolkits.found if one.version is not None]
    wanted = tensorflow.cuda
    # From CUDA 11 on a major's libraries keep their names.
    fits = (one.major == wanted.major if wanted.major >= 11 else one == wanted for one in versions)
    return bool(versions) and not any(fits)


def _has_its_toolkit(stated: Stated) -> bool:
    """A toolkit of the very version that TensorFlow was built with is stated."""
    toolkits, tensorflow = stated.section(Toolkits, "toolkits"), stated.framework("tensorflow")
    wanted = tensorflow.cuda if tensorflow else None
    return wanted is not None and bool(toolkits) and any(one.version == wanted for one in toolkits.found)


def _has_no_toolkit(stated: Stated) -> bool:
    """It was looked for toolkits, and there is none."""
    toolkits = stated.section(Toolkits, "toolkits")
    return toolkits is not None and not toolkits.excerpt and not toolkits.found


def _hidden_by_variable(stated: Stated) -> bool:
    """LD_LIBRARY_PATH leads to a CUDA, and a library of CUDA does not fit the others."""
    libraries, environ = stated.section(Libraries, "libraries"), stated.section(Environ, "environ")
    value = (environ.get("LD_LIBRARY_PATH") if environ else None) or ":".join(
        libraries.search_path if libraries else ()
    )
    return bool(_CUDA_FOLDER.search(value)) and stated.said(
        "cuda-library-status", "cuda-library-symbol", "nvjitlink-symbol", "jax-library-older", "jax-library-outdated"
    )


def _mixed_majors(stated: Stated) -> bool:
    libraries = stated.section(Libraries, "libraries")
    found = [one.soname for one in (libraries.resolutions or ()) if one.path] if libraries else []
    return any("nvJitLink" in one.soname for one in stated.missed) and any(".so.11" in soname for soname in found)


def _driver_serves(stated: Stated) -> bool:
    """The driver offers the CUDA that every framework was built with, or a newer one."""
    driver, frameworks = stated.section(Driver, "driver"), stated.section(Frameworks, "frameworks")
    if driver is None or driver.cuda is None or frameworks is None:
        return False
    # Which CUDA a build of conda uses, its release does not say: where the driver itself calls itself too old, it is.
    if stated.said("cuda-insufficient-driver") and _answers(stated):
        return False
    wanted = [one.cuda for one in frameworks.found if one.cuda is not None]
    return bool(wanted) and all(one <= driver.cuda for one in wanted)


def _answers(stated: Stated) -> bool:
    driver, gpus = stated.section(Driver, "driver"), stated.section(Gpus, "gpus")
    nvml = driver.nvml if driver else None
    return bool(nvml and nvml.ok and nvml.device_count and gpus)


def _tf_misses_its_packages(stated: Stated) -> bool:
    """A release that does not find the CUDA packages it brings, where they can be installed, and it uses no GPU."""
    numbers = stated.numbers("tensorflow")
    return numbers is not None and (2, 16) <= numbers < (2, 19) and stated.os in ("linux", "wsl") and stated.sees_no_gpu


def _secure_boot_is_off(stated: Stated) -> bool:
    driver = stated.section(Driver, "driver")
    return driver is not None and driver.secure_boot is False


def _others_hold_memory(stated: Stated) -> bool:
    """PyTorch's own numbers leave a part of the GPU's memory to other programs that mattered."""
    told = (parse_out_of_memory(text) for text in stated.messages)
    return any(
        one is not None
        and one.others is not None
        and one.total is not None
        and one.wanted is not None
        # A context and a desktop take some hundred MiB on every GPU.
        and one.others > max(0.2 * one.total, 1 << 30)
        and one.others > one.wanted
        for one in told
    )


def _in_pieces(stated: Stated) -> bool:
    """PyTorch holds more unused memory than it was asked for."""
    told = (parse_out_of_memory(text) for text in stated.messages)
    return any(
        one is not None
        and one.unused is not None
        and one.wanted is not None
        and one.total is not None
        and one.unused > max(one.wanted, 0.1 * one.total)
        for one in told
    )


def _larger_than_gpu(stated: Stated) -> bool:
    told = (parse_out_of_memory(text) for text in stated.messages)
    return any(one is not None and (one.wanted or 0) > (one.total or 1 << 60) for one in told)


def _nodes_are_closed(stated: Stated) -> bool:
    """A device file of the GPU that only its owner and group may open, as they are listed."""
    driver = stated.section(Driver, "driver")
    nodes = (driver.device_nodes or ()) if driver else ()
    return any(node.mode is not None and not node.mode & 0o006 and "caps" not in node.path for node in nodes)


def _geforce_copies(stated: Stated) -> bool:
    """Only GeForce cards of the generations whose direct copies hang, and something that takes all GPUs does."""
    return stated.all_named(_GEFORCE) and stated.said(
        "p2p-off-helps", "nccl-hangs", "nccl-timeout", "cuda-illegal-address"
    )


def _foreign_gpu(stated: Stated, maker: str) -> bool:
    """All GPUs are of that maker, and PyTorch is not built for it."""
    own = {"amd": "rocm", "intel": "xpu"}[maker]
    return (
        stated.makers == {maker} and stated.variant("torch") in (None, "cuda", "cpu") and stated.variant("torch") != own
    )


def _user_site_in_environment(stated: Stated) -> bool:
    interpreter = stated.section(Interpreter, "interpreter")
    return (
        interpreter is not None
        and interpreter.environment in ("venv", "conda", "conda-base")
        and interpreter.user_site is not None
        and interpreter.user_site_enabled is not False
    )


def _lists_gpu_without_cuda(stated: Stated) -> bool:
    driver = stated.section(Driver, "driver")
    lacks = driver is not None and driver.cuda_init is not None and driver.cuda_init.outcome == "no-library"
    return lacks and driver.nvml is not None and bool(driver.nvml.device_count)


def _computing_left_out(stated: Stated) -> bool:
    container = stated.section(Container, "container")
    granted = container.nvidia_driver_capabilities if container else None
    return granted is not None and not {word.strip() for word in granted.split(",")} & {"compute", "all"}


def _wsl_has_no_driver(stated: Stated) -> bool:
    container = stated.section(Container, "container")
    return bool(container and container.wsl and container.wsl.driver_library is False)


def _code_serves(stated: Stated) -> bool:
    """The architectures that torch lists serve every GPU whose capability is stated."""
    torch, gpus = stated.framework("torch"), stated.section(Gpus, "gpus")
    known = [gpu.capability for gpu in gpus.nvidia if gpu.capability is not None] if gpus else []
    if torch is None or not torch.archs or not known:
        return False
    return all(coverage(torch.archs, capability, torch.cuda) == "native" for capability in known)


def _warned_for_nothing(stated: Stated) -> bool:
    return stated.said("torch-sm-not-compatible", "torch-capability-range") and _code_serves(stated)


def _old_tensorflow_on_new_gpu(stated: Stated) -> bool:
    """A release before 2.4, or one that opens the libraries of CUDA 10, on Ampere or newer."""
    libraries, numbers = stated.section(Libraries, "libraries"), stated.numbers("tensorflow")
    opened = [one.soname for one in (libraries.resolutions or ()) if one.path] if libraries else []
    is_old = numbers is not None and numbers < (2, 4)
    return stated.all_named(_RECENT) and (is_old or any("cudart.so.10" in soname for soname in opened))


def _packages_of_two_majors(stated: Stated) -> bool:
    packages = stated.section(Packages, "packages")
    return packages is not None and len(cuda_packages(packages)) > 1


#: For a cause: how sure it makes it.
FOR: dict[str, tuple[tuple[Callable[[Stated], bool], float], ...]] = {
    "tf-windows-native": ((_tf_without_windows, 0.95),),
    "tf-cuda-version-unsupported": ((_other_toolkit, 0.75),),
    "tf-soname-missing": ((lambda stated: bool(stated.missed) and stated.os != "windows", 0.6),),
    "win-cudart-not-found": ((lambda stated: any("cudart64" in one.soname for one in stated.missed), 0.6),),
    "arch-ok-warning-only": ((_warned_for_nothing, 0.9),),
    "tf1-on-new-gpu": ((_old_tensorflow_on_new_gpu, 0.8),),
    "cuda-major-mix": (
        (_packages_of_two_majors, 0.75),
        (_mixed_majors, 0.8),
    ),
    "torch-cpu-only": ((lambda stated: stated.variant("torch") == "cpu" and not stated.by_conda, 0.8),),
    "torch-cpu-only-conda": ((lambda stated: stated.variant("torch") == "cpu" and bool(stated.by_conda), 0.9),),
    "tf-cpu-only": ((lambda stated: stated.variant("tensorflow") == "cpu" and stated.os != "windows", 0.8),),
    "macos-no-cuda": ((lambda stated: stated.os == "macos", 0.4),),
    "tf216-nvidia-libs-not-found": ((_tf_misses_its_packages, 0.6),),
    "no-gpu": (
        (lambda stated: stated.no_gpu and stated.sees_no_gpu, 0.8),
        (lambda stated: _foreign_gpu(stated, "intel") and stated.sees_no_gpu, 0.6),
    ),
    "torch-backend-gpu-vendor": ((lambda stated: _foreign_gpu(stated, "amd") and stated.sees_no_gpu, 0.7),),
    "ld-path-shadows-nvidia-wheels": ((_hidden_by_variable, 0.5),),
    "nccl-p2p-geforce": ((_geforce_copies, 0.75),),
    "dev-permission": ((_nodes_are_closed, 0.6),),
    "py-user-site-shadow": ((_user_site_in_environment, 0.55),),
    "container-no-compute-cap": ((_computing_left_out, 0.9),),
    "other-process-holds-memory": ((_others_hold_memory, 0.8),),
    "memory-fragmented": ((_in_pieces, 0.7),),
    "batch-too-large": ((_larger_than_gpu, 0.9),),
}

#: Against a cause: it cannot be that one.
AGAINST: dict[str, tuple[Callable[[Stated], bool], ...]] = {
    "tf-windows-native": (_tf_before_windows_end,),
    "torch-cpu-only": (lambda stated: stated.variant("torch") in ("cuda", "rocm"), lambda s: s.by_conda is True),
    "torch-cpu-only-conda": (lambda stated: stated.variant("torch") in ("cuda", "rocm"), lambda s: s.by_conda is False),
    "torch-cpu-only-lock": (lambda stated: stated.variant("torch") in ("cuda", "rocm"),),
    "torch-rocm-build": (lambda stated: stated.variant("torch") in ("cuda", "cpu"),),
    "tf-cpu-only": (lambda stated: stated.variant("tensorflow") == "cuda", _tf_without_windows),
    "tf216-nvidia-libs-not-found": (
        lambda stated: (stated.numbers("tensorflow") or (9,)) < _WITH_EXTRA,
        lambda stated: stated.os == "windows",
    ),
    "tf-cuda-version-unsupported": (
        lambda stated: (stated.numbers("tensorflow") or (0,)) >= (2, 16),
        lambda stated: _has_its_toolkit(stated) or _has_no_toolkit(stated),
    ),
    "torch-nvidia-deps-missing": (lambda stated: bool(stated.missed),),
    "driver-too-old": (_driver_serves,),
    "nccl-p2p-geforce": (
        lambda stated: stated.all_named(_NOT_GEFORCE),
        lambda stated: stated.makers == {"amd"},
    ),
    "arch-too-old-for-build": (lambda stated: stated.all_named(_RECENT), _code_serves),
    "arch-too-new-for-build": (lambda stated: stated.all_named(_OLD), _code_serves),
    "amd-device-files": (lambda stated: stated.makers == {"nvidia"},),
    "amd-gpu-not-in-build": (lambda stated: stated.makers == {"nvidia"},),
    "drv-not-loaded": (_answers,),
    "drv-secureboot-rejected": (_secure_boot_is_off, _answers),
    "drv-absent": (_answers,),
    "no-gpu": (_answers,),
    # What reached the GPU of a Mac does not fail for want of CUDA.
    "macos-no-cuda": (
        lambda stated: stated.os in ("linux", "windows", "wsl"),
        lambda stated: stated.said("mps-operation-missing", "mps-out-of-memory"),
    ),
    "wsl1": (lambda stated: stated.os in ("macos", "windows"),),
    "wsl-singularity": (lambda stated: stated.os in ("macos", "windows"),),
    "wsl-libcuda-path": (_wsl_has_no_driver,),
    # nvidia-smi lists the GPU there, so the container has it.
    "container-no-gpu-flag": (_lists_gpu_without_cuda,),
}
for _name in ("torch-cpu-only", "torch-cpu-only-conda", "torch-cpu-only-lock", "tf-cpu-only", "jax-cpu-only"):
    AGAINST[_name] = (
        *AGAINST.get(_name, ()),
        lambda stated: stated.no_gpu,
        lambda stated: stated.said("mps-operation-missing", "mps-out-of-memory"),
    )
for _name in ("win-dll-126", "win-cudart-not-found", "win-zlibwapi-missing", "win-libomp140-missing"):
    AGAINST[_name] = (lambda stated: stated.os in ("linux", "macos", "wsl"),)
# Where no toolkit is there is none that could be found.
AGAINST["win-cudart-not-found"] = (*AGAINST["win-cudart-not-found"], _has_no_toolkit)
for _name in ("uvm-missing", "dev-nodes-missing", "drv-nouveau-bound", "drv-dkms-not-built", "drv-secureboot-rejected"):
    AGAINST[_name] = (*AGAINST.get(_name, ()), lambda stated: stated.os in ("windows", "macos"))


def support(key: str, stated: Stated) -> float:
    """How sure the stated facts make a cause, between 0 and 1."""
    return max((weight for holds, weight in FOR.get(key, ()) if holds(stated)), default=0.0)


def excluded(key: str, stated: Stated) -> bool:
    """The stated facts exclude a cause."""
    return any(holds(stated) for holds in AGAINST.get(key, ()))
