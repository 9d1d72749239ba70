"""Environments whose packages, requirements and libraries were recorded, on machines that are reconstructed."""

import json
from pathlib import Path

from gpudoctor.host.machine import Machine
from tests.machines.healthy import cards
from tests.machines.healthy.elf import library
from tests.machines.healthy.pieces import DISPLAY, K24, NO_GPU, PERSISTENCED, ubuntu
from tests.machines.healthy.recorded import Healthy, made
from tests.machines.healthy.target import ADA, Target, venv
from tests.machines.healthy.windows import WSL

FOLDER = Path(__file__).parent / "targets"
RECORDED = "recorded: packages, their requirements, and what libraries need (2026-11); reconstructed: the rest; "


def recorded(name: str, **more: str) -> Target:
    """The environment in targets/NAME.json, as scripts/record_target.py wrote it, in the user's home."""
    facts = json.loads((FOLDER / f"{name}.json").read_text())
    target = venv(facts["python"], **more)
    for dist in facts["dists"]:
        target.dist(dist["name"], dist["version"], *dist["requires"], installer=dist["installer"])
    texts = {**facts["says"], **{path.rpartition("/")[0] + "/__init__.py": "" for path in facts["says"]}}
    libraries = {
        path: library(
            one["soname"],
            tuple(one["needed"]),
            runpath=tuple(one["runpath"]),
            archs=tuple(one.get("archs", ())),
        )
        for path, one in facts["libraries"].items()
    }
    return target.also(
        Machine(
            files={target.path(path): text for path, text in texts.items()},
            binaries={target.path(path): raw for path, raw in libraries.items()},
        )
    )


def seen(story: str, *pieces: Machine, sees: str, verdict: str = "healthy") -> Healthy:
    """A machine around a recorded environment."""
    return made(story, *pieces, sees=sees, verdict=verdict)._replace(provenance=RECORDED + story)


TORCH_26 = seen(
    "torch 2.6.0 as PyPI gives it, on a desktop with driver 535",
    ubuntu(),
    cards.installed("535.247.01", cards.RTX_3060, **DISPLAY),
    recorded("torch26").machine,
    sees="1 GPU, torch 2.6.0+cu124, triton 3.2.0",
)
TORCH_26_SEARCHED = seen(
    "the same with folders in LD_LIBRARY_PATH that hold nothing of CUDA",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("570.169", cards.RTX_4090, flavour="open", **DISPLAY),
    recorded("torch26").machine,
    Machine(env={"LD_LIBRARY_PATH": "/opt/ros/jazzy/lib:"}, directories={"/opt/ros/jazzy/lib": ("librcl.so",)}),
    sees="1 GPU, torch 2.6.0+cu124",
)
TORCH_26_WSL = seen(
    "the same in WSL2",
    WSL,
    cards.asked("566.36", cards.RTX_4080, os="windows", **DISPLAY),
    recorded("torch26").machine,
    sees="1 GPU, torch 2.6.0+cu124",
)
TORCH_213 = seen(
    "torch 2.13 for CUDA 13 on Blackwell; no link libcuda.so in the driver package, which Triton 3.7 does not need",
    ubuntu("24.04", K24, "2.39"),
    cards.installed("580.95.05", cards.RTX_5090, flavour="open", link=False, **DISPLAY),
    recorded("torch213", prefix=f"{ADA}/work/.venv").machine,
    sees="1 GPU, torch 2.13.0+cu130",
)
TORCH_213_T4 = seen(
    "the same on a T4, the oldest generation that CUDA 13 serves",
    ubuntu(),
    PERSISTENCED,
    cards.installed("580.95.05", cards.T4),
    recorded("torch213").machine,
    sees="1 GPU, torch 2.13.0+cu130",
)
JAX = seen(
    "JAX with its CUDA 12 plugin and eight A100",
    ubuntu(),
    PERSISTENCED,
    cards.installed("550.163.01", *[cards.A100] * 8),
    recorded("jax").machine,
    sees="8 GPU, jax 0.12.0.1, jax-cuda-plugin 0.12.0.1",
)
TORCH_CPU = seen(
    "torch for the processor",
    ubuntu(),
    NO_GPU,
    recorded("torchcpu").machine,
    sees="torch 2.13.0+cpu",
    verdict="no-gpu",
)

MACHINES: dict[str, Healthy] = {
    "recorded-torch26-3060": TORCH_26,
    "recorded-torch26-4090-library-path": TORCH_26_SEARCHED,
    "recorded-torch26-wsl2-4080": TORCH_26_WSL,
    "recorded-torch213-5090": TORCH_213,
    "recorded-torch213-t4": TORCH_213_T4,
    "recorded-jax-8-a100": JAX,
    "recorded-torch-cpu": TORCH_CPU,
}
