"""Looks at environment variables that matter to GPUs, and at what login files (.bashrc, /etc/profile) set of them."""

from collections.abc import Iterator, Mapping

import msgspec

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.system import Environ, LoginSetting
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import names_in, text_of
from gpudoctor.probes.system.spaces import is_remote
from gpudoctor.redact.credentials import excerpt
from gpudoctor.redact.variables import is_allowed

#: Longest value kept, in characters.
VALUE_LIMIT = 4096
#: Variables that name a file of certificates, for pip, requests, curl and OpenSSL.
_CERTIFICATES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE")


def probe(host: Host) -> Environ:
    """The allow-listed variables, how many others there are, and what the login files set of those that matter."""
    login, absent = read_login(host), tuple(name for name in _CERTIFICATES if _is_absent(host, host.env.get(name)))
    return msgspec.structs.replace(parse_environ(host.env), login=login, absent_files=absent)


def _is_absent(host: Host, path: str | None) -> bool:
    """The path is not there. One on a file server is not asked for: that could wait for ever."""
    return bool(path) and not is_remote(host, path or "") and host.stat(path or "") is None


def parse_environ(env: Mapping[str, str]) -> Environ:
    """The variables to keep, cleaned; of the others only the number."""
    kept = {name: clean_value(value) for name, value in sorted(env.items()) if is_allowed(name)}
    return Environ(variables=kept, others=len(env) - len(kept))


def clean_value(value: str) -> str:
    """The value without credentials, cut at VALUE_LIMIT characters."""
    return excerpt(value, VALUE_LIMIT)


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
