"""The Python environment by paths and banners: venv, conda, user site, 32-bit."""

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
#: A Python in the folder of a program for Windows: ComfyUI's portable one, the environment of a web UI, conda's.
_OF_PROGRAM = re.compile(
    r"(?P<folder>(?:(?<![a-z])[a-z]:|\.)[\\/](?:[^'\"<>|:*?\s\\/](?:[^'\"<>|:*?\n\\/]|(?<=\w)'(?=\w)){0,60}[\\/]+){0,8}?)"
    r"(?:(?P<plain>python_embed(?:d?ed)|installer_files[\\/]+env|system[\\/]+python|envs[\\/]+[\w.-]{1,40}(?=[\\/)\s\"'`,;]|$))"
    r"|(?P<venv>\.?venv|(?<=[\\/]app[\\/])env))"
    r"(?:[\\/]+(?:lib|scripts|python\.exe)\b|(?=[\s.,;:)\"'`]|$))",
    re.IGNORECASE,
)
#: One on Linux and macOS, as its own path; one in an environment that a program's installer made.
_OWN_BINARY = re.compile(
    r"(?<![\w/.~$-])(?P<path>(?:~|/home|/opt|/mnt|/root|/data|/Users|/workspace|/srv)/[^\s'\":,;()]{1,160}/bin/python[\d.]{0,5})(?![\w/-])"
    r"|(?<![\w/.~$-])(?P<env>/[^\s'\":,;()]{1,160}/installer_files/env)/"
)
#: Programs that bring an environment of their own, and where it lies in their folder: by their launchers (webui.bat and
#: webui.sh of AUTOMATIC1111, whose launch.py prints "Launching Web UI"; start_windows.bat and start_linux.sh of
#: text-generation-webui; the portable ComfyUI; run.bat of Fooocus; the launcher of InvokeAI).
_PROGRAMS = (
    (
        r"comfyui[ _-]{0,3}(?:windows[ _-]{0,2})?portable|portable (?:version of )?comfyui|\bfooocus\b",
        r".\python_embeded\python.exe",
        "",
    ),
    (r"\binvoke-?ai\b", r".venv\Scripts\python.exe", ".venv/bin/python"),
    (
        r"text-generation-webui|\boobabooga\b|\beasy diffusion\b",
        r"installer_files\env\python.exe",
        "installer_files/env/bin/python",
    ),
    (
        r"\ba(?:utomatic)?1111\b|\b(?:stable-diffusion-|sd[ -]?)webui\b|\bkohya_ss\b|\bsd\.next\b|\blaunching web ui\b",
        r"venv\Scripts\python.exe",
        "venv/bin/python",
    ),
)
#: Where programs that are named lie elsewhere, or in an environment of another's making.
_ELSEWHERE = re.compile(
    r"\bcoo?llab\b|\bkaggle\b|\bdocker\b|\bconda (?:activate|create)\b|\brunpod\b|\bstability ?matrix\b", re.IGNORECASE
)
_ON_WINDOWS = re.compile(r"(?<![a-z])[a-z]:\\|\bwindows\b|\bwin ?1[01]\b|\.bat\b", re.IGNORECASE)
_ON_LINUX = re.compile(r"/home/|\blinux\b|\bubuntu\b|\bdebian\b|\bfedora\b|\barch\b|\./\w+\.sh\b", re.IGNORECASE)
#: The banner of Python and the folder of its installer on Windows; platform.architecture().
_32_BIT = re.compile(r"\b32 bit \(Intel\)|[/\\]python3?\d*-32[/\\]|\('32bit',", re.IGNORECASE)
#: Stability Matrix gives each of its packages a venv, and Pinokio each app an env or venv; files of theirs are named in
#: tracebacks (github.com/LykosAI/StabilityMatrix, BaseGitPackage.cs; pinokio's scripts name theirs).
_OF_PACKAGE = re.compile(
    r"(?P<folder>[a-z]:[\\/](?:[^'\"<>|:*?\n\\/]{1,60}[\\/]+){0,6}?StabilityMatrix[\\/]+Data[\\/]+Packages[\\/]+"
    r"[\w. -]{1,60}?)[\\/]"
    r"|(?P<posix>/[^'\":,;()\n]{0,120}StabilityMatrix/(?:Data/)?Packages/[\w. -]{1,60}?)/",
    re.IGNORECASE,
)
#: How programs name the Python that runs them.
_EXECUTABLE = re.compile(
    r"(?:python (?:executable|path|interpreter)|current python|sys\.executable|python bin)\W{1,6}"
    r"((?:[A-Za-z]:\\|/)[^\"'<>|?*\n]{0,200}?python[\w.]*)\W{0,3}$",
    re.IGNORECASE,
)
_FOLDERS = ("python_embed", "venv", "installer_files", "envs", "\\app\\env", "/app/env")
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
    if "executable" not in facts and (own := _of_named_program(text, facts.get("environment"))):
        facts["executable"], number = own
        lines.append(number)
    interpreter = Interpreter(chosen_by="report", **{"executable": "python", **facts}) if facts else None
    found = fragment(FORM, lines, WORDS, interpreter=interpreter)
    if granted is None:
        return found
    container = Container(nvidia_driver_capabilities=granted[1])
    return (*found, *fragment("variables", (granted[0],), WORDS, container=container))


def _of_named_program(text: Pasted, environment: str | None) -> tuple[str, int] | None:
    """Where a program that is named keeps its Python, below its own folder; None where paths tell of another one."""
    body = text.text
    if _ELSEWHERE.search(body):
        return None
    on_windows, on_linux = bool(_ON_WINDOWS.search(body)), bool(_ON_LINUX.search(body))
    for words, windows, linux in _PROGRAMS:
        for number, _ in text.found(re.compile(words, re.IGNORECASE)):
            path = windows if on_windows and not on_linux else linux if on_linux and not on_windows else ""
            # The installer_files are an environment of conda.
            own = "conda" if "installer_files" in path else "venv" if "venv" in path else None
            return (path, number) if path and environment in (None, own) else None
    return None


def _of_line(line: str) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if "-packages" in line and (site := _USER_SITE.search(line)):
        facts["user_site"] = site[0].strip()
    lower = line.lower()
    if any(word in lower for word in _FOLDERS) and (own := _OF_PROGRAM.search(line)):
        inner = f"{own['plain']}/python.exe" if own["plain"] else f"{own['venv']}/Scripts/python.exe"
        facts["executable"] = re.sub(r"[\\/]+", r"\\", own["folder"] + inner)
    elif "stabilitymatrix" in lower and (package := _OF_PACKAGE.search(line)):
        folder = package["folder"]
        own_venv = rf"{folder}\venv\Scripts\python.exe" if folder else f"{package['posix']}/venv/bin/python"
        facts["executable"] = re.sub(r"[\\/]+", r"\\", own_venv) if folder else own_venv
    elif "/" in line and (binary := _OWN_BINARY.search(line)):
        facts["executable"] = binary["path"] or f"{binary['env']}/bin/python"
    if "conda" in line and _CONDA.search(line):
        facts["environment"] = "conda"
    elif "env" in line and _VENV.search(line):
        facts["environment"] = "venv"
    if "ython" in line and (named := _EXECUTABLE.search(line)):
        facts["executable"] = named[1]
    if "32" in line and _32_BIT.search(line):
        facts["bits"] = 32
    return facts
