"""LIB005: two installed packages share files, and one has overwritten the other's."""

from gpudoctor.facts.python import Overlap
from gpudoctor.rules._package_overlaps import breaks_import, conflicts, fixes_for, losers, serves_gpus, victims_of
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.sections import Frameworks, Gap, Gpus, Matrix, Packages, Scene
from gpudoctor.rules.terms import Evidence, Iterator, Problem, problem, rule, seen


@rule("LIB005", name="files-overwritten", severity="error", when="packages.overlaps")
def files_overwritten(
    packages: Packages, frameworks: Frameworks | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """Two installed packages share files, and one has overwritten the other's.

    What it means:
    Both packages claim the same paths, such as nvidia/cudnn/lib/libcudnn.so.9. Only the files of the one installed last
    are on the disk. The other package counts as installed, but its files are gone.

    Why it breaks:
    pip does not notice. nvidia-cudnn-cu12 and nvidia-cudnn-cu13 share all their files, so TensorFlow (CUDA 12) and a
    recent PyTorch (CUDA 13) in one environment leave one of them with the wrong cuDNN. An older NCCL of
    nvidia-nccl-cu11 in the place of nvidia-nccl-cu12 ends `import torch` with "undefined symbol: ncclMemFree". The same
    happens with tensorflow and tensorflow-cpu, or onnxruntime and onnxruntime-gpu: two builds of the same module, as
    faiss-cpu and faiss-gpu, xgboost and xgboost-cpu, opencv-python and opencv-python-headless are.

    How to fix it:
    Give each framework an environment of its own, or choose builds for the same CUDA major version. Uninstalling one of
    the two packages deletes the shared files: reinstall the other one afterwards.

    When to ignore it:
    If you do not use the framework whose files were overwritten.

    Sources:
    https://packaging.python.org/en/latest/specifications/recording-installed-packages/
    Observed on the wheels of nvidia-cudnn-cu12 and nvidia-cudnn-cu13, 2026-11.
    """
    if isinstance(packages.overlaps, Gap):
        return
    known = frameworks if isinstance(frameworks, Frameworks) else Frameworks()
    may_have_gpu = isinstance(scene.gpus, Gap) or (isinstance(scene.gpus, Gpus) and bool(scene.gpus.nvidia))
    for group in conflicts(packages.overlaps, packages, known):
        lost = tuple(dict.fromkeys(name for overlap in group for name in losers(overlap)))
        victims = in_words(one.label for one in victims_of(lost, known))
        yield problem(
            _summary(group, victims),
            *tuple(line for overlap in group for line in _evidence(overlap, packages)),
            subject=in_words(f"{overlap.first} and {overlap.second}" for overlap in group[:1]),
            severity=None
            if (may_have_gpu and serves_gpus(group, known)) or breaks_import(group, packages, known)
            else "warning",
            confidence="certain" if all(overlap.on_disk for overlap in group) else "likely",
            # What has overwritten a library is one: it is found. Where it is not, its own fault or damage says why.
            not_leading_to=("tf-soname-missing", *(() if _is_all_damage(packages) else ("files-damaged",))),
            fixes=fixes_for(group, scene, matrix, known),
        )


def _summary(group: tuple[Overlap, ...], victims: str) -> str:
    parts = []
    for overlap in group:
        lost = losers(overlap)
        if overlap.files is None:
            parts.append(f"{overlap.first} and {overlap.second} are builds of the same module and own the same files")
        elif overlap.on_disk is None or len(lost) != 1:
            parts.append(f"{overlap.first} and {overlap.second} own the same {overlap.files} files")
        else:
            parts.append(f"{overlap.on_disk} has overwritten {overlap.files} files of {lost[0]}")
    needed = f"; {victims} needs them" if victims and any(overlap.files is not None for overlap in group) else ""
    return f"{in_words(parts)}{needed}."


def _evidence(overlap: Overlap, packages: Packages) -> tuple[Evidence, ...]:
    both = (packages.find(name) for name in (overlap.first, overlap.second))
    return (
        *_of_files(overlap),
        *(seen("installed", f"{package.name} {package.version}") for package in both if package is not None),
    )


def _of_files(overlap: Overlap) -> tuple[Evidence, ...]:
    """What a look at them showed; a list of packages does not tell."""
    if overlap.files is None:
        return ()
    return (
        seen(f"files of both {overlap.first} and {overlap.second}", f"{overlap.files}, such as {overlap.example}"),
        seen("on the disk are the files of", overlap.on_disk or "not known"),
    )


def _is_all_damage(packages: Packages) -> bool:
    """All damaged files belong to packages that overlap."""
    if isinstance(packages.overlaps, Gap) or isinstance(packages.damaged, Gap):
        return False
    names = {name for overlap in packages.overlaps for name in (overlap.first, overlap.second)}
    return all(damage.package in names for damage in packages.damaged)
