"""Free space of the file systems used by frameworks, installers and data loaders (/tmp, /dev/shm, home …)."""

from gpudoctor.facts.base import Gap
from gpudoctor.facts.system import Space
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import text_of

#: A server that is gone makes statvfs(2) on these wait for ever, and a static check must not.
_REMOTE = ("nfs", "cifs", "smb", "fuse.sshfs", "afs", "autofs", "ceph", "lustre", "gpfs", "glusterfs", "beegfs")

Mounts = tuple[tuple[str, str], ...]


def read_spaces(host: Host) -> tuple[Space, ...]:
    """The places, with room where it could be measured; each file system's type where the kernel names it."""
    mounts = parse_mountinfo(text_of(host, "/proc/self/mountinfo") or "")
    spaces = (_measure(host, purpose, path, mounts) for purpose, path in _places(host))
    return tuple(space for space in spaces if space is not None)


def is_remote(host: Host, path: str) -> bool:
    """The path lies on a file server, which may not answer."""
    mounts = parse_mountinfo(text_of(host, "/proc/self/mountinfo") or "")
    return (filesystem_of(path, mounts) or "").startswith(_REMOTE)


def _places(host: Host) -> list[tuple[str, str]]:
    env = host.env
    home = env.get("USERPROFILE") if host.platform == "win32" else env.get("HOME")
    temp = env.get("TMPDIR") or env.get("TEMP") or env.get("TMP") or "/tmp"  # noqa: S108 - looked at, not written to
    places = [("temp", temp), ("work", host.cwd)]
    if host.platform == "linux":
        places.insert(0, ("shm", "/dev/shm"))  # noqa: S108 - looked at, not written to
    if home:
        places.append(("home", home))
    cache = env.get("PIP_CACHE_DIR") or env.get("UV_CACHE_DIR") or env.get("XDG_CACHE_HOME")
    if cache or home:
        places.append(("cache", cache or f"{home}/.cache"))
    if environment := env.get("VIRTUAL_ENV") or env.get("CONDA_PREFIX"):
        places.append(("environment", environment))
    return places


def _measure(host: Host, purpose: str, path: str, mounts: Mounts) -> Space | None:
    """The room at `path`; for a cache that is not there yet, where it will be made."""
    filesystem = filesystem_of(path, mounts)
    if filesystem and filesystem.startswith(_REMOTE):
        return Space(path=path, purpose=purpose, filesystem=filesystem)
    seen = host.space(path)
    if seen is None and purpose == "cache":
        seen = host.space(path.rpartition("/")[0] or "/")
    if seen is None:
        return None
    if isinstance(seen, Gap):
        return Space(path=path, purpose=purpose, filesystem=filesystem)
    return Space(path=path, purpose=purpose, filesystem=filesystem, total=seen.total, free=seen.free)


def parse_mountinfo(text: str) -> Mounts:
    """(mount point, file-system type) in mount order; see proc_pid_mountinfo(5)."""
    mounts = []
    for line in text.splitlines():
        left, dash, right = line.partition(" - ")
        fields = left.split(" ")
        if dash and len(fields) > 4:
            mounts.append((_unescape(fields[4]), right.split(" ", 1)[0]))
    return tuple(mounts)


def filesystem_of(path: str, mounts: Mounts) -> str | None:
    """The type of the file system that holds `path`: the longest mount point above it, the last one mounted there."""
    best, kind = -1, None
    for point, filesystem in mounts:
        above = point in ("/", path) or path.startswith(f"{point}/")
        if above and len(point) >= best:
            best, kind = len(point), filesystem
    return kind


def _unescape(point: str) -> str:
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, char)
    return point
