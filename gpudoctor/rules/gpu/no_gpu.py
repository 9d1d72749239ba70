"""GPU001: no NVIDIA GPU was found; that is fine, and much works without one."""

from gpudoctor.rules._driver_state import signs_of_a_gpu
from gpudoctor.rules._situation import is_contained, known, slurm_of, wsl_of
from gpudoctor.rules.builds import in_words
from gpudoctor.rules.sections import Container, Gap, Gpus, Live, Scene, System
from gpudoctor.rules.terms import Ask, Fix, Iterator, Problem, by_hand, problem, rule, seen

#: What the other makers' GPUs are used with.
OTHERS = {
    "apple": "This Mac has an Apple GPU: PyTorch uses it through MPS, TensorFlow through tensorflow-metal.",
    "amd": "There is an AMD GPU: PyTorch has builds for it (ROCm); CUDA builds cannot use it.",
    "intel": "There is an Intel GPU: PyTorch has builds for it (XPU); CUDA builds cannot use it.",
}


@rule("GPU001", name="no-gpu", severity="info", when="not gpus.nvidia")
def no_gpu(gpus: Gpus | None, host: System | Gap, live: Live | Gap | None, scene: Scene) -> Iterator[Problem]:
    """No NVIDIA GPU was found; that is fine, and much works without one.

    What it means:
    gpudoctor looked on the PCI bus and asked the driver's library, and saw no NVIDIA GPU. Frameworks then compute on
    the processor.

    Why it breaks:
    It does not. It only surprises where you expected a GPU: in a container that was started without GPU access, on the
    login node of a cluster, in a virtual machine, or where the card is switched off or not seated.

    How to fix it:
    Without a GPU: train on all cores of the processor, take a small pretrained model and train only its last layers
    (transfer learning), or run ready models on the CPU, quantised to 8 or 4 bits. Or use a hosted notebook or a
    cloud machine with a GPU.

    When to ignore it:
    When you have no NVIDIA GPU and do not need one.

    Sources:
    PyTorch "Transfer learning" and TensorFlow "Transfer learning and fine-tuning" tutorials:
    https://docs.pytorch.org/tutorials/beginner/transfer_learning_tutorial.html
    https://www.tensorflow.org/tutorials/images/transfer_learning
    """
    if (gpus is not None and gpus.nvidia) or signs_of_a_gpu(gpus, known(scene.driver), scene.container):
        return
    others = sorted({gpu.vendor for gpu in gpus.devices if gpu.vendor in OTHERS}) if gpus else []
    machine = known(host)
    cores = machine.cpu.cores if machine and machine.cpu else None
    places = tuple(Ask(text=text) for text in _where_else(scene.container))
    own = tuple(Ask(text=OTHERS[vendor]) for vendor in others)
    fixes: tuple[Fix, ...] = (by_hand("If you expected a GPU here", *places),) if places else ()
    fixes += (by_hand("Use the GPU that is here", *own),) if own else ()
    users = _users(known(live))
    if own and users:
        yield problem(
            f"No NVIDIA GPU was found; {in_words(users)} can use the GPU that is here.",
            *(seen("other GPU", vendor) for vendor in others),
            fix=by_hand("Use the GPU that is here", *own),
        )
        return
    yield problem(
        "No NVIDIA GPU was found. Frameworks run on the CPU.",
        seen("NVIDIA GPUs", "none seen"),
        *(seen("other GPU", vendor) for vendor in others),
        *((seen("processor cores", cores),) if cores else ()),
        fixes=(*fixes, _without_gpu(cores)),
    )


def _users(live: Live | None) -> tuple[str, ...]:
    """Frameworks that list a GPU of another maker; of Apple's, torch says that CUDA is not available."""
    kinds = {one.framework: {d.kind for d in one.devices or ()} for one in (live.devices if live else ())}
    shut = {one.framework for one in (live.devices if live else ()) if one.gpu_available is False}
    return tuple(name for name, has in kinds.items() if "mps" in has or (has & {"gpu", "xpu"} and name not in shut))


def _where_else(container: Container | Gap | None) -> Iterator[str]:
    if is_contained(container):
        yield "This is a container. If its host has a GPU, start it with GPU access: docker run --gpus all."
    if wsl_of(container):
        yield "This is WSL. If Windows has an NVIDIA GPU, update its Windows driver, then run wsl --update in Windows."
    slurm = slurm_of(container)
    if slurm:
        yield "This is a Slurm cluster. Ask for a GPU (srun --gpus 1), and run gpudoctor inside that job."
    around = known(container)
    if around and around.notebook == "colab":
        yield "This is Colab. Choose Runtime, Change runtime type, and a GPU."


def _without_gpu(cores: int | None) -> Fix:
    use = f"on all {cores} CPU cores" if cores and cores > 1 else "on the CPU"
    return by_hand(
        "What you can do without a GPU",
        f"Train {use}; frameworks use several cores by themselves. Small models train well that way.",
        "Take a small pretrained model and train only its last layers (transfer learning).",
        "Run ready models on the CPU, quantised (ONNX Runtime, llama.cpp, OpenVINO).",
        "Use a hosted notebook (Colab, Kaggle) or a cloud machine for larger training.",
    )
