"""What paths and banners give away of a Python: its environment, packages of the user's own folder, 32 bits."""

from typing import Any

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.system import Container
from gpudoctor.tickets.fragment import WORDS, Fragment, fragment
from gpudoctor.tickets.pasted import Pasted

FORM = "paths of Python"

#: The folder in one's home that pip installs into without an environment.
_USER_SITE = re.compile(
    r"[^\s'\",:=(]{0,200}[/\\]\.local/lib/python3\.\d+/site-packages"
    r"|(?:[a-z]:|~)?[^'\",<>|:\n]{0,80}\\AppData\\+Roaming\\+Python\\+Python3\d+\\+site-packages",
    re.IGNORECASE,
)
_CONDA = re.compile(r"(?:mini|ana)(?:conda|forge)3?[/\\]+envs[/\\]|[/\\]\.conda[/\\]+envs[/\\]", re.IGNORECASE)
_VENV = re.compile(r"[/\\]\.?venv[\w.-]*[/\\]+lib[/\\]|[/\\]virtualenvs[/\\]", re.IGNORECASE)
#: The banner of Python and the folder of its installer on Windows; platform.architecture().
_32_BIT = re.compile(r"\b32 bit \(Intel\)|[/\\]python3?\d*-32[/\\]|\('32bit',", re.IGNORECASE)
#: How programs name the Python that runs them.
_EXECUTABLE = re.compile(
    r"(?:python (?:executable|path|interpreter)|current python|sys\.executable|python bin)\W{1,6}"
    r"((?:[A-Za-z]:\\|/)[^\"'<>|?*\n]{0,200}?python[\w.]*)\W{0,3}$",
    re.IGNORECASE,
)
_CAPABILITIES = re.compile(
    r"\bNVIDIA_DRIVER_CAPABILITIES\s*[=:]\s*[\"']?([a-z0-9,]+)|--gpus[ =]\S*?\bcapabilities=([a-z]+)"
)


def parse_python_paths(text: Pasted) -> tuple[Fragment, ...]:
    """All of it; and what the container was given of the driver, which stands among variables."""
    facts: dict[str, Any] = {}
    lines: list[int] = []
    granted: tuple[int, str] | None = None
    for number, line in text.filled:
        told = _of_line(line)
        if told:
            lines.append(number)
            facts = {**told, **facts}
        if granted is None and "CAPABILITIES" in line.upper() and (given := _CAPABILITIES.search(line)):
            granted = (number, given[1] or given[2])
    interpreter = Interpreter(chosen_by="report", **{"executable": "python", **facts}) if facts else None
    found = fragment(FORM, lines, WORDS, interpreter=interpreter)
    if granted is None:
        return found
    container = Container(nvidia_driver_capabilities=granted[1])
    return (*found, *fragment("variables", (granted[0],), WORDS, container=container))


def _of_line(line: str) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if "-packages" in line and (site := _USER_SITE.search(line)):
        facts["user_site"] = site[0].strip()
    if "conda" in line and _CONDA.search(line):
        facts["environment"] = "conda"
    elif "env" in line and _VENV.search(line):
        facts["environment"] = "venv"
    if "ython" in line and (named := _EXECUTABLE.search(line)):
        facts["executable"] = named[1]
    if "32" in line and _32_BIT.search(line):
        facts["bits"] = 32
    return facts
