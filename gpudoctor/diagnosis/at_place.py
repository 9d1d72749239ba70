"""Rewrites commands for where they are typed: a notebook cell, uv, a program's embedded Python."""

import shlex
from collections.abc import Iterable, Iterator

from gpudoctor.diagnosis.commands_for import commands_for, double_quoted, for_cmd
from gpudoctor.diagnosis.commands_there import as_there
from gpudoctor.diagnosis.place import Place
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.fix import Ask, Run, SetEnv, Write

_PIP = re.compile(r"(?:(?P<own>\S*[\\/])?python[\d.]*(?:\.exe)?) -m pip (?P<verb>install|uninstall|list|check|show)\b")
_PYTHON = re.compile(r"(?:\S*python[\d.]*(?:\.exe)?|py|pip3?|uv|conda|poetry)\b(?!\.)")
#: Of the machine under a hosted notebook, which is not the user's.
_OF_MACHINE = re.compile(
    r"(?:sudo\b|ubuntu-drivers|reboot|wsl|winget|modprobe|systemctl|dkms|prime-select|docker|podman|gpudoctor|mokutil"
    r"|Start-Process|\S+\.exe\b|which\b|find /|ls -l /dev)"
)
_TOOLS_BY_APT = re.compile(r"sudo apt install ((?:build-essential|gcc|g\+\+|python3-dev|libgl1|ninja-build)[\w.+ -]*)$")
_SETTING = re.compile(r"([A-Z][A-Z0-9_]*)=([^\s$]+) (?=\S)")
_EXPORT = re.compile(r"export ((?:[A-Z][A-Z0-9_]*=\S+ ?)+)$")
_UNSET = re.compile(r"unset ([A-Z][A-Z0-9_]*)$")
#: What a command installs or looks into, by the framework whose it is.
_OF_FRAMEWORK = {
    "torch": re.compile(
        r"(?<![\w-])torch(?:vision|audio|text|run)?(?![\w-])|\b(?:PY)?TORCH_\w+ ?=|download\.pytorch\.org"
        r"|<\w*_OF_TORCH>"
    ),
    "tensorflow": re.compile(r"(?<![\w-])(?:tensorflow|tf-keras|tf)(?![\w-])|\bTF_\w+\s?=|<\w+_OF_TENSORFLOW>"),
    "jax": re.compile(r"(?<![\w-])jax(?:lib)?(?![\w-])|\bXLA_PYTHON\w+\s?="),
}
#: Whose a sentence is, by the frameworks that it names; and its parts.
_SAID = {
    "torch": re.compile(r"\bPyTorch\b|(?<![\w.-])torch(?:vision|audio)?\b|\bTORCH_\w+|\bLightning\b|<\w*TORCH\w*>"),
    "tensorflow": re.compile(r"\bTensorFlow\b|\bKeras\b"),
    "jax": re.compile(r"\bJAX\b|\bjaxlib\b"),
}
_SENTENCE, _CLAUSE = re.compile(r"(?<=[.!?]) (?=[A-Z`\"<])"), re.compile(r"(: |; )(?![^(]*\))")
_ENGINE = re.compile(r"(?:sudo )?(docker|podman|nerdctl|kubectl|apptainer)\b")
_ENGINES = {"docker": "at-docker", "podman": "at-podman", "nerdctl": "at-nerdctl", "kubectl": "at-kubernetes",
            "apptainer": "at-apptainer"}  # fmt: skip
