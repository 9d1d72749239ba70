"""Smoke training with JAX on one device, and what is measured of it. `jax` is given, not imported."""

import contextlib

from agent_channel import Skip
from jax_networks import HALF_EPSILON, LOSS_SCALE, adam, adam_start, loss
from smoke_data import BATCH, STEPS, THRESHOLD, batch
from smoke_judgement import TOLERANCES
from smoke_reference import difference, look, weights


def train(jax, trials, examples, name, device, precision):
    """Train, and return what was measured, as a Trial has it."""
    before = memory(device)
    with products(jax, precision):
        measured = learn(jax, trials, examples, name, device, precision)
    measured["tolerance"] = TOLERANCES[precision]
    after = memory(device)
    if before and after:
        measured["memory_peak_mib"] = after["peak_bytes_in_use"] / 2.0**20
        measured["memory_left_mib"] = (after["bytes_in_use"] - before["bytes_in_use"]) / 2.0**20
    return measured


def learn(jax, trials, examples, name, device, precision):
    """The training: one step compared with the CPU's, all steps, and the images held back. One compilation does all."""
    kept, computed = types(jax, precision)
    put = jax.device_put
    start = cast(weights(name), kept)
    parameters, state, losses = put(start, device), put(adam_start(start), device), []
    step = stepper(jax, name, computed, HALF_EPSILON if kept.name == "float16" else 1e-8)
    smooth, bent = (put(flag, device) for flag in flags())
    compared = step(parameters, state, smooth, *put(batch(examples, 0), device))[2:]
    apart = difference(plain(compared), look(name, weights(name), *batch(examples, 0)))
    for number in trials.steps(STEPS[name]):
        parameters, state, value, *_ = step(parameters, state, bent, *put(batch(examples, number), device))
        losses.append(value)
    found = [step(parameters, state, bent, *put(part, device))[3] for part in held_back(examples)]
    placed_on = sorted({one for array in [*found, *parameters] for one in devices_of(array)})
    return {
        "steps": len(losses),
        "first_loss": float(losses[0]),
        "last_loss": float(losses[-1]),
        "accuracy": accuracy(found, examples.test_labels),
        "threshold": THRESHOLD,
        "placed_on": ", ".join(placed_on),
        "placed_on_ok": placed_on == [str(device)],
        "difference": apart,
    }


def flags():
    """What makes the networks smooth, and what does not."""
    import numpy

    return numpy.float32(1), numpy.float32(0)


def held_back(examples):
    """The images held back and their labels, in batches as those that are learned."""
    for first in range(0, len(examples.test_labels), BATCH):
        yield examples.test_images[first : first + BATCH], examples.test_labels[first : first + BATCH]


def accuracy(found, labels):
    """The part of the images held back that is recognised; `found` are the outputs for each batch of them."""
    import numpy

    return float((numpy.concatenate([numpy.asarray(one) for one in found]).argmax(1) == labels).mean())


def types(jax, precision):
    """The type that the weights are kept in, and the one that is computed with."""
    computed = jax.numpy.dtype(precision.replace("mixed-", "").replace("tf32", "float32"))
    return (jax.numpy.dtype("float32") if precision.startswith("mixed-") else computed), computed


def products(jax, precision):
    """Products and convolutions in TF32, or in full: JAX's default on a GPU is TF32 for float32."""
    if not hasattr(jax, "default_matmul_precision"):
        if precision == "tf32":
            raise Skip("this release of JAX cannot choose TF32")
        return contextlib.ExitStack()
    return jax.default_matmul_precision("tensorfloat32" if precision == "tf32" else "float32")


def cast(parameters, computed):
    """The weights in the type that is computed with."""
    return [weight.astype(computed) for weight in parameters]


def stepper(jax, name, computed, epsilon):
    """One training step, compiled: loss, outputs, gradients as computed, and Adam on the weights as kept."""
    scale = LOSS_SCALE if computed.name == "float16" else 1.0

    def scaled(parameters, images, labels, smooth):
        value, found = loss(jax, name, cast(parameters, computed), images.astype(computed), labels, smooth)
        return value * scale, found

    def step(parameters, state, smooth, images, labels):
        both = jax.value_and_grad(scaled, has_aux=True)(parameters, images, labels, smooth)
        (value, found), gradients = both
        gradients = [gradient / scale for gradient in gradients]
        parameters, state = adam(jax, parameters, gradients, state, epsilon)
        return parameters, state, value / scale, found, gradients

    return jax.jit(step)


def plain(compared):
    """Loss, outputs and gradients of a step, as NumPy's float64."""
    import numpy

    value, found, gradients = compared
    return [numpy.asarray(one).astype("float64") for one in [value, found, *gradients]]


def devices_of(array):
    """The names of the devices that hold an array."""
    if hasattr(array, "devices"):
        return {str(device) for device in array.devices()}
    return {str(array.device() if callable(array.device) else array.device)}


def memory(device):
    """What the device's allocator counts; None where it does not."""
    try:
        counts = device.memory_stats()
    except Exception:  # backends refuse in ways of their own
        return None
    return counts if counts and "peak_bytes_in_use" in counts and "bytes_in_use" in counts else None
