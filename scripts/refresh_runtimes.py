"""Writes the rows of compat/runtimes.json that projects publish in files: Colab, Kaggle, conda-forge.

Each change of what is installed in a Colab runtime with a GPU is a row, dated by the commit; a Kaggle image is the
Colab image that its Dockerfile begins with; a conda-forge release has the CUDA versions that its feedstock builds.
Rows of other runtimes stay as they are. Usage:

    python scripts/refresh_runtimes.py --clone colab=FOLDER --clone kaggle=FOLDER --clone pytorch=FOLDER
        --clone tensorflow=FOLDER --clone jaxlib=FOLDER [--check] [--date YYYY-MM-DD]

The clones: googlecolab/backend-info, Kaggle/docker-python, and the feedstocks pytorch-cpu, tensorflow and jaxlib of
conda-forge.
"""

import argparse
import datetime
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from compat_file import read_file, source_id, write_file

Row = dict[str, Any]
FRAMEWORKS = ("torch", "tensorflow", "jax")
FREEZES, SYSTEMS = ("pip-freeze.gpu.txt", "pip-freeze.txt"), ("os-info-gpu.txt", "os-info.txt")
#: Feedstocks, and the oldest release that has a row.
FEEDSTOCKS = {"pytorch": (2, 0), "tensorflow": (2, 10), "jaxlib": (0, 4, 14)}
PLATFORMS = {"linux_64": "linux-x86_64", "linux_aarch64": "linux-aarch64", "win_64": "windows-x86_64"}
SOURCES = {
    "colab": "github.com/googlecolab/backend-info: pip-freeze and os-info files at each commit",
    "kaggle": "github.com/Kaggle/docker-python: Dockerfile.tmpl at each tag; what the Colab image it names had",
    "conda-forge": "github.com/conda-forge, feedstocks of pytorch-cpu, tensorflow and jaxlib: recipe and .ci_support",
}


def main() -> int:
    """Rewrite the rows of the runtimes whose clones are all named; with --check only say whether they would change."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clone", action="append", required=True, metavar="NAME=FOLDER")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the table would change")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="the date to note (default: today)")
    options = parser.parse_args()
    clones = dict(one.split("=", 1) for one in options.clone)
    document = read_file("runtimes")
    fresh: dict[str, list[Row]] = {}
    if "colab" in clones:
        fresh["colab"] = list(colab_rows(clones["colab"]))
    if {"colab", "kaggle"} <= set(clones):
        fresh["kaggle"] = list(kaggle_rows(clones["kaggle"], fresh["colab"]))
    if set(FEEDSTOCKS) <= set(clones):
        fresh["conda-forge"] = [row for name in FEEDSTOCKS for row in feedstock_rows(name, clones[name])]
    changed = False
    for name, rows in fresh.items():
        source = source_id(document, SOURCES[name])
        new = [{"runtime": name, **row, "confidence": "derived", "source": source} for row in rows]
        old = [row for row in document["rows"] if row["runtime"] == name]
        if [{k: v for k, v in row.items() if k != "checked"} for row in old] == new:
            continue
        print(f"runtimes: {name}: {len(old)} rows, now {len(new)}")
        changed = True
        others = [row for row in document["rows"] if row["runtime"] != name]
        document["rows"] = [*({**row, "checked": options.date} for row in new), *others]
    if changed and not options.check:
        write_file({**document, "checked": options.date})
    return int(changed and options.check)


def colab_rows(folder: str) -> Iterator[Row]:
    """What a runtime with a GPU had, newest first; a row begins on the day of its first commit."""
    states = []
    for line in _git(folder, "log", "--reverse", "--format=%h %cs").splitlines():
        commit, day = line.split()
        freeze = next(filter(None, (_git(folder, "show", f"{commit}:{name}") for name in FREEZES)), "")
        system = next(filter(None, (_git(folder, "show", f"{commit}:{name}") for name in SYSTEMS)), "")
        python = re.search(r"^Python (\d+\.\d+)", system, re.MULTILINE)
        versions = {name: version for name in FRAMEWORKS if (version := _version(freeze, name))}
        states.append((day, {"python": python[1] if python else None, "versions": versions}))
    rows = [(next(group)[0], state) for state, group in groupby(states, key=lambda one: one[1])]
    # Of a day the last counts.
    by_day = dict(rows)
    for day, state in reversed(list(by_day.items())):
        if state["versions"]:
            yield {"release": day, **{name: value for name, value in state.items() if value}}


def _version(freeze: str, name: str) -> str | None:
    plain = re.search(rf"^{name}==(\S+)", freeze, re.MULTILINE)
    file = re.search(rf"^{name} @ \S*/{name}-([^-\s]+)-", freeze, re.MULTILINE)
    found = plain or file
    return found[1].replace("%2B", "+") if found else None


def kaggle_rows(folder: str, colab: list[Row]) -> Iterator[Row]:
    """The images with a GPU, newest first: what the Colab image of that day had."""
    seen = set()
    tags = [tag for tag in _git(folder, "tag").split() if "-GPU-" in tag]
    for tag in sorted(tags, key=lambda one: int(re.sub(r"\D", "", one.split("-")[0])), reverse=True):
        name = tag.split("-")[0]
        image = re.search(r"release-colab[-\w]*?_(\d{4})(\d\d)(\d\d)", _git(folder, "show", f"{tag}:Dockerfile.tmpl"))
        if image is None or name in seen:
            continue
        seen.add(name)
        day = "-".join(image.groups())
        base = next((row for row in colab if row["release"] <= day), None)
        if base is not None:
            yield {"release": name, **{key: base[key] for key in ("python", "versions") if key in base}}


def feedstock_rows(name: str, folder: str) -> Iterator[Row]:
    """The releases that a feedstock built with CUDA, newest first, with all that they were built for.

    What an earlier build of a release was for stays on the channel.
    """
    built: dict[str, dict[str, set[str]]] = {}
    # Along the main branch: what was merged there was built and uploaded.
    for commit in _git(folder, "log", "--first-parent", "--format=%h").split():
        recipe = _git(folder, "show", f"{commit}:recipe/meta.yaml") or _git(
            folder, "show", f"{commit}:recipe/recipe.yaml"
        )
        match = re.search(r'version(?: =|:) "(\d[\d.]*)"', recipe)
        if match is None or _numbers(match[1]) < FEEDSTOCKS[name]:
            continue
        for path in _git(folder, "ls-tree", "--name-only", commit, ".ci_support/").splitlines():
            cuda = re.search(r"cuda_compiler_version(\d+\.\d+)", path)
            platform = next((PLATFORMS[key] for key in PLATFORMS if f"/{key}_" in path), None)
            if cuda and platform:
                built.setdefault(match[1], {}).setdefault(platform, set()).add(cuda[1])
    for version, platforms in built.items():
        by_cuda: dict[tuple[str, ...], list[str]] = {}
        for platform, versions in sorted(platforms.items()):
            by_cuda.setdefault(tuple(sorted(versions, key=_numbers)), []).append(platform)
        for cudas, same in by_cuda.items():
            yield {"release": f"{name} {version}", "cuda": list(cudas), "platforms": same}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(one) for one in version.split(".") if one)


def _git(folder: str, *words: str) -> str:
    """What git prints; nothing where it fails, as for a file that a commit lacks."""
    return subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    sys.exit(main())
