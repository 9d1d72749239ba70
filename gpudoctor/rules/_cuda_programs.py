"""Programs that open CUDA libraries they do not bring (onnxruntime-gpu, CTranslate2): the release for the CUDA here."""

from gpudoctor.facts.libraries import Toolkit
from gpudoctor.knowledge.matrix.offer_types import EngineBuild
from gpudoctor.knowledge.matrix.pairs import engine_rows
from gpudoctor.plan.places import install, safety
from gpudoctor.rules._gpu_packages import cuda_packages
from gpudoctor.rules.sections import Frameworks, Gap, Matrix, Packages, Scene, Toolkits
from gpudoctor.rules.terms import Fix, Iterator, by_hand


def toolkits_by_major(toolkits: Toolkits | Gap | None) -> dict[int, Toolkit]:
    """The toolkits that are here, one of each major."""
    found = toolkits.found if isinstance(toolkits, Toolkits) else ()
    return {one.version.major: one for one in found if one.version is not None}


def majors_of_packages(packages: Packages | Gap | None, frameworks: Frameworks | Gap | None) -> set[int]:
    """Majors that come with packages: of NVIDIA's own, and of frameworks whose libraries a process may have loaded."""
    found = frameworks.found if isinstance(frameworks, Frameworks) else ()
    wheels = cuda_packages(packages) if isinstance(packages, Packages) else ()
    return {*wheels, *(one.cuda.major for one in found if one.cuda is not None)}


def engine_fixes(
    name: str, release: str, build: EngineBuild, here: tuple[int, ...], scene: Scene, matrix: Matrix
) -> Iterator[Fix]:
    """The releases for a CUDA that is here; or the CUDA of this release."""
    fitting = next((row for row in engine_rows(name, matrix) if row.cuda in here), None)
    if fitting is not None:
        cudnn = f", with cuDNN {fitting.cudnn}" if fitting.cudnn else ""
        yield Fix(
            title=f"Install the releases for CUDA {fitting.cuda}{cudnn}",
            safety=safety(scene),
            steps=install(scene, f"{name}{fitting.releases}"),
        )
    cudnn = f" and cuDNN {build.cudnn}" if build.cudnn else ""
    text = f"Install CUDA {build.cuda}{cudnn} beside the other one; its folder goes into PATH (Linux: LD_LIBRARY_PATH)."
    yield by_hand(f"Install the CUDA that {name} {release} was built for", text)