_NVIDIA = re.compile(r"\bnvidia-smi|/whl/cu\d|\bnvcc\b|\bnvidia-(?:driver|cudnn|cublas|cuda)|<CUDA_TAG>|/dev/nvidia")
#: A Jetson's driver and builds come with JetPack:
#: https://docs.nvidia.com/deeplearning/frameworks/install-pytorch-jetson-platform
_NOT_ON_JETSON = re.compile(
    r"^(?!.*(?:jetson-ai-lab|/redist/jp/|/whl/cu130)).*(?:\bnvidia-smi|nvidia-driver|cuda-drivers|download\.pytorch\.org|nvidia-\w+-cu1\d"
    r"|\bpip install\b.*(?<![\w-])(?:torch|tensorflow|jax|onnxruntime-gpu|paddlepaddle-gpu)(?![\w-]))"
)
_OF_X86 = re.compile(r"\bavx2?\b")
_NO_PYTHON = ("at-dotnet", "at-native")
_OWN_PYTHON = re.compile(r"^(?:python3?|(pip3?))(?= )")
_LIST = re.compile(r"(?:python3? -m )?pip list\b")
#: Commands in a question; the rest of it is words.
_PROGRAM = re.compile(
    r"(?:sudo|nvidia-smi|rocminfo|pip3?|python3?|nvcc|gcc|g\+\+|ls|cat|find|df|free|ldconfig|echo|grep|uname|conda|uv"
    r"|which|where\.exe|gpudoctor|docker|podman|dmesg|systemctl|ollama)(?![\w-])"
)
#: What a project of uv keeps in its lock: uv takes several packages, and an index by another name.
_IN_PROJECT = re.compile(
    r"python3? -m pip (?P<verb>install|uninstall --yes)(?P<rest>(?: [^-\s]\S*)+)(?: --index-url (?P<index>\S+))?$"
)
_SHELL = re.compile(r"(?:unset|export) |echo \"?\$(?!env:)")
#: Where the two prompts of Windows need quotes.
_TO_QUOTE = re.compile(r"[\s<>&|^*!()';,]|^$")
_MAKER = re.compile(r"  # (AMD|Intel|NVIDIA)$")


def at_place(commands: Iterable[str], place: Place, framework: str | None = None) -> tuple[str, ...]:
    """The commands of a remedy. `framework`: the one that the cause is about, whatever a text says."""
    lost, made = set[str](), list[str]()
    for written in commands:
        command = as_there(written, place.words)
        if not command:
            lost.update(re.findall(r"^(\w+)=\$\(", written))
            continue
        # What a variable was to be set from is not there.
        if _is_foreign(command, place, framework) or any(f"${name}" in command for name in lost):
            lost.update(re.findall(r"^(\w+)=\$\(", command))
            continue
        typed = list(_typed(command, place))
        if not typed:
            lost.update(re.findall(r"^(\w+)=\$\(", command))
        made += [one for one in typed if one not in made]
    return tuple(made)


def asked_at(parts: Iterable[str], place: Place) -> tuple[str, ...]:
    """The parts of a question: its commands as above, and its words as they are."""
    own = (
        (_OWN_PYTHON.sub(lambda match: f"{place.python}{' -m pip' if match[1] else ''}", part) for part in parts)
        if place.python
        else parts
    )
    there = (one for part in own if (one := as_there(part, place.words)))
    return tuple(made for part in there for made in (at_place((part,), place) if _PROGRAM.match(part) else (part,)))


def line_of(step: Run | SetEnv | Write | Ask, system: str | None) -> str:
    """A step as it is typed where nothing is known of the place; "" where it has settings of its own, or is none."""
    if isinstance(step, Run) and not step.env:
        windows = (f'"{word}"' if _TO_QUOTE.search(word) else word for word in step.argv)
        return " ".join(windows) if system == "windows" else shlex.join(step.argv)
    return f'$env:{step.name} = "{step.value}"' if isinstance(step, SetEnv) and system == "windows" else ""


def said_at(say: str, place: Place, framework: str | None = None) -> str:
    """What is said, without sentences and clauses about other frameworks than those that a text is about."""
    if framework is not None or not place.frameworks:
        return say
    return " ".join(own for one in _SENTENCE.split(say) if (own := _own_clauses(one, place)))


def _own_clauses(sentence: str, place: Place) -> str:
    head, *rest = _CLAUSE.split(sentence.removesuffix("."))
    if _is_of_others(head, place):
        # What a colon leads to hangs on it.
        return ""
    made, waiting = head, ""
    for sign, clause in zip(rest[::2], rest[1::2], strict=True):
        waiting = waiting if waiting == ": " else sign
        if not _is_of_others(clause, place):
            made, waiting = f"{made}{waiting}{clause}", ""
    return f"{made}." if sentence.endswith(".") else made


