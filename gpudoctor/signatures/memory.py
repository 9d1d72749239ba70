"""Out of memory: of the GPU, of the machine, of a disk."""

from gpudoctor.signatures.catalogue import signature

_ALLOCATOR = "https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management"
_FULL = {
    "batch-too-large": 0.6,
    "other-process-holds-memory": 0.45,
    "gpu-mem-orphan": 0.2,
    "memory-fragmented": 0.15,
}

SIGNATURES = (
    signature(
        "torch-gpu-out-of-memory",
        r"cuda out of memory|torch\.(?:cuda\.)?outofmemoryerror|hip out of memory",
        needles=("out of memory", "outofmemoryerror"),
        meaning="The GPU's memory is full.",
        causes=_FULL,
        ask="nvidia-smi, before and while the program runs",
        source=_ALLOCATOR,
        frameworks=("torch",),
    ),
    signature(
        "cuda-out-of-memory",
        r"cudaerrormemoryallocation\b|cuda_error_out_of_memory\b|cuda(?: runtime"
        r"| driver)? error[^\n]{0,20}\bout of memory"
        r"|failed to allocate [\d.]+ ?\w* ?(?:\(\d+ bytes\) )?from device",
        needles=("cudaerrormemoryallocation", "cuda_error_out_of_memory", "out of memory", "from device"),
        meaning="The GPU's memory is full.",
        causes=_FULL,
        ask="nvidia-smi, before and while the program runs",
        source="https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html",
    ),
    signature(
        "tensorflow-gpu-out-of-memory",
        r"oom when allocating tensor|resourceexhaustederror|ran out of memory trying to allocate"
        r"|resource_exhausted: (?:out of memory|failed to allocate|oom)",
        needles=("oom when allocating", "resourceexhausted", "ran out of memory", "resource_exhausted"),
        meaning="The memory of the device is full.",
        causes=_FULL,
        ask="nvidia-smi, before and while the program runs",
        source="https://www.tensorflow.org/guide/gpu#limiting_gpu_memory_growth",
        frameworks=("tensorflow", "jax"),
    ),
    signature(
        "host-out-of-memory",
        r"defaultcpuallocator: (?:can.?t|not enough memory)|std::bad_alloc"
        r"|(?<!cuda error: )(?<!nvidia_uvm': )cannot allocate memory(?! in static tls)|^\s*memoryerror\b"
        r"|oom-kill|out of memory: killed process|\boom_reaper\b",
        needles=(
            "defaultcpuallocator",
            "bad_alloc",
            "cannot allocate memory",
            "memoryerror",
            "oom-kill",
            "killed process",
            "oom_reaper",
        ),
        meaning="The machine's main memory is full.",
        causes={"host-memory-full": 0.85, "batch-too-large": 0.25},
        ask="free -h",
        source="https://www.kernel.org/doc/html/latest/admin-guide/mm/concepts.html",
    ),
    signature(
        "nccl-shared-memory",
        r"/dev/shm/nccl-|posix_fallocate failed|creating shared memory segment|shmutils\.cc",  # noqa: S108 - a pattern
        needles=("/dev/shm/nccl-", "posix_fallocate", "shared memory segment", "shmutils"),  # noqa: S108
        meaning="NCCL, which lets several GPUs work together, ran out of shared memory (/dev/shm).",
        causes={"container-shm-small": 0.75, "shm-pressure": 0.45},
        ask="df -h /dev/shm",
        source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
    ),
    signature(
        "install-no-space",
        r"could not install packages due to an? (?:os|environment|io)error: ?\[errno 28\]"
        r"|(?:failed to (?:download|extract|install|unzip)|error writing)[^\n]{0,120}no space left"
        r"|\bpip\b[^\n]{0,80}no space left",
        needles=("[errno 28]", "no space left"),
        meaning="There is no room for what is installed: in the temporary folder, or where the packages go.",
        causes={"disk-tmp-small": 0.9, "disk-full": 0.3},
        ask='df -h . /tmp; echo "$TMPDIR"',
        source="https://pip.pypa.io/en/stable/topics/caching/",
    ),
    signature(
        "disk-full",
        r"no space left on devi?c?e?\b",
        needles=("no space left on dev",),
        fallback=True,
        meaning="A disk, the temporary folder or the shared memory is full.",
        causes={"disk-tmp-small": 0.65, "disk-full": 0.4, "container-shm-small @ container": 0.2},
        ask='df -h . /tmp /dev/shm; echo "$TMPDIR"',
        source="https://pip.pypa.io/en/stable/topics/caching/",
    ),
    signature(
        "memory-without-process",
        r"(?:still|but) (?:holds?|occup\w+|us(?:es|ing)|tak\w+) (?:the )?(?:gpu |video |device )?(?:memory|vram)"
        r"|(?:gpu|device|video|cuda)(?: \d+)? memory (?:is |was |has )?(?:still |also )?(?:occupied|in use)"
        r"|(?:gpu|device|video|cuda)(?: \d+)? memory (?:(?:is|was|has)n.t|(?:is |was |has )?(?:still |also )?not)"
        r" (?:been |being )?(?:properly )?(?:released|freed|reset|deallocated|cleared)"
        r"|显存(?:不释放|没有释放|未释放|占用|被占)|(?:zombie|defunct) process\w*[^\n]{0,60}\bgpu"
        r"|\bgpu\b[^\n]{0,60}\b(?:zombie|defunct)\b"
        r"|(?:not|n.t) (?:release|free|reset|clear|deallocate)[^\n]{0,25}(?:memory|vram)"
        r"|pids?`?s?[^\n]{0,30}not (?:visible|shown|listed|displayed)|can.?t show the pid",
        needles=("memory", "vram", "pid", "显存不", "显存没", "显存未", "显存占", "显存被", "zombie", "defunct"),
        meaning="Memory of the GPU stays in use after the program that took it has ended.",
        causes={"gpu-mem-orphan": 0.85, "other-process-holds-memory": 0.3},
        ask="nvidia-smi; sudo fuser -v /dev/nvidia*",
        source="https://docs.nvidia.com/deploy/nvidia-smi/index.html",
        fallback=True,
    ),
)
