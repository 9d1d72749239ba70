"""Which rule tells a failure: by the messages in it, by how the run ended, by what a training says of itself."""

from collections.abc import Iterable

from gpudoctor.model.live import AgentRun, Symptom, Thrown, Trial

#: By a signature's name; else by the table it is in.
_BY_SIGNATURE = {
    **dict.fromkeys(
        ("no-kernel-image", "cuda-invalid-ptx", "cuda-invalid-image", "cudnn-arch-mismatch", "tf-ptx-load-failed",
         "tf-ignores-gpu-capability", "torch-sm-not-compatible", "torch-gpu-too-old", "flash-attn-gpu"),
        "no-kernel-image",
    ),
    **dict.fromkeys(("cuda-ecc", "cuda-nvlink"), "gpu-hardware-error"),
    **dict.fromkeys(
        ("cuda-not-initialized", "cuda-stub-library", "cuda-insufficient-driver", "cuda-call-needs-newer-driver",
         "cuda-devices-unavailable", "cuda-no-device", "cuda-invalid-device", "cuda-not-licensed",
         "cuda-operating-system", "cuda-not-supported", "cuda-not-permitted", "cuda-system-not-ready",
         "cuda-driver-mismatch", "cuda-compat-unsupported", "cuda-mps-failed", "cuda-unknown",
         "cuda-jit-compiler-missing", "cuda-unsupported-ptx", "cuda-error-other", "torch-lazy-init-fork",
         "no-nvidia-driver", "driver-too-old", "kernel-driver-not-running", "dso-kernel-mismatch",
         "cuda-driver-init-failed-torch", "no-cuda-gpus", "runtime-device-count-failed", "numba-cuda-unsupported",
         "torch-hip-error", "tf-could-not-find-cuda-drivers"),
        "cuda-start-failed",
    ),
    "cublas-alloc-failed": "gpu-out-of-memory",
    **dict.fromkeys(
        ("torch-gpu-out-of-memory", "cuda-out-of-memory", "tensorflow-gpu-out-of-memory", "memory-without-process",
         "mps-out-of-memory", "vllm-memory-taken", "vllm-cache-too-small"),
        "gpu-out-of-memory",
    ),
    **dict.fromkeys(("host-out-of-memory", "shared-memory-bus-error", "disk-full"), "run-out-of-memory"),
    "nccl-shared-memory": "nccl-failed",
    **dict.fromkeys(("glibc-too-old", "glibcxx-too-old"), "system-library-too-old"),
    **dict.fromkeys(("illegal-instruction", "cpu-instructions-missing"), "cpu-instruction-missing"),
    "segmentation-fault": "framework-run-crashed",
    **dict.fromkeys(
        ("torch-not-compiled-with-cuda", "torch-cuda-unavailable", "torch-load-without-cuda", "torch-no-index",
         "tf-no-gpus-listed", "tf-cannot-dlopen", "jax-cpu-only", "jax-no-gpu-found", "jax-unknown-backend"),
        "framework-sees-no-gpu",
    ),
    **dict.fromkeys(("tf-library-missing", "tf-dll-missing", "tf-dependent-nvjitlink"), "library-not-loaded"),
    **dict.fromkeys(("torch-import-library", "preload-wrong-cudart", "tf-native-runtime"), "library-not-loaded"),
    **dict.fromkeys(
        ("numpy1-module-in-numpy2", "numpy-api-newer", "numpy-dtype-size", "numpy-attribute-removed",
         "torch-numpy-unavailable"),
        "numpy-abi",
    ),
    **dict.fromkeys(("cublas-not-initialized", "cublas-execution-failed", "cublas-failed"), "cuda-library-failed"),
    "cuda-library-status": "cuda-library-failed",
    "libnvrtc-failed": "compile-failed",
    "extension-needs-torch-to-build": "ext-build-isolation",
    "build-requirements-failed": "install-failed",
    **dict.fromkeys(("extension-build-failed", "gcc-too-new", "nvcc-torch-mismatch", "cuda-home-missing",
                     "nvcc-not-found-warning", "nvcc-unsupported-arch", "torch-cpu-wheel"), "install-failed"),
    **dict.fromkeys(("tf-gpu-package-removed", "tf-egg-info-failed", "torch-companion-cuda"), "install-failed"),
    "torch-companion-cuda": "framework-import-failed",
    "torch-nan-loss": "loss-did-not-fall",
    **dict.fromkeys(("tf-jit-from-ptx", "tf-adding-gpus-slow"), "first-start-slow"),
    "cuda-invalid-handle": "cuda-program-error",
    "jax-jaxlib-mismatch": "framework-import-failed",
    "install-no-space": "install-failed",
    "keras3-other-format": "keras3-legacy-model",
    "wsl-libcuda-no-link": "wsl-ldconfig-warning",
}  # fmt: skip
_BY_TABLE = {
    "smi": "driver-reports-error",
    "driver": "driver-reports-error",
    "kernel": "driver-reports-error",
    "modules": "driver-reports-error",
    "container": "driver-reports-error",
    "clusters": "driver-reports-error",
    "cuda_errors": "cuda-start-failed",
    "cuda_run_errors": "cuda-program-error",
    "cuda_program_errors": "cuda-program-error",
    "cuda_libraries": "cudnn-failed",
    "loader": "library-not-loaded",
    "tensorflow": "framework-import-failed",
    "keras": "framework-import-failed",
    "torch": "framework-import-failed",
    "torch_packages": "framework-import-failed",
    "jax": "jax-plugin-init-failed",
    "unseen": "framework-sees-no-gpu",
    "compilers": "compile-failed",
    "nccl": "nccl-failed",
    "python": "framework-import-failed",
    "windows": "library-not-loaded",
    "attention": "extension-failed",
    "companions": "extension-failed",
    "inference": "extension-failed",
    "extensions": "extension-failed",
    "building": "install-failed",
    "precision": "smoke-failed",
    "makers": "cuda-start-failed",
    "data_loading": "run-out-of-memory",
    "complaints": "smoke-failed",
    "driver_complaints": "driver-reports-error",
    "gpu_complaints": "driver-reports-error",
    "distributed": "nccl-failed",
    "installers": "install-failed",
}
#: Causes of messages that are no failures: what is harmless, and what only costs speed or digits.
NOTHING_WRONG = (
    "harmless", "tensorrt-not-needed", "perf-workload-too-small", "perf-input-bound", "perf-amp-no-gain", "tf32-off",
    "tf32-default", "cvd-device-order", "persistence-off",
)  # fmt: skip
#: What a training says of itself, by words of its detail.
_BY_DETAIL = (
    ("did not run where it was asked", "trained-on-wrong-device"),
    ("differs", "result-differs-from-cpu"),
    ("the loss", "loss-did-not-fall"),
    ("the accuracy", "loss-did-not-fall"),
    ("memory", "memory-not-given-back"),
)
_BY_ENDING = {
    "silent": "framework-run-ended-silently",
    "flooded": "output-flooded",
    "out-of-memory": "run-out-of-memory",
}

