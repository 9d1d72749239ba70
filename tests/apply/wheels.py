"""Tiny real wheels in a folder, and real environments to install them into."""

import base64
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import zipfile

ENTRY = "[console_scripts]\n{name}-says = {module}:says\n"
MODULE = "VERSION = {version!r}\n\n\ndef says():\n    print({name!r}, VERSION)\n"


def wheel(folder, name, version, *, requires=(), files=None, corrupt=False, tag="py3-none-any"):
    """Write a wheel with a module, a console script and 40 further files; returns its path."""
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {one}\n" for one in requires)
    content = {
        f"{module}/__init__.py": MODULE.format(name=name, version=version),
        **{f"{module}/data/{number}.txt": f"{version} {number}\n" * 900 for number in range(40)},
        **(files or {}),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n",
        f"{info}/entry_points.txt": ENTRY.format(name=name, module=module),
    }
    rows = []
    for path, text in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        rows.append(f"{path},sha256={'A' * 43 if corrupt else digest},{len(text.encode())}\n")
    path = os.path.join(folder, f"{module}-{version}-{tag}.whl")
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in content.items():
            archive.writestr(inside, text)
        archive.writestr(f"{info}/RECORD", "".join(rows) + f"{info}/RECORD,,\n")
    return path


def offline(folder):
    """Variables with which pip and uv know that folder only."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "VIRTUAL_ENV"))},
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(folder),
        "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": str(folder),
        "UV_NO_CONFIG": "1",
        "UV_OFFLINE": "1",
        "UV_LINK_MODE": "copy",
    }


def environment(path, *, pip=True):
    """A real virtual environment."""
    subprocess.run([sys.executable, "-m", "venv", *(() if pip else ("--without-pip",)), str(path)], check=True)
    return str(path)


def copied(environment, to):
    """A copy of an environment that works at its new place (no scripts of it are used)."""
    shutil.copytree(environment, to, symlinks=True)
    return str(to)


def tree(path):
    """Everything below a folder: paths with type, mode and content. Bytecode is left out: any start may write it."""
    found = {}
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in (*folders, *names):
            where = os.path.join(folder, name)
            try:
                status = os.lstat(where)
            except FileNotFoundError:
                continue  # a killed run's installer goes on while this looks
            if stat.S_ISLNK(status.st_mode):
                content = os.readlink(where)
            elif stat.S_ISREG(status.st_mode):
                with open(where, "rb") as stream:
                    content = hashlib.sha256(stream.read()).hexdigest()
            else:
                content = "folder"
            found[os.path.relpath(where, path)] = (stat.S_IMODE(status.st_mode), content)
    return found
