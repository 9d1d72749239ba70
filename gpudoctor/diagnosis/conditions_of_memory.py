"""Conditions that refute causes by GPU memory: who fills it, by PyTorch's own numbers."""

from gpudoctor.diagnosis.condition import condition
from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.live import Live, LoadedModel
from gpudoctor.knowledge.matrix.gpu_types import GpuPeaks
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.sources.out_of_memory import OutOfMemory, tensor_asked_for

#: A smaller part of what is reserved lies unused in every program.
_MUCH = 5
#: How many times what was asked for is free where the GPU's memory is not what lacks.
_PLENTY = 4
#: MiB of a GeForce RTX 4090.
_LARGEST_OF_DESKTOPS = 24 * 1024


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.0f} MiB"


def _noticeable(total: int) -> int:
    """More than a context and a desktop, which take some hundred MiB on every GPU."""
    return max(total // 5, 1 << 30)


def _hardly_any(total: int) -> int:
    """What a desktop takes of any GPU; on a small one that is much of it."""
    return max(total // 5, min(1 << 30, total // 4))


def _more_than_there_is(one: OutOfMemory) -> bool:
    return one.wanted is not None and one.total is not None and one.wanted > one.total


def _in_the_way(one: OutOfMemory) -> bool:
    """Without what other programs hold, there would have been room."""
    if one.others is None or one.total is None or one.free is None or one.wanted is None:
        return False
    return one.others > _noticeable(one.total) and one.wanted <= one.free + one.others


def _in_pieces(one: OutOfMemory) -> bool:
    """PyTorch's own advice begins where what it reserved is much more than what it gave out."""
    if one.unused is None or one.wanted is None:
        return False
    return one.unused >= max(one.wanted, (one.own or 0) // _MUCH)


@condition
def others_hold_little(seen: SnapshotView) -> str | None:
    """PyTorch's own numbers leave hardly any of the GPU's memory to other programs."""
    for one in seen.memory_reports:
        if one.others is not None and one.total and one.others <= _hardly_any(one.total):
            held, total = one.others / 2**30, one.total / 2**30
            return f"only {held:.1f} of {total:.1f} GiB are not this program's tensors"
    return None


@condition
def others_hold_it(seen: SnapshotView) -> str | None:
    """Other programs hold what this one asked for."""
    for one in seen.memory_reports:
        if one.others is not None and one.total and _in_the_way(one):
            return f"other programs hold {_size(one.others)} of {_size(one.total)}, this one {_size(one.own or 0)}"
    return None


@condition
def others_held_it_before(seen: SnapshotView) -> str | None:
    """Most of the memory was taken when TensorFlow listed the GPU, before it took any itself."""
    gpus = seen.section(Gpus, "gpus")
    for gpu in gpus.devices if gpus else ():
        total, used = gpu.memory_total_mib, gpu.memory_used_mib
        by_tensorflow = gpu.source is not None and gpu.source.where.startswith("TensorFlow")
        if by_tensorflow and total and used is not None and 2 * used > total:
            return f"{_size(used << 20)} of {_size(total << 20)} were taken when TensorFlow listed the GPU"
    return None


@condition
def more_than_the_gpu_has(seen: SnapshotView) -> str | None:
    """No GPU of this size could have given it."""
    for one in seen.memory_reports:
        if _more_than_there_is(one):
            return f"{_size(one.wanted or 0)} were asked for at once, and the GPU has {_size(one.total or 0)} in all"
    tensor, room = max(map(tensor_asked_for, seen.messages), default=None, key=lambda one: one or 0), _room(seen)
    if tensor is not None and tensor > room:
        return f"one tensor of {_size(tensor)} was asked for"
    return None


def _room(seen: SnapshotView) -> int:
    """The memory of the largest GPU that is stated, else of the largest that a desktop has."""
    gpus = seen.section(Gpus, "gpus")
    stated = [gpu.memory_total_mib for gpu in gpus.devices if gpu.memory_total_mib] if gpus else []
    return max(stated, default=_LARGEST_OF_DESKTOPS) << 20


@condition
def own_program_fills_it(seen: SnapshotView) -> str | None:
    """The program alone holds most of the memory, and uses it."""
    for one in seen.memory_reports:
        own = (one.own or 0) - (one.unused or 0)
        if one.total and 2 * own > one.total and not (_in_the_way(one) or _in_pieces(one)):
            return f"the program itself uses {_size(own)} of {_size(one.total)}, and asked for {_size(one.wanted or 0)}"
    return None


@condition
def memory_was_free(seen: SnapshotView) -> str | None:
    """PyTorch's own numbers have several times as much memory free as was asked for: something else refused it."""
    for one in seen.memory_reports:
        if one.free and one.wanted and one.free >= _PLENTY * one.wanted:
            return f"{one.free / 2**30:.1f} GiB were free when {one.wanted / 2**20:.0f} MiB were asked for"
    return None


@condition
def no_free_memory_shown(seen: SnapshotView) -> str | None:
    """The opposite of the one before."""
    return None if memory_was_free(seen) else "no numbers show that memory was free"


@condition
def no_unused_reserve(seen: SnapshotView) -> str | None:
    """PyTorch holds less unused memory than it was asked for, so joining its pieces would not do."""
    for one in seen.memory_reports:
        if not _in_pieces(one) and one.unused is not None and one.wanted is not None:
            return f"only {one.unused / 2**20:.0f} MiB lie unused, and {one.wanted / 2**20:.0f} MiB were asked for"
    return None


@condition
def reserve_in_pieces(seen: SnapshotView) -> str | None:
    """PyTorch itself holds more unused memory than it was asked for."""
    for one in seen.memory_reports:
        if _in_pieces(one) and not (_more_than_there_is(one) or _in_the_way(one)):
            unused, wanted = _size(one.unused or 0), _size(one.wanted or 0)
            return f"{unused} lie unused in PyTorch's own cache, and {wanted} were asked for"
    return None


#: A model takes room beside others, and a program leaves some of the GPU's memory free.
_FITS_EASILY = 0.6


@condition
def model_exceeds_gpu_memory(seen: SnapshotView) -> str | None:
    """A model that is loaded takes more than the GPU has."""
    room = _stated_room(seen)
    for one in _models(seen):
        most = room or one.gpu_memory_told
        if most and one.on_cpu and one.size > most:
            size, has = f"{one.size / 10**9:.0f}", f"{most / 2**30:.0f}"
            if one.context is None:
                return f"the model {one.name} takes {size} GB, and the GPU has {has} GB"
            return (
                f"the model {one.name} takes {size} GB with its context of {one.context} tokens,"
                f" and the GPU has {has} GB"
            )
    return None


@condition
def model_fits_gpu_memory(seen: SnapshotView) -> str | None:
    """Every model that is loaded would fit easily."""
    room, models = _stated_room(seen), _models(seen)
    sizes = [(one.size, room or one.gpu_memory_told) for one in models]
    if sizes and all(most and size < _FITS_EASILY * most for size, most in sizes):
        return f"the model takes {max(size for size, _ in sizes) / 10**9:.0f} GB, which the GPU has"
    return None


def _models(seen: SnapshotView) -> tuple[LoadedModel, ...]:
    live = seen.section(Live, "live")
    return live.models if live else ()


def _stated_room(seen: SnapshotView) -> int | None:
    """Bytes of the GPUs together, as tools state them, else as their models have; None where one is not known."""
    gpus = seen.section(Gpus, "gpus")
    sizes = [_memory_of(gpu) for gpu in gpus.devices] if gpus else []
    return sum(one for one in sizes if one) if sizes and all(sizes) else None


def _memory_of(gpu: Gpu) -> int | None:
    if gpu.memory_total_mib:
        return gpu.memory_total_mib << 20
    names = {model.name for model in load_matrix().models_by_name(gpu.name or "")}
    rows = (row for row in load_matrix().table("gpu_peaks") if isinstance(row, GpuPeaks))
    sizes = {row.memory_gb for row in rows if row.name in names}
    size = sizes.pop() if len(sizes) == 1 else None
    return int(size * 2**30) if size else None
