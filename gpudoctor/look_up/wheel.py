"""Explains a wheel's file name, and which builds of torch it goes with.

The format: https://packaging.python.org/en/latest/specifications/binary-distribution-format. C++ ABI of torch: names in
its libraries (torch 2.4 has the old one, 2.7 the new one); https://pytorch.org/blog/pytorch2-6 for what lies between.
"""

from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.versions import local_tag, package_version
from gpudoctor.knowledge.matrix.pairs import has_new_abi
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.look_up.answer import Found, Row
from gpudoctor.sources.build_tags import parse_tag, parse_wheel_tag

ABI_SOURCE = "names in torch's libraries of 2.4 and 2.7; pytorch.org/blog/pytorch2-6"
_GLIBC = re.compile(r"manylinux_(\d+)_(\d+)_(\w+)")
_OLDER = {"manylinux1": "2.5", "manylinux2010": "2.12", "manylinux2014": "2.17"}
MOST_BUILDS = 12


def wheel(name: str, matrix: Matrix) -> Found | None:
    """What a file name says; None where it is no name of a wheel."""
    file = name.replace("%2B", "+").partition("#")[0].rpartition("/")[2]
    try:
        package, version, _, tags = parse_wheel_filename(file)
    except (InvalidWheelFilename, InvalidVersion):
        return None
    text = str(version)
    rows = [Row(name="package", value=str(package)), Row(name="version", value=text)]
    rows += [Row(name="Python", value=one) for one in (_pythons(tags),) if one]
    rows += [Row(name="platform", value=one) for one in sorted({_platform(tag.platform) for tag in tags})]
    rows += _built_for(str(package), text, file, matrix)
    return Found(kind="wheel", subject=file, rows=tuple(rows), source=ABI_SOURCE, confidence="derived")


def _pythons(tags: object) -> str:
    found = set()
    for tag in tags:  # type: ignore[attr-defined]
        match = re.fullmatch(r"(cp|py)(\d)(\d*)", tag.interpreter)
        if match is None:
            continue
        version = f"{match[2]}.{match[3]}" if match[3] else match[2]
        if tag.abi == "abi3" or match[1] == "py":
            found.add(f"{version} and newer" if match[3] or match[1] == "cp" else f"any {version}")
        else:
            found.add(f"{version}, free-threaded" if tag.abi.endswith("t") else version)
    return ", ".join(sorted(found))


def _platform(tag: str) -> str:
    glibc = _GLIBC.fullmatch(tag)
    if glibc:
        return f"Linux on {glibc[3]}, glibc {glibc[1]}.{glibc[2]} or newer"
    older, _, machine = tag.partition("_")
    if older in _OLDER:
        return f"Linux on {machine}, glibc {_OLDER[older]} or newer"
    if tag.startswith("linux_"):
        return f"Linux on {tag[6:]}, no promise about glibc"
    if tag.startswith("musllinux_"):
        return f"Linux with musl on {tag.split('_', 3)[-1]}"
    if tag.startswith("macosx_"):
        return f"macOS on {'_'.join(tag.split('_')[3:])}, {'.'.join(tag.split('_')[1:3])} or newer"
    return {"win_amd64": "Windows on x86_64", "win_arm64": "Windows on arm64", "any": "any"}.get(tag, tag)


def _built_for(package: str, version: str, file: str, matrix: Matrix) -> list[Row]:
    tag = local_tag(version)
    if package == "torch":
        row = matrix.torch_build(version) if tag else None
        kind, cuda = parse_tag(tag or "")
        rows = [Row(name="built for", value=f"CUDA {cuda}" if cuda else kind)] if kind else []
        if row is not None:
            rows += [Row(name="cuDNN", value=row.cudnn)] if row.cudnn else []
            rows += [Row(name="C++ ABI", value="new" if has_new_abi(row) else "old")]
        return rows
    built = parse_wheel_tag(version, url=file)
    rows = [Row(name="CUDA", value=str(built.cuda))] if built.cuda else []
    if built.cxx11_abi is not None:
        rows.append(Row(name="C++ ABI", value="new (cxx11abiTRUE)" if built.cxx11_abi else "old (cxx11abiFALSE)"))
    if built.torch:
        rows.append(Row(name="torch", value=built.torch))
        major = built.cuda.major if built.cuda else None
        builds = matching_builds(built.torch, major, built.cxx11_abi, matrix)
        rows.append(Row(name="goes with", value=", ".join(builds[:MOST_BUILDS]) or "no build of torch that is known"))
    return rows


def matching_builds(torch: str, cuda_major: int | None, new_abi: bool | None, matrix: Matrix) -> tuple[str, ...]:
    """The builds of a line of torch (2.6) with a CUDA major and a C++ ABI, newest first."""
    return tuple(
        f"torch {row.version}+{row.variant}"
        for row in matrix.torch_builds()
        if f"{row.version}.".startswith(f"{torch}.")
        and (package_version(row.version) is not None and "rc" not in row.version)
        and (cuda_major is None or (row.cuda is not None and row.cuda.major == cuda_major))
        and (new_abi is None or has_new_abi(row) is new_abi)
    )
