"""What partial facts state that speaks for or against a cause: a toolkit of another version, devices only for root."""

import re

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
RECENT = re.compile(r"RTX (?:[3-9]0\d\d|A\d{4}|PRO)|\b(?:A\d{2,3}|H\d{2,3}|L4|L40S?|B\d{3}|GB\d+|GH200)\b")
NOT_GEFORCE = re.compile(r"^(?!.*(?:GeForce|RTX [2-5]0\d\d|TITAN))")
_CUDA_FOLDER = re.compile(r"cuda|hpc_sdk|nvhpc", re.IGNORECASE)
_GEFORCE = re.compile(r"GeForce RTX [45]0\d\d")
OLD = re.compile(
    r"\bGTX? ?(?:[4-9]\d\d|10[1-8]0)|\b(?:Tesla|Quadro) [KMP]\d|\bTITAN (?:X|Xp|Black|Z)\b|\b[KMP](?:40|60|80|100)\b"
)
#: The first TensorFlow without GPU support on Windows, with CUDA as an extra, and without libraries of a toolkit.
_NO_WINDOWS, WITH_EXTRA = (2, 11), (2, 14)


def tf_without_windows(stated: Stated) -> bool:
    """TensorFlow on Windows, of a release without GPU support there."""
    numbers = stated.numbers("tensorflow")
    return stated.os == "windows" and numbers is not None and numbers >= _NO_WINDOWS


def tf_before_windows_end(stated: Stated) -> bool:
    """Not on Windows, or a TensorFlow that still serves GPUs there."""
    numbers = stated.numbers("tensorflow")
    return stated.os in ("linux", "macos", "wsl") or (numbers is not None and numbers < _NO_WINDOWS)


def other_toolkit(stated: Stated) -> bool:
    """The toolkits that are stated are all of another version than TensorFlow wants, and it brings none along."""
    toolkits, tensorflow = stated.section(Toolkits, "toolkits"), stated.framework("tensorflow")
    numbers = stated.numbers("tensorflow")
    if tensorflow is None or tensorflow.cuda is None or not toolkits or (numbers or (9,)) >= WITH_EXTRA:
        return False
    versions = [one.version for one in toolkits.found if one.version is not None]
    wanted = tensorflow.cuda
    # From CUDA 11 on a major's libraries keep their names.
    fits = (one.major == wanted.major if wanted.major >= 11 else one == wanted for one in versions)
    return bool(versions) and not any(fits)


def has_its_toolkit(stated: Stated) -> bool:
    """A toolkit of the very version that TensorFlow was built with is stated."""
    toolkits, tensorflow = stated.section(Toolkits, "toolkits"), stated.framework("tensorflow")
    wanted = tensorflow.cuda if tensorflow else None
    return wanted is not None and bool(toolkits) and any(one.version == wanted for one in toolkits.found)


def has_no_toolkit(stated: Stated) -> bool:
    """It was looked for toolkits, and there is none."""
    toolkits = stated.section(Toolkits, "toolkits")
    return toolkits is not None and not toolkits.excerpt and not toolkits.found


def hidden_by_variable(stated: Stated) -> bool:
    """LD_LIBRARY_PATH leads to a CUDA, and a library of CUDA does not fit the others."""
    libraries, environ = stated.section(Libraries, "libraries"), stated.section(Environ, "environ")
    value = (environ.get("LD_LIBRARY_PATH") if environ else None) or ":".join(
        libraries.search_path if libraries else ()
    )
    return bool(_CUDA_FOLDER.search(value)) and stated.said(
        "cuda-library-status", "cuda-library-symbol", "nvjitlink-symbol", "jax-library-older", "jax-library-outdated"
    )


def mixed_majors(stated: Stated) -> bool:
    """Libraries of CUDA 11 are found, and nvJitLink, which came with CUDA 12, is missed."""
    libraries = stated.section(Libraries, "libraries")
    found = [one.soname for one in (libraries.resolutions or ()) if one.path] if libraries else []
    return any("nvJitLink" in one.soname for one in stated.missed) and any(".so.11" in soname for soname in found)


def driver_serves(stated: Stated) -> bool:
    """The driver offers the CUDA that every framework was built with, or a newer one."""
    driver, frameworks = stated.section(Driver, "driver"), stated.section(Frameworks, "frameworks")
    if driver is None or driver.cuda is None or frameworks is None:
        return False
    # Which CUDA a build of conda uses, its release does not say: where the driver itself calls itself too old, it is.
    if stated.said("cuda-insufficient-driver") and answers(stated):
        return False
    wanted = [one.cuda for one in frameworks.found if one.cuda is not None]
    return bool(wanted) and all(one <= driver.cuda for one in wanted)


