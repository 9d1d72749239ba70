"""Hints in prompts and paths: a container, a notebook service, WSL, the Python and its environment."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.system import Container, Wsl
from gpudoctor.tickets.fragment import WORDS, Fragment, fragment
from gpudoctor.tickets.pasted import Pasted

FORM = "prompts and paths"

_WSL = re.compile(r"/usr/lib/wsl/lib|microsoft-standard-WSL2|/mnt/[c-e]/Users/|\bWSL_DISTRO_NAME\b")
#: The distribution that `wsl -l -v` marks as the default, with its version.
_LISTED = re.compile(r"^\s*\*\s*[\w.-]+\s+(?:Running|Stopped|Wird ausgeführt|Beendet|正在运行|已停止)\s+([12])\s*$")
_CONTAINER = re.compile(r"^[\s`]*(?:\([\w.() -]{1,60}\)\s*)?root@[0-9a-f]{12}:")
_COLAB = re.compile(r"google\.colab|/usr/local/lib/python3\.\d+/dist-packages/google/colab|^/content/|['\" ]/content/")
_KAGGLE = re.compile(r"/kaggle/(?:input|working)")
_PYTHON = re.compile(r"(?:lib[/\\]python|Python)(3\.?\d{1,2})[/\\](?:lib[/\\])?(?:site|dist)-packages", re.I)
_ENVIRONMENT = re.compile(
    r"(?:mini|ana)(?:conda|forge)3?[/\\]envs[/\\]|/(?:miniforge|mambaforge)3?/|(?:mini|ana)conda3?[/\\]lib"
)


def parse_surroundings(text: Pasted) -> tuple[Fragment, ...]:
    """All of it."""
    kind = notebook = wsl = python = conda = None
    lines = []
    for number, line in text.filled:
        if kind is None and "root@" in line and _CONTAINER.match(line):
            kind = "docker"
            lines.append(number)
        if wsl is None and "*" in line and (listed := _LISTED.match(line)):
            wsl = Wsl(version=1 if listed[1] == "1" else 2)
            lines.append(number)
        if "/" not in line and "\\" not in line and "microsoft-standard" not in line:
            continue
        lacks = "cannot access '/usr/lib/wsl/lib" in line
        if lacks or (wsl is None and _WSL.search(line)):
            wsl = Wsl(version=2, driver_library=False if lacks else None)
            lines.append(number)
        if notebook is None and "content" in line and _COLAB.search(line):
            notebook = "colab"
            lines.append(number)
        if notebook is None and "kaggle" in line and _KAGGLE.search(line):
            notebook = "kaggle"
            lines.append(number)
        if python is None and "-packages" in line and (found := _PYTHON.search(line)):
            digits = found[1].replace(".", "")
            python = f"{digits[0]}.{digits[1:]}"
            lines.append(number)
        if conda is None and "conda" in line and _ENVIRONMENT.search(line):
            conda = "conda"
    return fragment(
        FORM,
        lines,
        WORDS,
        container=Container(kind=kind, notebook=notebook, wsl=wsl)  # type: ignore[arg-type]
        if kind or notebook or wsl
        else None,
        interpreter=Interpreter(executable="python", chosen_by="report", version=python, environment=conda)  # type: ignore[arg-type]
        if python
        else None,
    )
