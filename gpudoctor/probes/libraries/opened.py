"""Which library files each framework would load, by following the loader's search; nothing is loaded."""

import posixpath
from fnmatch import fnmatchcase

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.facts.versions import CudaVersion, LibraryVersion
from gpudoctor.knowledge.milestones import milestone, numbers_of
from gpudoctor.probes.frameworks.ctranslate2 import play_ctranslate2
from gpudoctor.probes.frameworks.site import Site
from gpudoctor.probes.loader.search import Library, Process
from gpudoctor.sources.library_names import number_in, nvrtc_name

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


#: What CUDA calls its libraries, by major, oldest first: the first row whose version is not above the build's.
#: TensorFlow opens them by these names: tensorflow/stream_executor (later xla/tsl) platform/default/dlopen_checker.cc.
_SONAMES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("13.0", ("cudart.so.13", "cublas.so.13", "cublasLt.so.13", "cufft.so.12", "cusolver.so.12", "cusparse.so.12")),
    ("12.0", ("cudart.so.12", "cublas.so.12", "cublasLt.so.12", "cufft.so.11", "cusolver.so.11", "cusparse.so.12")),
    ("11.1", ("cudart.so.11.0", "cublas.so.11", "cublasLt.so.11", "cufft.so.10", "cusolver.so.11", "cusparse.so.11")),
    ("11.0", ("cudart.so.11.0", "cublas.so.11", "cublasLt.so.11", "cufft.so.10", "cusolver.so.10", "cusparse.so.11")),
    ("10.1", ("cudart.so.10.1", "cublas.so.10", "cufft.so.10", "cusolver.so.10", "cusparse.so.10")),
)
#: TensorFlow opened cuRAND too, up to 2.10.
_WITH_CURAND = numbers_of("tensorflow-without-curand")
#: cuDNN's parts in the order it opens them: those of 9, then those of 8.
_CUDNN_PARTS = (
    *("graph", "ops", "cnn", "adv", "heuristic", "engines_precompiled", "engines_runtime_compiled"),
    *("engines_tensor_ir", "ext"),
    *("ops_infer", "cnn_infer", "adv_infer", "ops_train", "cnn_train", "adv_train"),
)
#: What nvidia-cudnn-cu13 9.20.0.48 opens and does not bring: it then comes from any other cuDNN on the loader's path
#: (github.com/pytorch/pytorch/issues/185512 and /188892).
_LEFT_OUT, _FIRST_TO_ASK = "engines_tensor_ir", LibraryVersion(milestone("cudnn-opens-tensor-ir"))
_CUPY_LOOKS_AROUND = numbers_of("cupy-looks-into-packages")
_PRELOAD = re.compile(r"""_load\(\s*['"](\w+)['"]\s*,\s*\[([^\]]*)\]""")
_CUDNN_RANGE = re.compile(r"^Requires-Dist:\s*nvidia-cudnn-cu\d+[^;\n]*>=?\s*(\d+)", re.M)


def sonames_for(cuda: CudaVersion | None, cudnn: str | None, *, curand: bool = False) -> tuple[str, ...]:
    """The names of the libraries that TensorFlow and JAX open, for a build's CUDA and cuDNN; none where unknown."""
    if cuda is None:
        return ()
    names = next((names for first, names in _SONAMES if cuda >= CudaVersion(first)), ())
    major = (cudnn or "").partition(".")[0]
    parts = (*names, *(("curand.so.10",) if curand and names else ()), *((f"cudnn.so.{major}",) if major else ()))
    return tuple(f"lib{name}" for name in parts) if names else ()


def play(process: Process, framework: Framework, site: Site, interpreter: Interpreter) -> None:
    """Let `process` link and open what the framework does at import and when it looks for GPUs."""
    if framework.name == "torch":
        play_torch(process, framework, site, interpreter)
    elif framework.name == "tensorflow":
        _play_tensorflow(process, framework, framework.location or "", site)
    elif framework.name == "jax-cuda-plugin":
        _play_jax(process, framework, site, interpreter)
    elif framework.name == "jaxlib":
        _play_jaxlib(process, framework, site)
    elif framework.name == "onnxruntime":
        process.open(f"{framework.location}/capi/libonnxruntime_providers_cuda.so")
    elif framework.name == "ctranslate2":
        play_ctranslate2(process, framework, site)
    elif framework.name == "cupy":
        _play_cupy(process, framework)
    _open_cudnn_parts(process, site)


