"""Adds releases of packages that go with a framework to compat/extensions.json, as the index and their METADATA say.

What a release asks of torch, NumPy and Python, and its platforms, are read; a row that is there is left as it is, so
what a person added to it (GPUs, CUDA, notes) stays. Of a release that pins torch exactly, CUDA is that of the build
which the package index has of that torch. Neighbours that say the same share a row. Usage:

    python scripts/refresh_extensions.py [--check] [--date YYYY-MM-DD]

Not covered: which GPUs a release has code for, the torch that a README alone names (compat/pairs.json), TensorRT,
whose wheels are those of other distributions, and what is on other indexes (PyTorch Geometric).
"""

import argparse
import datetime
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import groupby
from typing import Any

from compat_file import read_file, source_id, write_file
from packaging.version import Version

from gpudoctor.host.real import RealHost
from gpudoctor.index.fetch import Fetcher
from gpudoctor.index.files import Found
from gpudoctor.index.offers import Offers
from gpudoctor.index.requirement_text import named, parsed
from gpudoctor.index.settings import read_settings
from gpudoctor.index.wheel_facts import Library, LiveLibrary
from gpudoctor.knowledge.matrix.load import load_matrix

Row = dict[str, Any]
LINUX = "linux-x86_64"
SOURCE = "package metadata and file lists of the package index"
DERIVED = f"{SOURCE}; CUDA: that of the build which the package index has of the torch it pins"
#: Package: its distributions, and the oldest release that has a row.
PACKAGES = {
    "vllm": (("vllm",), "0.2.6"),
    "sglang": (("sglang",), "0.5.3"),
    "xformers": (("xformers",), "0.0.20"),
    "flash-attn": (("flash-attn",), "2.0"),
    "bitsandbytes": (("bitsandbytes",), "0.43"),
    "mamba-ssm": (("mamba-ssm",), "2.0"),
    "causal-conv1d": (("causal-conv1d",), "1.2"),
    "torch-geometric": (("torch-geometric",), "2.0"),
    "torch-scatter": (("torch-scatter",), "2.1"),
    "torch-sparse": (("torch-sparse",), "0.6.16"),
    "torch-cluster": (("torch-cluster",), "1.6"),
    "torchcodec": (("torchcodec",), "0.1"),
    "torchtext": (("torchtext",), "0.9"),
    "torch-tensorrt": (("torch-tensorrt",), "1.3"),
    "onnxruntime-gpu": (("onnxruntime-gpu",), "1.15"),
    "numba-cuda": (("numba-cuda",), "0.20"),
    "cupy": (("cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x"), "12"),
    "transformer-engine": (("transformer-engine-cu12", "transformer-engine-cu13"), "1.8"),
    "torchao": (("torchao",), "0.13"),
    "deepspeed": (("deepspeed",), "0.14"),
    "auto-gptq": (("auto-gptq",), "0.5"),
    "faiss-gpu": (("faiss-gpu-cu11", "faiss-gpu-cu12"), "1.8"),
}
DISTS = {dist: package for package, (dists, _) in PACKAGES.items() for dist in dists}
#: Whose kernels are compiled with the CUDA of the torch that they pin; the others of such a pin have none.
WITH_KERNELS = ("vllm", "sglang", "xformers")


