"""Looks up which framework builds ship or need a release of a library."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TensorflowBuild, TorchBuild
from gpudoctor.look_up.answer import Found, Row

_NAMED = re.compile(
    r"(?:nvidia-)?(?P<name>cudnn|nccl|triton)(?:-cu(?P<cuda>\d\d))?[\s=]+(?P<version>\d+(?:\.\d+){0,3})", re.IGNORECASE
)
_FILE = re.compile(r"lib(?P<name>cudnn)\w*\.so\.(?P<version>\d+(?:\.\d+)*)")
MOST = 30


def library(text: str, matrix: Matrix) -> Found | None:
    """The builds that bring a release: "nvidia-cudnn-cu11 8.5.0.96", "cudnn 9.1", "libcudnn.so.8"."""
    match = _NAMED.fullmatch(text.strip()) or _FILE.fullmatch(text.strip())
    if match is None:
        return None
    name, version = match["name"].lower(), match["version"]
    cuda = match.groupdict().get("cuda")
    rows = tuple(_builds(name, version, int(cuda) if cuda else None, matrix))
    if not rows:
        return None
    more = (f"And {len(rows) - MOST} more.",) if len(rows) > MOST else ()
    source = "package metadata of torch and tensorflow; see gpudoctor matrix torch, matrix tensorflow"
    return Found(
        kind="library", subject=f"{name} {version}", says=more, rows=rows[:MOST], source=source, confidence="metadata"
    )


def _builds(name: str, version: str, cuda: int | None, matrix: Matrix) -> Iterator[Row]:
    for row in matrix.torch_builds():
        own = {"cudnn": row.cudnn, "nccl": row.nccl, "triton": row.triton}[name]
        if _is(own, version) and (cuda is None or (row.cuda is not None and row.cuda.major == cuda)):
            yield Row(name=_torch(row), value=f"{name} {own}")
    for build in matrix.tensorflow_builds():
        own = _of_extra(build, name) or (build.cudnn if name == "cudnn" else None)
        if _is(own, version) and (cuda is None or (build.cuda is not None and build.cuda.major == cuda)):
            releases = build.first if build.first == build.last else f"{build.first} to {build.last}"
            yield Row(name=f"{build.dist} {releases} ({build.platform})", value=f"{name} {own}")


def _torch(row: TorchBuild) -> str:
    return f"torch {row.version}+{row.variant}"


def _of_extra(build: TensorflowBuild, name: str) -> str | None:
    pins = (re.fullmatch(rf"nvidia-{name}-cu\d+==([\d.]+)", one) for one in build.and_cuda)
    return next((pin[1] for pin in pins if pin), None)


def _is(own: str | None, version: str) -> bool:
    """Whether a release is the one asked for, as far as that is named: 8.5 is also 8.5.0.96."""
    if own is None or LibraryVersion.parse(own) is None:
        return False
    return f"{own}.".startswith(f"{version}.")
