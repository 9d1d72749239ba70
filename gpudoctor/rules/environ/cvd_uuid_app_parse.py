"""ENV005: CUDA_VISIBLE_DEVICES lists GPUs by UUID, which CUDA accepts but some programs do not."""

from gpudoctor.knowledge.milestones import numbers_of
from gpudoctor.plan.recipes import framework_for_gpus
from gpudoctor.rules.builds import release_numbers
from gpudoctor.rules.sections import Environ, Framework, Frameworks, Gap, Gpus, Matrix, Scene
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, by_hand, problem, rule, seen
from gpudoctor.rules.visible_devices import read_mask


@rule("ENV005", name="cvd-uuid-app-parse", severity="info", when="environ.CUDA_VISIBLE_DEVICES")
def cvd_uuid_app_parse(
    gpus: Gpus, environ: Environ, frameworks: Frameworks | Gap | None, scene: Scene, matrix: Matrix
) -> Iterator[Problem]:
    """CUDA_VISIBLE_DEVICES lists GPUs by UUID, which CUDA accepts but some programs do not.

    What it means:
    The variable may hold numbers or UUIDs. CUDA reads both. Some programs read the variable themselves and expect
    numbers.

    Why it breaks:
    They end with: invalid literal for int() with base 10: 'GPU-...', or 'MIG-...'. A part of a GPU (MIG) has no number
    of its own. PyTorch 1.13 takes any UUID for no number, so it counts no GPU at all.

    How to fix it:
    For such a program, name the GPUs by their numbers, together with CUDA_DEVICE_ORDER=PCI_BUS_ID. Give a program that
    is to use a MIG device a container with this device alone, and leave the variable unset there.

    When to ignore it:
    When no program complains.

    Sources:
    CUDA C++ programming guide, environment variables, https://docs.nvidia.com/cuda/cuda-c-programming-guide/
    https://github.com/pytorch/pytorch/issues/95784
    """
    value = environ.get("CUDA_VISIBLE_DEVICES")
    if value is None or not value.strip().startswith(("GPU-", "MIG-")):
        return
    mask = read_mask(value, gpus)
    torch = frameworks.get("torch") if isinstance(frameworks, Frameworks) else None
    if torch is not None and torch.variant == "cuda" and _counts_by_numbers(torch) and not mask.reason:
        yield _torch_that_counts_none(torch, value, scene, matrix)
        return
    if value.strip().startswith("MIG-"):
        if not mask.reason and any(gpu.mig_enabled for gpu in gpus.nvidia):
            yield _mig(value)
        return
    by_uuid = {gpu.uuid: gpu.index for gpu in gpus.nvidia if gpu.uuid and gpu.index is not None}
    indexes = [by_uuid.get(uuid) for uuid in mask.visible]
    if mask.reason or not indexes or None in indexes:
        return
    numbers = ",".join(str(index) for index in indexes)
    steps = (SetEnv(name="CUDA_DEVICE_ORDER", value="PCI_BUS_ID"), SetEnv(name="CUDA_VISIBLE_DEVICES", value=numbers))
    yield problem(
        "CUDA_VISIBLE_DEVICES lists GPUs by UUID; some programs accept only numbers.",
        seen("CUDA_VISIBLE_DEVICES", value),
        seen("the same GPUs by number", numbers),
        confidence="possible",
        fix=Fix(
            "For a program that expects numbers, use numbers",
            "safe",
            steps,
            undo=f"export CUDA_VISIBLE_DEVICES={value}",
        ),
    )


def _counts_by_numbers(torch: Framework) -> bool:
    """Whether it counts GPUs by NVML and reads the variable itself, as numbers."""
    numbers = release_numbers(torch.version) or ()
    return numbers_of("torch-counts-by-nvml") <= numbers < numbers_of("torch-reads-uuids")


def _torch_that_counts_none(torch: Framework, value: str, scene: Scene, matrix: Matrix) -> Problem:
    return problem(
        f"{torch.label} counts no GPU while CUDA_VISIBLE_DEVICES holds UUIDs: it reads numbers only.",
        seen("CUDA_VISIBLE_DEVICES", value),
        seen("torch", torch.version, torch.source),
        subject=torch.label,
        severity="error",
        # Releases from 2.0 on understand them.
        fix=framework_for_gpus("torch", scene, matrix),
    )


def _mig(value: str) -> Problem:
    """A MIG device: CUDA counts the first as number 0, whichever programs may see."""
    text = "Start the container with that device alone (docker run --gpus '\"device=MIG-...\"'), without the variable."
    return problem(
        "CUDA_VISIBLE_DEVICES names a MIG device by UUID; some programs accept only numbers.",
        seen("CUDA_VISIBLE_DEVICES", value),
        confidence="possible",
        fix=by_hand("For a program that expects numbers, use a container", text),
    )
