"""Keeps the examined environment's folders off gpudoctor's own sys.path.

PYTHONPATH and the working directory are among what is examined: a folder of another Python's packages there, or a file
called click.py, must not become a part of the doctor. Imports nothing that Python's own start has not loaded already.
"""

import os
import sys

#: What of other projects is loaded by us; Python may have met a namesake in PYTHONPATH before we run (sitecustomize).
_DEPENDENCIES = frozenset({"click", "msgspec", "packaging", "psutil", "pynvml", "requests", "tomli", "urllib3"})


def import_only_our_own() -> None:
    """Take the folders of PYTHONPATH, the working directory and the script's out of the search for modules."""
    kept = own_path()
    foreign = {_real(folder) for folder in sys.path} - {_real(folder) for folder in kept}
    sys.path[:] = kept
    names = sys.stdlib_module_names | _DEPENDENCIES
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if foreign and file and name in names and _real(_folder_of_import(file)) in foreign:
            del sys.modules[name]


def own_path() -> list[str]:
    """sys.path without the folders of the user's environment; those of them that are Python's or ours come last."""
    foreign = _foreign()
    if not foreign:
        return list(sys.path)
    real = {folder: _real(folder) for folder in sys.path}
    library = _library()
    installed = {*library, *map(_real, _site_folders()), _real(os.path.dirname(os.path.dirname(__file__)))}
    kept = [folder for folder in sys.path if real[folder] not in foreign]
    again = [folder for folder in dict.fromkeys(sys.path) if real[folder] in foreign & installed]
    of_python = [folder for folder in again if real[folder] in library]
    return [*of_python, *kept, *(folder for folder in again if folder not in of_python)]


def _foreign() -> set[str]:
    """What Python put in front: PYTHONPATH, and the script's folder or the working directory (sys.path in its docs)."""
    folders: list[str] = []
    named = os.environ.get("PYTHONPATH")
    if named and not sys.flags.ignore_environment:
        folders += named.split(os.pathsep)
    if not getattr(sys.flags, "safe_path", sys.flags.isolated):  # Python 3.11
        folders += ["", os.path.dirname(sys.argv[0] if sys.argv else "")]
    return {_real(folder) for folder in folders}


def _library() -> set[str]:
    """The folders of Python's own library, with those of its extension modules (DLLs: Windows)."""
    library = os.path.dirname(os.__file__)
    return {_real(library), _real(f"{library}/lib-dynload"), _real(f"{sys.base_exec_prefix}/DLLs")}


def _site_folders() -> list[str]:
    """Where installed packages are; none where Python was started without them (-S)."""
    site = sys.modules.get("site")
    if site is None:
        return []
    folders = list(site.getsitepackages())
    return [*folders, site.getusersitepackages()] if site.ENABLE_USER_SITE else folders


def _folder_of_import(file: str) -> str:
    """The folder of sys.path that a module without a dot in its name was found in."""
    folder, name = os.path.split(file)
    return os.path.dirname(folder) if name.startswith("__init__.") else folder


def _real(folder: str) -> str:
    """The folder without links; an empty one is the working directory."""
    try:
        return os.path.normcase(os.path.realpath(folder))
    except OSError:  # the working directory was removed
        return folder
