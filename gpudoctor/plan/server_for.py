"""Which release of a model server (vLLM, SGLang) fits the GPUs; its torch is pinned and stays."""

from gpudoctor.facts.fix import Fix
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.versions import package_version
from gpudoctor.knowledge.matrix.offer_types import Extension
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.plan.fit import torch_builds_that_fit
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.places import install, safety
from gpudoctor.plan.specifiers import meets

SERVERS = ("vllm", "sglang")


def server_for_gpus(scene: Scene, machine: Machine, matrix: Matrix) -> Fix | None:
    """The server that is there in the next newer release whose own torch serves the GPUs, else in the last older one.

    None where no server is there, its own release would do, or no release is known to.
    """
    there = next((one for name in SERVERS if (one := scene.find(name)) is not None), None)
    own = package_version(there.version) if there is not None else None
    if there is None or own is None:
        return None
    found = [(version, row) for row in _serving(there.name, machine, matrix) for version in row.versions]
    releases = [(parsed, version, row) for version, row in found if (parsed := package_version(version)) is not None]
    if not releases or any(parsed == own for parsed, _, _ in releases):
        return None
    newer = [one for one in releases if one[0] > own]
    # Of the releases with the same torch the last one.
    row = min(newer, key=lambda one: one[0])[2] if newer else max(releases, key=lambda one: one[0])[2]
    version, torch = row.versions[0], row.torch.removeprefix("==")
    title = f"Install {there.name} {version}, which brings PyTorch {torch}; a torch of another release would break it"
    return Fix(title, safety(scene), install(scene, f"{there.name}=={version}", options=("--upgrade",)))


def _serving(name: str, machine: Machine, matrix: Matrix) -> list[Extension]:
    """The rows whose torch, in the build that the package index has, serves the GPUs, driver and Python."""
    rows = (one for one in matrix.table("extensions") if isinstance(one, Extension) and one.package == name)
    return [
        row
        for row in rows
        if row.torch.startswith("==")
        and machine.platform in row.platforms
        and (machine.python is None or meets(machine.python, row.requires_python))
        and not any(row.min_capability and one < row.min_capability for one in machine.capabilities)
        and any(
            machine.platform in build.default_on
            for build in torch_builds_that_fit(machine, matrix, row.torch.removeprefix("=="))
        )
    ]
