"""Interpreters of this machine, and what those of other machines answer, for tests of the target's probes."""

import glob
import json
import os
import shutil
import subprocess
import sys
from functools import lru_cache

from gpudoctor.probes.target.identity import COOKIE, FLAGS

#: Names the interpreter below a virtual environment, since the tests may run in one.
_VERSION = """
import os, sys
name = "python%d.%d" % sys.version_info[:2]
base = os.path.join(getattr(sys, "base_prefix", sys.prefix), "bin", name)
sys.stdout.write("%d %d " % sys.version_info[:2] + (base if os.path.exists(base) else sys.executable))
"""


@lru_cache(maxsize=1)
def interpreters():
    """Executables by (major, minor), one each: those of PATH and of pyenv. Shims that lead nowhere are left out."""
    names = ["python2.7", *(f"python3.{minor}" for minor in range(6, 40))]
    candidates = [shutil.which(name) for name in names] + [sys.executable]
    candidates += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python")))
    found = {}
    for path in filter(None, candidates):
        done = subprocess.run([path, "-E", "-s", "-c", _VERSION], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.count(" ") >= 2:
            major, minor, executable = done.stdout.split(maxsplit=2)
            found.setdefault((int(major), int(minor)), executable)
    return found


def supported():
    """Those that can be examined, as (name, executable)."""
    return [
        (f"{major}.{minor}", path)
        for (major, minor), path in sorted(interpreters().items())
        if (major, minor) >= (3, 6)
    ]


def system_python():
    """The operating system's own Python (Debian changes its site.py), or None."""
    return "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else None


LINUX = {
    "abi": "cp311",
    "base_prefix": "/usr",
    "bits": 64,
    "exec_prefix": "/usr",
    "executable": "/usr/bin/python3",
    "framework": None,
    "free_threaded": False,
    "has_ssl": True,
    "home": "/home/ada",
    "implementation": "cpython",
    "os_name": "posix",
    "path": ["/usr/lib/python311.zip", "/usr/lib/python3.11", "/usr/lib/python3.11/lib-dynload"],
    "platform": "linux-x86_64",
    "platlibdir": "lib",
    "prefix": "/usr",
    "python_h": False,
    "same_user": True,
    "site_patch": None,
    "stdlib": "/usr/lib/python3.11",
    "version": "3.11.9",
    "winver": None,
}
WINDOWS = {
    **LINUX,
    "base_prefix": "C:\\Python311",
    "exec_prefix": "C:\\Python311",
    "executable": "C:\\Python311\\python.exe",
    "home": "C:\\Users\\ada",
    "os_name": "nt",
    "path": ["C:\\Python311\\python311.zip", "C:\\Python311\\DLLs", "C:\\Python311\\Lib"],
    "platform": "win-amd64",
    "platlibdir": "DLLs",
    "prefix": "C:\\Python311",
    "stdlib": "C:\\Python311\\Lib",
    "winver": "3.11",
}


def asked(executable):
    """The command by which an interpreter is asked who it is."""
    return (executable, *FLAGS, COOKIE)


def answer(base=LINUX, **changes):
    """What an interpreter says of itself, as recorded."""
    return f"\n{COOKIE}{json.dumps({**base, **changes})}{COOKIE}\n"
