"""Where the facts were taken, in the words that causes use: wsl, container, slurm, jetson."""

from collections.abc import Iterable

from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.python import Interpreter, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System


def surroundings_of(snapshot: Snapshot) -> frozenset[str]:
    """The surroundings that matter to causes, as far as the facts tell them; words as in `gpudoctor.knowledge`."""
    found: set[str] = set()
    if isinstance(snapshot.host, System):
        found |= {snapshot.host.os} & {"windows", "macos"}  # type: ignore[arg-type]
        found |= {"jetson"} if snapshot.host.tegra else set()
    container = snapshot.container
    if isinstance(container, Container):
        found |= {"wsl"} if container.wsl else set()
        found |= {"wsl-apptainer"} if container.wsl and container.kind == "apptainer" else set()
        found |= {"notebook"} if container.notebook else set()
        found |= {"rootless"} if container.rootless else set()
        found |= {"container"} if container.kind not in (None, "none") or container.kubernetes else set()
        found |= {"slurm"} if container.slurm else set()
        found |= {"no-gpu-flag"} if container.gpus_requested is False else set()
    if isinstance(snapshot.gpus, Gpus):
        found |= {"amd"} if {gpu.vendor for gpu in snapshot.gpus.devices} == {"amd"} else set()
        found |= {"vgpu"} if any(gpu.virtualization == "vgpu" for gpu in snapshot.gpus.nvidia) else set()
        found |= {"several-gpus"} if len(snapshot.gpus.nvidia) > 1 else set()
        found |= {"laptop"} if any("laptop" in (gpu.name or "").lower() for gpu in snapshot.gpus.nvidia) else set()
    torch = snapshot.packages.find("torch") if isinstance(snapshot.packages, Packages) else None
    found |= {"lib64"} if torch and "/lib64/" in (torch.location or "") else set()
    if isinstance(snapshot.interpreter, Interpreter) and (snapshot.interpreter.environment or "").startswith("conda"):
        found.add("conda")
    return frozenset(found)


def system_of(snapshot: Snapshot, around: Iterable[str] = ()) -> str | None:
    """linux, wsl, windows or macos: as the facts state it, else as the one system that a text's words name."""
    named = {"windows", "macos", "wsl"}.intersection(around)
    if "wsl" in named:
        named.discard("windows")
    return SnapshotView(snapshot).os or (named.pop() if len(named) == 1 else None)
