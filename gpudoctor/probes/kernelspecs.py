"""Jupyter kernels and which interpreter each would run.

Folders: https://docs.jupyter.org/en/latest/use/jupyter-directories.html
"""

import msgspec

from gpudoctor.facts.python import Kernelspec
from gpudoctor.facts.typed_json import decode_json
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import names_in
from gpudoctor.probes.target.choice import PathRules, path_rules


class _Spec(msgspec.Struct):
    argv: list[str] = []


def parse_kernel_json(text: str) -> str | None:
    """The program that a kernel.json starts; None where it names none."""
    try:
        argv = decode_json(text, type=_Spec).argv
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
    return argv[0] if argv else None


def read_kernelspecs(host: Host, executable: str, prefix: str, home: str) -> tuple[Kernelspec, ...]:
    """The Python kernels Jupyter lists, by its rule that the first folder with a name has it."""
    rules = path_rules(host)
    found: dict[str, Kernelspec] = {}
    for folder in data_folders(host, prefix, home):
        kernels = rules.join(folder, "kernels")
        for name in names_in(host, kernels) or ():
            text = host.read_text(rules.join(kernels, name, "kernel.json"))
            program = parse_kernel_json(text) if isinstance(text, str) else None
            if program is not None and _is_python(rules, program):
                same = is_same_interpreter(host, program, executable)
                found.setdefault(name, Kernelspec(name=name, executable=program, same_interpreter=same))
    return tuple(found.values())


def data_folders(host: Host, prefix: str, home: str) -> tuple[str, ...]:
    """Jupyter's data folders in its order: JUPYTER_PATH, the user's, the environment's, the system's."""
    rules = path_rules(host)
    env = host.env
    named = [path for path in env.get("JUPYTER_PATH", "").split(rules.pathsep) if path]
    if host.platform == "win32":
        own = rules.join(env.get("APPDATA") or rules.join(home, "AppData", "Roaming"), "jupyter")
        system = [rules.join(env.get("PROGRAMDATA") or "C:\\ProgramData", "jupyter")]
    elif host.platform == "darwin":
        own, system = f"{home}/Library/Jupyter", ["/usr/local/share/jupyter", "/usr/share/jupyter"]
    else:
        own = f"{env.get('XDG_DATA_HOME') or home + '/.local/share'}/jupyter"
        system = ["/usr/local/share/jupyter", "/usr/share/jupyter"]
    own = env.get("JUPYTER_DATA_DIR") or own
    return tuple(dict.fromkeys((*named, own, rules.join(prefix, "share", "jupyter"), *system)))


def is_same_interpreter(host: Host, program: str, executable: str) -> bool | None:
    """Whether both start the same Python with the same packages. None for a bare `python`: the server decides."""
    rules = path_rules(host)
    if not rules.isabs(program):
        return None
    if host.real(program) != host.real(executable):
        return False
    return _environment_of(host, rules, program) == _environment_of(host, rules, executable)


def _environment_of(host: Host, rules: PathRules, executable: str) -> str | None:
    """All venvs of a Python resolve to the same file; the pyvenv.cfg next to it or above tells them apart."""
    beside = rules.dirname(executable)
    for folder in (beside, rules.dirname(beside)):
        if host.stat(rules.join(folder, "pyvenv.cfg")) is not None:
            return host.real(folder)
    return None


def _is_python(rules: PathRules, program: str) -> bool:
    return rules.basename(program).lower().startswith(("python", "pypy"))
