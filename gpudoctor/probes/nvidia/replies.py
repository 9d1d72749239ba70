"""Turns the printed answers of the NVML and CUDA driver child processes into facts."""

from collections.abc import Callable, Iterator

from msgspec import structs

from gpudoctor.facts.base import Source
from gpudoctor.facts.driver import Answer
from gpudoctor.facts.gpus import Refusal
from gpudoctor.facts.versions import Capability, CudaVersion, DriverRelease
from gpudoctor.host.port import Ran
from gpudoctor.probes.gpus.nvml import gpu_from, peer_links_from, refusal
from gpudoctor.probes.nvidia.children import CUDA, NVML, CudaDevice, CudaFacts, NvmlFacts, no_library, not_asked
from gpudoctor.probes.nvidia.transcript import Reply, Subject, Transcript, ending, parse_transcript
from gpudoctor.sources.nvidia_codes import CUDA_UNSUPPORTED, NO_CODE, Code, cuda_code, nvml_code
from gpudoctor.sources.pci import bus_id

#: More GPUs than this in one machine is a wrong count, not a machine.
_MOST_GPUS = 128


def parse_nvml(ran: Ran) -> NvmlFacts:
    """The facts in the output of `agent/ask_nvml.py`, however it ended. Pure."""
    transcript = parse_transcript(ran.stdout)
    system = transcript.subject("system")
    count = _count(system)
    links, of_pairs = peer_links_from(transcript)
    refused = (*_refused(system, "driver_release", "cuda_version"), *of_pairs)
    return NvmlFacts(
        nvml=structs.replace(_answer(ran, transcript, NVML, nvml_code), refusals=refused),
        release=DriverRelease.parse(system.value("driver_release")),
        cuda=_cuda_version(system),
        gpus=tuple(gpu_from(transcript, index) for index in range(count or 0)),
        peer_links=links,
    )


def parse_cuda(ran: Ran) -> CudaFacts:
    """The facts in the output of `agent/ask_cuda.py`, however it ended. Pure."""
    transcript = parse_transcript(ran.stdout)
    system = transcript.subject("system")
    gpus = [transcript.subject(f"gpu {ordinal}") for ordinal in range(_count(system) or 0)]
    refused = (*_refused_by_cuda(system, -1, "cuda_version"), *_refused_of_gpus(gpus))
    return CudaFacts(
        cuda_init=structs.replace(_answer(ran, transcript, CUDA, cuda_code), refusals=refused),
        cuda=_cuda_version(system),
        devices=tuple(_device(gpu, ordinal) for ordinal, gpu in enumerate(gpus)),
    )


def _answer(ran: Ran, transcript: Transcript, source: Source, meaning_of: Callable[[int], Code]) -> Answer:
    system = transcript.subject("system")
    loaded, bound = system.reply("library"), system.reply("binding")
    if loaded is not None and loaded.code == NO_CODE:
        return no_library(str(loaded.value), source)
    if bound is not None and bound.code == NO_CODE:
        return not_asked(f"nvidia-ml-py cannot be used: {bound.value}", source)
    outcome, detail = ending(ran, transcript)
    telling = _telling(system)
    code = None if telling is None or telling.code == NO_CODE else telling.code
    if outcome == "answered" and code is None:
        outcome, detail = "garbage", None if telling is None else str(telling.value)
    elif outcome == "answered" and code != 0 and telling is not None:
        detail = telling.call
    elif outcome == "answered" and _count(system) is None:
        outcome, detail = "garbage", f"a number of GPUs of {system.value('count')!r:.40}"
    known = None if code is None else meaning_of(code)
    path = system.value("library_path")
    return Answer(
        outcome=outcome,
        code=code,
        name=known and known.name,
        meaning=known and known.meaning,
        detail=detail,
        library=path if isinstance(path, str) else None,
        device_count=_count(system),
        source=source,
    )


def _telling(system: Subject) -> Reply | None:
    """The reply that decides how the library is: that to its start, or to the number of GPUs if only that failed."""
    start, count = system.reply("init"), system.reply("count")
    return count if start is not None and start.ok and count is not None else start


def _count(system: Subject) -> int | None:
    count = system.value("count")
    return count if type(count) is int and 0 <= count <= _MOST_GPUS else None


def _cuda_version(system: Subject) -> CudaVersion | None:
    number = system.value("cuda_version")
    # A driver of which only a stub answers says 0.
    return CudaVersion.from_number(number) if isinstance(number, int) and 1000 <= number < 1_000_000 else None


def _refused(system: Subject, *facts: str) -> tuple[Refusal, ...]:
    replies = (system.reply(fact) for fact in facts)
    return tuple(refusal(reply) for reply in replies if reply is not None and not reply.ok and not reply.unsupported)


def _refused_of_gpus(gpus: list[Subject]) -> Iterator[Refusal]:
    """What the CUDA driver refused to tell of each GPU. One that it does not even give out is asked nothing more."""
    for ordinal, gpu in enumerate(gpus):
        handle = gpu.reply("handle")
        if handle is not None and not handle.ok:
            yield _cuda_refusal(handle, ordinal)
        yield from _refused_by_cuda(gpu, ordinal, "name", "uuid", "pci_bus_id", "capability", "memory")


def _refused_by_cuda(subject: Subject, ordinal: int, *facts: str) -> Iterator[Refusal]:
    for fact in facts:
        reply = subject.reply(fact)
        if reply is not None and not reply.ok and reply.code not in CUDA_UNSUPPORTED:
            yield _cuda_refusal(reply, ordinal)


def _cuda_refusal(reply: Reply, ordinal: int) -> Refusal:
    refused = refusal(reply, cuda_code)
    return structs.replace(refused, call=f"{refused.call}({ordinal})") if ordinal >= 0 else refused


def _device(gpu: Subject, ordinal: int) -> CudaDevice:
    name, uuid, address, memory = (gpu.value(fact) for fact in ("name", "uuid", "pci_bus_id", "memory"))
    match gpu.value("capability"):
        case [int(major), int(minor)] if major > 0:
            capability = Capability.parse(f"{major}.{minor}")
        case _:
            capability = None
    return CudaDevice(
        ordinal=ordinal,
        name=name if isinstance(name, str) and name else None,
        uuid=_uuid(uuid) if isinstance(uuid, str) else None,
        pci_bus_id=bus_id(address) if isinstance(address, str) else None,
        capability=capability,
        memory_total_mib=memory >> 20 if isinstance(memory, int) and memory else None,
    )


def _uuid(digits: str) -> str | None:
    """The 16 bytes as NVML and nvidia-smi write them."""
    parts = (digits[0:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32])
    return f"GPU-{'-'.join(parts)}" if len(digits) == 32 and digits.strip("0") else None
