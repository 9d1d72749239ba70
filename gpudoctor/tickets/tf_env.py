"""Output of TensorFlow's tf_env_collect.sh, beyond the tools' output in it that has its own readers."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.libraries import Libraries, LibraryCopy, Toolkits
from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.facts.system import Container, Environ, System
from gpudoctor.sources.library_names import library_at
from gpudoctor.tickets.fragment import REPORT, Fragment, fragment, source
from gpudoctor.tickets.machine_words import compiler_version, of_os, of_platform, python_version
from gpudoctor.tickets.pasted import Pasted

FORM = "tf_env_collect"

_HEADING = re.compile(r"^\s*== ?([a-z](?:[\w +/?-]*[\w+/?-])?)\s*(?:=+\s*)?$")
_OWN = ("check python", "check os platform", "check pips", "tensorflow import", "cuda libs", "are we in docker")
_VERSION = re.compile(r"^\s*tf\.(?:version\.VERSION|__version__|VERSION)\s*=\s*(\d[\w.+-]*)")
_PYTHON = re.compile(r"^\s*(?:python version:|\('?python version'?,?)\s*'?\s*([\d.]+)")
_PLATFORM = re.compile(r"^\s*os platform: (\S+)|^\s*(Linux-\d\S+)|^\s*Linux \S+ (\d+\.\d+\S*) ")
_DISTRIBUTION = re.compile(
    r"""(?:linux distribution|VERSION="""
    r"""|PRETTY_NAME=)\W*:?\s*\(?['"]?([A-Za-z][\w .]+?)['"]?(?:,\s*['"]([\d.]+)['"].*)?['")]*$"""
)
_LIBRARY = re.compile(r"^\s*(/\S*/lib[\w-]+\.so[.\d]*)\s*$")
_PATH = re.compile(r"^\s*(LD_LIBRARY_PATH|DYLD_LIBRARY_PATH)\s+(\S*/\S*)\s*$")


def parse_tf_env(text: Pasted) -> tuple[Fragment, ...]:
    """The report, if it is one."""
    headings = {match[1]: number for number, match in text.matches(_HEADING)}
    if not any(name in headings for name in _OWN):
        return ()
    told = _Told(list(headings.values()))
    section = ""
    for number, line in text.filled:
        heading = _HEADING.match(line)
        section = heading[1] if heading else section
        if _read(told, section, number, line):
            told.lines.append(number)
    host = told.host
    return fragment(
        FORM,
        told.lines,
        REPORT,
        frameworks=told.frameworks,
        interpreter=told.interpreter,
        host=host,
        environ=told.environ,
        container=Container(kind="docker") if told.docker else None,
        toolkits=Toolkits(compiler="gcc", compiler_version=told.compiler) if told.compiler else None,
        libraries=Libraries(copies=tuple(told.copies)) if told.copies else None,
    )


class _Told:
    """What the report told so far."""

    def __init__(self, lines: list[int]) -> None:
        self.lines = lines
        self.copies: list[LibraryCopy] = []
        self.frameworks: Frameworks | None = None
        self.interpreter: Interpreter | None = None
        self.host: System | None = None
        self.environ: Environ | None = None
        self.docker = False
        self.compiler: str | None = None


def _read(told: _Told, section: str, number: int, line: str) -> bool:
    """Note what a line says; whether it says anything."""
    if match := _VERSION.match(line):
        tensorflow = Framework(name="tensorflow", version=match[1], source=source(FORM, number))
        told.frameworks = told.frameworks or Frameworks(found=(tensorflow,))
    elif match := _PYTHON.match(line):
        version = python_version(match[1])
        told.interpreter = Interpreter(executable="python", chosen_by="report", version=version) if version else None
    elif match := _PATH.match(line):
        told.environ = Environ(variables={match[1]: match[2]}, excerpt=True)
    elif section.startswith("are we in docker") and line.strip() in ("Yes", "No"):
        told.docker = line.strip() == "Yes"
    elif "compiler" in section and compiler_version(line):
        told.compiler = told.compiler or compiler_version(line)
    elif (
        section.startswith("cuda libs")
        and (match := _LIBRARY.match(line))
        and (copy := library_at(match[1], source(FORM, number)))
    ):
        told.copies.append(copy)
    else:
        return _read_system(told, section, line)
    return True


def _read_system(told: _Told, section: str, line: str) -> bool:
    match = _PLATFORM.match(line)
    if match:
        told.host = of_platform(match[1] or match[2] or "") or System(os="linux", kernel=match[3])
    elif section == "check os platform" and (match := _DISTRIBUTION.search(line)):
        told.host = of_os(f"{match[1]} {match[2] or ''}", told.host)
    return match is not None
