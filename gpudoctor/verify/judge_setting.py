"""Environment variables: whether the form is of this system's shell, and the value one that is understood.

Values: docs.nvidia.com/cuda/cuda-c-programming-guide, CUDA Environment Variables;
pytorch.org/docs/stable/notes/cuda.html, Optimizing memory usage;
tensorflow.org/guide/gpu; docs.jax.dev/en/latest/gpu_memory_allocation.html (2026-11-22).
"""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.verify.asked import Setting
from gpudoctor.verify.case import Case
from gpudoctor.verify.verdict import Verdict

_BOOLEAN = r"(?i:0|1|true|false)"
_FLAG = r"[01]"
_ALLOCATOR = (
    r"(?:(?:backend|max_split_size_mb|roundup_power2_divisions|garbage_collection_threshold|expandable_segments"
    r"|pinned_use_cuda_host_register|pinned_num_register_threads|release_lock_on_cudamalloc|max_non_split_rounding_mb"
    r"|pinned_use_background_threads|pinned_reserve_segment_size_mb|graph_capture_record_stream_reuse"
    r"|per_process_memory_fraction):(?:\[[^\]]*\]|[^,\s]+)(?:,|$))+"
)
#: Name: the values that are understood.
VALUES = {
    "CUDA_VISIBLE_DEVICES": r"|-1|\d+(?:,\d+)*|(?:GPU|MIG)-[\w/-]+(?:,(?:GPU|MIG)-[\w/-]+)*",
    "CUDA_DEVICE_ORDER": "PCI_BUS_ID|FASTEST_FIRST",
    "CUDA_LAUNCH_BLOCKING": _FLAG,
    "CUDA_MODULE_LOADING": "LAZY|EAGER",
    "CUDA_FORCE_PTX_JIT": _FLAG,
    "CUDA_DISABLE_PTX_JIT": _FLAG,
    "CUDA_CACHE_DISABLE": _FLAG,
    "CUDA_CACHE_MAXSIZE": r"\d+",
    "NVIDIA_VISIBLE_DEVICES": r"|all|none|void|\d+(?:,\d+)*|(?:GPU|MIG)-[\w/,-]+",
    "NVIDIA_DRIVER_CAPABILITIES": r"all|(?:compute|utility|graphics|video|display|compat32|ngx)(?:,\w+)*",
    "PYTORCH_CUDA_ALLOC_CONF": _ALLOCATOR,
    "PYTORCH_ALLOC_CONF": _ALLOCATOR,
    "PYTORCH_ENABLE_MPS_FALLBACK": _FLAG,
    "TORCH_CUDA_ARCH_LIST": r"(?:\d+\.\d+[af]?(?:\+PTX)?(?:[;\s]+|$))+|[A-Z][a-z]+(?:[;\s]+[A-Z][a-z]+)*",
    "TF_FORCE_GPU_ALLOW_GROWTH": _BOOLEAN,
    "TF_GPU_ALLOCATOR": "cuda_malloc_async",
    "TF_CPP_MIN_LOG_LEVEL": "[0-3]",
    "TF_ENABLE_ONEDNN_OPTS": _FLAG,
    "TF_USE_LEGACY_KERAS": _BOOLEAN,
    "XLA_PYTHON_CLIENT_PREALLOCATE": _BOOLEAN,
    "XLA_PYTHON_CLIENT_MEM_FRACTION": r"0?\.\d+|1(?:\.0+)?",
    "XLA_PYTHON_CLIENT_ALLOCATOR": "platform|bfc|cuda_async|default|vmm",
    "JAX_PLATFORMS": r"(?:cpu|cuda|gpu|tpu|rocm|METAL|mps)(?:,\w+)*|",
    "KERAS_BACKEND": "tensorflow|jax|torch|openvino|numpy",
    "NCCL_DEBUG": "(?i:VERSION|WARN|INFO|ABORT|TRACE)",
    "NCCL_P2P_DISABLE": _FLAG,
    "NCCL_IB_DISABLE": _FLAG,
    "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python|upb|cpp",
}
#: Values that are understood, and leave no GPU.
HIDING = {
    ("NVIDIA_VISIBLE_DEVICES", ""),
    ("CUDA_VISIBLE_DEVICES", ""), ("CUDA_VISIBLE_DEVICES", "-1"), ("NVIDIA_VISIBLE_DEVICES", "none"),
    ("NVIDIA_VISIBLE_DEVICES", "void"), ("JAX_PLATFORMS", "cpu"),
}  # fmt: skip
#: Folders and lists of them: any value.
_FOLDERS = frozenset({
    "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "LD_LIBRARY_PATH", "PATH", "CPATH", "LIBRARY_PATH", "CUDNN_PATH",
    "CUDA_CACHE_PATH", "TORCH_HOME", "HF_HOME", "XDG_CACHE_HOME", "PIP_CACHE_DIR", "UV_CACHE_DIR",
    "TFHUB_CACHE_DIR", "KERAS_HOME", "TORCH_EXTENSIONS_DIR", "TRITON_CACHE_DIR", "XLA_FLAGS", "DEBIAN_FRONTEND",
    "NCCL_SOCKET_IFNAME", "MAX_JOBS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "PYTHONPATH",
    "HF_HUB_CACHE", "JAX_COMPILATION_CACHE_DIR", "TMPDIR", "VIRTUAL_ENV", "NVIDIA_REQUIRE_CUDA",
})  # fmt: skip


def judge_setting(asked: Setting, case: Case) -> Iterator[Verdict]:
    """The verdict on one variable."""
    subject = f"{asked.name}={asked.value}"[:80]
    form = _wrong_form(asked, case)
    if form is not None:
        yield case.verdict(subject, "does not fit", aspect="environment", because=form[0], instead=form[1])
    elif asked.name in VALUES:
        yield _value(asked, subject, case)
    elif asked.name in _FOLDERS:
        yield case.verdict(subject, "fits")
    else:
        text = f"The variable {asked.name[:60]} is not in the tables."
        yield case.verdict(subject, "not known", grounds="not in the tables", aspect="name", because=text)


def _value(asked: Setting, subject: str, case: Case) -> Verdict:
    value = asked.value.strip("\"'")
    if "$" in value or "%" in value or re.fullmatch(VALUES[asked.name], value):
        notes = ("It counts for programs that are started from a new terminal on.",) if asked.form == "setx" else ()
        if (asked.name, value) in HIDING:
            notes = (*notes, "It hides every GPU from the programs that are started with it.")
        return case.verdict(subject, "fits", notes=notes)
    text = f"{asked.name} does not understand the value {value[:60]!r}."
    return case.verdict(subject, "does not fit", grounds="impossible", aspect="option", because=text)


def _wrong_form(asked: Setting, case: Case) -> tuple[str, str] | None:
    """Why the shells of the system do not set it that way, and how they do."""
    if case.machine.platform is None or asked.form == "dockerfile":
        return None
    windows = case.machine.os == "windows"
    value = f'"{asked.value}"' if re.search(r"[\s;&|]", asked.value) else asked.value
    if windows and asked.form == "sh":
        return "Shells of Windows have no export.", f'$env:{asked.name} = "{asked.value}"'
    if not windows and asked.form in ("cmd", "setx", "powershell"):
        what = {"cmd": "set NAME=value", "setx": "setx", "powershell": "$env:"}[asked.form]
        return f"{what} is of Windows; here it sets nothing.", f"export {asked.name}={value}"
    return None