def main() -> int:
    """Rewrite the table; with --check only say whether it would change (exit 1)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the table would change")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="the date to note (default: today)")
    options = parser.parse_args()
    document = read_file("extensions")
    with closing(Fetcher(read_settings(RealHost(), (sys.executable,)))) as fetcher:
        offers = Offers(fetcher)
        library = LiveLibrary(fetcher, offers)
        found = {dist: _missing(dist, offers.releases(dist) or (), document["rows"]) for dist in DISTS}
        library.prepare(
            (dist, one.version, LINUX) for dist, releases in found.items() for one in releases if one.wheels
        )
        fresh = {dist: list(rows(dist, releases, library, document)) for dist, releases in found.items()}
    added = [row for mine in fresh.values() for row in mine]
    for row in added:
        print(f"extensions: new: {row.get('dist', row['package'])} {', '.join(row['versions'])} {row.get('torch', '')}")
    if not added or options.check:
        print("extensions.json says what the index says." if not added else "")
        return int(bool(added))
    for dist, mine in fresh.items():
        document["rows"] = placed(document["rows"], [{**row, "checked": options.date} for row in mine], dist)
    write_file(document)
    return 0


def _missing(dist: str, releases: tuple[Found, ...], old: list[Row]) -> list[Found]:
    known = {version for row in old if row.get("dist", row["package"]) == dist for version in row["versions"]}
    oldest = Version(PACKAGES[DISTS[dist]][1])
    finals = [one for one in releases if not Version(one.version).is_prerelease and not one.yanked]
    return [one for one in finals if one.version not in known and Version(one.version) >= oldest]


def rows(dist: str, releases: list[Found], library: Library, document: Row) -> Iterator[Row]:
    """The rows of releases, newest first, without their date."""
    stated = [(one.version, release_row(dist, one, library)) for one in releases]
    for row, group in groupby(stated, key=lambda pair: pair[1]):
        name = {"package": DISTS[dist]} | ({"dist": dist} if dist != DISTS[dist] else {})
        is_derived = dist in WITH_KERNELS and "cuda" in row
        source = source_id(document, DERIVED if is_derived else SOURCE)
        grade = "derived" if is_derived else "metadata"
        yield {**name, "versions": [version for version, _ in group], **row, "confidence": grade, "source": source}


def release_row(dist: str, found: Found, library: Library) -> Row:
    """What one release asks for."""
    facts = library(dist, found.version, LINUX) if found.wheels else None
    required = parsed(facts.requires or ()) if facts is not None else ()
    row: Row = {}
    for name in ("torch", "numpy"):
        asked = named(required, name)
        if asked and str(asked[0].specifier):
            row[name] = str(asked[0].specifier)
    majors = _majors(dist, row.get("torch", ""), [one.name for one in required if one.marker is None])
    order = {"torch": row.get("torch"), "cuda": majors, "platforms": sorted(set(found.wheels) - {"any"})}
    order |= {"requires_python": _pythons(found), "numpy": row.get("numpy"), "is_compiled": not found.wheels}
    return {name: value for name, value in order.items() if value}


def _majors(dist: str, torch: str, required: Iterable[str]) -> list[int]:
    """CUDA majors: as the distribution or what it requires is called, else those of the torch that is pinned."""
    called = [match[1] for name in (dist, *required) if (match := re.search(r"-cu(?:da)?(\d\d)x?$", name))]
    if called:
        return sorted({int(one) for one in called})
    pinned = torch.startswith("==") and dist in WITH_KERNELS
    build = load_matrix().torch_build(torch.removeprefix("=="), LINUX) if pinned else None
    return [build.cuda.major] if build is not None and build.cuda is not None else []


def _pythons(found: Found) -> str | None:
    """Those of the wheels for Linux, where each is for one Python; else what the release says it requires."""
    wheels = {LINUX: found.wheels[LINUX]} if LINUX in found.wheels else found.wheels
    tags = {one for pythons in wheels.values() for one in pythons if not one.endswith("t")}
    if not tags or any(one[0] == ">" for one in tags):
        return found.requires_python
    single = sorted(map(Version, tags))
    return f">={single[0]},<{single[-1].major}.{single[-1].minor + 1}"


def placed(old: list[Row], fresh: list[Row], dist: str) -> list[Row]:
    """All rows, those of a distribution newest first and where its rows are."""
    mine = [row for row in old if row.get("dist", row["package"]) == dist] + fresh
    mine.sort(key=lambda row: Version(row["versions"][0]), reverse=True)
    at = next((number for number, row in enumerate(old) if row.get("dist", row["package"]) == dist), len(old))
    others = [row for row in old if row.get("dist", row["package"]) != dist]
    return [*others[:at], *mine, *others[at:]]


if __name__ == "__main__":
    sys.exit(main())
