"""LIB019: A program on Windows does not find CUDA's DLLs."""

import re

from gpudoctor.facts.libraries import Toolkit
from gpudoctor.rules._windows import copies_of_dll, dlls_of, is_on_path, is_store_python
from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import (
    Environ,
    Framework,
    Frameworks,
    Gap,
    Gpus,
    Interpreter,
    Libraries,
    LibraryCopy,
    Live,
    System,
    Toolkits,
)
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen

#: TensorFlow's messages that it does not find a DLL.
MESSAGES = ("tf-dll-missing", "win-cudart-required")
_CUDNN = re.compile(r"cudnn\w*\.dll", re.IGNORECASE)


@rule("LIB019", name="win-cudart-not-found", severity="error")
def win_cudart_not_found(
    gpus: Gpus,
    frameworks: Frameworks,
    libraries: Libraries,
    interpreter: Interpreter,
    host: System,
    environ: Environ | Gap | None,
    toolkits: Toolkits | Gap | None,
    live: Live | Gap | None,
) -> Iterator[Problem]:
    """A program on Windows does not find CUDA's DLLs.

    What it means:
    TensorFlow for native Windows opens cudart64_110.dll, cudnn64_8.dll and others by name. They are on the disk, and
    not where Windows looks for this program.

    Why it breaks:
    Windows looks in the folders of PATH. A folder is missing there; or Python comes from the Microsoft Store: that one
    runs closed off from the rest of the system, and DLLs outside it may not be found. TensorFlow says "Could not load
    dynamic library 'cudart64_110.dll'" and uses the processor.

    How to fix it:
    Put the toolkit's bin folder, and that of cuDNN, in PATH and open a new window. Use the Python of python.org in
    place of the Store's. PaddlePaddle looks for cuDNN's DLLs in the same way.

    When to ignore it:
    If TensorFlow is meant to run on the processor.

    Sources:
    https://www.tensorflow.org/install/source_windows
    https://docs.python.org/3/using/windows.html#known-issues
    https://github.com/PaddlePaddle/Paddle/issues/52865
    """
    if host.os != "windows" or not gpus.nvidia:
        return
    yield from _cudnn_of_others(frameworks, libraries, interpreter, environ, live)
    tensorflow = frameworks.get("tensorflow")
    if tensorflow is None or tensorflow.variant != "cuda":
        return
    found = {name: copies for name in dlls_of(tensorflow) if (copies := copies_of_dll(name, libraries))}
    off_path = [name for name, copies in found.items() if _is_off_path(copies, environ)]
    if not found and (toolkit := _own_toolkit(tensorflow, toolkits)):
        missed = {one.soname.lower() for one in libraries.missing("tensorflow")}
        # The toolkit has the runtime; cuDNN is not of it.
        own = dlls_of(tensorflow)[:1]
        found = {name: (_in(toolkit, name),) for name in own if not missed or missed.intersection(own)}
    is_store, said = is_store_python(interpreter), _said(live) or _sought(tensorflow, libraries)
    if not found or not (off_path or is_store or said):
        return
    name = next(iter(off_path or found))
    yield _problem(tensorflow, name, found[name][0].path, bool(off_path), interpreter)


def _cudnn_of_others(
    frameworks: Frameworks,
    libraries: Libraries,
    interpreter: Interpreter,
    environ: Environ | Gap | None,
    live: Live | Gap | None,
) -> Iterator[Problem]:
    """A program that ran named one of cuDNN's DLLs that it cannot find, and the file is on the disk."""
    for symptom in live.symptoms if isinstance(live, Live) else ():
        framework = frameworks.get(symptom.framework) if symptom.framework else None
        named = _CUDNN.search(symptom.text) if symptom.signature == "win-cudnn-dll" else None
        # PyTorch brings its own, and TensorFlow is judged by what it opens.
        if framework is None or framework.name in ("torch", "tensorflow") or named is None:
            continue
        name = named[0].lower()
        copies = copies_of_dll(name, libraries)
        off_path = bool(copies) and _is_off_path(copies, environ)
        if copies and (off_path or is_store_python(interpreter)):
            yield _problem(framework, name, copies[0].path, off_path, interpreter)
            return


def _problem(framework: Framework, name: str, path: str, off_path: bool, interpreter: Interpreter) -> Problem:
    is_store = is_store_python(interpreter)
    reason = "its folder is not in PATH" if off_path else "Python of the Microsoft Store is closed off from it"
    if not off_path and not is_store:
        reason = "it is not found by its name"
    folder = path.rpartition("\\")[0]
    if ":" not in folder:
        # A person names it and no folder: then it is where NVIDIA's installer puts it.
        folder = rf"%ProgramFiles%\NVIDIA GPU Computing Toolkit\CUDA\v{framework.cuda}\bin"
    text = f"Add {folder} to PATH (Settings, Edit environment variables), then open a new window."
    if not off_path and is_store:
        text = (
            "Install Python from https://www.python.org/downloads/windows/, make an environment with it, and use that."
        )
    return problem(
        f"{name} is installed, but {framework.label} may not find it: {reason}.",
        seen(name, path),
        seen("Python", interpreter.executable),
        subject=framework.label,
        confidence="certain" if off_path else "likely",
        fix=by_hand("Let Windows find CUDA's DLLs", text),
    )


def _own_toolkit(tensorflow: Framework, toolkits: Toolkits | Gap | None) -> Toolkit | None:
    """A toolkit of the CUDA that TensorFlow was built with."""
    found = toolkits.found if isinstance(toolkits, Toolkits) else ()
    return next((one for one in found if one.version is not None and one.version == tensorflow.cuda), None)


def _in(toolkit: Toolkit, name: str) -> LibraryCopy:
    return LibraryCopy(family="cudart", soname=name, path=f"{toolkit.root}\\bin\\{name}", origin="toolkit")


def _said(live: Live | Gap | None) -> bool:
    return any(one.signature in MESSAGES for one in pasted(live))


def _sought(tensorflow: Framework, libraries: Libraries) -> bool:
    """Windows was asked for the DLLs and did not find one."""
    return any((libraries.dlls or {}).get(name, "not asked") is None for name in dlls_of(tensorflow))


def _is_off_path(copies: tuple[LibraryCopy, ...], environ: Environ | Gap | None) -> bool:
    return all(is_on_path(copy, environ) is False for copy in copies)
