"""The command that shows whether a fix of the named cause worked; None where there is none."""

from gpudoctor.diagnosis.triage import Ticket
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.python import Frameworks
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import System
from gpudoctor.knowledge.causes import all_causes

_TESTS = {
    "torch": """python -c "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())\"""",
    "tensorflow": """python -c "import tensorflow as tf; print(tf.config.list_physical_devices('GPU'))\"""",
    "jax": """python -c "import jax; print(jax.devices())\"""",
}
_TORCH_ON = {
    "macos": """python -c "import torch; print(torch.__version__, torch.backends.mps.is_available())\"""",
    "amd": """python -c "import torch; print(torch.__version__, torch.version.hip, torch.cuda.is_available())\"""",
}
_IN_CONTAINER = "docker run --rm --gpus all ubuntu nvidia-smi -L"


def test_of(ticket: Ticket, snapshot: Snapshot) -> str | None:
    """For the named cause: the framework's own list of devices, a container's, or the driver's."""
    cause, around = ticket.causes[0], frozenset(ticket.contents.around if ticket.contents else ())
    family, maker = (cause.code or "")[:3], _place_of(ticket, snapshot, around)
    record = all_causes().get(cause.key)
    if family in ("DRV", "GPU"):
        return "nvidia-smi" if maker == "nvidia" else None
    if "at-docker" in around and (family == "BOX" or (record and record.layer == "container")):
        return _IN_CONTAINER if maker == "nvidia" else None
    if record and "extension-failed" in record.leads_to:
        return None
    name = (record.framework if record else None) or _framework(snapshot, around)
    if name == "torch":
        return _TORCH_ON.get(maker, _TESTS["torch"])
    return _TESTS.get(name or "") if maker != "macos" else None


def _framework(snapshot: Snapshot, around: frozenset[str]) -> str | None:
    """The one that the ticket has; else the only one that it is about, where it is about no other program."""
    found = snapshot.frameworks.found if isinstance(snapshot.frameworks, Frameworks) else ()
    named = [one.name for one in found if one.name in _TESTS]
    about = [one for one in _TESTS if f"about-{one}" in around]
    return named[0] if named else about[0] if len(about) == 1 and "about-another" not in around else None


def _place_of(ticket: Ticket, snapshot: Snapshot, around: frozenset[str]) -> str:
    """Whose tools answer there: macos, jetson, amd; nvidia where nothing else is stated."""
    host, gpus = snapshot.host, snapshot.gpus
    if ticket.system == "macos":
        return "macos"
    if "jetson" in around or (isinstance(host, System) and host.tegra):
        return "jetson"
    makers = {one.vendor for one in gpus.devices} if isinstance(gpus, Gpus) else set()
    is_amd = makers == {"amd"} or (not makers and "amd" in around and "nvidia" not in around)
    return "amd" if is_amd else "nvidia"
