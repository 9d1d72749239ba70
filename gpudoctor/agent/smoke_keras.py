"""Trains small networks through Keras on its backend's devices, or on those asked for."""

import contextlib

import devices_keras
import keras_start
import keras_training
import smoke_data as data
import tensorflow_session
from agent_channel import Channel, Skip
from smoke_trials import Trials

#: network, precision, mode: the first two are all that is done when it has to be quick; the first alone, where the
#: backend has just trained the second itself in this process: Keras adds no convolution of its own.
PLAN = (
    ("dense", "float32", "train_on_batch"),
    ("conv", "float32", "train_on_batch"),
    ("dense", "float32", "fit"),
    ("dense", "mixed-float16", "train_on_batch"),
    ("dense", "mixed-bfloat16", "train_on_batch"),
)


def main(channel):
    """Train everything on every device."""
    started = keras_start.start(channel)
    trials = Trials(channel)
    channel.ask("set memory growth", lambda: keras_start.modest(started))
    examples = keras_training.examples_asked(lambda: started.keras, channel)
    if examples is None:
        return
    devices = channel.request.get("devices") or [None]
    own_choice = channel.ask("find the default device", lambda: default_device(started))
    plan = plan_for(channel.request, started.backend)
    for device in devices:
        for network, precision, mode in plan:
            asked = {"network": network, "device": device or own_choice or "cpu", "precision": precision, "mode": mode}
            trials.run(
                lambda asked=asked, device=device: train(started, trials, examples, device, **asked_of(asked)), **asked
            )


def plan_for(request, backend):
    """What is trained, of PLAN."""
    if not request.get("quick"):
        return PLAN
    return PLAN[:1] if "smoke_" + backend in request.get("done", ()) else PLAN[:2]


def asked_of(asked):
    """What a training is asked, as `train` takes it."""
    return {"wanted": asked["device"], "network": asked["network"], "how": (asked["precision"], asked["mode"])}


def default_device(started):
    """What Keras will choose: the first GPU of its backend, else the CPU."""
    devices = devices_keras.LISTS[started.backend](started.engine)
    first = next((one["kind"] for one in devices if one["kind"] in ("gpu", "mps", "xpu", "tpu")), "cpu")
    return "gpu:0" if first == "gpu" else first


def train(started, trials, examples, device, wanted, network, how):
    """One training; `device` None leaves the choice to Keras."""
    if started.backend == "tensorflow":
        tensorflow_session.require()
    precision, mode = how
    if precision == "mixed-float16" and wanted.startswith("cpu"):
        raise Skip("a CPU only imitates float16")
    with placed_on(started, device), policy(started, precision):
        model = keras_training.build(started.keras, network)
        if mode == "fit":
            measured = keras_training.fit(started.keras, model, trials, examples)
        else:
            measured = keras_training.learn(model, trials, examples, data.STEPS[network])
        # TensorFlow 1 does not tell: "".
        placed = sorted({place_of(weight) for weight in model.weights} - {""})
    if placed:
        measured.update(placed_on=", ".join(placed), placed_on_ok=placed == [wanted])
    return measured


@contextlib.contextmanager
def policy(started, precision):
    """The policy of mixed precision; the default again at the end."""
    if precision == "float32":
        yield
        return
    mixed = getattr(started.keras, "mixed_precision", None)
    if not hasattr(mixed, "set_global_policy"):
        raise Skip("the policies of mixed precision are new in TensorFlow 2.4")
    mixed.set_global_policy(precision.replace("-", "_"))
    try:
        yield
    finally:
        mixed.set_global_policy("float32")


def placed_on(started, device):
    """A context in which Keras works on that device; None is its own choice."""
    if device is None:
        return policy(started, "float32")  # nothing to do
    name = device if ":" in device else device + ":0"
    if hasattr(started.keras, "device"):
        return started.keras.device(name)
    if started.backend != "tensorflow":
        raise Skip("this Keras cannot be told which device to use")
    return started.engine.device("/" + name.upper())


def place_of(weight):
    """The device of a weight as gpudoctor writes it: cpu, gpu:0."""
    value = getattr(weight, "value", weight)
    value = value() if callable(value) else value  # a method of TensorFlow's variables
    found = value.devices() if callable(getattr(value, "devices", None)) else {value.device}
    names = sorted(plain_name(str(one)) for one in found)
    return "+".join(names)


def plain_name(text):
    """gpu:0 of /job:localhost/replica:0/task:0/device:GPU:0, cuda:0, CudaDevice(id=0); cpu of every CPU."""
    text = text.lower().rpartition("/")[2].replace("device:", "").replace("(id=", ":").replace(")", "")
    text = text.replace("cudadevice", "gpu").replace("rocmdevice", "gpu").replace("cuda", "gpu")
    text = text.replace("tfrt_", "").replace("_", ":").replace("cpudevice", "cpu")
    return text.partition(":")[0] if text.startswith(("cpu", "mps")) else text


if __name__ == "__main__":
    Channel().run(main)
