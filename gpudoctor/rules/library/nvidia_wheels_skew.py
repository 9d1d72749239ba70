"""LIB010 nvidia-wheels-skew."""

from collections.abc import Iterator

from gpudoctor.model.base import Gap
from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Fix
from gpudoctor.model.gpus import Gpus
from gpudoctor.model.python import Interpreter, Packages
from gpudoctor.model.system import System
from gpudoctor.plan.places import Scene, install, safety
from gpudoctor.rules._builds import release_numbers
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen


@rule("LIB010", name="nvidia-wheels-skew", severity="error", since="0.1")
def nvidia_wheels_skew(
    gpus: Gpus, packages: Packages, interpreter: Interpreter | Gap | None, host: System | Gap | None
) -> Iterator[Problem]:
    """The package nvidia-nvjitlink is older than the CUDA libraries that use it.

    What it means:
    cuSPARSE and cuSOLVER call nvJitLink. The installed nvJitLink is of an older CUDA version than they are.

    Why it breaks:
    Newer libraries ask it for functions it does not have yet: "undefined symbol: __nvJitLinkComplete_12_4". A newer
    nvJitLink, on the other hand, is fine.

    How to mend it:
    Update nvidia-nvjitlink within its CUDA major version.

    When to ignore it:
    Never: the import fails.

    Sources:
    https://docs.nvidia.com/cuda/nvjitlink/index.html (compatibility)
    """
    if not gpus.nvidia:
        return
    for major, suffix in ((12, "-cu12"), (13, "")):
        linker, runtime = packages.find(f"nvidia-nvjitlink{suffix}"), packages.find(f"nvidia-cuda-runtime{suffix}")
        sparse = packages.find(f"nvidia-cusparse{suffix}")
        old, cuda = _minor(linker.version if linker else None), _minor(runtime.version if runtime else None)
        if linker is None or runtime is None or sparse is None or old is None or cuda is None:
            continue
        if old[0] != major or old >= cuda:
            continue
        scene = Scene(host=host, interpreter=interpreter, packages=packages)
        wanted = f"nvidia-nvjitlink{suffix}>={cuda[0]}.{cuda[1]},<{major + 1}"
        yield Problem(
            summary=f"{linker.name} {linker.version} is older than the other CUDA {cuda[0]}.{cuda[1]} libraries.",
            subject=linker.name,
            confidence="likely",
            evidence=(
                seen(linker.name, linker.version),
                seen(runtime.name, runtime.version),
                seen(sparse.name, sparse.version),
            ),
            explains=("torch-nvidia-deps-missing",),
            fixes=(
                Fix(
                    title="Update nvJitLink", safety=safety(scene), steps=install(scene, wanted, options=("--upgrade",))
                ),
            ),
        )


def _minor(version: str | None) -> tuple[int, ...] | None:
    numbers = release_numbers(version)
    return numbers[:2] if numbers and len(numbers) > 1 else None
