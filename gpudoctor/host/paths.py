"""Works out paths of an examined machine: symbolic links, PATH, LD_LIBRARY_PATH. Text only, opens nothing."""

from collections.abc import Callable, Iterable, Mapping

#: As the kernel's own limit (path_resolution(7)).
_MOST_LINKS = 40

#: Where a system's own tools are. Never PATH: the inspected environment may have put its own first.
_POSIX_TOOLS = (
    "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/lib/wsl/lib",
    "/usr/local/nvidia/bin", "/run/current-system/sw/bin", "/opt/bin",
)  # fmt: skip
#: Further directories of tools, for systems that keep theirs elsewhere.
TOOL_PATH = "GPUDOCTOR_TOOL_PATH"


def resolve(path: str, link: Callable[[str], str | None]) -> str:
    """`path` with its symbolic links followed; `link` gives the target text of one. Loops are left as they stand."""
    done = ""
    parts = list(reversed(path.split("/")))
    links = 0
    while parts:
        part = parts.pop()
        if part in ("", "."):
            continue
        if part == "..":
            done = done.rpartition("/")[0]
            continue
        target = link(f"{done}/{part}") if links < _MOST_LINKS else None
        if target is None:
            done = f"{done}/{part}"
            continue
        links += 1
        done = "" if target.startswith("/") else done
        parts.extend(reversed(target.split("/")))
    return done or "/"


def tool_directories(platform: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Directories to look for tools in: those the user named in GPUDOCTOR_TOOL_PATH, then the system's own."""
    named = tuple(part for part in env.get(TOOL_PATH, "").split(_separator(platform)) if part)
    if platform != "win32":
        return named + _POSIX_TOOLS
    system = env.get("SystemRoot", "C:\\Windows")
    programs = env.get("ProgramW6432", env.get("ProgramFiles", "C:\\Program Files"))
    return (*named, f"{system}\\System32", f"{programs}\\NVIDIA Corporation\\NVSMI")


def library_folders(env: Mapping[str, str]) -> tuple[str, ...]:
    """LD_LIBRARY_PATH split, each folder once. Both separators count; an empty one is ".", the working directory."""
    value = env.get("LD_LIBRARY_PATH", "")
    return tuple(dict.fromkeys(part or "." for part in value.replace(";", ":").split(":"))) if value else ()


def search_path(platform: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """The directories of PATH. Empty and relative ones mean the working directory, and are left out."""
    parts = env.get("PATH", "").split(_separator(platform))
    return tuple(part for part in parts if part.startswith("/") or (platform == "win32" and part[1:2] == ":"))


def find_program(
    name: str, directories: Iterable[str], platform: str, env: Mapping[str, str], is_program: Callable[[str], bool]
) -> str | None:
    """The first file called `name` in `directories` that `is_program` accepts."""
    if not name or "/" in name or "\\" in name:
        return None
    slash = "\\" if platform == "win32" else "/"
    names = [name + ending for ending in _endings(name, platform, env)]
    candidates = (f"{directory.rstrip(slash)}{slash}{each}" for directory in directories for each in names)
    return next((path for path in candidates if is_program(path)), None)


def _endings(name: str, platform: str, env: Mapping[str, str]) -> list[str]:
    if platform != "win32" or "." in name:
        return [""]
    return [ending.lower() for ending in env.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(";") if ending]


def _separator(platform: str) -> str:
    return ";" if platform == "win32" else ":"
