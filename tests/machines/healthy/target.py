"""A Python environment as files: what its interpreter says of itself, and the distributions in its site folder."""

import json

from gpudoctor.facts.system import Space
from gpudoctor.host.machine import Command, Machine
from gpudoctor.probes.target.identity import COOKIE, FLAGS
from tests.machines import parts

ADA = "/home/ada"


class Target:
    """An environment; each method adds to it and gives it back."""

    def __init__(self, site: str, machine: Machine, *, arch: str = "x86_64", windows: bool = False) -> None:
        self.site = site
        self.arch = arch
        self.windows = windows
        self.parts = [machine]

    @property
    def machine(self) -> Machine:
        """Its files, and the command that asks it."""
        return parts.merge(*self.parts)

    def path(self, *names: str) -> str:
        """A path in the site folder, as the platform writes it."""
        sep = "\\" if self.windows else "/"
        return sep.join((self.site, *(part for name in names for part in name.split("/"))))

    def dist(
        self,
        name: str,
        version: str,
        *requires: str,
        installer: str = "pip",
        files: dict[str, str | bytes] | None = None,
    ) -> "Target":
        """A distribution with its metadata and files; RECORD holds their sizes."""
        info = f"{name.replace('-', '_')}-{version}.dist-info"
        lines = (f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {one}" for one in requires))
        files = files or {}
        sizes = {path: len(data if isinstance(data, bytes) else data.encode()) for path, data in files.items()}
        texts: dict[str, str | bytes] = {
            **files,
            f"{info}/METADATA": "Metadata-Version: 2.1\n" + "\n".join(lines) + "\n\nA package.\n",
            f"{info}/INSTALLER": f"{installer}\n",
            # As pip writes it: its own metadata is listed too, so that no RECORD is empty.
            f"{info}/RECORD": "".join(f"{path},sha256=x,{size}\n" for path, size in sizes.items())
            + f"{info}/INSTALLER,,\n{info}/METADATA,,\n{info}/RECORD,,\n",
        }
        self.parts.append(
            Machine(
                files={self.path(path): data for path, data in texts.items() if isinstance(data, str)},
                binaries={self.path(path): data for path, data in texts.items() if isinstance(data, bytes)},
            )
        )
        return self

    def conda(self, prefix: str, name: str, version: str, build: str, channel: str = "conda-forge") -> "Target":
        """A package as conda-meta lists it."""
        text = json.dumps({"build": build, "channel": f"https://conda.anaconda.org/{channel}/linux-64", "name": name})
        self.parts.append(Machine(files={f"{prefix}/conda-meta/{name}-{version}-{build}.json": text}))
        return self

    def also(self, *machines: Machine) -> "Target":
        """Anything else."""
        self.parts += machines
        return self


def venv(
    version: str, prefix: str = f"{ADA}/venv", *, arch: str = "x86_64", made_by: str = "", base: str = "/usr"
) -> Target:
    """A virtual environment that is active; `made_by` is a line of its pyvenv.cfg."""
    short = _short(version)
    config = f"home = {base}/bin\ninclude-system-site-packages = false\nversion = {version}\n{made_by}\n"
    site = f"{prefix}/lib/python{short}/site-packages"
    machine = parts.merge(
        _asked(version, f"{prefix}/bin/python", base, arch),
        Machine(
            env={"VIRTUAL_ENV": prefix, "PATH": f"{prefix}/bin:/usr/bin:/bin"},
            files={f"{prefix}/pyvenv.cfg": config, f"{prefix}/bin/python": "ELF"},
            spaces={prefix: Space(path=prefix, total=900 * parts.GIB, free=400 * parts.GIB)},
            directories={site: ()},
        ),
    )
    return Target(site, machine, arch=arch)


def conda(version: str, prefix: str = f"{ADA}/miniforge3/envs/ai", *, arch: str = "x86_64") -> Target:
    """A conda environment that is active."""
    site = f"{prefix}/lib/python{_short(version)}/site-packages"
    machine = parts.merge(
        _asked(version, f"{prefix}/bin/python", prefix, arch, python_h=True),
        Machine(
            env={"CONDA_PREFIX": prefix, "PATH": f"{prefix}/bin:/usr/bin:/bin"},
            files={
                f"{prefix}/bin/python": "ELF",
                f"{prefix}/conda-meta/python-{version}-h0000000_0_cpython.json": "{}",
            },
            spaces={prefix: Space(path=prefix, total=900 * parts.GIB, free=400 * parts.GIB)},
            directories={site: ()},
        ),
    )
    return Target(site, machine, arch=arch)


def system(
    version: str, prefix: str = "/usr", *, arch: str = "x86_64", debian: bool = True, home: str = ADA, site: str = ""
) -> Target:
    """The Python first on PATH, without an environment: the distribution's, or an image's own in /usr/local."""
    short = _short(version)
    patch = "debian" if debian else None
    folder = "dist-packages" if debian else "site-packages"
    site = site or (f"{prefix}/local/lib/python{short}/{folder}" if debian else f"{prefix}/lib/python{short}/{folder}")
    machine = parts.merge(
        _asked(version, f"{prefix}/bin/python3", prefix, arch, site_patch=patch, home=home),
        Machine(files={f"{prefix}/bin/python3": "ELF"}, directories={site: ()}),
        Machine(env={"PATH": f"{prefix}/bin:/usr/bin:/bin"}),
    )
    return Target(site, machine, arch=arch)


def windows_venv(version: str, prefix: str = "C:\\Users\\ada\\venv") -> Target:
    """A virtual environment of Windows, active."""
    base = f"C:\\Users\\ada\\AppData\\Local\\Programs\\Python\\Python{_short(version).replace('.', '')}"
    site = f"{prefix}\\Lib\\site-packages"
    identity = {
        **_identity(version, f"{prefix}\\Scripts\\python.exe", base, "x86_64"),
        "os_name": "nt",
        "platform": "win-amd64",
        "winver": _short(version),
        "platlibdir": "DLLs",
        "stdlib": f"{base}\\Lib",
        "home": "C:\\Users\\ada",
        "path": [f"{base}\\DLLs", f"{base}\\Lib", base],
    }
    machine = parts.merge(
        Machine(
            platform="win32",
            env={"VIRTUAL_ENV": prefix},
            files={
                f"{prefix}\\pyvenv.cfg": f"home = {base}\ninclude-system-site-packages = false\n",
                f"{prefix}\\Scripts\\python.exe": "MZ",
            },
            spaces={prefix: Space(path=prefix, total=900 * parts.GIB, free=400 * parts.GIB)},
            directories={site: ()},
            commands=(_answer(f"{prefix}\\Scripts\\python.exe", identity),),
        )
    )
    return Target(site, machine, windows=True)


def mac_venv(version: str, prefix: str = "/Users/ada/venv") -> Target:
    """A virtual environment on an Apple-silicon Mac, over Homebrew's Python."""
    base = f"/opt/homebrew/opt/python@{_short(version)}/Frameworks/Python.framework/Versions/{_short(version)}"
    site = f"{prefix}/lib/python{_short(version)}/site-packages"
    identity = {
        **_identity(version, f"{prefix}/bin/python", base, "arm64"),
        "platform": "macosx-14.0-arm64",
        "home": "/Users/ada",
        "framework": "Python",
    }
    machine = Machine(
        platform="darwin",
        env={"VIRTUAL_ENV": prefix, "PATH": f"{prefix}/bin:/usr/bin:/bin"},
        files={
            f"{prefix}/pyvenv.cfg": f"home = {base}/bin\ninclude-system-site-packages = false\n",
            f"{prefix}/bin/python": "MachO",
        },
        directories={site: ()},
        commands=(_answer(f"{prefix}/bin/python", identity),),
    )
    return Target(site, machine, arch="arm64")


def _short(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _asked(version: str, executable: str, base: str, arch: str, **changes: object) -> Machine:
    return Machine(commands=(_answer(executable, {**_identity(version, executable, base, arch), **changes}),))


def _answer(executable: str, identity: dict[str, object]) -> Command:
    return Command(argv=(executable, *FLAGS, COOKIE), code=0, stdout=f"\n{COOKIE}{json.dumps(identity)}{COOKIE}\n")


def _identity(version: str, executable: str, base: str, arch: str) -> dict[str, object]:
    """What agent/inspect_target.py says under -S, where the prefix is still that of the base."""
    short = _short(version)
    tag = short.replace(".", "")
    return {
        "executable": executable,
        "version": version,
        "implementation": "cpython",
        "bits": 64,
        "abi": f"cp{tag}{'m' if tag in ('36', '37') else ''}",
        "free_threaded": False,
        "os_name": "posix",
        "platform": f"linux-{arch}",
        "winver": None,
        "framework": None,
        "prefix": base,
        "base_prefix": base,
        "exec_prefix": base,
        "platlibdir": "lib",
        "stdlib": f"{base}/lib/python{short}",
        "home": ADA,
        "site_patch": None,
        "path": [f"{base}/lib/python{short}"],
        "has_ssl": True,
        "python_h": True,
        "same_user": True,
    }
