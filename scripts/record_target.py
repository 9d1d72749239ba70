"""Records what a Python environment consists of into tests/machines/healthy/targets/NAME.json, as a table of facts.

    python scripts/record_target.py torch26 /path/to/environment

Kept are the distributions with their requirements, the small files that say what a framework was built for, and of each
library its name, what it needs, where it looks for that, and the GPU architectures in it. No file is kept as it is.
"""

import argparse
import json
import re
from pathlib import Path

from gpudoctor.probes import fatbin
from gpudoctor.probes.elf import Read, parse_elf

TARGETS = Path(__file__).resolve().parents[1] / "tests" / "machines" / "healthy" / "targets"
#: Plain assignments of these files are kept.
SAYS = ("torch/version.py", "torchvision/version.py", "torchaudio/version.py")
ASSIGNMENT = re.compile(r"^(__version__|cuda|hip|xpu)\b[^=\n]*=\s*(.+)$", re.M)
LIBRARIES = re.compile(r"(nvidia/[\w/]+/lib/|cusparselt/lib/|torch/lib/libtorch|jax_plugins/\w+/)[\w.+-]*\.so[\d.]*$")


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name")
    parser.add_argument("environment", type=Path)
    options = parser.parse_args()
    (site,) = options.environment.glob("lib/python3*/site-packages")
    version = re.search(r"version(?:_info)? = ([\d.]+)", (options.environment / "pyvenv.cfg").read_text())
    facts = {
        "python": version and version.group(1),
        "dists": [dist(folder) for folder in sorted(site.glob("*.dist-info"))],
        "says": {name: says(site / name) for name in SAYS if (site / name).exists()},
        "libraries": {name: library(path) for path in sorted(site.rglob("*.so*")) if (name := relative(path, site))},
    }
    TARGETS.mkdir(exist_ok=True)
    (TARGETS / f"{options.name}.json").write_text(json.dumps(facts, indent=0) + "\n")


def dist(folder: Path) -> dict[str, object]:
    """Name, version and requirements."""
    head = (folder / "METADATA").read_text().split("\n\n", 1)[0]
    fields = {name: re.findall(rf"^{name}: (.+)$", head, re.M) for name in ("Name", "Version", "Requires-Dist")}
    installer = (folder / "INSTALLER").read_text().strip() if (folder / "INSTALLER").exists() else "pip"
    return {
        "name": fields["Name"][0],
        "version": fields["Version"][0],
        "requires": [one for one in fields["Requires-Dist"] if "extra ==" not in one],
        "installer": installer,
    }


def says(path: Path) -> str:
    """The assignments that say what it was built for."""
    return "".join(f"{name} = {value}\n" for name, value in ASSIGNMENT.findall(path.read_text()))


def relative(path: Path, site: Path) -> str | None:
    """The library's path in the site folder; None for those that nobody asks for."""
    name = path.relative_to(site).as_posix()
    return name if LIBRARIES.match(name) else None


def library(path: Path) -> dict[str, object]:
    """What the loader reads of it."""
    elf = parse_elf(reading(path))
    archs = fatbin.architectures(fatbin.sample(reading(path)))
    if elf is None:
        raise SystemExit(f"{path} is no ELF file")
    facts: dict[str, object] = {
        "soname": elf.soname or path.name,
        "needed": elf.needed,
        "runpath": elf.runpath or elf.rpath,
    }
    return {**facts, "archs": archs} if archs and "torch/lib" in str(path) else facts


def reading(path: Path) -> Read:
    """Reads pieces of a file."""

    def read(offset: int, size: int) -> bytes:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(size)

    return read


if __name__ == "__main__":
    main()
