"""The Python interpreters of this machine, found without knowing where they are."""

import glob
import os
import shutil
import subprocess


def interpreters():
    """Real executables by (major, minor), one each; shims that lead nowhere are left out."""
    candidates = []
    for minor in range(40):
        candidates += [shutil.which(f"python3.{minor}") or ""]
        candidates += sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/3.{minor}.*/bin/python3.{minor}")))
    found = {}
    for path in filter(None, candidates):
        code = "import sys; print(sys.version_info[0], sys.version_info[1], sys.executable)"
        done = subprocess.run([path, "-I", "-c", code], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            major, minor, executable = done.stdout.split(maxsplit=2)
            found.setdefault((int(major), int(minor)), executable.strip())
    return found
