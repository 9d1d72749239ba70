"""A reporter's complaint that a GPU in use is slow."""

from gpudoctor.facts.live import Symptom
from gpudoctor.rules.sections import Gap, Gpus, Live


def complaint(live: Live, gpus: Gpus | Gap | None, signatures: tuple[str, ...]) -> Symptom | None:
    """The first of these complaints; None where no GPU is used, which then is the trouble."""
    if gpus is None or (isinstance(gpus, Gpus) and not gpus.nvidia):
        return None
    if any(one.gpu_available is False for one in live.devices):
        return None
    return next((one for one in live.symptoms if one.signature in signatures), None)
