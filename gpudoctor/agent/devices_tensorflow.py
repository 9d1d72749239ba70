"""Lists TensorFlow's devices in each of its ways, from 1.14 to the newest."""

import re

import tensorflow_session as session
from agent_channel import Channel, Skip

KINDS = {"CPU": "cpu", "GPU": "gpu", "XLA_CPU": "xla-cpu", "XLA_GPU": "xla-gpu", "TPU": "tpu", "XPU": "xpu"}

#: physical_device_desc: "device: 0, name: Tesla T4, pci bus id: 0000:00:04.0, compute capability: 7.5"
#: (GetShortDeviceDescription in tensorflow/core/common_runtime/gpu/gpu_device.cc). The device is the physical one.
DESCRIPTION = re.compile(
    r"device: (?P<index>\d+), name: (?P<product>.*?), pci bus id: (?P<pci_bus_id>[\w:.]+)"
    r"(?:, compute capability: (?P<capability>\d+\.\d+))?"
)


def main(channel):
    """Ask everything, each in its own stage; tell what is known as soon as it is."""
    tf = session.start(channel)
    told = {"framework": "tensorflow", "version": str(tf.__version__), "notes": []}
    told.update(channel.ask("built with", lambda: built_with(tf)) or {})
    channel.fact("devices", **told)

    devices = dict(channel.ask("list physical devices", lambda: physical(tf)) or ())
    if devices:
        told["devices"] = list(devices.values())
        channel.fact("devices", **told)
    for (kind, index), device in devices.items():
        if kind == "gpu":
            stage = "details of GPU:{}".format(index)
            device.update(channel.ask(stage, lambda index=index: details(tf, index)) or {})
            channel.fact("devices", **told)

    if session.eager(tf):
        channel.ask("set memory growth", lambda: session.set_memory_growth(tf))
    local = channel.ask("list local devices", lambda: local_devices(tf))
    if local is None:
        return
    for number, device in described(local):
        devices[number] = dict(device, **devices.get(number, {}))
    told["devices"] = list(devices.values())
    told["notes"] += local_notes(local)
    channel.fact("devices", **told)

    gpus = any(kind == "gpu" for kind, _ in devices)
    # Where there is no GPU it adds nothing, and TensorFlow 2 could then not be told to part the CPU.
    logical = channel.ask("list logical devices", lambda: logical_devices(tf)) if gpus else None
    if logical is not None:
        told["notes"].append(["logical devices", ", ".join(logical)])
    name = channel.ask("gpu_device_name", tf.test.gpu_device_name)
    if name is not None:
        told.update(gpu_available=bool(name))
        told["notes"].append(["tf.test.gpu_device_name()", name])
    channel.fact("devices", **told)


def built_with(tf):
    """What the build says of itself."""
    told = {"built_with_cuda": bool(tf.test.is_built_with_cuda())}
    if hasattr(tf.test, "is_built_with_rocm"):
        told["built_with_rocm"] = bool(tf.test.is_built_with_rocm())
    # TensorFlow 2.3 and later.
    info = tf.sysconfig.get_build_info() if hasattr(tf.sysconfig, "get_build_info") else {}
    for field, name in (("cuda", "cuda_version"), ("cudnn", "cudnn_version")):
        if info.get(name):
            told[field] = str(info[name])
    if info.get("cuda_compute_capabilities"):
        told["archs"] = [str(arch) for arch in info["cuda_compute_capabilities"]]
    return told


def physical(tf):
    """((kind, index), device) of tf.config.list_physical_devices()."""
    if not session.eager(tf):
        raise Skip("TensorFlow 1 lists devices in a session")
    try:
        found = tf.config.list_physical_devices()
    except Exception as error:
        session.refuse("TensorFlow could not list its devices: {}".format(error))
        raise
    return [numbered(device.name, device.device_type) for device in found]


def numbered(name, kind):
    """((kind, index), device): the index is the last number of the name."""
    kind = KINDS.get(kind, "other")
    index = int(name.rpartition(":")[2])
    return (kind, index), {"name": name, "kind": kind, "index": index}


def details(tf, index):
    """The model and the compute capability of a GPU; TensorFlow 2.4 and later tell."""
    if not hasattr(tf.config.experimental, "get_device_details"):
        raise Skip("this release has no get_device_details")
    said = tf.config.experimental.get_device_details(tf.config.list_physical_devices("GPU")[index])
    capability = said.get("compute_capability")
    told = {"product": said.get("device_name"), "capability": capability and "{}.{}".format(*capability)}
    return {name: value for name, value in told.items() if value}


def local_devices(tf):
    """What device_lib lists: devices that were started, so that a GPU which does not start is missing."""
    from tensorflow.python.client import device_lib

    session.require()
    try:
        return device_lib.list_local_devices(session_config=session.configuration(tf))
    except Exception as error:
        session.refuse("TensorFlow could not start its devices: {}".format(error))
        raise


def described(local):
    """((kind, index), device) of what device_lib lists. A GPU has the number of the physical device behind it."""
    for device in local:
        number, told = numbered(device.name, device.device_type)
        match = DESCRIPTION.search(device.physical_device_desc)
        if match:
            said = {name: value for name, value in match.groupdict().items() if value}
            told.update(said, index=int(said["index"]))
            number = (number[0], told["index"])
        yield number, told


def local_notes(local):
    """The names that device_lib lists, and how much memory TensorFlow would take of a GPU."""
    names = ["device_lib", ", ".join(device.name for device in local)]
    limits = [
        ["memory limit of {}".format(device.name), "{} MiB".format(device.memory_limit // 2**20)]
        for device in local
        if device.device_type == "GPU"
    ]
    return [names, *limits]


def logical_devices(tf):
    """The names of the devices that a program can use."""
    if session.eager(tf):
        return [device.name for device in tf.config.list_logical_devices()]
    with tf.compat.v1.Session(config=session.configuration(tf)) as opened:
        return [device.name for device in opened.list_devices()]


if __name__ == "__main__":
    Channel().run(main)
