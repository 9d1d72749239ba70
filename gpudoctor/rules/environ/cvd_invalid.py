"""ENV001: CUDA_VISIBLE_DEVICES hides all GPUs, or some it seems meant to show."""

from gpudoctor.rules._situation import known, slurm_of
from gpudoctor.rules.sections import Driver, Environ, Gap, Gpus, Scene
from gpudoctor.rules.terms import Ask, Evidence, Fix, Iterator, Problem, SetEnv, by_hand, problem, rule, seen
from gpudoctor.rules.visible_devices import Mask, is_numeric, read_mask

VARIABLE = "CUDA_VISIBLE_DEVICES"


@rule("ENV001", name="cvd-invalid", severity="error", when="not environ.CUDA_VISIBLE_DEVICES=None, gpus.nvidia")
def cvd_invalid(gpus: Gpus, environ: Environ, scene: Scene) -> Iterator[Problem]:
    """CUDA_VISIBLE_DEVICES hides all GPUs, or some it seems meant to show.

    What it means:
    This variable lists the GPUs that CUDA programs may see, by number or by UUID. Programs see the listed GPUs up to
    the first entry that does not exist; the rest of the list is ignored. An empty list, or -1, shows none.

    Why it breaks:
    A number from another machine or from outside the container, a GPU listed twice (CUDA then shows none), a UUID of
    another card, or a setting that someone made to force the processor and forgot.

    How to fix it:
    Unset the variable, or list existing GPUs. Look for where it is set: ~/.bashrc, a service file, a kernel.json of
    Jupyter, a start script. A program can also set it for itself; that cannot be seen from outside.

    When to ignore it:
    When you hide the GPUs on purpose.

    Sources:
    CUDA programming guide, environment variables,
    https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html; for repeated entries
    torch/cuda/__init__.py of PyTorch
    """
    value = environ.get(VARIABLE)
    if value is None or not gpus.nvidia:
        return
    mask = read_mask(value, gpus)
    if mask.reason is None or _cuda_sees_more(scene.driver, mask, value):
        return
    slurm = slurm_of(scene.container)
    yield problem(
        _summary(mask),
        *_evidence(value, mask, gpus),
        *(seen("set in", file) for file in _set_in(environ, value)),
        not_leading_to=("cuda-init-failed", "gpu-required") if mask.visible else (),
        fixes=_in_job(value, gpus) if slurm and slurm.in_job else _fixes(_set_in(environ, value)),
    )


def _cuda_sees_more(driver: Driver | Gap | None, mask: Mask, value: str) -> bool:
    """CUDA itself was asked with this variable set; what it lists counts more than our reading of a UUID."""
    if "GPU-" not in value and "MIG-" not in value:
        return False
    state = known(driver)
    answer = state.cuda_init if state else None
    return answer is not None and answer.ok and (answer.device_count or 0) > len(mask.visible)


def _summary(mask: Mask) -> str:
    if not mask.visible:
        return f"{VARIABLE} hides every GPU: {mask.reason}."
    count = len(mask.visible)
    shown = "only 1 GPU" if count == 1 else f"only {count} GPUs"
    return f"{VARIABLE} shows {shown}: {mask.reason}, and the rest is ignored."


def _evidence(value: str, mask: Mask, gpus: Gpus) -> Iterator[Evidence]:
    yield seen(VARIABLE, repr(value))
    yield seen("entries that count", ", ".join(mask.visible) or "none")
    for gpu in gpus.nvidia[:8]:
        if gpu.index is not None:
            yield seen(gpu.label, gpu.uuid or "UUID not known")


def _set_in(environ: Environ, value: str) -> tuple[str, ...]:
    """The login files that set the variable to this value."""
    settings = (one for one in environ.login or () if one.name == VARIABLE and one.value == value)
    return tuple(dict.fromkeys(setting.file for setting in settings))


def _in_job(value: str, gpus: Gpus) -> tuple[Fix, ...]:
    """Where just as many GPUs are here as are listed, the numbers are those of the node and count from 0 here."""
    if is_numeric(value) and sum(gpu.index is not None for gpu in gpus.nvidia) == len(value.split(",")):
        unset = Fix("Show all GPUs of the job", "safe", (SetEnv(name=VARIABLE, value=None),))
        text = (
            "Tell the administrator: with ConstrainDevices=yes in cgroup.conf, Slurm numbers the GPUs of a job from 0."
        )
        return (unset, by_hand("Make it last", text))
    text = "The scheduler sets this variable. Ask it for the GPUs you need, and leave the variable as it is."
    return (by_hand("Ask the scheduler for GPUs", text),)


def _fixes(files: tuple[str, ...]) -> tuple[Fix, ...]:
    unset = Fix("Show all GPUs in this session", "safe", (SetEnv(name=VARIABLE, value=None),))
    places = " and ".join(files) or "~/.bashrc, a service file, Jupyter's kernel.json, a start script"
    where = Ask(text=f"Then remove it where it is set: {places}.")
    return (unset, by_hand("Make it last", where))
