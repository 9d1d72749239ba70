"""Smoke training on several devices at once with JAX, each with its part of the batch."""

from agent_channel import Skip
from jax_networks import adam, adam_start, loss, outputs
from jax_training import accuracy, devices_of, flags, products
from smoke_data import BATCH, STEPS, THRESHOLD, batch
from smoke_judgement import TOLERANCES
from smoke_reference import difference, look, weights


def together(trials, jax, examples, used):
    """Train on all GPUs that are used; on the CPU with the two devices into which it was divided."""
    gpus = [device for device in used if device.platform != "cpu"]
    devices = gpus or jax.local_devices(backend="cpu")[:2]
    if len(gpus) == 1:
        return
    label = "+".join("gpu:{}".format(device.id) if gpus else "cpu" for device in devices)

    def training():
        if len(devices) < 2:
            raise Skip("the CPU is one device: XLA_FLAGS says so, or this release cannot divide it")
        with products(jax, "float32"):
            return train(jax, trials, examples, devices)

    trials.run(training, network="data-parallel", device=label, mode="xla")


def train(jax, trials, examples, devices):
    """The training, as a Trial has it. What the devices add up is tested first."""
    import numpy

    add_up(jax, devices)
    copies = [numpy.stack([weight] * len(devices)) for weight in weights("dense")]
    apart = compare(jax, examples, copies, devices)
    count, means, squares = adam_start(copies)
    state = numpy.stack([count] * len(devices)), means, squares
    step, losses = stepper(jax, devices), []
    for number in trials.steps(2 * STEPS["dense"]):
        copies, state, values = step(copies, state, *parts(examples, number, len(devices)))
        losses.append(float(numpy.asarray(values)[0]))
    check_same(copies)
    found = outputs(jax, "dense", [numpy.asarray(copy)[0] for copy in copies], examples.test_images)
    places = sorted({place for copy in copies for place in devices_of(copy)})
    return {
        "steps": len(losses),
        "first_loss": losses[0],
        "last_loss": losses[-1],
        "accuracy": accuracy([found], examples.test_labels),
        "threshold": THRESHOLD,
        "placed_on": " + ".join(places),
        "placed_on_ok": places == sorted(str(device) for device in devices),
        "difference": apart,
        "tolerance": TOLERANCES["float32"],
    }


def add_up(jax, devices):
    """Raise unless the sum over all devices of 1, 2, 3 … is right."""
    import numpy

    numbers = numpy.arange(1, len(devices) + 1, dtype="float32")
    sums = jax.pmap(lambda number: jax.lax.psum(number, "devices"), "devices", devices=devices)(numbers)
    if not (numpy.asarray(sums) == numbers.sum()).all():
        raise ArithmeticError("the sum of {} came out as {}".format(numbers.tolist(), numpy.asarray(sums).tolist()))


def parts(examples, step, count):
    """A batch, divided among the devices."""
    share = BATCH // count
    return [one[: share * count].reshape(count, share, *one.shape[1:]) for one in batch(examples, step)]


def compare(jax, examples, copies, devices):
    """How far the gradients of all together are from those of the whole batch in double precision."""
    import numpy

    def gradients(all_of, images, labels):
        found = jax.grad(lambda every: loss(jax, "dense", every, images, labels, flags()[0])[0])(all_of)
        return jax.lax.pmean(found, "devices")

    found = jax.pmap(gradients, "devices", devices=devices)(copies, *parts(examples, 0, len(devices)))
    used = BATCH // len(devices) * len(devices)
    images, labels = (one[:used] for one in batch(examples, 0))
    wanted = look("dense", weights("dense"), images, labels)[2:]
    return difference([numpy.asarray(one)[0].astype("float64") for one in found], wanted)


def stepper(jax, devices):
    """One step on all devices."""

    def step(parameters, state, images, labels):
        def total(all_of):
            return loss(jax, "dense", all_of, images, labels)[0]

        value, gradients = jax.value_and_grad(total)(parameters)
        gradients = jax.lax.pmean(gradients, "devices")
        parameters, state = adam(jax, parameters, gradients, state, 1e-8)
        return parameters, state, jax.lax.pmean(value, "devices")

    return jax.pmap(step, "devices", devices=devices)


def check_same(copies):
    """Raise unless the weights are the same on all devices."""
    import numpy

    for copy in copies:
        values = numpy.asarray(copy)
        apart = float(abs(values - values[0]).max())
        if not apart <= 1e-6:
            raise ArithmeticError("the weights of the devices are {:g} apart".format(apart))
