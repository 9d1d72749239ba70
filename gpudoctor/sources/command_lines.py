"""Container commands quoted in a text (docker run …): options, images and their CUDA.

`docker run --gpus all -e NVIDIA_VISIBLE_DEVICES=all pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime`, the same in a
Dockerfile or a Compose file.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gpudoctor.facts import lazy_re as re

_START = re.compile(
    r"\b((?:nvidia-)?docker|podman|nerdctl)\s+(?:container\s+)?(?:run|create)\s+(\S.*)$"
    r"|\b(apptainer|singularity)\s+(?:exec|run|shell)\s+(\S.*)$"
)
#: Flags that ask for GPUs.
_GPUS = re.compile(
    r"(?:^|\s)(?:--gpus[ =]\S|--runtime[ =]nvidia\b|--device[ =](?:nvidia\.com/gpu|/dev/nvidia)|--nv(?:ccli)?\b"
    r"|--rocm\b)"
)
#: NVIDIA's runtime gives what the image, or the command, names in this variable; images made for GPUs name all.
_BY_VARIABLE = re.compile(r"(?:^|\s)--runtime[ =]nvidia\b")
_NAMES_GPUS = re.compile(
    r"NVIDIA_VISIBLE_DEVICES=|(?:^|\s)--gpus[ =]|nvcr\.io/|\bnvidia/|\bpytorch/|\btensorflow/|\bcuda\b|\bgpu\b"
    r"|l4t|jetson|rocm"
)
#: Podman hands this to CDI, which older releases and hosts without a specification do not have.
_BY_CDI = re.compile(r"(?:^|\s)--gpus[ =]\S")
#: Compose and Kubernetes.
_RESERVED = re.compile(
    r"^\s*(?:-\s*)?(?:driver|runtime|runtimeClassName):\s*[\"']?nvidia\b|^\s*(?:-\s*)?capabilities:\s*\[[^\]]{0,40}\bgpu\b"
    r"|^\s*[\"']?nvidia\.com/gpu[\"']?:\s*[\"']?[1-9]"
)
_IMAGE = re.compile(
    r"(?<![\w/.-])(?:docker\.io/)?(?P<torch>pytorch/pytorch:(\d+\.\d+(?:\.\d+)?)-cuda(\d+\.\d+)(?:\.\d+)?-cudnn[\w.-]+)"
    r"|(?<![\w/.-])(?:docker\.io/)?(?P<tensorflow>tensorflow/tensorflow:(\d+\.\d+\.\d+)(-gpu)?(?![\w.]))"
)
#: Lines that one command goes on for, at most.
_MOST = 30


class Started(NamedTuple):
    """One command that starts a container; `lines` from 1."""

    engine: str
    lines: tuple[int, ...]
    #: None: whether that gives any, the engine's release and the host decide.
    asks_for_gpus: bool | None


class Image(NamedTuple):
    """A framework's public image. `cuda` as its tag names it, "gpu" where that names none, None of a CPU image."""

    line: int
    framework: str
    version: str
    cuda: str | None


def started(lines: Sequence[str]) -> Iterator[Started]:
    """Each such command; and what a Compose file or a pod's specification asks for."""
    for number, line in enumerate(lines, 1):
        match = _START.search(line) if " " in line else None
        if match:
            used = [line[match.start() :]]
            while used[-1].endswith("\\") and len(used) < _MOST and number - 1 + len(used) < len(lines):
                used.append(lines[number - 1 + len(used)])
            engine = match[1] or match[3]
            asks: bool | None = engine == "nvidia-docker" or any(_GPUS.search(one) for one in used)
            named = any(_NAMES_GPUS.search(one) for one in used)
            if not named and any(_BY_VARIABLE.search(one) for one in used):
                asks = None
            if engine == "podman" and any(_BY_CDI.search(one) for one in used):
                asks = None
            yield Started(engine, tuple(range(number, number + len(used))), asks)
        elif ":" in line and _RESERVED.match(line):
            yield Started("specification", (number,), asks_for_gpus=True)


def images(lines: Sequence[str]) -> Iterator[Image]:
    """Each public image of a framework that a line names."""
    for number, line in enumerate(lines, 1):
        match = _IMAGE.search(line) if "pytorch:" in line or "tensorflow:" in line else None
        if match and match["torch"]:
            yield Image(number, "torch", match[2], match[3])
        elif match:
            yield Image(number, "tensorflow", match[5], "gpu" if match[6] else None)
