"""Writes compat/ready_wheels.json: the wheels of extensions that stand on their projects' release pages.

What is built for a release, its workflow says at the release's tag: torch, CUDA, C++ ABI, Python, platform, and what is
left out. Read from clones, as no package index has it; only releases that compat/extensions.json has. Usage:

    python scripts/refresh_ready_wheels.py --clone flash-attn=FOLDER [--clone ...] [--check] [--date YYYY-MM-DD]

Not covered: a build that failed, so a wheel of the matrix may be missing on the page.
"""

import argparse
import datetime
import itertools
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import yaml  # type: ignore[import-untyped]
from compat_file import read_file, source_id, write_file
from packaging.version import Version

Row = dict[str, Any]
#: Package: its project, its module, and the first release whose wheels are worth a row.
PROJECTS = {
    "flash-attn": ("Dao-AILab/flash-attention", "flash_attn", "2.3"),
    "mamba-ssm": ("state-spaces/mamba", "mamba_ssm", "2.0"),
    "causal-conv1d": ("Dao-AILab/causal-conv1d", "causal_conv1d", "1.2"),
}
WORKFLOWS = (".github/workflows/publish.yml", ".github/workflows/publish.yaml")
BUILD = ".github/workflows/_build.yml"
#: One wheel: torch, CUDA, ABI, Python, platform, and the glibc of the system it is built on.
Wheel = tuple[str, str, bool, str, str, str]
#: https://packages.ubuntu.com, libc6
GLIBC = {"ubuntu-20.04": "2.31", "ubuntu-22.04": "2.35", "ubuntu-22.04-arm": "2.35"}


def main() -> int:
    """Rewrite the rows of the packages whose clones are named; with --check only say whether they would change."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clone", action="append", required=True, metavar="PACKAGE=FOLDER")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the table would change")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="the date to note (default: today)")
    options = parser.parse_args()
    document = read_file("ready_wheels")
    clones = dict(one.split("=", 1) for one in options.clone)
    fresh = {name: list(rows_of(name, folder, document)) for name, folder in clones.items()}
    old = {name: [row for row in document["rows"] if row["package"] == name] for name in clones}
    changed = [name for name in clones if _bare(old[name]) != _bare(fresh[name])]
    for name in changed:
        print(f"ready_wheels: {name}: {len(old[name])} rows, now {len(fresh[name])}")
    if not changed or options.check:
        return int(bool(changed))
    kept = [row for row in document["rows"] if row["package"] not in changed]
    added = [{**row, "checked": options.date} for name in changed for row in fresh[name]]
    document["rows"] = sorted([*kept, *added], key=lambda row: list(PROJECTS).index(row["package"]))
    write_file({**document, "checked": options.date})
    return 0


def _bare(rows: list[Row]) -> list[Row]:
    return [{name: value for name, value in row.items() if name not in ("checked", "source")} for row in rows]


def rows_of(package: str, folder: str, document: Row) -> Iterator[Row]:
    """The rows of a package, newest release first."""
    project, module, first = PROJECTS[package]
    extensions = read_file("extensions")["rows"]
    known = {version for row in extensions if row["package"] == package for version in row["versions"]}
    tags: dict[str, str] = {}
    for tag in sorted(filter(_is_release, _git(folder, "tag").split()), key=lambda tag: Version(tag[1:])):
        # Some tags have files of an earlier release: the last tag with them is where they are taken from.
        version = _version_at(folder, tag, module)
        if version in known and Version(version) >= max(Version(first), Version(Version(tag[1:]).base_version)):
            tags[version] = tag
    source = source_id(
        document, f"github.com/{project}, the workflow that builds the wheels, at the tag of each release"
    )
    for version in sorted(tags, key=Version, reverse=True):
        folder_of_wheels = f"https://github.com/{project}/releases/download/{tags[version]}"
        for group in grouped(set(wheels_at(folder, tags[version]))):
            yield {
                "package": package,
                "version": version,
                **group,
                "address": folder_of_wheels,
                "confidence": "derived",
                "source": source,
            }


def _is_release(tag: str) -> bool:
    return re.fullmatch(r"v\d+(\.\d+)+(\.post\d+)?", tag) is not None


def _version_at(folder: str, tag: str, module: str) -> str:
    match = re.search(r'__version__ = "([^"]+)"', _git(folder, "show", f"{tag}:{module}/__init__.py"))
    return match[1] if match else ""


def wheels_at(folder: str, tag: str) -> Iterator[Wheel]:
    """The wheels that the workflow of a tag builds."""
    text = next(filter(None, (_git(folder, "show", f"{tag}:{path}") for path in WORKFLOWS)), "")
    jobs = (yaml.safe_load(text) or {}).get("jobs", {})
    matrix = next((job["strategy"]["matrix"] for name, job in jobs.items() if name.startswith("build_wheels")), None)
    if matrix is None:
        return
    # cu12 or cu122: the major alone, where the workflow says so.
    is_major = "WHEEL_CUDA_VERSION" in text or "WHEEL_CUDA_VERSION" in _git(folder, "show", f"{tag}:{BUILD}")
    names = ("os", "python-version", "torch-version", "cuda-version", "cxx11_abi")
    left_out = [{name: str(value) for name, value in one.items()} for one in matrix.get("exclude", ())]
    for values in itertools.product(*(map(str, matrix[name]) for name in names)):
        one = dict(zip(names, values, strict=True))
        is_dev = "dev" in one["torch-version"]
        if is_dev or any(all(one[name] == value for name, value in row.items()) for row in left_out):
            continue
        cuda = one["cuda-version"].split(".")
        yield (
            ".".join(one["torch-version"].split(".")[:2]),
            cuda[0] if is_major else "".join(cuda[:2]),
            one["cxx11_abi"].upper() == "TRUE",
            one["python-version"],
            "linux-aarch64" if one["os"].endswith("-arm") else "linux-x86_64",
            GLIBC[one["os"]],
        )


def grouped(wheels: set[Wheel]) -> Iterator[Row]:
    """The wheels by torch and CUDA, those of the same ABIs, Pythons and platforms in one row."""
    by_pair: dict[tuple[str, str, str, str], set[tuple[bool, str]]] = defaultdict(set)
    for torch, cuda, abi, python, platform, glibc in wheels:
        by_pair[torch, cuda, platform, glibc].add((abi, python))
    rows: dict[str, Row] = {}
    for (torch, cuda, platform, glibc), found in sorted(
        by_pair.items(), key=lambda one: Version(one[0][0]), reverse=True
    ):
        abis = sorted({abi for abi, _ in found})
        pythons = sorted({python for _, python in found}, key=Version)
        if len(found) != len(abis) * len(pythons):
            raise SystemExit(f"the wheels for torch {torch}, CUDA {cuda} are no full table")
        row = {"cuda": cuda, "abis": abis, "pythons": pythons, "platform": platform, "glibc": glibc}
        rows.setdefault(str(row), {"torch": [], **row})["torch"].append(torch)
    yield from rows.values()


def _git(folder: str, *words: str) -> str:
    """What git prints; nothing where it fails, as for a file that a tag lacks."""
    return subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    sys.exit(main())
