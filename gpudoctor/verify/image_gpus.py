"""Which GPUs NVIDIA's framework images support."""

from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.code_of_cuda import has_code
from gpudoctor.knowledge.matrix.offer_types import ContainerImage
from gpudoctor.verify.case import Case
from gpudoctor.verify.verdict import Verdict


def gpu_verdict(name: str, row: ContainerImage, case: Case) -> Verdict | None:
    """What keeps an image from the GPUs, or leaves it open; None: it is for all of them, as far as they are stated."""
    machine = case.machine
    least, surely = _oldest(row, case)
    for index, gpu in enumerate(machine.capabilities):
        if least is not None and gpu < least:
            text = f"The image is for GPUs from compute capability {least} on, and this is {machine.label(index)}."
            return case.verdict(name, "does not fit", aspect="gpu", because=text, row=row)
        if row.cuda is not None and has_code(row.cuda, gpu, case.matrix) is False:
            text = f"CUDA {row.cuda} is in the image, and has no code for {machine.label(index)}."
            return case.verdict(name, "does not fit", aspect="gpu", because=text, row=row)
        if surely is not None and gpu < surely:
            text = f"Not judged for this GPU: later images are for compute capability {surely} on."
            return case.verdict(name, "not known", grounds="not in the tables", aspect="gpu", because=text, row=row)
    return None


def _oldest(row: ContainerImage, case: Case) -> tuple[Capability | None, Capability | None]:
    """The oldest GPU that it may be for, and that it is surely for: its own, else that of the images around it.

    They end support for old GPUs, and never begin it again.
    """
    if row.min_capability is not None:
        return row.min_capability, row.min_capability
    rows: tuple[ContainerImage, ...] = case.matrix.table("containers")
    same = [one for one in rows if one.image == row.image and one.min_capability is not None]
    older, newer = [one for one in same if one.tag < row.tag], [one for one in same if one.tag > row.tag]
    least = max(older, key=lambda one: one.tag).min_capability if older else None
    return least, min(newer, key=lambda one: one.tag).min_capability if newer else None
