"""A private mount namespace: files hidden or closed for one child and its children, untouched for all others."""

import json
import sys
from typing import NamedTuple

from campaign.here import Here

#: Makes the view, then becomes the command. An entry is hidden by a folder of links to all the others, put over its own
#: folder and made read-only: as root, the driver would create its nodes again.
_INSIDE = """
import ctypes, json, os, stat, subprocess, sys, tempfile
spec, command = json.loads(sys.argv[1]), sys.argv[2:]
def mount(*words):
    subprocess.run([spec["mount"], *words], check=True)
mount("--make-rprivate", "/")
folders = {}
for path in spec["hidden"]:
    folders.setdefault(os.path.dirname(path), set()).add(os.path.basename(path))
for folder, names in folders.items():
    own, staged = tempfile.mkdtemp(), tempfile.mkdtemp()
    os.chmod(own, 0o755)
    mount("--rbind", folder, own)
    mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", staged)
    for name in os.listdir(own):
        if name not in names:
            os.symlink(os.path.join(own, name), os.path.join(staged, name))
    mount("-o", "remount,ro", staged)
    mount("--bind", staged, folder)
for path in spec["closed"]:
    there, twin = os.stat(path), os.path.join(tempfile.mkdtemp(), "node")
    try:
        os.mknod(twin, 0o600 | stat.S_IFMT(there.st_mode), there.st_rdev)
    except OSError:
        open(twin, "w").close()
    os.chmod(twin, 0o600)
    if spec["user"] is None:
        os.chown(twin, 65534, 65534)
    mount("--bind", twin, path)
if spec["user"] is not None:
    os.setgroups([])
    os.setgid(spec["user"])
    os.setuid(spec["user"])
elif spec["closed"]:
    for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: what lets root open every file
        ctypes.CDLL(None, use_errno=True).prctl(24, right, 0, 0, 0)  # PR_CAPBSET_DROP
os.execv(command[0], command)
"""


class View(NamedTuple):
    """What the child must not see, what it may not open, and as whom it looks; None: as we, without root's rights."""

    hidden: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    user: int | None = None


def namespace(here: Here, view: View, command: tuple[str, ...]) -> tuple[str, ...]:
    """The command that runs `command` with that view. Raises NotPossible where the system has no tools for it."""
    spec = json.dumps({**view._asdict(), "mount": here.tool("mount")})
    inside = (sys.executable, "-I", "-c", _INSIDE, spec, *command)
    own_user = () if here.is_root else ("--user", "--map-root-user")
    return (here.tool("unshare"), "--mount", *own_user, "--", *inside)
