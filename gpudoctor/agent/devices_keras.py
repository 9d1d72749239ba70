"""Lists the devices of Keras 2 and Keras 3, by its backend."""

import devices_jax
import devices_tensorflow
import keras_start
import tensorflow_session
from agent_channel import Channel, Skip


def main(channel):
    """Ask everything, each in its own stage; tell what is known as soon as it is."""
    started = keras_start.start(channel)
    told = {"framework": "keras", "version": started.version, "backend": started.backend, "notes": []}
    told["notes"] += channel.ask("pairing", lambda: pairing(started)) or []
    channel.fact("devices", **told)
    channel.ask("set memory growth", lambda: keras_start.modest(started))
    devices = channel.ask("list devices of {}".format(started.backend), lambda: LISTS[started.backend](started.engine))
    if devices is not None:
        told.update(devices=devices, gpu_available=any(device["kind"] == "gpu" for device in devices))
        channel.fact("devices", **told)
    names = channel.ask("keras.distribution.list_devices", lambda: own_list(started))
    if names is not None:
        told["notes"].append(["keras.distribution.list_devices()", ", ".join(names)])
        channel.fact("devices", **told)


def pairing(started):
    """The backend's version; and for TensorFlow which Keras tf.keras is, and whether the old one is installed too."""
    notes = [[started.backend, str(getattr(started.engine, "__version__", "not known"))]]
    if started.backend == "tensorflow":
        notes.append(["tf.keras", str(started.engine.keras.__version__)])
        legacy = installed_version("tf_keras")
        if legacy:
            notes.append(["tf_keras", legacy])
    return notes


def installed_version(name):
    """The version of an installed distribution, without importing it; None where there is none or Python is too old."""
    try:
        from importlib import metadata

        return metadata.version(name)
    except (ImportError, KeyError, OSError, ValueError):
        return None


def own_list(started):
    """What Keras 3 itself lists."""
    distribution = getattr(started.keras, "distribution", None)
    if distribution is None:
        raise Skip("Keras 2 has no list of devices of its own")
    if started.backend == "tensorflow":
        tensorflow_session.require()
    try:
        return [str(name) for name in distribution.list_devices()]
    except AttributeError as error:  # keras.src.backend.torch has no distribution library
        raise Skip("Keras has no list of devices for {}".format(started.backend)) from error


def list_tensorflow(tf):
    """What TensorFlow lists; TensorFlow 1 in a session."""
    if tensorflow_session.eager(tf):
        return [device for _, device in devices_tensorflow.physical(tf)]
    return [device for _, device in devices_tensorflow.described(devices_tensorflow.local_devices(tf))]


def list_torch(torch):
    """The CPU, and the GPUs that torch can use."""
    devices = [{"name": "cpu", "kind": "cpu"}]
    for index in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        capability = "{}.{}".format(*torch.cuda.get_device_capability(index))
        product = torch.cuda.get_device_name(index)
        name = "cuda:{}".format(index)
        devices.append({"name": name, "kind": "gpu", "index": index, "product": product, "capability": capability})
    mps = getattr(torch.backends, "mps", None)
    if mps is not None and mps.is_available():
        devices.append({"name": "mps", "kind": "mps"})
    return devices


def list_jax(jax):
    """The devices of JAX's default backend."""
    return [devices_jax.listed(one) for one in jax.devices()]


LISTS = {"tensorflow": list_tensorflow, "torch": list_torch, "jax": list_jax}


if __name__ == "__main__":
    Channel().run(main)
