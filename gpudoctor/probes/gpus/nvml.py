"""Turns NVML's answers about one GPU into facts: values, refusals, unsupported queries."""

from collections.abc import Callable
from typing import Any, TypeVar

from gpudoctor.facts.base import Source
from gpudoctor.facts.codec import from_plain, to_plain
from gpudoctor.facts.gpus import Gpu, GpuProcess, MigInstance, NvLink, PcieLink, PeerLink, Power, Refusal
from gpudoctor.probes.nvidia.nvml_fields import FACTS, PEER_STATUS, flag, mebibytes, memory, number
from gpudoctor.probes.nvidia.transcript import Reply, Subject, Transcript
from gpudoctor.sources.nvidia_codes import NO_CODE, Code, nvml_code

SOURCE = Source(kind="library", where="NVML")

_T = TypeVar("_T")

#: To a question about a link: the GPU has none of that number. To one about a place for a MIG device: it is free.
_INVALID_ARGUMENT, _NOT_FOUND = 2, 6


def refusal(reply: Reply, meaning_of: Callable[[int], Code] = nvml_code) -> Refusal:
    """A call that did not succeed, as a fact; `meaning_of` knows the codes of who was asked."""
    if reply.code is None:
        return Refusal(call=reply.call, code=NO_CODE, name="no answer", meaning="The call did not come back.")
    if reply.code == NO_CODE:
        return Refusal(call=reply.call, code=NO_CODE, name="unreadable answer", meaning=str(reply.value))
    name, meaning = meaning_of(reply.code)
    return Refusal(call=reply.call, code=reply.code, name=name, meaning=meaning)


