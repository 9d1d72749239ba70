"""Parses one command into what it asks for, by the program it calls."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.verify.asked import (
    Activate,
    Asked,
    Conda,
    Image,
    Install,
    NewEnvironment,
    Other,
    Remove,
    Reservation,
    Setting,
    SystemPackages,
)
from gpudoctor.verify.read_pip import parse_requirement, read_install
from gpudoctor.verify.split_commands import Typed

_PYTHON = re.compile(r"(?:python|py|pypy)(\d(?:\.\d+)?)?(?:w|t)?")
_PIP = re.compile(r"pip(\d(?:\.\d+)?)?")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_POWERSHELL = re.compile(r"\$env:(\w+)\s*=?(.*)", re.IGNORECASE | re.DOTALL)
#: What stands before another command, with options of its own.
_BEFORE = {"sudo", "time", "nohup", "command", "exec", "doas", "env", "nice", "pkexec"}
_SYSTEM = {"apt": "apt", "apt-get": "apt", "aptitude": "apt", "dnf": "dnf", "yum": "dnf", "microdnf": "dnf"}
_SYSTEM |= {"zypper": "zypper", "pacman": "pacman"}
_CONDAS = ("conda", "mamba", "micromamba")
_ENGINES = ("docker", "podman", "nerdctl", "nvidia-docker")
_CONDA_VALUED = frozenset(
    ("-n", "--name", "-p", "--prefix", "-c", "--channel", "--file", "-f", "--solver", "--subdir", "--platform", "-r")
)
_GPUS = re.compile(r"--gpus(?:=.*)?|--runtime=nvidia|--device=nvidia\.com/gpu.*|--device=/dev/nvidia.*")
#: Options of docker run without a value.
_DOCKER_FLAGS = frozenset({
    "-i", "-t", "-d", "-it", "-ti", "-itd", "-dit", "-P", "--rm", "--privileged", "--init", "--interactive",
    "--tty", "--detach", "--read-only", "--no-healthcheck", "--publish-all", "--oom-kill-disable", "--sig-proxy",
    "--quiet", "-q", "--help",
})  # fmt: skip


def read_command(typed: Typed) -> Iterator[Asked]:
    """What a command asks for; several things where it sets variables for the program it calls."""
    words = list(typed.words)
    if typed.kind == "requirements":
        yield read_install(
            "pip", ("pip", "install", "-r"), words if words[0].startswith("-") else [typed.text], typed.line
        )
        return
    if words == ["devices"] and typed.kind == "compose":
        yield Reservation()
        return
    if words[0] == "ENV" or (typed.kind == "dockerfile" and words[0] in ("FROM", "ENV", "ARG")):
        yield from _instruction(words)
        return
    while words:
        assigned = _ASSIGNED.fullmatch(words[0])
        if assigned:
            yield Setting(name=assigned[1], value=assigned[2], form="sh")
            words.pop(0)
        elif words[0] in _BEFORE:
            words.pop(0)
            while words and words[0].startswith("-"):
                words.pop(0)
        else:
            break
    if words:
        yield from _program(words, typed)


def _instruction(words: list[str]) -> Iterator[Asked]:
    if words[0] == "FROM" and len(words) > 1:
        name, *more = [word for word in words[1:] if not word.startswith("--")] or [""]
        stage = more[1].lower() if len(more) > 1 and more[0].upper() == "AS" else ""
        yield Image(name=name, engine="docker", asks_for_gpus=True, is_base=True, stage=stage)
    elif words[0] == "ENV" and len(words) > 2:
        yield Setting(name=words[1], value=words[2], form="dockerfile")


def _program(words: list[str], typed: Typed) -> Iterator[Asked]:
    name = re.sub(r"\.exe$", "", words[0].replace("\\", "/").rpartition("/")[2].lower())
    powershell = _POWERSHELL.fullmatch(" ".join(words))
    if powershell:
        yield Setting(name=powershell[1], value=powershell[2].strip(" '\""), form="powershell")
    elif name in ("export", "set", "setx", "declare", "setenv"):
        yield from _settings(name, words)
    elif name in _SYSTEM:
        yield from _system(_SYSTEM[name], words)
    elif name in _ENGINES:
        yield from _container(name, words)
    else:
        yield from _of_python(name, words, typed.line)


def _of_python(name: str, words: list[str], line: int) -> Iterator[Asked]:
    """Python, and what installs into it."""
    pip = _PIP.fullmatch(name)
    if _PYTHON.fullmatch(name):
        yield from _python(words, line)
    elif pip:
        yield from _pip("pip", words[:1], words[1:], line, pip[1])
    elif name == "uv":
        yield from _uv(words, line)
    elif name in _CONDAS:
        yield from _conda(words)
    elif name == "virtualenv" and len(words) > 1:
        yield NewEnvironment(folder=words[-1])
    elif name in ("source", ".", "activate", "activate.bat", "activate.ps1"):
        folder = re.sub(r"[/\\](?:bin|scripts)[/\\]activate.*$", "", words[-1], flags=re.IGNORECASE)
        yield Activate(folder=folder)
    else:
        yield Other(program=words[0])


def _settings(name: str, words: list[str]) -> Iterator[Asked]:
    form = "setx" if name == "setx" else "cmd" if name == "set" else "sh"
    rest = [word for word in words[1:] if not (form != "sh" and word.startswith("/"))]
    if form == "setx" or (name == "setenv" and len(rest) > 1):
        if len(rest) > 1:
            yield Setting(name=rest[0], value=rest[1], form="setx" if form == "setx" else "sh")
        return
    text = " ".join(rest) if form == "cmd" else ""
    for word in (text,) if text else rest:
        assigned = _ASSIGNED.fullmatch(word)
        if assigned:
            yield Setting(name=assigned[1], value=assigned[2], form="cmd" if form == "cmd" else "sh")


def _python(words: list[str], line: int) -> Iterator[Asked]:
    version = _PYTHON.fullmatch(re.sub(r"\.exe$", "", words[0].replace("\\", "/").rpartition("/")[2].lower()))
    minor = version[1] if version and version[1] and "." in version[1] else None
    rest = words[1:]
    while rest and rest[0] != "-m" and rest[0].startswith("-"):
        launcher = re.fullmatch(r"-(\d\.\d+)(?:-\d+)?", rest[0])
        minor = launcher[1] if launcher else minor
        rest = rest[1:]
    at = len(words) - len(rest)
    if len(rest) > 1 and rest[0] == "-m" and rest[1] == "pip":
        yield from _pip("pip", words[: at + 2], rest[2:], line, minor)
    elif len(rest) > 2 and rest[0] == "-m" and rest[1] in ("venv", "virtualenv"):
        yield NewEnvironment(folder=rest[-1], python=minor)
    else:
        yield Other(program=words[0])


def _pip(tool: str, program: list[str], words: list[str], line: int, python: str | None) -> Iterator[Asked]:
    while words and words[0].startswith("-"):
        # Options before the verb; --python takes a value.
        words = words[2:] if words[0] in ("--python", "--log", "--proxy") else words[1:]
    verb = words[0] if words else ""
    if verb in ("install", "download", "wheel"):
        found = read_install(tool, tuple(program), words[1:], line)
        minor = found.python or (python if python and "." in python else None)
        values = {name: getattr(found, name) for name in found.__struct_fields__}
        yield Install(**{**values, "python": minor, "elsewhere": found.elsewhere or verb != "install"})
    elif verb == "uninstall":
        yield Remove(names=tuple(parse_requirement(one).name for one in words[1:] if not one.startswith("-")))
    else:
        yield Other(program=" ".join((*program, verb)))


def _uv(words: list[str], line: int) -> Iterator[Asked]:
    rest = words[1:]
    if rest[:1] == ["pip"]:
        yield from _pip("uv", words[:2], rest[1:], line, None)
    elif rest[:1] == ["add"]:
        yield read_install("uv add", tuple(words[:1]), rest[1:], line)
    elif rest[:1] == ["venv"]:
        at = next((i for i, word in enumerate(rest) if word in ("--python", "-p")), None)
        python = rest[at + 1] if at is not None and at + 1 < len(rest) else None
        joined = next((word.partition("=")[2] for word in rest if word.startswith("--python=")), None)
        named = [word for i, word in enumerate(rest[1:], 1) if not word.startswith("-") and i - 1 != at]
        yield NewEnvironment(folder=named[0] if named else ".venv", python=python or joined)
    else:
        yield Other(program=" ".join(words[:2]))


def _conda(words: list[str]) -> Iterator[Asked]:
    verb = words[1] if len(words) > 1 else ""
    if verb == "activate":
        yield Activate(folder=words[2] if len(words) > 2 else "base")
        return
    if verb not in ("install", "create", "update", "remove", "uninstall"):
        yield Other(program=" ".join(words[:2]))
        return
    specs, channels, environment = [], [], None
    rest = iter(words[2:])
    for word in rest:
        option, equals, value = word.partition("=")
        if word and set(word) <= {"<", ">"}:
            next(rest, "")
        elif option in _CONDA_VALUED:
            value = value if equals else next(rest, "")
            channels += [value] if option in ("-c", "--channel") else []
            environment = value if option in ("-n", "--name", "-p", "--prefix") else environment
        elif not word.startswith("-"):
            specs.append(_conda_spec(word, channels))
    if verb in ("remove", "uninstall"):
        yield Remove(names=tuple(name for name, _, _ in specs))
    else:
        yield Conda(program=words[0], verb=verb, specs=tuple(specs), channels=tuple(channels), environment=environment)


def _conda_spec(word: str, channels: list[str]) -> tuple[str, str, str]:
    channel, colons, name = word.rpartition("::")
    if colons:
        channels.append(channel)
    match = re.match(r"([\w.-]+?)\s*(?:\[.*\])?(?:(==?|[<>!~]=?)(.*))?$", name)
    if match is None:
        return name.lower(), "", ""
    version, _, build = (match[3] or "").partition("=")
    specifier = f"{match[2]}{version}" if match[2] else ""
    return match[1].lower(), specifier, build


def _system(tool: str, words: list[str]) -> Iterator[Asked]:
    rest = [word for word in words[1:] if not word.startswith("-") or word.startswith("-S")]
    verbs = ("install", "reinstall", "in", "localinstall")
    if tool == "pacman":
        yield (
            SystemPackages(tool="pacman", names=tuple(rest[1:]))
            if rest[:1] and rest[0].startswith("-S")
            else Other(program="pacman")
        )
    elif rest and rest[0] in verbs:
        names = tuple(re.split(r"[=/]", word)[0] for word in rest[1:])
        yield SystemPackages(tool=tool, names=names)  # type: ignore[arg-type]
    else:
        yield Other(program=" ".join(words[:2]))


def _container(name: str, words: list[str]) -> Iterator[Asked]:
    rest = words[1:]
    if rest[:1] == ["container"]:
        rest = rest[1:]
    if not rest or rest[0] not in ("run", "create", "pull"):
        yield Other(program=" ".join(words[:2]))
        return
    asks, pulled = name == "nvidia-docker", rest[0] == "pull"
    settings, image = [], ""
    words_left = iter(rest[1:])
    for word in words_left:
        if not word.startswith("-"):
            image = word
            break
        option, equals, value = word.partition("=")
        if option in _DOCKER_FLAGS:
            continue
        value = value if equals else next(words_left, "")
        asks = asks or bool(_GPUS.fullmatch(f"{option}={value}"))
        if option in ("-e", "--env") and "=" in value:
            settings.append(Setting(name=value.partition("=")[0], value=value.partition("=")[2], form="dockerfile"))
    if image:
        yield Image(name=image, engine=name, asks_for_gpus=asks or pulled, is_base=pulled)
    yield from settings
