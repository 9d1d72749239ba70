"""SMK001: the framework lists no GPU although the machine has one."""

from gpudoctor.facts.live import DeviceList, Symptom
from gpudoctor.rules._expected_gpus import expected, gpus_listed, lists_to_judge, symptoms_of
from gpudoctor.rules.live_problem import Failed, Said, problems
from gpudoctor.rules.sections import Driver, Environ, Frameworks, Gap, Gpus, Live
from gpudoctor.rules.terms import Evidence, Iterator, Problem, by_hand, rule, seen

_SEE = by_hand("See who sees the GPU, and who does not", "gpudoctor devices")


@rule("SMK001", name="framework-sees-no-gpu", severity="error", when="live.devices or failure")
def framework_sees_no_gpu(
    live: Live,
    gpus: Gpus | Gap | None,
    driver: Driver | Gap | None,
    environ: Environ | Gap | None,
    frameworks: Frameworks | Gap | None,
) -> Iterator[Problem]:
    """The framework lists no GPU although the machine has one.

    What it means:
    gpudoctor ran the framework and asked what it can use. It was built for NVIDIA GPUs, there is one, and it lists
    none. Your programs run on the processor, mostly without saying so.

    Why it breaks:
    A library that the framework needs is not found or does not fit, the driver does not work or is too old, or the GPU
    is hidden from the process. Mostly another finding says which, and this one is listed under it.

    How to fix it:
    Mend what this finding is listed under. Where it stands alone, look at the messages below: the framework says there
    why it left the GPU out.

    When to ignore it:
    If the framework is to use the processor.

    Sources:
    https://www.tensorflow.org/install/pip
    https://docs.pytorch.org/docs/stable/generated/torch.cuda.is_available.html
    """
    count = expected(gpus, driver, environ)
    for listed in lists_to_judge(live, frameworks):
        if count and not gpus_listed(listed):
            symptoms = symptoms_of(live, listed.framework)
            there = "there is one" if count == 1 else f"there are {count}"
            yield Problem(
                summary=f"{_label(listed)} lists no GPU, although {there}.",
                subject=_label(listed),
                evidence=tuple(_evidence(listed, symptoms, count)),
                symptoms=symptoms,
                fixes=(_SEE,),
            )
    yield from problems(live, "framework-sees-no-gpu", _says)


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
