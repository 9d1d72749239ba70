"""LIB010: the package nvidia-nvjitlink is older than the CUDA libraries that use it."""

from gpudoctor.knowledge.matrix.offer_types import ToolkitParts
from gpudoctor.plan.places import install, safety
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Matrix, Package, Packages, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, problem, rule, seen


@rule(
    "LIB010",
    name="nvidia-wheels-skew",
    severity="error",
    when="packages.nvidia-nvjitlink or packages.nvidia-nvjitlink-cu12",
)
def nvidia_wheels_skew(packages: Packages, scene: Scene, matrix: Matrix) -> Iterator[Problem]:
    """The package nvidia-nvjitlink is older than the CUDA libraries that use it.

    What it means:
    cuSPARSE and cuSOLVER call nvJitLink. The installed nvJitLink is of an older CUDA version than they are.

    Why it breaks:
    Newer libraries ask it for functions it does not have yet: "undefined symbol: __nvJitLinkComplete_12_4". A newer
    nvJitLink, on the other hand, is fine.

    How to fix it:
    Update nvidia-nvjitlink within its CUDA major version.

    When to ignore it:
    Never: the import fails.

    Sources:
    https://docs.nvidia.com/cuda/nvjitlink/index.html (compatibility)
    https://pypi.org/project/cuda-toolkit/ (which libraries belong to which CUDA version)
    """
    for major, suffix in ((12, "-cu12"), (13, "")):
        linker, sparse = packages.find(f"nvidia-nvjitlink{suffix}"), packages.find(f"nvidia-cusparse{suffix}")
        old = _minor(linker.version if linker else None)
        newer = _newer(packages, suffix, matrix)
        if linker is None or sparse is None or old is None or newer is None or old[0] != major:
            continue
        told, cuda = newer
        if old >= cuda:
            continue
        others = f"{cuda[0]}.{cuda[1]}"
        wanted = f"nvidia-nvjitlink{suffix}>={others},<{major + 1}"
        yield problem(
            f"{linker.name} {linker.version} is older than the other CUDA {others} libraries.",
            seen(linker.name, linker.version),
            *(seen(one.name, one.version) for one in dict.fromkeys((told, sparse))),
            seen(f"CUDA of {told.name} {told.version}", f"{cuda[0]}.{cuda[1]}"),
            subject=linker.name,
            confidence="likely",
            fix=Fix("Update nvJitLink", safety(scene), install(scene, wanted, options=("--upgrade",))),
        )


def _newer(packages: Packages, suffix: str, matrix: Matrix) -> tuple[Package, tuple[int, ...]] | None:
    """Of what CUDA version cuSPARSE is, which asks for a nvJitLink of that version; else the CUDA runtime's."""
    sparse, runtime = packages.find(f"nvidia-cusparse{suffix}"), packages.find(f"nvidia-cuda-runtime{suffix}")
    numbers = release_numbers(sparse.version) if sparse else None
    rows: tuple[ToolkitParts, ...] = matrix.table("toolkit_parts")
    # The fourth number is that of a build.
    row = next((row for row in rows if numbers and numbers >= (release_numbers(row.cusparse) or ())[:3]), None)
    if sparse is not None and row is not None:
        return sparse, (row.cuda.major, row.cuda.minor)
    numbers = _minor(runtime.version if runtime else None)
    return (runtime, numbers) if runtime is not None and numbers is not None else None


def _minor(version: str | None) -> tuple[int, ...] | None:
    numbers = release_numbers(version)
    return numbers[:2] if numbers and len(numbers) > 1 else None
