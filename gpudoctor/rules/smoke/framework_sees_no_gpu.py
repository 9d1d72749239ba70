"""SMK001: the framework lists no GPU although the machine has one."""

from gpudoctor.facts.live import DeviceList, Symptom
from gpudoctor.rules._amd_access import GIVEN, JOIN, RENDER
from gpudoctor.rules._expected_gpus import (
    expected,
    expected_of_amd,
    gpus_listed,
    lists_of_rocm,
    lists_to_judge,
    symptoms_of,
)
from gpudoctor.rules._situation import is_contained, known
from gpudoctor.rules.live_problem import Failed, Said, problems
from gpudoctor.rules.sections import Container, Environ, Frameworks, Gap, Live, Scene, System
from gpudoctor.rules.terms import Evidence, Iterator, Problem, by_hand, problem, rule, seen

_SEE = by_hand("See who sees the GPU, and who does not", "gpudoctor devices")
_SUPPORTED = by_hand(
    "See whether ROCm serves this GPU",
    "Run rocminfo: it lists the GPU as gfx... or says what keeps it away. Which GPUs a ROCm release serves: "
    "https://rocm.docs.amd.com/projects/install-on-linux/en/latest/reference/system-requirements.html",
)


@rule("SMK001", name="framework-sees-no-gpu", severity="error", when="live.devices or failure")
def framework_sees_no_gpu(
    live: Live, environ: Environ | Gap | None, frameworks: Frameworks | Gap | None, scene: Scene
) -> Iterator[Problem]:
    """The framework lists no GPU although the machine has one.

    What it means:
    gpudoctor ran the framework and asked what it can use. It was built for NVIDIA GPUs (or for AMD's, with ROCm), there
    is one, and it lists none. Your programs run on the processor, mostly without saying so.

    Why it breaks:
    A library that the framework needs is not found or does not fit, the driver does not work or is too old, or the GPU
    is hidden from the process. Mostly another finding says which, and this one is listed under it. An AMD GPU is
    reached through /dev/kfd and /dev/dri, which most distributions open to the groups render and video only.

    How to fix it:
    Mend what this finding is listed under. Where it stands alone, look at the messages below: the framework says there
    why it left the GPU out.

    When to ignore it:
    If the framework is to use the processor.

    Sources:
    https://www.tensorflow.org/install/pip
    https://docs.pytorch.org/docs/stable/generated/torch.cuda.is_available.html
    https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/prerequisites.html (groups)
    """
    count = expected(scene.gpus, scene.driver, environ)
    for listed in lists_to_judge(live, frameworks):
        if count and not gpus_listed(listed):
            symptoms = symptoms_of(live, listed.framework)
            there = "there is one" if count == 1 else f"there are {count}"
            yield problem(
                f"{_label(listed)} lists no GPU, although {there}.",
                *tuple(_evidence(listed, symptoms, count)),
                subject=_label(listed),
                symptoms=symptoms,
                fix=_SEE,
            )
    amd = expected_of_amd(scene.gpus, environ)
    for listed in lists_of_rocm(live) if amd else ():
        if not gpus_listed(listed):
            yield _of_amd(listed, amd, live, known(scene.host), scene.container)
    yield from problems(live, "framework-sees-no-gpu", _says)


def _of_amd(
    listed: DeviceList, count: int, live: Live, host: System | None, container: Container | Gap | None
) -> Problem:
    """A build for ROCm: who may open /dev/kfd is the first question."""
    symptoms = symptoms_of(live, listed.framework)
    there = "there is an AMD GPU" if count == 1 else f"there are {count} AMD GPUs"
    shut = host is not None and host.is_root is False and host.groups is not None and RENDER not in host.groups
    groups = (seen("your groups", ", ".join(host.groups or ()) or "none"),) if shut and host is not None else ()
    first = GIVEN if is_contained(container) else JOIN if shut else _SUPPORTED
    return problem(
        f"{_label(listed)} lists no GPU, although {there}.",
        seen("AMD GPUs that the kernel's driver serves", count),
        *groups,
        *(seen(f"{listed.framework} said", symptom.text) for symptom in symptoms[:3]),
        subject=_label(listed),
        symptoms=symptoms,
        fixes=(first, _SEE),
    )


def _says(failed: Failed) -> Said:
    return failed.meaning or f"{failed.who} sees no GPU", (_SEE,)


def _label(listed: DeviceList) -> str:
    return f"{listed.framework} {listed.version}" if listed.version else listed.framework


def _evidence(listed: DeviceList, symptoms: tuple[Symptom, ...], count: int) -> Iterator[Evidence]:
    names = ", ".join(device.name for device in listed.devices or ())
    yield seen("NVIDIA GPUs that a program should see", count)
    yield seen(f"{listed.framework} lists", names or "nothing")
    if listed.gpu_available is not None:
        yield seen(f"{listed.framework} says that it can use a GPU", "yes" if listed.gpu_available else "no")
    for symptom in symptoms[:3]:
        yield seen(f"{listed.framework} said", symptom.text)
