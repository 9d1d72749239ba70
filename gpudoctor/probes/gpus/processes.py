"""Names and users of the processes on a GPU, and which of them are gone."""

import msgspec

from gpudoctor.facts.gpus import Gpu, GpuProcess
from gpudoctor.host.port import Host
from gpudoctor.probes.host_files import text_of, word_of

#: The kernel gives its first PID namespace this number (PROC_PID_INIT_INO, include/linux/proc_ns.h).
_FIRST_NAMESPACE = "pid:[4026531836]"


def name_processes(host: Host, gpu: Gpu) -> Gpu:
    """The GPU with its processes named. In a PID namespace of our own their numbers mean other processes to us."""
    if not gpu.processes or host.link("/proc/self/ns/pid") != _FIRST_NAMESPACE:
        return gpu
    return msgspec.structs.replace(gpu, processes=tuple(_named(host, process) for process in gpu.processes))


def _named(host: Host, process: GpuProcess) -> GpuProcess:
    folder = f"/proc/{process.pid}"
    owner, own = (getattr(host.stat(path), "owner", None) for path in (folder, "/proc/self"))
    return msgspec.structs.replace(
        process,
        name=word_of(host, f"{folder}/comm"),
        user=owner,
        same_user=owner == own if owner and own else None,
        gone=_is_gone(host, folder),
    )


def _is_gone(host: Host, folder: str) -> bool | None:
    """Whether it is a zombie, or not there at all; a /proc that hides other users' processes (hidepid) cannot tell."""
    status = text_of(host, f"{folder}/status")
    if status is not None:
        return "\nState:\tZ" in f"\n{status}"
    shows_all = word_of(host, "/proc/1/comm") is not None
    return True if shows_all and word_of(host, f"{folder}/comm") is None else None
