"""Smoke training in TensorFlow 2: eager, as a graph, or compiled by XLA; on one device or several."""

import gc

import smoke_data as data
import tensorflow_step as network_step
from agent_channel import Skip
from smoke_judgement import TOLERANCES
from smoke_reference import difference, weights
from tensorflow_step import accuracy, place_name, place_of

KINDS = {"tf32": "float32"}


class Trainer(network_step.Trainer):
    """Trains the networks of `tensorflow_step` on examples."""

    def __init__(self, tf, trials, examples):
        network_step.Trainer.__init__(self, tf, trials, examples)
        tf.config.set_soft_device_placement(False)

    def finish(self):
        """Leave TensorFlow as it was, for what comes after us in this process."""
        self.tf.config.set_soft_device_placement(True)
        if hasattr(self.tf.config.experimental, "enable_tensor_float_32_execution"):
            set_tf32(self.tf, True)

    def batch(self, step):
        """Images and labels of a step, as tensors on the device at hand."""
        return [self.tf.constant(one) for one in data.batch(self.examples, step)]

    def train(self, network, device, precision, mode):
        """What was measured of a training."""
        expected = self.reference(network)
        set_tf32(self.tf, precision == "tf32")
        memory = Memory(self.tf, device)
        with self.tf.device(place_of(device)):
            measured = self.workload(network, KINDS.get(precision, precision), mode, expected)
        placed = measured["placed_on"]
        measured.update(placed_on_ok=placed == {place_of(device)}, placed_on=", ".join(sorted(placed)))
        measured.update(threshold=data.THRESHOLD, tolerance=TOLERANCES[precision])
        measured.update(memory.used())
        return measured

    def workload(self, network, kind, mode, expected):
        """The steps, on the device at hand."""
        tf, steps, start = self.tf, data.STEPS[network], weights(network)
        variables = [tf.Variable(one) for one in start]
        moments = [(tf.Variable(one * 0), tf.Variable(one * 0)) for one in start]

        def step(images, labels, rate, smooth):
            looked = network_step.look(tf, network, variables, images, labels, kind, smooth)
            network_step.adam(tf, variables, moments, looked[2], rate)
            return looked

        step, losses = compiled(tf, step, mode), []
        compared = step(*self.batch(0), rate=tf.constant(0.0), smooth=tf.constant(1.0))
        for moment in [one for pair in moments for one in pair]:
            moment.assign(tf.zeros_like(moment))
        for number in self.trials.steps(steps):
            rate = tf.constant(network_step.rate_of(number), tf.float32)
            looked = step(*self.batch(number), rate=rate, smooth=tf.constant(0.0))
            losses.append(float(looked[0]))
        cast = [tf.cast(one, kind) for one in variables]
        said = network_step.scores(tf, network, cast, tf.cast(tf.constant(self.examples.test_images), kind))
        said = tf.cast(said, tf.float32)
        return {
            "steps": steps,
            "first_loss": losses[0],
            "last_loss": losses[-1],
            "accuracy": accuracy(said.numpy(), self.examples.test_labels),
            "difference": difference([one.numpy() for one in flat(compared)], expected),
            "placed_on": {place_name(one.device) for one in [*variables, *flat(looked)]},
        }

    def train_together(self, devices):
        """Each device takes its part of every batch; the mean of their gradients moves the weights of all."""
        tf, steps = self.tf, data.STEPS["dense"]
        expected = self.reference("dense")
        tf.config.set_soft_device_placement(True)
        set_tf32(tf, False)
        strategy = tf.distribute.MirroredStrategy([place_of(device) for device in devices])
        with strategy.scope():
            variables = [tf.Variable(one, aggregation=tf.VariableAggregation.MEAN) for one in weights("dense")]
        part = data.BATCH // len(devices)

        def replica(images, labels, rate, smooth):
            context = tf.distribute.get_replica_context()
            start = tf.cast(context.replica_id_in_sync_group, tf.int32) * part
            chosen = images[start : start + part], labels[start : start + part]
            values = [one.value() for one in variables]
            loss, said, gradients = network_step.look(tf, "dense", values, *chosen, kind="float32", smooth=smooth)
            loss, *gradients = context.all_reduce(tf.distribute.ReduceOp.MEAN, [loss, *gradients])
            for variable, gradient in zip(variables, gradients):
                variable.assign_sub(rate * gradient)
            return loss, said, gradients

        def run(number, rate, smooth):
            looked = together(*self.batch(number), rate=tf.constant(rate), smooth=tf.constant(smooth))
            return [strategy.experimental_local_results(one) for one in flat(looked)]

        together = tf.function(lambda *args, **more: strategy.run(replica, args, more), autograph=False)
        first = run(0, 0.0, 1.0)
        losses = [float(run(number, 0.1, 0.0)[0][0]) for number in self.trials.steps(steps)]
        copies = [strategy.experimental_local_results(one) for one in variables]
        tf.config.set_soft_device_placement(False)
        said = network_step.scores(tf, "dense", [one[0] for one in copies], tf.constant(self.examples.test_images))
        placed = {place_name(one.device) for one in copies[0]}
        whole = [first[0][0].numpy(), tf.concat(first[1], 0).numpy(), *[one[-1].numpy() for one in first[2:]]]
        used = part * len(devices)
        return {
            "steps": steps,
            "first_loss": losses[0],
            "last_loss": losses[-1],
            "accuracy": accuracy(said.numpy(), self.examples.test_labels),
            "threshold": data.THRESHOLD,
            "difference": difference(whole, expected) if used == data.BATCH else None,
            "tolerance": TOLERANCES["float32"],
            "placed_on": ", ".join(sorted(placed)),
            "placed_on_ok": placed == {place_of(device) for device in devices} and agree(copies),
        }


