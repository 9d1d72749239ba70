"""Lists JAX's backends and devices, and the error of a CUDA plugin that does not start.

`agent_channel` is the protocol. Every question is a stage of its own, and what is known is told each time
whole.
"""

import logging
import os

from agent_channel import Channel, Skip
from cuda_runtime import library_version

#: Platforms that are asked for by name where something for them is installed, and by which distributions' names.
PLUGINS = {"cuda": ("jax-cuda",), "rocm": ("jax-rocm",), "tpu": ("libtpu", "jax-tpu"), "METAL": ("jax-metal",)}

KINDS = {"cpu": "cpu", "gpu": "gpu", "cuda": "gpu", "rocm": "gpu", "tpu": "tpu", "metal": "mps"}


class PluginError(Exception):
    """A plugin did not start; JAX goes on without it and only logs that."""


class Logged(logging.Handler):
    """What JAX logs while it starts."""

    def __init__(self):
        logging.Handler.__init__(self, logging.WARNING)
        self.warnings = []
        self.errors = []

    def emit(self, record):
        """Keep it."""
        where = self.errors if record.levelno >= logging.ERROR else self.warnings
        where.append(self.format(record)[:2000])

    def demand_no_errors(self):
        """Raise what was logged as an error."""
        if self.errors:
            raise PluginError("\n".join(self.errors))


def main(channel):
    """Import JAX, and ask."""
    # Else it takes three quarters of the GPU's memory.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    notes = []
    facts = {"framework": "jax", "notes": notes}

    def tell(**more):
        facts.update((name, value) for name, value in more.items() if value is not None)
        channel.fact("devices", **facts)

    notes += [["jaxlib", version] for version in [channel.ask("import jaxlib", jaxlib_version)] if version]
    installed = channel.ask("installed plugins", plugins) or []
    notes += [list(plugin) for plugin in installed]
    tell(built_with_cuda=has(installed, "cuda"), built_with_rocm=has(installed, "rocm"))
    with channel.stage("import jax"):
        import jax
    tell(version=str(jax.__version__))
    logged = Logged()
    logging.getLogger("jax").addHandler(logged)
    backend = channel.ask("jax.default_backend", jax.default_backend)
    notes += [["logged", text] for text in logged.warnings]
    tell(backend=backend)
    channel.ask("start plugins", logged.demand_no_errors)
    devices = channel.ask("jax.devices", lambda: [listed(device) for device in jax.devices()]) or []
    for platform in PLUGINS:
        if has(installed, platform):
            name = 'jax.devices("{}")'.format(platform)
            more = channel.ask(name, lambda platform=platform: [listed(one) for one in jax.devices(platform)]) or []
            devices += [device for device in more if device not in devices]
    if not any(device["kind"] == "cpu" for device in devices):
        devices = (
            channel.ask('jax.devices("cpu")', lambda: [listed(one) for one in jax.devices("cpu")]) or []
        ) + devices
    if devices:
        tell(devices=devices, gpu_available=any(one["kind"] in ("gpu", "mps") for one in devices))
    if has(installed, "cuda"):
        tell(**(channel.ask("CUDA versions", cuda_versions) or {}))


def jaxlib_version():
    """The version of jaxlib. Of a pair that does not fit, jax itself refuses to be imported."""
    import jaxlib.version

    return str(jaxlib.version.__version__)


def plugins():
    """Name and version of every distribution that brings a platform."""
    try:
        from importlib.metadata import distributions
    except ImportError as error:
        raise Skip("this Python cannot tell (importlib.metadata is new in 3.8)") from error
    starts = tuple(start for names in PLUGINS.values() for start in names)
    found = {str(one.metadata["Name"]).lower().replace("_", "-"): one.version for one in distributions()}
    return sorted(
        (name, version)
        for name, version in found.items()
        if name.startswith(starts) or (name == "jaxlib" and "+" in version)
    )


def has(installed, platform):
    """Whether something for that platform is installed. What has no plugin yet is a jaxlib 0.4.13+cuda11.cudnn86."""
    return any(name.startswith(PLUGINS[platform]) or "+" + platform in version for name, version in installed)


def listed(device):
    """A device as it is told."""
    found = {
        "name": str(device),
        "kind": KINDS.get(str(device.platform).lower(), "other"),
        "index": int(device.id),
        "product": str(device.device_kind),
    }
    capability = getattr(device, "compute_capability", None)
    if capability and found["kind"] == "gpu" and str(capability).replace(".", "").isdigit():
        found["capability"] = str(capability)
    return found


def cuda_versions():
    """The versions of CUDA's runtime and of cuDNN, as the plugin has loaded them."""
    from jax._src.lib import cuda_versions as versions

    if versions is None:
        raise Skip("the plugin does not tell")
    cuda, cudnn = versions.cuda_runtime_get_version(), versions.cudnn_get_version()
    return {"cuda": "{}.{}".format(cuda // 1000, cuda % 1000 // 10), "cudnn": library_version(cudnn)}


if __name__ == "__main__":
    Channel().run(main)
