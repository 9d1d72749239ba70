"""Trains small networks with TensorFlow, 1.14 and later, on every device asked for and on several together."""

import keras_training
import smoke_data as data
import tensorflow_eager
import tensorflow_graph
import tensorflow_session as session
from agent_channel import Channel, Skip
from devices_tensorflow import described, local_devices
from smoke_trials import Trials
from tensorflow_step import place_name, place_of

#: network, precision, mode: the first two are all that is done when it has to be quick.
QUICK = (("dense", "float32", "graph"), ("conv", "float32", "graph"))
FULL = (
    *QUICK,
    ("dense", "float32", "eager"),
    ("dense", "float32", "xla"),
    ("dense", "float16", "graph"),
    ("conv", "float16", "graph"),
    ("dense", "bfloat16", "graph"),
    ("conv", "bfloat16", "graph"),
    ("dense", "tf32", "graph"),
    ("conv", "tf32", "graph"),
    ("dense", "mixed-float16", "graph"),
    ("dense", "mixed-bfloat16", "graph"),
)
#: What is left out on a CPU: formats that only GPUs have, or that a CPU only imitates, slowly.
NOT_ON_CPU = ("tf32", "float16", "mixed-float16")

#: What TensorFlow says of an operation that it has not been built with for that format and device.
NO_KERNEL = ("No OpKernel was registered", "no supported kernel for", "Could not find device for node")


def main(channel):
    """Train everything on every device; then on several together."""
    tf = session.start(channel)
    request = channel.request
    trials = Trials(channel)
    devices = devices_asked(tf, channel)
    examples = keras_training.examples_asked(lambda: tf.keras, channel)
    if examples is None:
        return
    make = tensorflow_eager.Trainer if session.eager(tf) else tensorflow_graph.Trainer
    trainer = make(tf, trials, examples)
    found = channel.ask("compute capabilities", lambda: capabilities(tf)) or {}
    for device in devices:
        plan = QUICK[:1] if session.refused() else QUICK if request.get("quick") else FULL
        for network, precision, mode in plan:
            if device.startswith("cpu") and precision in NOT_ON_CPU:
                continue
            asked = {"network": network, "device": device, "precision": precision, "mode": mode}
            trials.run(lambda asked=asked: train(tf, trainer, found, **asked), **asked)
    if not request.get("quick") and not session.refused():
        several(tf, trials, trainer, devices)
    trainer.finish()


def devices_asked(tf, channel):
    """The devices to train on: those of the request, else every GPU, else the CPU."""
    if session.eager(tf):
        channel.ask("set memory growth", lambda: session.set_memory_growth(tf))
    asked = channel.request.get("devices")
    if asked is None:
        gpus = channel.ask("find GPUs", lambda: count_started(tf))
        if gpus is None and session.eager(tf):
            gpus = channel.ask("find GPUs that do not start", lambda: len(tf.config.list_physical_devices("GPU")))
        asked = ["gpu:{}".format(index) for index in range(gpus or 0)] or ["cpu"]
    if session.eager(tf) and asked == ["cpu"] and not channel.request.get("quick"):
        channel.ask("part the CPU in two", lambda: part_cpu(tf))
    return asked


def count_started(tf):
    """How many GPUs TensorFlow has started: it leaves out those it deems too old or too small."""
    session.require()
    return sum(device.device_type == "GPU" for device in local_devices(tf))


def part_cpu(tf):
    """Make two logical devices of the CPU, so that training on several can be tried without GPUs."""
    cpus = tf.config.list_physical_devices("CPU")
    part = tf.config.experimental.VirtualDeviceConfiguration
    try:
        tf.config.experimental.set_virtual_device_configuration(cpus[0], [part(), part()])
    except RuntimeError as error:
        raise Skip(str(error)) from error


def capabilities(tf):
    """The compute capability of every GPU by its name, gpu:0; (7, 5)."""
    session.require()
    return {
        "gpu:{}".format(device["name"].rpartition(":")[2]): tuple(map(int, device["capability"].split(".")))
        for _, device in described(local_devices(tf))
        if device.get("capability")
    }


def train(tf, trainer, found, network, device, precision, mode):
    """One training, where this device and release can do it."""
    session.require()
    capability = found.get(device)
    if precision in ("tf32", "bfloat16", "mixed-bfloat16") and capability and capability < (8, 0):
        raise Skip("GPUs before compute capability 8.0 have no {}; this one is {}.{}".format(precision, *capability))
    if not session.eager(tf) and (mode != "graph" or precision.startswith("mixed") or precision == "tf32"):
        raise Skip("not tried with TensorFlow 1")
    if precision.startswith("mixed"):
        return train_mixed(tf, trainer, device, precision)
    try:
        return trainer.train(network, device, precision, mode)
    except (tf.errors.InvalidArgumentError, tf.errors.NotFoundError) as error:
        if precision != "float32" and any(words in str(error) for words in NO_KERNEL):
            raise Skip("this TensorFlow has no kernel for {} there".format(precision)) from error
        raise


def train_mixed(tf, trainer, device, precision):
    """The dense network under Keras's policy of mixed precision."""
    keras = tf.keras
    if not hasattr(keras.mixed_precision, "set_global_policy"):
        raise Skip("the policies of mixed precision are new in TensorFlow 2.4")
    tf.config.set_soft_device_placement(True)
    keras.mixed_precision.set_global_policy(precision.replace("-", "_"))
    try:
        place = place_of(device)
        with tf.device(place):
            model = keras_training.build(keras, "dense")
            measured = keras_training.learn(model, trainer.trials, trainer.examples, data.STEPS["dense"])
            made = [getattr(one, "value", one) for one in model.weights] + [model(trainer.examples.test_images)]
        placed = {place_name(one.device) for one in made if isinstance(getattr(one, "device", 0), str)}
        return dict(measured, placed_on=", ".join(sorted(placed)), placed_on_ok=placed == {place})
    finally:
        keras.mixed_precision.set_global_policy("float32")
        tf.config.set_soft_device_placement(False)


def several(tf, trials, trainer, devices):
    """Copies between GPUs, and a training on all together; without GPUs on two halves of the CPU."""
    gpus = [device for device in devices if device.startswith("gpu")]
    if len(gpus) > 1:
        for pair in [(one, other) for one in gpus for other in gpus if one != other]:
            trials.channel.ask("copy from {} to {}".format(*pair), lambda pair=pair: copy(tf, trials.channel, *pair))
    together = gpus or (["cpu:0", "cpu:1"] if devices == ["cpu"] else [])
    if len(together) < 2:
        return

    def work():
        if not session.eager(tf):
            raise Skip("not tried with TensorFlow 1")
        if not gpus and len(tf.config.list_logical_devices("CPU")) < 2:
            raise Skip("the CPU was in use before it could be parted in two")
        return trainer.train_together(together)

    trials.run(work, network="data-parallel", device="+".join(together), precision="float32", mode="graph")


def copy(tf, channel, source, target):
    """One pair; raises where what arrives is not what was sent. Whether the way is direct, TensorFlow does not tell."""
    with tf.device(place_of(source)):
        sent = tf.range(2**20)
    with tf.device(place_of(target)):
        arrived = tf.identity(sent)
    right = bool((arrived.numpy() == range(2**20)).all())
    channel.fact("peer", source=int(source[4:]), target=int(target[4:]), correct=right)
    if not right:
        raise ArithmeticError("what arrived is not what was sent")


if __name__ == "__main__":
    Channel().run(main)