def played(frameworks: Frameworks) -> tuple[Framework, ...]:
    """The frameworks whose libraries are worked out."""
    names = ("torch", "tensorflow", "jax-cuda-plugin", "jaxlib", "onnxruntime", "ctranslate2", "cupy")
    return tuple(one for one in frameworks.found if one.name in names and one.variant == "cuda" and one.location)


def _play_tensorflow(process: Process, framework: Framework, folder: str, site: Site) -> None:
    process.open(f"{folder}/python/_pywrap_tensorflow_internal.so")
    core = next((n for n in site.names(folder) if n.startswith("libtensorflow_framework.so.")), None)
    if core is None:
        return
    opener = process.open(f"{folder}/{core}")
    if opener is None:
        return
    numbers = tuple(int(part) for part in re.findall(r"\d+", framework.version or "")[:2])
    for name in sonames_for(framework.cuda, framework.cudnn, curand=bool(numbers) and numbers <= _WITH_CURAND):
        process.open(name, opener)


def _play_jax(process: Process, framework: Framework, site: Site, interpreter: Interpreter) -> None:
    """The plugin's Python part loads pip's libraries by path, as far as they are there; the rest is opened by name."""
    major = framework.cuda.major if framework.cuda else 0
    plugins = next(
        (f for d in interpreter.site_dirs if (f := f"{d}/jax_plugins/xla_cuda{major}") and site.names(f)), None
    )
    if plugins is None:
        return
    text = site.text(plugins, "__init__.py") or ""
    preloaded = [(module, re.findall(r"[\w.]+\.so[.\d]*", names)) for module, names in _PRELOAD.findall(text)]
    for module, names in preloaded:
        folder = next((f for d in interpreter.site_dirs if site.names(f := f"{d}/nvidia/{module}/lib")), None)
        for name in names if folder else ():
            if name in site.names(folder or ""):
                process.open(f"{folder}/{name}")
    opener = process.open(f"{plugins}/xla_cuda_plugin.so")
    stated = next((number_in(name) for _, names in preloaded for name in names if name.startswith("libcudnn.")), None)
    if opener is not None:
        for name in sonames_for(framework.cuda, stated or _cudnn_wanted(framework, site)):
            process.open(name, opener)


def _play_jaxlib(process: Process, framework: Framework, site: Site) -> None:
    """A jaxlib with kernels of its own (up to 0.4.25) opens cuDNN by name; its tag states which."""
    opener = process.open(site.path(framework.location or "", "xla_extension.so"))
    major = (framework.cudnn or "").partition(".")[0]
    if opener is not None and major:
        process.open(f"libcudnn.so.{major}", opener)


def _play_cupy(process: Process, framework: Framework) -> None:
    """Up to 13 CuPy opens NVRTC by its name, as the program would; from 14 on it looks into packages by itself.

    ctypes opens it, so that the RPATH of CuPy's own modules does not count (github.com/cupy/cupy/issues/8317).
    """
    numbers = tuple(int(part) for part in re.findall(r"\d+", framework.version or "")[:1])
    is_older = bool(numbers) and numbers < _CUPY_LOOKS_AROUND
    if is_older and process.program is not None and framework.cuda is not None and framework.cuda.major >= 11:
        process.open(nvrtc_name(framework.cuda.major))


def _cudnn_wanted(framework: Framework, site: Site) -> str | None:
    found = _CUDNN_RANGE.search(site.metadata(site.first_of(framework.dist or "")) or "")
    return found.group(1) if found else None


def _open_cudnn_parts(process: Process, site: Site) -> None:
    """Let cuDNN 8 or 9 open its parts, as it does itself; RUNPATH does not keep LD_LIBRARY_PATH from coming first.

    cuDNN 9.1 asks for libcudnn_graph.so.9.1.0, then for .so.9.1, then for .so.9 (LD_DEBUG=libs shows it).
    """
    main = next((one.library for name, one in process.requests.items() if name.startswith("libcudnn.so.")), None)
    if main is None:
        return
    major = (number_in(posixpath.basename(main.path)) or "").partition(".")[0]
    present = set(site.names(main.origin))
    for part in _CUDNN_PARTS:
        name = f"libcudnn_{part}.so.{major}"
        if name in present or (part == _LEFT_OUT and _asks_for_it(site, main) and process.find(name) is not None):
            process.open(name, main)


def _asks_for_it(site: Site, main: Library) -> bool:
    """A cuDNN of pip from 9.20 on: it opens by its bare name a part that its package leaves out."""
    owner = site.first_of("nvidia-cudnn-cu12", "nvidia-cudnn-cu13") if "/nvidia/" in main.origin else None
    version = LibraryVersion.parse(owner.version) if owner else None
    return version is not None and version >= _FIRST_TO_ASK
