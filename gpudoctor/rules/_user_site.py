"""Mixed packages of the user site and the environment, and the findings that this explains."""

from gpudoctor.knowledge.frameworks import companions, computing
from gpudoctor.rules._gpu_packages import cuda_packages
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Gap, Matrix, Package, Packages, System
from gpudoctor.rules.terms import Iterator


def explained_by_mix(packages: Packages, host: System | Gap | None, matrix: Matrix) -> tuple[str, ...]:
    """Names of the rules whose findings follow from the mixture."""
    return tuple(dict.fromkeys((*_numpy(packages, host, matrix), *_companions(packages), *_cuda(packages))))


def _apart(first: Package | None, second: Package | None) -> bool:
    """One lies in the user site and the other does not."""
    return first is not None and second is not None and first.user_site != second.user_site


def _numpy(packages: Packages, host: System | Gap | None, matrix: Matrix) -> Iterator[str]:
    """A framework built for NumPy 1 meets the NumPy 2 of the other place."""
    numpy = packages.find("numpy")
    numbers = release_numbers(numpy.version) if numpy else None
    if numbers is None or numbers < (2,):
        return
    if not isinstance(host, System) or host.os not in ("linux", "windows", "macos"):
        return
    for name in computing():
        framework = packages.find(name)
        if (
            framework is not None
            and _apart(framework, numpy)
            and matrix.works_with_numpy2(name, framework.version, host.os) is False
        ):
            yield "numpy2-abi"


def _companions(packages: Packages) -> Iterator[str]:
    """Torch and what is compiled against it come from two places, and do not agree."""
    torch = packages.find("torch")
    for name in companions():
        companion = packages.find(name)
        if torch is None or companion is None or not _apart(torch, companion):
            continue
        if any(one.package == name and one.requirement == "torch" for one in packages.unmet):
            yield "torch-companion-version"
        if torch.version.partition("+")[2] != companion.version.partition("+")[2]:
            yield "torch-companion-cuda"
    for unmet in packages.unmet:
        if _apart(packages.find(unmet.package), packages.find(unmet.requirement)):
            yield from ("torch-nvidia-deps-missing", "ext-abi-mismatch", "nvidia-wheels-skew")


def _cuda(packages: Packages) -> Iterator[str]:
    """CUDA libraries of two majors, one of them in the user site."""
    sets = cuda_packages(packages)
    if len(sets) > 1 and any(all(package.user_site for package in found) for found in sets.values()):
        yield from ("cuda-major-mix", "files-overwritten")
