"""FRM029: the ROCm build has no code for this AMD GPU."""

from gpudoctor.knowledge.matrix.amd import family_of, gfx_of_gpu, has_code, rocm_builds
from gpudoctor.knowledge.matrix.offer_types import AmdFamily
from gpudoctor.rules.sections import Environ, Framework, Frameworks, Gap, Gpus, Matrix, Scene
from gpudoctor.rules.terms import Evidence, Fix, Iterator, Problem, SetEnv, problem, rule, seen

VARIABLE = "HSA_OVERRIDE_GFX_VERSION"


@rule("FRM029", name="amd-gpu-not-in-build", severity="error", when="frameworks.torch.variant=rocm")
def amd_gpu_not_in_build(
    gpus: Gpus, frameworks: Frameworks, environ: Environ | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """The ROCm build has no code for this AMD GPU.

    What it means:
    A build for ROCm holds machine code for some models of GPU. For any other model there is none, and nothing that
    could be compiled at the start.

    Why it breaks:
    AMD builds for a few models of each family and ends support for old ones (Polaris, Vega). The program stops with
    hipErrorNoBinaryForGpu, "invalid device function", or a segmentation fault.

    How to fix it:
    Install a build that has the code. Of the families gfx103x and gfx110x a model runs the code of the one AMD builds
    for when HSA_OVERRIDE_GFX_VERSION names it (10.3.0, 11.0.0), all but gfx1103, which faults and hangs; AMD does not
    support this. For another family the variable does harm: the GPU is sent code that it cannot run.

    When to ignore it:
    When you compiled PyTorch for this GPU yourself.

    Sources:
    https://rocm.docs.amd.com/en/latest/compatibility/compatibility-matrix.html
    https://github.com/ROCm/ROCm/issues/2353
    https://github.com/ROCm/legacy-rocm-build/issues/1880
    """
    torch = frameworks.get("torch")
    models = {gpu.label: gfx_of_gpu(gpu, matrix) for gpu in gpus.devices if gpu.vendor == "amd"}
    if torch is None or torch.variant != "rocm" or not models or None in models.values():
        return
    found = {label: gfx for label, gfx in models.items() if gfx is not None}
    if any(_serves(torch, gfx, matrix) is not False for gfx in found.values()):
        return
    named = environ.variables.get(VARIABLE) if isinstance(environ, Environ) else None
    families = [_family(torch, gfx, matrix) for gfx in found.values()]
    if named is not None and named in [one.override for one in families if one is not None]:
        return
    label, gfx = next(iter(found.items()))
    yield problem(
        f"{torch.label} has no code for {label} ({gfx}).",
        *(seen(name, model) for name, model in found.items()),
        *_of_build(torch, matrix),
        *([seen(VARIABLE, named)] if named else []),
        subject=torch.label,
        fixes=tuple(_fixes(torch, gfx, named, scene, matrix)),
    )


def _serves(torch: Framework, gfx: str, matrix: Matrix) -> bool | None:
    """Whether the build runs on that model; where its release is not known, whether any build does."""
    if torch.archs:
        return gfx in torch.archs
    rows = rocm_builds("torch", matrix)
    same = [row for row in rows if torch.version and row.version == torch.version.partition("+")[0]]
    known = [has_code(row, gfx) for row in same or rows]
    return None if None in known else any(known)


def _of_build(torch: Framework, matrix: Matrix) -> Iterator[Evidence]:
    release = torch.version.partition("+")[0] if torch.version else None
    row = next((one for one in rocm_builds("torch", matrix) if one.version == release), None)
    archs = torch.archs or (row.archs if row else None)
    if archs:
        yield seen(f"{torch.label} has code for", " ".join(archs))


def _family(torch: Framework, gfx: str, matrix: Matrix) -> AmdFamily | None:
    """Whose code in this build the model can run: older builds have none of newer families."""
    family = family_of(gfx, matrix)
    return family if family is not None and _serves(torch, family.built, matrix) is not False else None


def _fixes(torch: Framework, gfx: str, named: str | None, scene: Scene, matrix: Matrix) -> Iterator[Fix]:
    family = _family(torch, gfx, matrix)
    if family is not None:
        steps = (SetEnv(name=VARIABLE, value=family.override),)
        yield Fix(f"Let the GPU run the code of {family.built}, a model of its family", "safe", steps)
    elif named is not None and family_of(gfx, matrix) is None:
        steps = (SetEnv(name=VARIABLE, value=None),)
        yield Fix(f"Unset {VARIABLE}: {named} is a model of another family", "safe", steps)
    # Imported here: a check that proposes no build needs no solver.
    from gpudoctor.plan.amd_fix import torch_for_amd

    build = torch_for_amd(scene, matrix)
    if build is not None:
        yield build
