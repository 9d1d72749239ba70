"""Messages of the processes that load data."""

from gpudoctor.signatures.catalogue import signature

_DATA = "https://docs.pytorch.org/docs/stable/data.html"
_SHARING = "https://docs.pytorch.org/docs/stable/multiprocessing.html#sharing-strategies"
_TORCH = ("torch",)

SIGNATURES = (
    signature(
        "shared-memory-bus-error",
        r"dataloader worker[^\n]{0,60}bus error|dataloader worker[^\n]{0,60}killed by signal(?!: killed)"
        r"|insufficient shared memory|out of shared memory"
        r"|unable to (?:open|write to) (?:shared memory object|file </torch_)|\bsigbus\b",
        needles=("dataloader worker", "shared memory", "</torch_", "sigbus"),
        meaning="The processes that load data ran out of shared memory (/dev/shm).",
        causes={"shm-pressure": 0.55, "container-shm-small @ container": 0.5, "host-memory-full": 0.15},
        ask="df -h /dev/shm",
        source="https://docs.pytorch.org/docs/stable/multiprocessing.html",
        frameworks=_TORCH,
    ),
    signature(
        "loader-worker-killed",
        r"dataloader worker[^\n]{0,60}killed by signal: killed|exitcode\s*:? ?-9\b|signal 9 \(sigkill\)",
        needles=("dataloader worker", "exitcode", "signal 9"),
        meaning="The system ended a process of the program, mostly because the main memory was full.",
        causes={"host-memory-full": 0.85, "container-shm-small @ container": 0.15},
        ask="free -h; dmesg | grep -i -E 'oom|killed process' | tail",
        source=_DATA,
    ),
    signature(
        "loader-worker-exited",
        r"dataloader worker \(pid(?:\(s\))?:? [\d, ]+\) exited unexpectedly",
        needles=("dataloader worker",),
        meaning="A process that loads data ended; its own message, or the memory, says why.",
        causes={
            "host-memory-full": 0.35,
            "shm-pressure": 0.3,
            "container-shm-small @ container": 0.3,
            "no-main-guard @ windows": 0.3,
            "forked-after-cuda": 0.2,
        },
        ask="num_workers=0 once; free -h; df -h /dev/shm",
        source=_DATA,
        frameworks=_TORCH,
    ),
    signature(
        "loader-hangs",
        r"(?:data ?loader|num_workers)[^\n]{0,60}\b(?:hang\w*|stuck|deadlock\w*|freez\w*)"
        r"|\b(?:hang\w*|stuck|deadlock\w*|freez\w*)\b[^\n]{0,40}(?:data ?loader|num_workers)",
        needles=("dataloader", "data loader", "num_workers"),
        meaning="The processes that load data wait for something that does not come.",
        causes={
            "shm-pressure": 0.4,
            "container-shm-small @ container": 0.35,
            "forked-after-cuda": 0.25,
            "host-memory-full": 0.15,
        },
        ask="df -h /dev/shm; num_workers=0 once",
        source=_DATA,
        frameworks=_TORCH,
        fallback=True,
    ),
    signature(
        "open-files-limit",
        r"too many open files|received 0 items of ancdata|unable to open shared memory object[^\n]{0,60}too many",
        needles=("too many open files", "items of ancdata"),
        meaning="The program has more files open than the system allows it.",
        causes={"open-files-limit": 0.93},
        ask="ulimit -n",
        source=_SHARING,
        frameworks=_TORCH,
    ),
    signature(
        "no-main-guard",
        r"attempt has been made to start a new process before the current process has finished its bootstrapping"
        r"|if __name__ == '__main__':\s*$|freeze_support\(\)",
        needles=("start a new process before", "freeze_support()"),
        meaning="The program starts further processes while it is itself being imported by one.",
        causes={"no-main-guard": 0.95},
        ask="put what the program does under: if __name__ == '__main__':",
        source="https://docs.python.org/3/library/multiprocessing.html#the-spawn-and-forkserver-start-methods",
    ),
)