def _is_of_others(words: str, place: Place) -> bool:
    named = {name for name, one in _SAID.items() if one.search(words)}
    return bool(named) and not named & place.frameworks


def _is_foreign(command: str, place: Place, framework: str | None) -> bool:
    own = set() if _LIST.match(command) else {name for name, words in _OF_FRAMEWORK.items() if words.search(command)}
    if own and framework is None and place.frameworks and not own & place.frameworks:
        return True
    if _PYTHON.match(command) and any(place.has(one) for one in _NO_PYTHON):
        return not (_LIST.match(command) and place.has("at-dotnet"))
    engine = _ENGINE.match(command)
    named = place.words.intersection(_ENGINES.values())
    if engine and named and _ENGINES[engine[1]] not in named:
        return True
    maker = _MAKER.search(command)
    if maker and place.makers:
        return maker[1].lower() not in place.makers
    if place.makers and "nvidia" not in place.makers and _NVIDIA.search(command):
        return True
    if place.has("jetson") and _NOT_ON_JETSON.search(command):
        return True
    return _OF_X86.search(command) is not None and (place.has("jetson") or place.arch in ("aarch64", "arm64"))


def _typed(command: str, place: Place) -> Iterator[str]:
    made = _at(command, place)
    if place.system == "windows":
        made = (for_cmd(one) if place.has("at-cmd") else double_quoted(one) for one in made)
    yield from made


def _at(command: str, place: Place) -> Iterator[str]:
    if place.system == "windows" and (" | grep" in command or _SHELL.match(command) or _SETTING.match(command)):
        yield from commands_for(command, place.system)
    elif place.has("at-dotnet") and _LIST.match(command):
        yield "dotnet list package"
    elif place.has("at-hosted"):
        yield from _in_cell(command, hosted=True)
    elif place.has("at-cell"):
        yield from _in_cell(command, hosted=False)
    elif place.has("at-uv-project") and (changed := _IN_PROJECT.match(command)):
        verb = "add" if changed["verb"] == "install" else "remove"
        index = f" --index {changed['index']}" if changed["index"] else ""
        yield f"uv {verb}{changed['rest']}{index}"
    elif place.has("at-uv") and not place.has("at-conda"):
        yield _PIP.sub(_with_uv, command).replace("uv pip uninstall --yes", "uv pip uninstall")
    elif place.has("at-poetry"):
        yield re.sub(r"^python3?(?= )", "poetry run python", command)
    else:
        yield command


def _with_uv(pip: re.Match[str]) -> str:
    """Uv's command, for the Python that is named, where a path of one is."""
    python = pip[0].partition(" -m ")[0]
    return f"uv pip {pip['verb']}{f' --python {python}' if pip['own'] else ''}"


def _in_cell(command: str, *, hosted: bool) -> Iterator[str]:
    """A cell's: ! before what a shell runs, %env for what is to last."""
    command = re.sub(r"(?<=\S)  # .*$", "", command) if command.startswith("export ") else command
    tools, export, unset = _TOOLS_BY_APT.match(command), _EXPORT.match(command), _UNSET.match(command)
    setting = _SETTING.match(command)
    if tools and hosted:
        yield f"!apt-get install -y {tools[1]}"
    elif _OF_MACHINE.match(command) or "sudo " in command or command.startswith("source "):
        if not hosted:
            yield command
    elif export and (lasting := [one for one in export[1].split() if "$" not in one]):
        yield from (f"%env {one}" for one in lasting)
    elif unset:
        yield f'import os; os.environ.pop("{unset[1]}", None)'
    elif setting and "<your_program.py>" in command:
        yield f"%env {setting[1]}={setting[2]}  # in the first cell, after a restart of the runtime"
    elif export or re.match(r"\w+=\$\(|\$env:", command):
        # A search path counts for what is started after it: the notebook runs already.
        if not hosted:
            yield f"{command}  # before Jupyter is started"
    else:
        yield f"!{command}"
