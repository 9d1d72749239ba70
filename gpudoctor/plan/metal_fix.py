"""The fix for a Mac with an old macOS: the newest PyTorch that still uses its GPU."""

from gpudoctor.facts.fix import Ask, Fix, by_hand
from gpudoctor.facts.scene import Scene
from gpudoctor.facts.system import System
from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.knowledge.matrix.query import Matrix
from gpudoctor.knowledge.matrix.types import TorchBuild
from gpudoctor.knowledge.metal import LOWEST
from gpudoctor.plan.demand import COMPANIONS
from gpudoctor.plan.fit import ranked
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.places import companions_there, replace
from gpudoctor.plan.recipes import companion_pins

_PLATFORM = "macos-arm64"


def torch_for_mac(floor: LibraryVersion, scene: Scene, matrix: Matrix) -> Fix:
    """Update macOS to the floor, or install the newest release that does without."""
    update = Ask(text=f"Update macOS to {floor} or newer.")
    row = _newest(scene, matrix)
    if row is None:
        return by_hand(f"Update macOS to {floor} or newer")
    present = companions_there(scene, COMPANIONS)
    steps = replace(scene, ("torch", *present), f"torch=={row.version}", *companion_pins(row, present, _PLATFORM))
    stay = Ask(text=f"Or stay, with PyTorch {row.version}, the newest that uses the GPU on this one:")
    return by_hand("Update macOS, or take an older PyTorch", update, stay, *steps)


def _newest(scene: Scene, matrix: Matrix) -> TorchBuild | None:
    release = LibraryVersion.parse(scene.host.distribution_version) if isinstance(scene.host, System) else None
    if release is None or release < LOWEST:
        return None
    machine = Machine(platform=_PLATFORM, python=scene.python_minor, macos=release)
    rows = (one.row for one in ranked("torch", machine, matrix) if one.processor == "mps")
    return next((one for one in rows if isinstance(one, TorchBuild)), None)
