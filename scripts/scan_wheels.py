"""Says which GPU architectures the device code in wheels is for, next to what the matrix says of that build.

Give it wheel files that are here already: torch, tensorflow, a JAX plugin or an nvidia library. Nothing is written:
what differs is for a person to judge, as libraries that are linked in statically bring code of their own. Usage:

    python scripts/scan_wheels.py WHEEL ...
"""

import os
import shutil
import sys
import tempfile
import zipfile
from collections import Counter

from gpudoctor.index.files import Wheel, read_wheel
from gpudoctor.index.pages import Link
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.probes.fatbin import architectures, sample

#: Containers to look at in each library; enough to see every architecture, as each source file has all.
CONTAINERS = 200


def main(paths: list[str]) -> int:
    """Print one line a library with device code, then the comparison; exit 1 where a wheel cannot be read."""
    failed = False
    for path in paths:
        wheel = read_wheel(Link(name=os.path.basename(path), url=path))
        if wheel is None:
            print(f"{path}: not the name of a wheel", file=sys.stderr)
        try:
            counted = {} if wheel is None else scan(path)
        except (OSError, zipfile.BadZipFile) as error:
            print(f"{path}: {error}", file=sys.stderr)
            wheel = None
        if wheel is None:
            failed = True
            continue
        print(os.path.basename(path))
        for library, found in counted.items():
            print(f"  {library}: {' '.join(architectures(found) or ())}")
        print(f"  matrix: {' '.join(known(wheel)) or 'does not say'}")
    return int(failed)


def scan(path: str) -> dict[str, Counter[str]]:
    """The architectures in each library of a wheel that has device code, the largest library first."""
    found: dict[str, Counter[str]] = {}
    with zipfile.ZipFile(path) as archive:
        members = sorted(archive.infolist(), key=lambda member: member.file_size, reverse=True)
        for member in members:
            if member.filename.endswith((".so", ".dll", ".pyd")) or ".so." in member.filename:
                counted = _library(archive, member)
                if counted:
                    found[member.filename] = counted
    return found


def _library(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Counter[str]:
    # Written out first: the scan jumps about, and an archive can only be read from front to back.
    with tempfile.TemporaryFile() as plain:
        with archive.open(member) as packed:
            shutil.copyfileobj(packed, plain, 1 << 20)

        def read(offset: int, size: int) -> bytes:
            plain.seek(offset)
            return plain.read(size)

        return sample(read, CONTAINERS)


def known(wheel: Wheel) -> tuple[str, ...]:
    """What the matrix says of that build."""
    matrix, platform = load_matrix(), wheel.platforms[0] if wheel.platforms else None
    if wheel.package == "torch":
        build = matrix.torch_build(wheel.version, platform)
        return build.archs.get(platform or "", ()) if build is not None else ()
    if wheel.package.startswith("tensorflow"):
        builds = matrix.tensorflow_builds(wheel.version, platform, wheel.package)
        return (*(builds[0].archs or ()), *builds[0].partial) if builds else ()
    if wheel.package.startswith("jax-cuda"):
        variant = wheel.package.split("-")[1]
        found = [row for row in matrix.jax_builds(wheel.version) if row.variant == variant]
        return found[0].archs or () if found else ()
    return ()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
