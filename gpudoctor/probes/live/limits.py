"""How many threads and how much memory each agent process may take."""

import os
import re
from collections.abc import Mapping

from gpudoctor.host.port import Host
from gpudoctor.knowledge.frameworks import descriptors
from gpudoctor.probes.host_files import text_of, word_of
from gpudoctor.probes.system.cpu import parse_meminfo

#: Threads that one framework gets at most: the networks are small, and more threads only wait for each other.
_MOST_THREADS = 8
#: Of the memory that is free, how much all agents together may take.
_SHARE = 0.85
#: No framework can be imported in less; a smaller cap would only ever be hit.
_LEAST_MEMORY = 1024**3
_CGROUP = "/sys/fs/cgroup"

#: Set where the user has not set them. Waiting threads sleep instead of spinning: two processes that spin on two cores
#: take many times longer (OpenMP: openmp.org, OMP_WAIT_POLICY; Intel's and LLVM's: KMP_BLOCKTIME).
_PATIENT = {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"}
_QUIET = {"NCCL_DEBUG": "WARN"}
#: How many threads OpenMP, the BLAS libraries, NumExpr, and XLA's CPU client (NPROC, xla/pjrt/utils.cc) start.
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NPROC")


def agent_environment(env: Mapping[str, str], threads: int | None) -> dict[str, str]:
    """The user's variables, which are what is tried, and beside them what the user left open."""
    bounded = dict.fromkeys(_THREADS, str(threads)) if threads else {}
    # What TensorFlow logs says why it sees no GPU; a user who silenced it meant their own screen. In safe-path mode
    # Python would not find what our scripts share.
    changed = {name: value for name, value in env.items() if name != "PYTHONSAFEPATH"}
    modest = {name: value for one in descriptors() for name, value in one.modest.items()}
    return {**_PATIENT, **_QUIET, **modest, **bounded, **changed, "TF_CPP_MIN_LOG_LEVEL": "0"}


def threads_each(host: Host, processes: int) -> int:
    """Threads for each of so many processes that run side by side."""
    return max(1, min(_MOST_THREADS, cores(host) // max(1, processes)))


def cores(host: Host) -> int:
    """Processors that we may use: as the scheduler and the control group allow."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = parse_cpu_max(text_of(host, f"{_CGROUP}/cpu.max") or "")
    return max(1, min(allowed, round(quota)) if quota else allowed)


def memory_cap(host: Host, processes: int) -> int | None:
    """Bytes that each of so many processes may hold; None where it is not known what is free."""
    free = _free_memory(host)
    return None if free is None else max(_LEAST_MEMORY, int(free * _SHARE / max(1, processes)))


def parse_cpu_max(text: str) -> float | None:
    """Processors in cgroup v2's cpu.max: "150000 100000" is 1.5; "max 100000" is no limit."""
    match = re.fullmatch(r"(\d+) ([1-9]\d*)", text.strip())
    return int(match[1]) / int(match[2]) if match else None


def count_oom_kills(host: Host) -> int | None:
    """How often the kernel has ended a process for want of memory (oom_kill in /proc/vmstat, Linux 4.13 and later)."""
    match = re.search(r"^oom_kill (\d+)$", text_of(host, "/proc/vmstat") or "", re.MULTILINE)
    return int(match[1]) if match else None


def _free_memory(host: Host) -> int | None:
    if host.platform != "linux":
        import psutil

        return int(psutil.virtual_memory().available)
    _, available = parse_meminfo(text_of(host, "/proc/meminfo") or "")
    limit, used = (word_of(host, f"{_CGROUP}/memory.{name}") or "" for name in ("max", "current"))
    if limit.isdecimal() and used.isdecimal():
        left = int(limit) - int(used)
        return left if available is None else min(left, available)
    return available
