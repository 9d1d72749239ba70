"""One GPU as NVML describes it: what it told, what it refused, and what it does not support."""

from typing import Any

from gpudoctor.model.base import Source
from gpudoctor.model.gpus import Gpu, GpuProcess, MigInstance, NvLink, PcieLink, PeerLink, Power, Refusal
from gpudoctor.probes.nvidia_codes import nvml_code
from gpudoctor.probes.nvidia_transcript import NO_CODE, Reply, Subject, Transcript
from gpudoctor.probes.nvml_fields import FACTS, PEER_STATUS, flag, mebibytes, memory, number

SOURCE = Source(kind="library", where="NVML")


def refusal(reply: Reply) -> Refusal:
    """A call that did not succeed, as a fact."""
    if reply.code is None:
        return Refusal(call=reply.call, code=NO_CODE, name="no answer", meaning="The call did not come back.")
    if reply.code == NO_CODE:
        return Refusal(call=reply.call, code=NO_CODE, name="unreadable answer", meaning=str(reply.value))
    name, meaning = nvml_code(reply.code)
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
        try:
            values = convert(reply.value)
        except (TypeError, ValueError, LookupError):
            self.refuse(Reply(reply.call, NO_CODE, f"The answer {reply.value!r:.80} is not of the expected kind."))
            return
        self.fields.update((name, value) for name, value in zip(names, values, strict=True) if value is not None)

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
    processes = _processes(reader)
    nvlinks = _nvlinks(reader, transcript, index)
    instances = _mig_instances(reader, transcript, index)
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
    links = []
    for gpu, link in transcript.numbers("link", 2):
        subject = transcript.subject(f"link {gpu} {link}")
        state = subject.reply("active")
        if gpu != index or state is None:
            continue
        if state.ok:
            links.append(NvLink(link=link, active=flag(state.value), version=number(subject.value("version"))))
        elif not state.unsupported and state.code != 2:  # an invalid argument: there is no link of that number
            reader.refuse(state)
    return tuple(links) or None


def _mig_instances(reader: _Reader, transcript: Transcript, index: int) -> tuple[MigInstance, ...] | None:
    count = reader.subject.reply("mig_count")
    if count is None:
        return None
    if not count.ok:
        reader.refuse(count)
        return None
    instances = []
    for gpu, place in transcript.numbers("mig", 2):
        subject = transcript.subject(f"mig {gpu} {place}")
        handle, uuid = subject.reply("handle"), subject.value("uuid")
        if gpu != index or handle is None or handle.code == 6:  # not found: a free place
            continue
        if not isinstance(uuid, str):
            reader.refuse(handle if not handle.ok else subject.reply("uuid") or handle)
            continue
        name, size = subject.value("name"), subject.value("memory")
        total = memory(size)[0] if isinstance(size, dict) else None
        instances.append(MigInstance(uuid=uuid, name=str(name) if name else None, memory_total_mib=total))
    return tuple(instances)


def peer_links_from(transcript: Transcript) -> tuple[tuple[PeerLink, ...] | None, tuple[Refusal, ...]]:
    """Between which GPUs memory can be reached, and what NVML refused to say of it."""
    links, refused = [], []
    for a, b in transcript.numbers("peers", 2):
        reply = transcript.subject(f"peers {a} {b}").reply("status")
        if reply is not None and reply.ok and reply.value in PEER_STATUS:
            links.append(PeerLink(a=a, b=b, status=PEER_STATUS[reply.value]))
        elif reply is not None and not reply.ok and not reply.unsupported:
            refused.append(refusal(reply))
    return tuple(links) or None, tuple(dict.fromkeys(refused))
