"""SMK002: the framework lists fewer GPUs than the CUDA driver offers."""

from gpudoctor.rules._expected_gpus import expected, gpus_listed, lists_to_judge, symptoms_of
from gpudoctor.rules.sections import Environ, Frameworks, Gap, Gpus, Live, Scene
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen


@rule("SMK002", name="framework-sees-fewer-gpus", severity="warning", when="live.devices.devices")
def framework_sees_fewer_gpus(
    live: Live, environ: Environ | Gap | None, frameworks: Frameworks | Gap | None, scene: Scene
) -> Iterator[Problem]:
    """The framework lists fewer GPUs than the CUDA driver offers.

    What it means:
    gpudoctor ran the framework and asked what it can use. It lists some of the GPUs and leaves others out.

    Why it breaks:
    The framework has no code for one of the GPUs, or it leaves out those that are much weaker than the best one, as
    TensorFlow does.

    How to fix it:
    Mend what this finding is listed under, where there is one. TensorFlow takes GPUs with few multiprocessors when
    TF_MIN_GPU_MULTIPROCESSOR_COUNT is set to a small number.

    When to ignore it:
    If the GPUs it lists are those that you want to use.

    Sources:
    https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/common_runtime/gpu/gpu_device.cc
    """
    if isinstance(scene.gpus, Gpus) and any(gpu.mig_enabled for gpu in scene.gpus.nvidia):
        return  # A process sees one part of a divided GPU.
    count = expected(scene.gpus, scene.driver, environ)
    for listed in lists_to_judge(live, frameworks):
        have = gpus_listed(listed)
        if not 0 < have < count:
            continue
        symptoms = symptoms_of(live, listed.framework)
        label = f"{listed.framework} {listed.version}" if listed.version else listed.framework
        yield problem(
            f"{label} lists {have} of {count} GPUs.",
            seen("NVIDIA GPUs that a program should see", count),
            seen(f"{listed.framework} lists", ", ".join(device.name for device in listed.devices or ())),
            *(seen(f"{listed.framework} said", one.text) for one in symptoms[:3]),
            subject=label,
            symptoms=symptoms,
            fix=by_hand("See who sees which GPU", "gpudoctor devices"),
        )
