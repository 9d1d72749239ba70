"""Rebuilds compat/releases.json from the file lists of the package index that pip is set up for.

A release that the index no longer has is kept and marked gone: nothing is ever dropped. Nothing changes where the index
says what the table says; the date changes only with the rows. Pre-releases are left out. Usage:

    python scripts/refresh_releases.py [--check] [--index-url URL] [--date YYYY-MM-DD]
"""

import argparse
import datetime
import sys
from contextlib import closing
from itertools import groupby
from typing import Any

from compat_file import Rows, read_file, write_file
from packaging.version import Version

from gpudoctor.host.real import RealHost
from gpudoctor.index.fetch import Fetcher
from gpudoctor.index.files import Found
from gpudoctor.index.offers import Offers
from gpudoctor.index.settings import read_settings

SOURCE = "package index file list"
#: The distributions that the other tables name, and those that their wheels require.
PACKAGES = (
    *("torch", "torchvision", "torchaudio", "triton"),
    *("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-intel", "tensorflow-macos", "keras", "tf-keras"),
    *("jax", "jaxlib", "jax-cuda12-plugin", "jax-cuda12-pjrt", "jax-cuda13-plugin", "jax-cuda13-pjrt"),
    *("paddlepaddle", "paddlepaddle-gpu"),
    "cuda-toolkit",
    *(
        f"nvidia-{name}-cu11"
        for name in (
            *("cublas", "cuda-cupti", "cuda-nvcc", "cuda-nvrtc", "cuda-runtime", "cudnn", "cufft", "curand"),
            *("cusolver", "cusparse", "nccl", "nvtx"),
        )
    ),
    *(
        f"nvidia-{name}-cu12"
        for name in (
            *("cublas", "cuda-cupti", "cuda-nvcc", "cuda-nvrtc", "cuda-runtime", "cudnn", "cufft", "cufile", "curand"),
            *("cusolver", "cusparse", "cusparselt", "nccl", "nvjitlink", "nvshmem", "nvtx"),
        )
    ),
    *(f"nvidia-{name}-cu13" for name in ("cudnn", "cusparselt", "nccl", "nvshmem")),
    *(
        f"nvidia-{name}"
        for name in (
            *("cublas", "cuda-cupti", "cuda-nvcc", "cuda-nvrtc", "cuda-runtime", "cufft", "cufile", "curand"),
            *("cusolver", "cusparse", "nvjitlink", "nvtx"),
        )
    ),
)


def main() -> int:
    """Rewrite the table; with --check only say whether it would change (exit 1)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the table would change")
    parser.add_argument("--index-url", help="ask this index only")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="the date to note (default: today)")
    options = parser.parse_args()
    old = _old()
    with closing(Fetcher(read_settings(RealHost(), (sys.executable,), options.index_url))) as fetcher:
        offers = Offers(fetcher)
        rows = [row for package in PACKAGES for row in package_rows(package, offers.releases(package), old["rows"])]
    rows = [{**row, "confidence": "metadata", "source": "s1"} for row in rows]
    is_same = rows == old["rows"]
    if is_same:
        print("releases.json says what the index says.")
    _report(old["rows"], rows)
    if options.check:
        return int(not is_same)
    # Every row was compared, so all of them are of this day.
    write_file({"table": "releases", "checked": options.date, "sources": {"s1": SOURCE}, "rows": rows})
    return 0


def _old() -> dict[str, Any]:
    try:
        return read_file("releases")
    except FileNotFoundError:
        return {"rows": []}


def package_rows(package: str, found: tuple[Found, ...] | None, old: Rows) -> Rows:
    """The rows of a package, newest first: neighbours with the same wheels share one."""
    told = {version: row for row in old if row["package"] == package for version in row["versions"]}
    now = {one.version: _facts(one) for one in found or () if is_final(one.version)}
    gone = {version: _kept(row) for version, row in told.items() if version not in now}
    every = sorted({**gone, **now}.items(), key=lambda item: Version(item[0]), reverse=True)
    return [
        {"package": package, "versions": [version for version, _ in same], **facts}
        for facts, same in ((facts, list(group)) for facts, group in groupby(every, key=lambda item: item[1]))
    ]


def is_final(version: str) -> bool:
    """Whether a version is for everyone, and of one build: no pre-release, no local tag."""
    parsed = Version(version)
    return not parsed.is_prerelease and parsed.local is None


def _facts(found: Found) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if found.wheels:
        facts["wheels"] = {platform: list(pythons) for platform, pythons in found.wheels.items()}
    if found.macos:
        facts["macos"] = dict(found.macos)
    if found.requires_python is not None:
        facts["requires_python"] = found.requires_python
    return facts | ({"yanked": True} if found.yanked else {})


def _kept(row: dict[str, Any]) -> dict[str, Any]:
    facts = {key: row[key] for key in ("wheels", "macos", "requires_python", "yanked") if key in row}
    return facts | {"gone": True}


def _report(old: Rows, new: Rows) -> None:
    """Say what changes, release by release."""
    before, after = _by_release(old), _by_release(new)
    for release in [release for release in after if before.get(release) != after[release]]:
        kind = "changed" if release in before else "new"
        print(f"{kind}: {release[0]} {release[1]}" + (" (gone from the index)" if "gone" in after[release] else ""))
    assert before.keys() <= after.keys(), "a release was dropped"


def _by_release(rows: Rows) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (row["package"], version): {key: value for key, value in row.items() if key != "versions"}
        for row in rows
        for version in row["versions"]
    }


if __name__ == "__main__":
    sys.exit(main())
