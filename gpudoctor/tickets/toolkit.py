"""Output of nvcc, gcc, ldd and ldconfig; CUDA_HOME and other variables shown by a shell."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.libraries import Libraries, LibraryCopy, Toolkit, Toolkits
from gpudoctor.facts.system import Environ
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.sources.library_names import library_at, version_in
from gpudoctor.tickets.fragment import REPORT, Fragment, fragment, source
from gpudoctor.tickets.machine_words import compiler_version
from gpudoctor.tickets.pasted import Pasted

NVCC, GCC, LDCONFIG, SHELL = "nvcc --version", "gcc --version", "ldconfig or ldd", "variables of the shell"

_NVCC = re.compile(r"Cuda compilation tools, release (\d+\.\d+)(?:, V(\d+\.\d+\.\d+))?")
_GCC = re.compile(r"^\s*(?:gcc|g\+\+|cc|c\+\+)(?:-\d+)? \([^)]*\) \d+\.\d+\.\d+")
_LIBRARY = re.compile(r"^\s*(lib[\w+.-]+\.so[.\d]*)\s+(?:\([^)]*\)\s+)?=>\s+(/\S+|not found)")
_CUDNN_MACRO = re.compile(r"^\s*#define CUDNN_(MAJOR|MINOR|PATCHLEVEL) (\d+)")
#: Variables of the loader, of CUDA and of the frameworks; none that could hold a secret.
_NAMES = (
    r"LD_LIBRARY_PATH|LD_PRELOAD|DYLD_LIBRARY_PATH|CUDA_(?:VISIBLE_DEVICES|DEVICE_ORDER|HOME|PATH|LAUNCH_BLOCKING"
    r"|MODULE_LOADING|CACHE_\w+|ROOT|FORCE_PTX_JIT)|NVIDIA_(?:VISIBLE_DEVICES|DRIVER_CAPABILITIES|TF32_OVERRIDE"
    r"|REQUIRE_CUDA)|XLA_FLAGS|XLA_PYTHON_CLIENT_\w+|JAX_(?:PLATFORMS|PLATFORM_NAME)|TF_(?:FORCE_GPU_ALLOW_GROWTH"
    r"|CPP_MIN_LOG_LEVEL|USE_LEGACY_KERAS|ENABLE_ONEDNN_OPTS|XLA_FLAGS|GPU_ALLOCATOR)|PYTORCH_CUDA_ALLOC_CONF"
    r"|TORCH_CUDA_ARCH_LIST|NCCL_[A-Z0-9_]+|BNB_CUDA_VERSION|KERAS_BACKEND|PYTHONNOUSERSITE|HSA_OVERRIDE_GFX_VERSION"
    r"|HIP_VISIBLE_DEVICES"
)
_VARIABLE = re.compile(rf"^\s*(?:\$\s*)?(?:export\s+|setx?\s+|ENV\s+|\$env:|-\s+)?({_NAMES})\s?=\s?(.*)$")
#: What a variable is set for, on the same line.
_COMMAND = re.compile(
    r"(?<=\S)\s+(?:python[\d.]*|torchrun|accelerate|deepspeed|bash|sh|nohup|jupyter|\./\S+)(?:\s.*)?$"
)
_ECHO = re.compile(rf"^.*?\becho \"?\$\{{?({_NAMES})\}}?\"?\s*$")
_SET = re.compile(rf"os\.environ\[['\"]({_NAMES})['\"]\]\s*=\s*['\"]?([^'\"]*)['\"]?")


def parse_toolkit(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    return (*_nvcc(text), *_gcc(text), *_libraries(text), *_header(text), *_variables(text))


def _nvcc(text: Pasted) -> tuple[Fragment, ...]:
    found: list[Fragment] = []
    for number, match in text.found(_NVCC):
        toolkit = Toolkit(
            root="the nvcc on PATH",
            version=CudaVersion.parse(match[1]),
            full_version=match[2],
            nvcc="nvcc",
            source=source(NVCC, number),
        )
        found += fragment(NVCC, (number,), toolkits=Toolkits(found=(toolkit,), nvcc_on_path="nvcc"))
    return tuple(found)


def _gcc(text: Pasted) -> tuple[Fragment, ...]:
    for number, match in text.matches(_GCC):
        version = compiler_version(match[0])
        return fragment(GCC, (number,), toolkits=Toolkits(compiler="gcc", compiler_version=version))
    return ()


def _libraries(text: Pasted) -> tuple[Fragment, ...]:
    copies, lines = [], []
    for number, line in text.filled:
        match = _LIBRARY.match(line) if "=>" in line else None
        if match and match[2] != "not found" and (copy := library_at(match[2], source(LDCONFIG, number), match[1])):
            lines.append(number)
            copies.append(copy)
    return fragment(LDCONFIG, lines, libraries=Libraries(copies=tuple(copies))) if copies else ()


def _header(text: Pasted) -> tuple[Fragment, ...]:
    """`cat cudnn_version.h | grep CUDNN_MAJOR -A 2`."""
    said = {match[1]: (number, match[2]) for number, match in text.matches(_CUDNN_MACRO)}
    if not {"MAJOR", "MINOR"} <= set(said):
        return ()
    numbers = [said[name][1] for name in ("MAJOR", "MINOR", "PATCHLEVEL") if name in said]
    line = said["MAJOR"][0]
    copy = LibraryCopy(
        family="cudnn",
        soname=f"libcudnn.so.{numbers[0]}",
        path="cudnn_version.h",
        version=version_in(f"libcudnn.so.{'.'.join(numbers)}"),
        source=source("cudnn_version.h", line),
    )
    return fragment("cudnn_version.h", (number for number, _ in said.values()), libraries=Libraries(copies=(copy,)))


def _variables(text: Pasted) -> tuple[Fragment, ...]:
    values: dict[str, str] = {}
    lines = []
    for number, line in text.filled:
        if "=" not in line and "echo" not in line:
            continue
        match = _VARIABLE.match(line)
        if match and "$" not in match[2]:
            lines.append(number)
            values.setdefault(match[1], _COMMAND.sub("", match[2]).strip().strip("'\"`"))
        elif (match := _SET.search(line)) and match[1] not in values:
            lines.append(number)
            values[match[1]] = match[2]
        elif (match := _ECHO.match(line)) and number < len(text.lines):
            answer = text.lines[number].strip()
            if re.fullmatch(r"[\w./:,+ -]*", answer) and not re.search(r"[$#>] ", answer):
                lines.append(number)
                values.setdefault(match[1], answer)
    kept = {name: value for name, value in values.items() if value and not re.search(r"://|@", value)}
    return fragment(SHELL, lines, REPORT, environ=Environ(variables=kept, excerpt=True)) if kept else ()
