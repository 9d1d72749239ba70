"""GPU008: the GPU is partitioned (MIG): a program sees one instance only, or none exists yet."""

from gpudoctor.rules._gpu_fixes import chosen
from gpudoctor.rules._situation import known
from gpudoctor.rules.sections import Environ, Gap, Gpu, Gpus
from gpudoctor.rules.terms import Fix, Iterator, Problem, SetEnv, by_hand, problem, rule, run, seen


@rule("GPU008", name="mig-single-instance", severity="info", when="gpus.nvidia.mig_enabled")
def mig_single_instance(gpus: Gpus, environ: Environ | Gap | None) -> Iterator[Problem]:
    """The GPU is partitioned (MIG): a program sees one instance only, or none exists yet.

    What it means:
    MIG divides a GPU into several small ones. A CUDA program uses one of them, whatever it lists. With MIG on and no
    part made, there is nothing that a program could use.

    Why it breaks:
    MIG stays on over restarts; the parts do not, they must be made anew.

    How to fix it:
    Give each process the UUID of its part in CUDA_VISIBLE_DEVICES. Make parts with nvidia-smi mig, or switch MIG off.

    When to ignore it:
    When each process has its part.

    Sources:
    NVIDIA MIG user guide, https://docs.nvidia.com/datacenter/tesla/mig-user-guide/
    """
    variables = known(environ)
    chosen = (variables.get("CUDA_VISIBLE_DEVICES") if variables else None) or ""
    divided = [gpu for gpu in gpus.nvidia if gpu.mig_enabled and gpu.mig_instances]
    for gpu in gpus.nvidia:
        others = any(one is not gpu for one in divided)
        if not gpu.mig_enabled or gpu.mig_instances is None:
            continue
        if not gpu.mig_instances:
            yield _nothing_made(gpu)
        elif (len(gpu.mig_instances) > 1 or others) and chosen.count("MIG-") != 1:
            first = gpu.mig_instances[0].uuid
            parts = f"{len(gpu.mig_instances)} MIG instances" if len(gpu.mig_instances) > 1 else "one MIG instance"
            yield problem(
                f"This GPU is divided into {parts}; a program sees only one{' of all GPUs' if others else ''}.",
                seen("MIG", "on"),
                seen("parts", len(gpu.mig_instances)),
                subject=gpu.label,
                fix=Fix(
                    "Choose the MIG instance for a program", "safe", (SetEnv(name="CUDA_VISIBLE_DEVICES", value=first),)
                ),
            )


def _nothing_made(gpu: Gpu) -> Problem:
    which = chosen(gpu)
    return problem(
        "MIG is on, but this GPU has no instance that a program could use.",
        seen("MIG", "on"),
        seen("parts", "none"),
        subject=gpu.label,
        severity="error",
        fixes=(
            by_hand(
                "Create MIG instances",
                run("nvidia-smi", "mig", *which, "-lgip"),
                "Choose a profile from the list, then: nvidia-smi mig -cgi PROFILE -C",
                needs_root=True,
            ),
            by_hand(
                "Switch MIG off", run("nvidia-smi", *which, "-mig", "0"), needs_root=True, undo="nvidia-smi -mig 1"
            ),
        ),
    )
