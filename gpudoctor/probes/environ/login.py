"""What the files that a login shell reads would set. A service, a notebook or a remote command does not read them.

Of these files only assignments of the variables below are taken, and of a search path only folders that tell of CUDA.
"""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.system import LoginSetting
from gpudoctor.host.port import Host
from gpudoctor.probes.reading import names_in, text_of
from gpudoctor.probes.system.spaces import is_remote

#: Read by bash, dash and zsh at login or for an interactive shell: bash(1), INVOCATION; zsh(1), STARTUP/SHUTDOWN FILES.
_OF_THE_USER = (".profile", ".bash_profile", ".bash_login", ".bashrc", ".zshenv", ".zprofile", ".zshrc")
_OF_THE_SYSTEM = ("/etc/environment", "/etc/profile")
_LIMIT = 64 * 1024
_SEARCH_PATHS = ("PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH")
_SINGLE = ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")
_ASSIGNMENT = re.compile(rf"^[ \t]*(?:export[ \t]+)?({'|'.join((*_SEARCH_PATHS, *_SINGLE))})=([^#;\n]*)", re.MULTILINE)
_FOLDER = re.compile(r"cuda|cudnn|nvidia|tensorrt", re.IGNORECASE)


def read_login(host: Host) -> tuple[LoginSetting, ...] | None:
    """The settings, in the order of the files; None where there are no such files to read."""
    home = host.env.get("HOME")
    if not host.platform.startswith("linux") or not home or is_remote(host, home):
        return None
    profile = (name for name in names_in(host, "/etc/profile.d") or () if name.endswith(".sh"))
    files = (*_OF_THE_SYSTEM, *(f"/etc/profile.d/{name}" for name in profile), *(f"{home}/{n}" for n in _OF_THE_USER))
    texts = ((file, text_of(host, file, limit=_LIMIT)) for file in files)
    return tuple(setting for file, text in texts if text for setting in parse_login(text, file, home))


def parse_login(text: str, file: str, home: str) -> Iterator[LoginSetting]:
    """The assignments that matter in one file. Pure."""
    for name, raw in _ASSIGNMENT.findall(text):
        value = re.sub(r"\$\{?HOME\}?|(?<![^:])~(?=/)", home, raw.strip().strip("\"'"))
        if name in _SINGLE:
            if "$" not in value and "`" not in value:
                yield LoginSetting(name=name, value=value, file=file)
            continue
        folders = [part for part in value.split(":") if part.startswith("/") and "$" not in part]
        kept = ":".join(part.rstrip("/") for part in folders if _FOLDER.search(part))
        if kept:
            yield LoginSetting(name=name, value=kept, file=file)
