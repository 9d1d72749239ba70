"""Which frameworks run in which process, and how many processes at once."""

import json
import os.path

from gpudoctor.facts.base import Gap
from gpudoctor.facts.live import Task
from gpudoctor.facts.python import Frameworks
from gpudoctor.host.port import Host
from gpudoctor.knowledge.frameworks import backends_of, that_run
from gpudoctor.probes.host_files import exists, text_of
from gpudoctor.probes.live.limits import cores

#: Device nodes of GPUs: NVIDIA's, those of WSL, AMD's.
_NODES = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg", "/dev/kfd", "/dev/nvmap", "/dev/nvhost-gpu")

Process = tuple[tuple[str, Task], ...]


def installed(frameworks: Frameworks | Gap | None) -> tuple[str, ...]:
    """The frameworks among those found that can be run."""
    return tuple(name for name in that_run("smoke") if isinstance(frameworks, Frameworks) and frameworks.get(name))


def processes(names: tuple[str, ...], tasks: tuple[Task, ...], backend: str) -> tuple[Process, ...]:
    """One process a framework, for all its tasks: importing it takes longer than all the rest.

    Keras imports its backend, so it goes where that is imported already.
    """
    groups = {name: [name] for name in names if name != "keras"}
    if "keras" in names:
        groups.setdefault(backend if backend in groups else "keras", []).append("keras")
    return tuple(tuple((name, task) for name in group for task in tasks) for group in groups.values())


def keras_backend(host: Host) -> str:
    """The backend Keras would take: KERAS_BACKEND, else its settings file, else TensorFlow (keras.io, Configure)."""
    backends = backends_of("keras")
    named = host.env.get("KERAS_BACKEND")
    if not named:
        home = host.env.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")
        try:
            settings = json.loads(text_of(host, os.path.join(home, "keras.json")) or "{}")
        except ValueError:
            settings = {}
        named = settings.get("backend") if isinstance(settings, dict) else None
    return named if isinstance(named, str) and named in backends else backends[0]


def at_a_time(host: Host, count: int) -> int:
    """How many of so many processes run side by side. On Windows they cannot take turns with a GPU."""
    return 1 if host.platform == "win32" else max(1, min(count, cores(host)))


def may_use_gpu(host: Host, frameworks: Frameworks | None, devices: tuple[str, ...] | None) -> bool:
    """Whether two processes could meet on a GPU."""
    if devices is not None and all(device == "cpu" for device in devices):
        return False
    if host.platform != "linux":
        return True
    built = [one.variant for name in that_run("smoke") if frameworks and (one := frameworks.get(name))]
    return any(variant != "cpu" for variant in built) and any(exists(host, node) for node in _NODES)
