"""Programs that go wrong on a GPU by themselves, for the messages that they end with. Plain allocations only."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from campaign.here import Here
from campaign.steps import NotPossible, Outcome, agrees


class Program(NamedTuple):
    """A program of a framework that needs a GPU, and the cause that its message must be judged to have."""

    framework: str
    code: str
    expected: str
    variables: dict[str, str | None] = {}


#: Stores to an address that is nobody's, through the driver's own interface, in the framework's context.
_PTX = """
.version 6.0
.target sm_50
.address_size 64
.visible .entry wild() { .reg .u64 %a; .reg .u32 %b; mov.u64 %a, 16; mov.u32 %b, 1; st.global.u32 [%a], %b; ret; }
"""

PROGRAMS: dict[str, Program] = {
    "torch-out-of-memory": Program(
        "torch",
        "import torch; _, total = torch.cuda.mem_get_info(); torch.empty(2 * total, dtype=torch.uint8, device='cuda')",
        "batch-too-large",
    ),
    "jax-out-of-memory": Program(
        "jax",
        "import jax, jax.numpy as np; jax.block_until_ready(np.ones((1 << 20, 1 << 18), dtype=np.float32))",
        "batch-too-large",
        {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
    ),
    "cupy-out-of-memory": Program(
        "cupy",
        "import cupy; free, total = cupy.cuda.runtime.memGetInfo(); cupy.empty(2 * total, dtype=cupy.uint8)",
        "batch-too-large",
    ),
    "device-assert": Program(
        "torch",
        "import torch; torch.nn.functional.cross_entropy(torch.zeros(4, 10).cuda(), torch.full((4,), 99).cuda())\n"
        "torch.cuda.synchronize()",
        "label-out-of-range",
    ),
    "illegal-address": Program(
        "torch",
        "import ctypes, torch; torch.zeros(1).cuda(); cuda = ctypes.CDLL('libcuda.so.1')\n"
        "module, function = ctypes.c_void_p(), ctypes.c_void_p()\n"
        f"print(cuda.cuModuleLoadData(ctypes.byref(module), {_PTX.strip().encode()!r} + b'\\0'))\n"
        "print(cuda.cuModuleGetFunction(ctypes.byref(function), module, b'wild'))\n"
        "print(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, None, None))\n"
        "torch.cuda.synchronize()",
        "bug-in-gpu-code",
    ),
    "cupy-illegal-address": Program(
        "cupy",
        "import cupy; code = 'extern \"C\" __global__ void wild() { *(int *)16 = 1; }'\n"
        "cupy.RawKernel(code, 'wild')((1,), (1,), ())\n"
        "cupy.cuda.runtime.deviceSynchronize()",
        "bug-in-gpu-code",
    ),
    "fork-after-cuda": Program(
        "torch",
        "import os, sys, torch; torch.zeros(1).cuda(); child = os.fork()\n"
        "if child == 0:\n"
        "    try: torch.zeros(1).cuda()\n"
        "    except BaseException:\n"
        "        import traceback; traceback.print_exc(); sys.stderr.flush()\n"
        "    os._exit(1)\n"
        "os.waitpid(child, 0); sys.exit(1)",
        "forked-after-cuda",
    ),
    "no-gpu-visible": Program(
        "torch", "import torch; torch.zeros(1).cuda()", "cvd-invalid", {"CUDA_VISIBLE_DEVICES": ""}
    ),
    "gpu-that-is-not-there": Program(
        "torch", "import torch; torch.zeros(1, device=f'cuda:{torch.cuda.device_count() + 6}')", "script-names-gpu"
    ),
    "library-twice": Program(
        "torch",
        "import ctypes, glob, os, shutil, sys, tempfile, torch; x = torch.randn(8, 3, 32, 32, device='cuda')\n"
        "first = next(iter(sorted(set(line.split()[-1] for line in open('/proc/self/maps')\n"
        "  if 'libcudart' in line or 'libcublas.so' in line))), None)\n"
        "print('second copy of', first)\n"
        "if first: ctypes.CDLL(shutil.copy(first, tempfile.mkdtemp()), ctypes.RTLD_GLOBAL)\n"
        "print(torch.nn.Conv2d(3, 8, 3).cuda()(x).sum().item(), (x[0, 0] @ x[0, 1]).sum().item())",
        "",
    ),
}  # fmt: skip


def program(name: str) -> Callable[[Here], Outcome]:
    """A step that runs the program of that name and has its message judged."""

    def step(here: Here) -> Outcome:
        wrong = PROGRAMS[name]
        here.with_gpu(wrong.framework)
        ran = here.program(wrong.code, env=wrong.variables)
        said = f"{ran.text}{ran.stderr.decode('utf-8', 'replace')}"
        here.results.keep(f"messages/{name}.txt", said)
        if ran.ok:
            return Outcome(
                "contradicts" if wrong.expected else "recorded", "the program ended well", wrong.expected, "none"
            )
        return judged(here, name, said, wrong.expected, ran.describe())

    return step


def judged(here: Here, name: str, said: str, expected: str, ended: str = "") -> Outcome:
    """Has a program's output triaged, and keeps which messages in it are known."""
    answer = here.ask("triage", "--format", "json", "-", stdin=said)
    here.results.keep(f"messages/{name}.json", json.dumps(answer, indent=1))
    ticket: dict[str, Any] = answer["tickets"][0]
    causes = [cause["key"] for cause in ticket.get("causes", ())]
    known = [message["signature"] for message in ticket.get("messages", ())]
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "")
    named = causes[0] if causes else ""
    facts = {"messages": known, "causes": causes, "last_line": last[:400], "ended": ended}
    words = f"{last[:160]!r} is {', '.join(known) or 'no known message'}"
    if not expected:
        return Outcome("recorded", words, "", named, facts)
    return Outcome(agrees(named == expected), words, expected, named or "none", facts)


#: Takes all memory that is free but for what is given, says so, and holds it.
HOLDER = (
    "import sys, time, torch; free, total = torch.cuda.mem_get_info()\n"
    "held = torch.empty(free - int(sys.argv[1]), dtype=torch.uint8, device='cuda')\n"
    "torch.cuda.synchronize(); print('holding', flush=True); time.sleep(600)"
)
_WANTS = "import torch; torch.empty(8 << 30, dtype=torch.uint8, device='cuda')"


def held_memory(here: Here) -> Outcome:
    """Another process holds the memory: the program that comes second is told by whom."""
    from campaign.processes import holding  # it is the only step here that needs a second process

    here.with_gpu("torch")
    with holding(here, (here.python, "-c", HOLDER, str(2 << 30)), "holding"):
        ran = here.program(_WANTS)
        here.results.keep("messages/held-memory-check.json", json.dumps(here.check("--static"), indent=1))
    said = ran.stderr.decode("utf-8", "replace")
    here.results.keep("messages/held-memory.txt", said)
    if ran.ok:
        raise NotPossible("the second program got its memory all the same")
    return judged(here, "held-memory", said, "other-process-holds-memory", ran.describe())