def compiled(tf, step, mode):
    """`step` as it is (eager), as a graph, or compiled by XLA. AutoGraph, slow, has nothing to convert."""
    if mode == "eager":
        return step
    if mode == "graph":
        return tf.function(step, autograph=False)
    try:
        return tf.function(step, autograph=False, jit_compile=True)
    except TypeError:  # its name before TensorFlow 2.5
        return tf.function(step, autograph=False, experimental_compile=True)


def set_tf32(tf, wanted):
    """Whether float32 may be rounded to TF32; TensorFlow 2.4 and later can be told, and do so unless told."""
    if hasattr(tf.config.experimental, "enable_tensor_float_32_execution"):
        tf.config.experimental.enable_tensor_float_32_execution(wanted)
    elif wanted:
        raise Skip("TensorFlow before 2.4 does not use TF32")


def flat(looked):
    """Loss, scores and gradients as one list."""
    return [looked[0], looked[1], *looked[2]]


def agree(copies):
    """Whether the copies of every variable are the same number for number."""
    return all((one.numpy() == others[0].numpy()).all() for others in copies for one in others)


class Memory:
    """Memory of a GPU, MiB: the most in use during a training, and what it left in use. Not told of a CPU."""

    def __init__(self, tf, device):
        self.tf, self.device = tf, device.upper()
        self.before = self.current()
        if self.before is not None and hasattr(tf.config.experimental, "reset_memory_stats"):
            tf.config.experimental.reset_memory_stats(self.device)

    def current(self, what="current"):
        """What TensorFlow 2.5 and later tell."""
        if self.device.startswith("CPU") or not hasattr(self.tf.config.experimental, "get_memory_info"):
            return None
        return self.tf.config.experimental.get_memory_info(self.device)[what]

    def used(self):
        """The fields of the trial."""
        if self.before is None:
            return {}
        peak = self.current("peak") - self.before
        gc.collect()
        left = self.current() - self.before
        return {"memory_peak_mib": round(peak / 2**20, 3), "memory_left_mib": round(left / 2**20, 3)}
