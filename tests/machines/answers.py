"""What NVML and the CUDA driver answer when they are asked: transcripts as the asking scripts write them."""

import json

from gpudoctor.host.machine import Command, Machine
from gpudoctor.host.port import Ran
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.nvidia.children import CudaFacts, NvmlFacts
from gpudoctor.probes.nvidia.replies import parse_cuda, parse_nvml

ASK_NVML = ("python", "-I", "-S", "-B", "ask_nvml.py")
ASK_CUDA = ("python", "-I", "-S", "-B", "ask_cuda.py")

_LOADED = (("library", "dlopen", 0, None), ("binding", "import pynvml", 0, None))


def nvml(release: str, cuda: int, *gpus: dict[str, object]) -> Machine:
    """NVML that works: `cuda` as 12020; each GPU a table of facts, by the names of ask_nvml.py."""
    system = (
        *_LOADED,
        ("init", "nvmlInit", 0, None),
        ("driver_release", "nvmlSystemGetDriverVersion", 0, release),
        ("cuda_version", "nvmlSystemGetCudaDriverVersion_v2", 0, cuda),
        ("count", "nvmlDeviceGetCount", 0, len(gpus)),
    )
    rows = [("system", *row) for row in system]
    for index, gpu in enumerate(gpus):
        rows.append((f"gpu {index}", "handle", "nvmlDeviceGetHandleByIndex", 0, None))
        rows += [(f"gpu {index}", fact, f"nvml {fact}", 0, value) for fact, value in gpu.items()]
    return _asked(ASK_NVML, rows)


def nvml_fails(code: int) -> Machine:
    """NVML whose start gives an error code."""
    return _asked(ASK_NVML, [("system", *row) for row in (*_LOADED, ("init", "nvmlInit", code, None))])


def nvml_missing() -> Machine:
    """No libnvidia-ml that can be loaded."""
    reason = "OSError: libnvidia-ml.so.1: cannot open shared object file: No such file or directory"
    return _asked(ASK_NVML, [("system", "library", "dlopen", -1, reason)])


def cuda(version: int, *gpus: dict[str, object], init: int = 0) -> Machine:
    """The CUDA driver: `version` as 12020, the result of cuInit, and the GPUs."""
    system = (
        ("library", "dlopen", 0, None),
        ("cuda_version", "cuDriverGetVersion", 0, version),
        ("init", "cuInit", init, None),
    )
    rows = [("system", *row) for row in system]
    if init == 0:
        rows.append(("system", "count", "cuDeviceGetCount", 0, len(gpus)))
    for index, gpu in enumerate(gpus):
        rows.append((f"gpu {index}", "handle", "cuDeviceGet", 0, index))
        rows += [(f"gpu {index}", fact, f"cuda {fact}", 0, value) for fact, value in gpu.items()]
    return _asked(ASK_CUDA, rows)


def cuda_missing() -> Machine:
    """No libcuda that can be loaded."""
    reason = "OSError: libcuda.so.1: cannot open shared object file: No such file or directory"
    return _asked(ASK_CUDA, [("system", "library", "dlopen", -1, reason)])


def asked(host: RecordedHost) -> tuple[NvmlFacts, CudaFacts]:
    """The facts in the machine's transcripts."""
    return parse_nvml(_run(host, ASK_NVML)), parse_cuda(_run(host, ASK_CUDA))


def _run(host: RecordedHost, argv: tuple[str, ...]) -> Ran:
    return host.run(argv, timeout=1.0)


def _asked(argv: tuple[str, ...], rows: list[tuple[str, str, str, int, object]]) -> Machine:
    lines = [
        line for subject, fact, call, code, value in rows for line in (["?", subject, fact, call], ["=", code, value])
    ]
    text = "".join(f"@gpudoctor {json.dumps(line)}\n" for line in (*lines, ["."]))
    return Machine(commands=(Command(argv=argv, code=0, stdout=text),))
