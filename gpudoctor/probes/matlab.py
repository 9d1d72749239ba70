"""Finds installed MATLABs by their folders; none is run.

Folders: MathWorks' installers, mathworks.com/help/matlab/ref/matlabroot.html; what `matlab` on PATH leads to.
"""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.matlab import Matlab, Matlabs
from gpudoctor.facts.versions import CudaVersion
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import exists, names_in, text_of
from gpudoctor.probes.system.spaces import is_remote
from gpudoctor.probes.target.choice import path_rules
from gpudoctor.probes.toolkits.version import read_version

_RELEASE = re.compile(r"R20\d\d[ab]")
_STATED = re.compile(r"<release>\s*(R20\d\d[ab])\b")
#: What MATLAB calls the platform in its own folders.
_ARCH = {"win32": "win64", "darwin": "maci64"}
#: The folder of Parallel Computing Toolbox, now and in older releases.
_TOOLBOX = ("parallel", "distcomp")


def find_matlabs(host: Host) -> Matlabs:
    """All MATLABs at the usual places and on PATH, the newest first; each once, whatever links lead there."""
    started = _on_path(host)
    roots = dict.fromkeys(host.real(root) for root in (*([started] if started else ()), *_usual(host)))
    found = [_matlab(host, root, on_path=root == started) for root in roots if _is_matlab(host, root)]
    found.sort(key=lambda one: one.release or "", reverse=True)
    return Matlabs(found=tuple(found), places=_bases(host))


def _bases(host: Host) -> tuple[str, ...]:
    if host.platform == "win32":
        named = (host.env.get(name) for name in ("ProgramW6432", "ProgramFiles"))
        return tuple(dict.fromkeys(f"{one}\\MATLAB" for one in (*named, "C:\\Program Files") if one))
    if host.platform == "darwin":
        return ("/Applications",)
    home = host.env.get("HOME")
    own = [f"{home}/MATLAB"] if home and not is_remote(host, home) else []
    return ("/usr/local/MATLAB", "/opt/MATLAB", "/opt/matlab", *own)


def _usual(host: Host) -> Iterator[str]:
    """Folders that are named after a release, and the usual places themselves: containers have one in /opt/matlab."""
    join = path_rules(host).join
    for base in _bases(host):
        yield base
        yield from (join(base, name) for name in names_in(host, base) or () if _RELEASE.search(name))


def _on_path(host: Host) -> str | None:
    """The folder above the `bin` of what `matlab` starts."""
    program = host.which("matlab")
    rules = path_rules(host)
    return rules.dirname(rules.dirname(host.real(program))) if program else None


def _is_matlab(host: Host, root: str) -> bool:
    """It has MATLAB's own toolbox: the MATLAB Runtime, and folders of projects, have not."""
    return exists(host, path_rules(host).join(root, "toolbox", "matlab"))


def _matlab(host: Host, root: str, *, on_path: bool) -> Matlab:
    rules = path_rules(host)
    stated = _STATED.search(text_of(host, rules.join(root, "VersionInfo.xml"), limit=16384) or "")
    named = _RELEASE.search(rules.basename(root))
    arch = _ARCH.get(host.platform, "glnxa64")
    full = read_version(host, rules.join(root, "sys", "cuda", arch, "cuda"))[0]
    return Matlab(
        root=root,
        release=stated.group(1) if stated else named.group() if named else None,
        cuda=CudaVersion.parse(".".join(full.split(".")[:2])) if full else None,
        has_toolbox=_has_toolbox(host, rules.join(root, "toolbox")),
        on_path=on_path,
    )


def _has_toolbox(host: Host, folder: str) -> bool | None:
    """Whether the part of Parallel Computing Toolbox that uses GPUs is there; None: other parts are, or no look."""
    join = path_rules(host).join
    if any(exists(host, join(folder, name, "gpu")) for name in _TOOLBOX):
        return True
    names = names_in(host, folder)
    return None if names is None or set(_TOOLBOX) & set(names) else False
