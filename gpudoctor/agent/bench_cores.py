"""How many CPU cores and how much memory this process may use, and whether the CPU has fast bfloat16."""

import os

#: Bytes a measurement may take of the main memory at most, and the share of what is available.
MOST_MEMORY, SHARE = 4 << 30, 0.25


def cores():
    """Cores (not hardware threads) that this process may run on, as far as its container gives it their time."""
    try:
        allowed = os.sched_getaffinity(0)
    except AttributeError:  # not Linux
        return os.cpu_count() or 1
    siblings = set()
    for cpu in allowed:
        text = _read("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list".format(cpu))
        siblings.add(text or str(cpu))
    quota = _quota()
    return max(1, min(len(siblings), quota) if quota else len(siblings))


def memory():
    """Bytes of main memory that a measurement may take."""
    free = [MOST_MEMORY]
    lines = (_read("/proc/meminfo") or "").splitlines()
    free += [int(line.split()[1]) * 1024 * SHARE for line in lines if line.startswith("MemAvailable:")]
    for most, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        limit, now = _number(most), _number(used)
        if limit is not None and now is not None:
            free.append(max(0, limit - now) * SHARE)
    return min(free)


def fast_bfloat16():
    """Whether the processor has instructions for bfloat16; without them it is slower than float32."""
    flags = _read("/proc/cpuinfo") or ""
    return "avx512_bf16" in flags or "amx_bf16" in flags


def running_now():
    """How many threads of the machine run or wait for a core, this one too; 1 where that is not told (proc(5))."""
    parts = (_read("/proc/loadavg") or "").split()
    return int(parts[3].split("/")[0]) if len(parts) > 3 else 1


def _quota():
    """Cores' worth of time that the cgroup gives, rounded up."""
    parts = (_read("/sys/fs/cgroup/cpu.max") or "").split()
    if len(parts) == 2 and parts[0].isdigit():
        return -(-int(parts[0]) // int(parts[1]))
    quota = _number("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")
    period = _number("/sys/fs/cgroup/cpu/cpu.cfs_period_us")
    return -(-quota // period) if quota and quota > 0 and period else None


def _number(path):
    text = _read(path) or ""
    return int(text) if text.lstrip("-").isdigit() else None


def _read(path):
    try:
        with open(path) as stream:
            return stream.read().strip()
    except (OSError, UnicodeDecodeError):
        return None
