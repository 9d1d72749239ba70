"""What PyTorch loads when it is imported, beyond what it is linked to.

First libtorch_global_deps.so, then by path what torch/__init__.py names, then itself. What is preloaded differs by
release and is read from that file: nothing up to 2.5, nvrtc and nvJitLink in 2.6, all libraries in 2.13. Where two CUDA
majors are installed it takes some of the wrong one: torch 2.15 beside TensorFlow 2.20 maps CUDA 12's
nvidia/cusparse/lib/libcusparse.so.12 before the file of that name in nvidia/cu13/lib.
"""

from fnmatch import fnmatchcase

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.python import Framework, Interpreter
from gpudoctor.probes.frameworks.site import Site
from gpudoctor.probes.loader.search import Process

_GLOBAL_DEPS = "libtorch_global_deps.so"
_PAIR = re.compile(r"""(_preload_cuda_deps\(\s*)?['"](\w+)['"]\s*[,:]\s*['"](lib\w[\w-]*\.so[^'"]*)['"]""")
_CALL = re.compile(r"^\s+_preload_cuda_deps\((required=False)?\)", re.M)
_CONDITION = re.compile(r"""if ['"]([^'"]+)['"] not in _maps""")
#: Opened by name when linear algebra is first used; the others are linked to torch/_C.
_OWN = ("libtorch_python.so", "libtorch_cuda.so", "libtorch_cuda_linalg.so")
_AROUND = 4000


class Preloads(Fact, frozen=True, kw_only=True):
    """Folder and file pattern of what torch/__init__.py loads by path."""

    #: After libtorch_global_deps.so was loaded, if a path with `condition` in it is mapped by then.
    afterwards: tuple[tuple[str, str], ...] = ()
    condition: str | None = None
    #: The first one that is not there ends the preloading.
    required: bool = True
    #: Where libtorch_global_deps.so cannot be loaded without help.
    as_help: tuple[tuple[str, str], ...] = ()


def parse_preloads(text: str) -> Preloads:
    """What the source of torch/__init__.py loads by path."""
    # All of it stands within some hundred lines of a file of several thousand.
    text = text[max(text.find("_preload_cuda") - _AROUND, 0) : text.rfind("_preload_cuda") + _AROUND]
    pairs = _PAIR.findall(text)
    direct = tuple((folder, pattern) for call, folder, pattern in pairs if call)
    table = tuple((folder, pattern) for call, folder, pattern in pairs if not call)
    everything = _CALL.search(text)
    condition = _CONDITION.search(text)
    return Preloads(
        afterwards=direct or (table if everything else ()),
        condition=condition.group(1) if condition else None,
        required=not (everything and everything.group(1)),
        as_help=table,
    )


def play_torch(process: Process, framework: Framework, site: Site, interpreter: Interpreter) -> None:
    """Load what `import torch` loads, and the linear algebra."""
    folder = framework.location or ""
    present = site.names(folder, "lib")
    preloads = parse_preloads(site.text(folder, "__init__.py") or "")
    if _GLOBAL_DEPS in present:
        global_deps = f"{folder}/lib/{_GLOBAL_DEPS}"
        if _loads(process, global_deps):
            process.open(global_deps)
            if preloads.condition is None or any(preloads.condition in path for path in process.paths):
                _preload(process, preloads.afterwards, preloads.required, framework, site, interpreter)
        else:
            _preload(process, preloads.as_help, True, framework, site, interpreter)
            process.open(global_deps)
    for name in _OWN:
        if name in present:
            process.open(f"{folder}/lib/{name}")


def _loads(process: Process, path: str) -> bool:
    """Whether a file and all it needs are found."""
    trial = process.afresh()
    return trial.open(path) is not None and all(one.library for one in trial.requests.values())


def _preload(
    process: Process,
    pairs: tuple[tuple[str, str], ...],
    required: bool,
    framework: Framework,
    site: Site,
    interpreter: Interpreter,
) -> None:
    for folder, pattern in pairs:
        path = _first_file(folder, pattern, framework, site, interpreter)
        if path is not None:
            process.open(path)
        elif required:
            return


def _first_file(folder: str, pattern: str, framework: Framework, site: Site, interpreter: Interpreter) -> str | None:
    """The file torch takes: nvidia/<folder>/lib, then nvidia/cu<major>/lib, then <folder>/lib, in each site folder."""
    major = framework.cuda.major if framework.cuda else 0
    for place in interpreter.site_dirs:
        for inside in (f"{place}/nvidia/{folder}/lib", f"{place}/nvidia/cu{major}/lib", f"{place}/{folder}/lib"):
            for name in site.names(inside):
                if fnmatchcase(name, pattern):
                    return f"{inside}/{name}"
    return None