OWNERS = frozenset(
    {*_BY_SIGNATURE.values(), *_BY_TABLE.values(), *_BY_ENDING.values(), *(owner for _, owner in _BY_DETAIL)}
    | {"framework-import-crashed", "framework-import-hung", "framework-run-hung", "peer-copy-wrong", "smoke-failed"}
)


def of_symptoms(symptoms: Iterable[Symptom]) -> str | None:
    """The rule of the first message that is one of a failure; one that only falls back on gives way."""
    from gpudoctor.signatures import signature_of, table_of

    rows = [row for symptom in symptoms if (row := signature_of(symptom.signature))]
    rows = [row for row in rows if row.causes[0].key not in NOTHING_WRONG]
    chosen = next((row for row in rows if not row.fallback), next(iter(rows), None))
    if chosen is None:
        return None
    return _BY_SIGNATURE.get(chosen.name) or _BY_TABLE[table_of(chosen.name)]


def of_ending(run: AgentRun, stage: str, error: Thrown | None, symptoms: tuple[Symptom, ...]) -> str:
    """The rule that tells a run that did not finish."""
    importing = stage.startswith("import")
    if run.ending == "died":
        if run.signal == "SIGILL":
            return "cpu-instruction-missing"
        return "framework-import-crashed" if importing else "framework-run-crashed"
    if run.ending in ("timed-out", "abandoned"):
        return "framework-import-hung" if importing else "framework-run-hung"
    if run.ending in _BY_ENDING:
        return _BY_ENDING[run.ending]
    if run.ending == "failed" and error is not None:
        return of_symptoms(symptoms) or ("framework-import-failed" if importing else "smoke-failed")
    return "smoke-failed"


def of_detail(trial: Trial) -> str:
    """The rule that tells a training which ran to its end and is not as it should be."""
    detail = "" if trial.error else (trial.detail or "")
    return next((owner for words, owner in _BY_DETAIL if words in detail), "smoke-failed")