class _Reader:
    """Collects the fields of one GPU, what was refused and what is not supported."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.fields: dict[str, Any] = {}
        self.refusals: list[Refusal] = []
        self.unsupported: list[str] = []

    def read(self, fact: str) -> None:
        """Take up one fact of `FACTS`."""
        names, convert = FACTS[fact]
        reply = self.subject.reply(fact)
        if reply is None:
            return
        if reply.unsupported:
            self.lack(*names)
            return
        if not reply.ok:
            self.refuse(reply)
            return
        values = self.attempt(reply.call, lambda: convert(reply.value)) or ()
        self.fields.update((name, value) for name, value in zip(names, values, strict=False) if value is not None)

    def value_of(self, subject: Subject, fact: str) -> Any:
        """A fact of a part of the GPU; a refusal of it is noted."""
        reply = subject.reply(fact)
        if reply is not None and not reply.ok and not reply.unsupported:
            self.refuse(reply)
        return subject.value(fact)

    def attempt(self, what: str, convert: Callable[[], _T]) -> _T | None:
        """The result of `convert`; an answer that is not what nvml.h says is noted, and unknown."""
        try:
            return convert()
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            self.refuse(Reply(what, NO_CODE, f"The answer is not of the expected kind ({error})."))
            return None

    def lack(self, *names: str) -> None:
        """Note fields that this GPU or its driver does not support."""
        fields = [name.removesuffix(".single_bit").removesuffix(".double_bit") for name in names]
        self.unsupported += [name for name in fields if name not in self.unsupported]

    def refuse(self, reply: Reply) -> None:
        """Note a refused call, once: two facts of one call are refused for one reason."""
        if (refused := refusal(reply)) not in self.refusals:
            self.refusals.append(refused)

    def group(self, name: str) -> dict[str, Any]:
        """The fields whose name begins with `name` and a dot, without that."""
        return {key.partition(".")[2]: self.fields.pop(key) for key in list(self.fields) if key.startswith(f"{name}.")}


def gpu_from(transcript: Transcript, index: int) -> Gpu:
    """GPU `index` of the transcript. What it refuses to tell is None and stands in `refusals`."""
    try:
        return from_plain(to_plain(_gpu_from(transcript, index)), Gpu)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # Something of another kind than nvml.h says stands where a number or a name should.
        unreadable = Refusal(call="NVML", code=NO_CODE, name="unreadable answer", meaning=f"{error!s:.200}")
        return Gpu(vendor="nvidia", index=index, refusals=(unreadable,), source=SOURCE)


def _gpu_from(transcript: Transcript, index: int) -> Gpu:
    reader = _Reader(transcript.subject(f"gpu {index}"))
    handle = reader.subject.reply("handle")
    if handle is None:
        reader.refusals.append(
            Refusal(call="nvmlDeviceGetHandleByIndex", code=NO_CODE, name="not asked", meaning="NVML stopped before.")
        )
    elif not handle.ok:
        reader.refuse(handle)
    for fact in FACTS:
        reader.read(fact)
    pcie, power, retired = reader.group("pcie"), reader.group("power"), reader.group("retired_pages")
    processes = reader.attempt("processes", lambda: _processes(reader))
    nvlinks = reader.attempt("NVLinks", lambda: _nvlinks(reader, transcript, index))
    instances = reader.attempt("MIG devices", lambda: _mig_instances(reader, transcript, index))
    return Gpu(
        vendor="nvidia",
        index=index,
        pcie=PcieLink(**pcie) if pcie else None,
        power=Power(**power) if power else None,
        retired_pages=sum(retired.values()) if len(retired) == 2 else None,
        processes=processes,
        nvlinks=nvlinks,
        mig_instances=instances,
        refusals=tuple(reader.refusals),
        unsupported=tuple(reader.unsupported),
        source=SOURCE,
        **reader.fields,
    )


def _processes(reader: _Reader) -> tuple[GpuProcess, ...] | None:
    """All processes on the GPU; None unless every kind was told, since an incomplete list reads like a complete one."""
    found: dict[int, GpuProcess] = {}
    complete = True
    for kind in ("compute", "graphics"):
        reply = reader.subject.reply(f"processes.{kind}")
        if reply is None or (reply.unsupported and kind == "compute"):
            complete = False
            reader.lack(*["processes"] if reply else [])
        elif reply.ok:
            for entry in reply.value if isinstance(reply.value, list) else ():
                process = GpuProcess(pid=entry["pid"], used_mib=mebibytes(entry["usedGpuMemory"]), kind=kind)
                found.setdefault(process.pid, process)
        elif not reply.unsupported:
            reader.refuse(reply)
            complete = False
    return tuple(found.values()) if complete else None


def _nvlinks(reader: _Reader, transcript: Transcript, index: int) -> tuple[NvLink, ...] | None:
    """All links; None where one could not be asked for, as with processes."""
    links: list[NvLink] = []
    for gpu, link in transcript.numbers("link", 2):
        if gpu != index:
            continue
        subject = transcript.subject(f"link {gpu} {link}")
        state = subject.reply("active")
        if state is None:
            continue
        if state.ok:
            told = {fact: number(reader.value_of(subject, fact)) for fact in ("version", "replays", "recoveries")}
            links.append(NvLink(link=link, active=flag(state.value), **told))
        elif not state.unsupported and state.code != _INVALID_ARGUMENT:
            reader.refuse(state)
            return None
        elif link == 0:
            reader.lack("nvlinks")
    return tuple(links) or None


def _mig_instances(reader: _Reader, transcript: Transcript, index: int) -> tuple[MigInstance, ...] | None:
    """All MIG devices; None where one could not be asked for."""
    if reader.value_of(reader.subject, "mig_count") is None:
        return None
    instances: list[MigInstance] = []
    for gpu, place in transcript.numbers("mig", 2):
        subject = transcript.subject(f"mig {gpu} {place}")
        handle = subject.reply("handle")
        if gpu != index or handle is None or handle.code == _NOT_FOUND:
            continue
        uuid = reader.value_of(subject, "uuid") if handle.ok else None
        if not isinstance(uuid, str):
            if not handle.ok:
                reader.refuse(handle)
            return None
        name, size = reader.value_of(subject, "name"), reader.value_of(subject, "memory")
        total = memory(size)[0] if size is not None else None
        instances.append(MigInstance(uuid=uuid, name=str(name) if name else None, memory_total_mib=total))
    return tuple(instances)


def peer_links_from(transcript: Transcript) -> tuple[tuple[PeerLink, ...] | None, tuple[Refusal, ...]]:
    """Between which GPUs memory can be reached, and what NVML refused to say of it."""
    links, refused = [], []
    for a, b in transcript.numbers("peers", 2):
        reply = transcript.subject(f"peers {a} {b}").reply("status")
        if reply is not None and reply.ok and isinstance(reply.value, int) and reply.value in PEER_STATUS:
            links.append(PeerLink(a=a, b=b, status=PEER_STATUS[reply.value]))
        elif reply is not None and not reply.ok and not reply.unsupported:
            refused.append(refusal(reply))
    return tuple(links) or None, tuple(dict.fromkeys(refused))
