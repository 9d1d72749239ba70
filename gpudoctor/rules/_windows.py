"""CUDA DLLs on Windows: which ones TensorFlow opens, and whether PATH leads to them."""

import re

from gpudoctor.rules.sections import Environ, Framework, Gap, Interpreter, Libraries, LibraryCopy, Toolkits


def dlls_of(tensorflow: Framework) -> tuple[str, ...]:
    """The runtime and cuDNN that a TensorFlow for native Windows opens (up to 2.10); none where that is not known."""
    cuda = tensorflow.cuda
    if cuda is None:
        return ()
    number = "110" if cuda.major == 11 else f"{cuda.major}{cuda.minor}"
    cudnn = (tensorflow.cudnn or "").partition(".")[0]
    return (f"cudart64_{number}.dll", *((f"cudnn64_{cudnn}.dll",) if cudnn else ()))


def copies_of_dll(name: str, libraries: Libraries) -> tuple[LibraryCopy, ...]:
    """The copies of a DLL that were found."""
    return tuple(copy for copy in libraries.copies if _base(copy.path) == name or copy.soname.lower() == name)


def _base(path: str) -> str:
    return re.split(r"[/\\]", path)[-1].lower()


def has_toolkit(toolkits: Toolkits | Gap | None) -> bool:
    """A toolkit is there, or it could not be seen whether."""
    return isinstance(toolkits, Gap) or (toolkits is not None and bool(toolkits.found or toolkits.cuda_home))


def is_on_path(copy: LibraryCopy, environ: Environ | Gap | None) -> bool | None:
    """The folder of a DLL is in PATH; None where PATH was not seen."""
    value = environ.get("PATH") or environ.get("Path") if isinstance(environ, Environ) else None
    if value is None:
        return None
    folder = re.split(r"[/\\][^/\\]*$", copy.path)[0].lower()
    return folder in {entry.strip().rstrip("\\/").lower() for entry in value.split(";")}


def is_store_python(interpreter: Interpreter) -> bool:
    """Python of the Microsoft Store, which runs in a container of Windows' own."""
    return "\\windowsapps\\" in interpreter.executable.lower()