def answers(stated: Stated) -> bool:
    """NVML lists GPUs."""
    driver, gpus = stated.section(Driver, "driver"), stated.section(Gpus, "gpus")
    nvml = driver.nvml if driver else None
    return bool(nvml and nvml.ok and nvml.device_count and gpus)


def tf_misses_its_packages(stated: Stated) -> bool:
    """A release that does not find the CUDA packages it brings, where they can be installed, and it uses no GPU."""
    numbers = stated.numbers("tensorflow")
    return numbers is not None and (2, 16) <= numbers < (2, 19) and stated.os in ("linux", "wsl") and stated.sees_no_gpu


def secure_boot_is_off(stated: Stated) -> bool:
    """Secure Boot was looked at, and is off."""
    driver = stated.section(Driver, "driver")
    return driver is not None and driver.secure_boot is False


def others_hold_memory(stated: Stated) -> bool:
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


def in_pieces(stated: Stated) -> bool:
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


def larger_than_gpu(stated: Stated) -> bool:
    """One allocation alone wants more than the whole GPU has."""
    told = (parse_out_of_memory(text) for text in stated.messages)
    return any(one is not None and (one.wanted or 0) > (one.total or 1 << 60) for one in told)


def nodes_are_closed(stated: Stated) -> bool:
    """A device file of the GPU that only its owner and group may open, as they are listed."""
    driver = stated.section(Driver, "driver")
    nodes = (driver.device_nodes or ()) if driver else ()
    return any(node.mode is not None and not node.mode & 0o006 and "caps" not in node.path for node in nodes)


def geforce_copies(stated: Stated) -> bool:
    """Only GeForce cards of the generations whose direct copies hang, and something that takes all GPUs does."""
    return stated.all_named(_GEFORCE) and stated.said(
        "p2p-off-helps", "nccl-hangs", "nccl-timeout", "cuda-illegal-address"
    )


def foreign_gpu(stated: Stated, maker: str) -> bool:
    """All GPUs are of that maker, and PyTorch is not built for it."""
    own = {"amd": "rocm", "intel": "xpu"}[maker]
    return (
        stated.makers == {maker} and stated.variant("torch") in (None, "cuda", "cpu") and stated.variant("torch") != own
    )


def user_site_in_environment(stated: Stated) -> bool:
    """An environment of its own that takes in the user's packages."""
    interpreter = stated.section(Interpreter, "interpreter")
    return (
        interpreter is not None
        and interpreter.environment in ("venv", "conda", "conda-base")
        and interpreter.user_site is not None
        and interpreter.user_site_enabled is not False
    )


def lists_gpu_without_cuda(stated: Stated) -> bool:
    """NVML lists a GPU, and libcuda is not there."""
    driver = stated.section(Driver, "driver")
    lacks = driver is not None and driver.cuda_init is not None and driver.cuda_init.outcome == "no-library"
    return lacks and driver.nvml is not None and bool(driver.nvml.device_count)


def computing_left_out(stated: Stated) -> bool:
    """The container was given the driver without its part for computing."""
    container = stated.section(Container, "container")
    granted = container.nvidia_driver_capabilities if container else None
    return granted is not None and not {word.strip() for word in granted.split(",")} & {"compute", "all"}


def wsl_has_no_driver(stated: Stated) -> bool:
    """WSL, without the libraries of Windows' driver."""
    container = stated.section(Container, "container")
    return bool(container and container.wsl and container.wsl.driver_library is False)


def code_serves(stated: Stated) -> bool:
    """The architectures that torch lists serve every GPU whose capability is stated."""
    torch, gpus = stated.framework("torch"), stated.section(Gpus, "gpus")
    known = [gpu.capability for gpu in gpus.nvidia if gpu.capability is not None] if gpus else []
    if torch is None or not torch.archs or not known:
        return False
    return all(coverage(torch.archs, capability, torch.cuda) == "native" for capability in known)


def warned_for_nothing(stated: Stated) -> bool:
    """PyTorch warns of an architecture that its code serves all the same."""
    return stated.said("torch-sm-not-compatible", "torch-capability-range") and code_serves(stated)


def old_tensorflow_on_new_gpu(stated: Stated) -> bool:
    """A release before 2.4, or one that opens the libraries of CUDA 10, on Ampere or newer."""
    libraries, numbers = stated.section(Libraries, "libraries"), stated.numbers("tensorflow")
    opened = [one.soname for one in (libraries.resolutions or ()) if one.path] if libraries else []
    is_old = numbers is not None and numbers < (2, 4)
    return stated.all_named(RECENT) and (is_old or any("cudart.so.10" in soname for soname in opened))


def packages_of_two_majors(stated: Stated) -> bool:
    """CUDA packages of two majors are installed."""
    packages = stated.section(Packages, "packages")
    return packages is not None and len(cuda_packages(packages)) > 1
