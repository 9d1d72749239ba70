"""Fixes that a message itself names: the build that an extension was made for, the package that brings a library."""

from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.fix import Ask, Fix, Run
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.sources.libraries_names import DISTS, cuda_major_of, family_of, number_in

#: xformers: what it was built for.
_BUILT_FOR = re.compile(r"PyTorch (\d+\.\d+\.\d+)\+(cu\d+) with CUDA")
#: An installer: what it was asked for.
_WANTED = re.compile(r"\btorch==(\d+\.\d+\.\d+)\+(cu\d+)\b")
#: TensorFlow and JAX: the cuDNN of the build.
_CUDNN_OF_BUILD = re.compile(r"(?:compiled with:?|built against version) (?:(\d\.\d+)[\d.]*|(\d{4,5})\b)")
_LIBRARY = re.compile(r"\b(lib[A-Za-z][\w-]*\.so(?:\.\d+)+|[a-z]+64_\d+(?:_\d+)*\.dll)\b", re.IGNORECASE)
_DLL = re.compile(r"([a-z]+?)64_(\d+)", re.IGNORECASE)
#: Families whose packages keep -cu13.
_WITH_SUFFIX = ("cudnn", "nccl", "cusparselt", "nvshmem")


def named_build(snapshot: Snapshot) -> Fix | None:
    """The torch that xformers says it was built for, or that was not found, where the matrix knows that build."""
    for text in SnapshotView(snapshot, ()).messages:
        found = _BUILT_FOR.search(text) or _WANTED.search(text)
        if found and any(row.variant == found[2] for row in load_matrix().torch_builds(found[1])):
            index = f"https://download.pytorch.org/whl/{found[2]}"
            install = ("python", "-m", "pip", "install", f"torch=={found[1]}+{found[2]}")
            both = load_matrix().torch_companions(found[1])
            vision = tuple(f"torchvision=={one}+{found[2]}" for one in (both.torchvision if both else ())[-1:])
            steps = (Run(argv=(*install, *vision, "--index-url", index)),)
            title = f"Install PyTorch {found[1]}+{found[2]}, from its own index"
            return Fix(title=title, safety="review", steps=steps)
    return None


def named_cudnn(snapshot: Snapshot) -> str | None:
    """The releases of cuDNN that serve a build, where a message says what it was compiled with: ">=8.6,<9"."""
    for text in SnapshotView(snapshot, ()).messages:
        found = _CUDNN_OF_BUILD.search(text) if "cudnn" in text.lower() else None
        if found is None:
            continue
        if found[1]:
            major, minor = (int(part) for part in found[1].split("."))
        else:  # 8906 is 8.9.6, 90100 is 9.1.0
            number, unit = int(found[2]), 10_000 if len(found[2]) > 4 else 1000
            major, minor = number // unit, number % unit // 100
        return f">={major}.{minor},<{major + 1}"
    return None


def named_library(snapshot: Snapshot) -> Fix | None:
    """The package of a library that a program without CUDA packages of its own did not find."""
    texts = SnapshotView(snapshot, ()).messages
    if any("tensorflow" in text.lower() for text in texts):
        # It has an extra for them, or takes a toolkit's.
        return None
    for name in (found for text in texts for found in _LIBRARY.findall(text)):
        family, major = family_of(name), _major(name)
        if family in DISTS and major is not None and major >= 11:
            suffix = f"-cu{major}" if major < 13 or family in _WITH_SUFFIX else ""
            folder = DISTS[family].removeprefix("nvidia-").replace("-", "_")
            folder = "cu13" if major >= 13 and not suffix else folder
            path = f"<SITE_PACKAGES>/nvidia/{folder}/lib"
            aside = f"Put its folder on LD_LIBRARY_PATH ({path}), on Windows on PATH (bin instead of lib)."
            steps = (Run(argv=("python", "-m", "pip", "install", f"{DISTS[family]}{suffix}")), Ask(text=aside))
            title = f"Install the library of CUDA {major} that the program names, {name}"
            return Fix(title=title, safety="review", steps=steps)
    return None


def _major(name: str) -> int | None:
    """The CUDA major that a library's name stands for: 11 of libcublas.so.11, cublas64_11.dll and cudart64_110.dll."""
    if number_in(name):
        return cuda_major_of(name)
    found = _DLL.match(name)
    if found is None:
        return None
    number = int(found[2])
    return cuda_major_of(f"lib{found[1].lower()}.so.{number if number < 100 else number // 10}")
