"""GPU architectures that a build is told to compile for: options of CMake and nvcc, TORCH_CUDA_ARCH_LIST."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.knowledge.matrix.kernels import coverage
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.pasted import Pasted

#: What is said where the code does not run on the GPU that is stated; and by which options it was chosen.
LACKS, BY_CMAKE, BY_NVCC, BY_TORCH = "built-without-this-gpu", "arch-by-cmake", "arch-by-nvcc", "arch-by-torch"
_LIST = r"[\"'(]?((?:\d{1,3}(?:\.\d)?(?:-real|-virtual|\+PTX)?[;, ]?)+)"
#: A list of numbers: CMake makes PTX of each, unless it is told "real"; OpenCV's and PyTorch's make none.
_CMAKE = re.compile(rf"(?:\b|-D)CMAKE_CUDA_ARCHITECTURES[ =:\"']{{1,3}}(?:STRING=)?{_LIST}", re.IGNORECASE)
_OPENCV = re.compile(rf"(?:\b|-D)CUDA_ARCH_BIN[ =:\"']{{1,3}}(?:STRING=)?{_LIST}", re.IGNORECASE)
_TORCH = re.compile(rf"(?:\b|-D)TORCH_CUDA_ARCH_LIST\W{{1,5}}{_LIST}", re.IGNORECASE)
_GENCODE = re.compile(r"-gencode[ =]\"?arch=compute_\d{2,3}\w?,\"?code=\[?\"?([\w,\"]{5,60})")
_ARCH = re.compile(r"(?:-arch[ =]|\bCUDA_DOCKER_ARCH=|\bGPU_ARCH\w*=)\"?(?:sm|compute)_(\d{2,3}[af]?)\b")
#: Nothing is known of what these become.
_OPEN = re.compile(r"CMAKE_CUDA_ARCHITECTURES\W{1,5}(?:native|all|OFF)|TORCH_CUDA_ARCH_LIST\W{1,5}(?:[A-Z][a-z]|\s*$)")


def architectures_in(text: str) -> tuple[str | None, frozenset[str]]:
    """By which options they were chosen, and the code that they make (sm_86); nothing where both differ."""
    if _OPEN.search(text):
        return None, frozenset()
    told = [(by, frozenset(archs)) for by, archs in _told(text) if archs]
    ways = {by for by, _ in told}
    return (ways.pop(), frozenset().union(*(archs for _, archs in told))) if len(ways) == 1 else (None, frozenset())


def _told(text: str) -> Iterator[tuple[str, list[str]]]:
    for by, pattern, has_ptx in ((BY_CMAKE, _CMAKE, True), (BY_CMAKE, _OPENCV, False), (BY_TORCH, _TORCH, False)):
        for match in pattern.finditer(text):
            yield by, [code for one in re.findall(r"[\d.]+[-+\w]*", match[1]) for code in _codes(one, has_ptx=has_ptx)]
    yield BY_NVCC, [code for match in _GENCODE.finditer(text) for code in re.findall(r"(?:sm|compute)_\w+", match[1])]
    yield BY_NVCC, [f"{kind}_{match[1]}" for match in _ARCH.finditer(text) for kind in ("sm", "compute")]


def _codes(number: str, *, has_ptx: bool) -> Iterator[str]:
    digits = re.sub(r"[-+].*|\.", "", number)
    if len(digits) > 1:
        if not number.endswith("-virtual"):
            yield f"sm_{digits}"
        if number.endswith(("-virtual", "+PTX")) or (has_ptx and not number.endswith("-real")):
            yield f"compute_{digits}"


def own_build(text: Pasted, snapshot: Snapshot) -> frozenset[str]:
    """That a build was made for other GPUs than the one that is stated, and by which options; empty where it fits."""
    by, archs = architectures_in(text.text[:100_000])
    gpus = snapshot.gpus.nvidia if isinstance(snapshot.gpus, Gpus) else ()
    capabilities = {load_matrix().capability(gpu) for gpu in gpus}
    if by is None or not archs or len(capabilities) != 1:
        return frozenset()
    capability = capabilities.pop()
    return frozenset((LACKS, by)) if capability and coverage(archs, capability) == "none" else frozenset()
