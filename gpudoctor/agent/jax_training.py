"""Training a small network with JAX on one device, and what is measured of it. `jax` is given, not imported."""

import contextlib

from jax_networks import HALF_EPSILON, LOSS_SCALE, adam, adam_start, loss, outputs, weights
from smoke_data import BATCH, CONV_STEPS, DENSE_STEPS, THRESHOLD, start_of_batch
from smoke_judgement import TOLERANCES
from telling import Skip

STEPS = {"dense": DENSE_STEPS, "conv": CONV_STEPS}


def batch(examples, step):
    """Images and labels of one step, as NumPy has them."""
    first = start_of_batch(step, len(examples.labels))
    return examples.images[first : first + BATCH], examples.labels[first : first + BATCH].astype("int32")


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
    """The training: one step compared with the CPU's, all steps, and the images held back."""
    kept, computed = types(jax, precision)
    put = jax.device_put
    apart = compare(jax, examples, name, device, computed)
    start = cast(weights(name), kept)
    parameters, state, losses = put(start, device), put(adam_start(start), device), []
    step = stepper(jax, name, computed, HALF_EPSILON if kept.name == "float16" else 1e-8)
    for number in trials.steps(STEPS[name]):
        parameters, state, value = step(parameters, state, *put(batch(examples, number), device))
        losses.append(value)
    answers = jax.jit(lambda all_of, images: outputs(jax, name, cast(all_of, computed), images.astype(computed)))
    found = answers(parameters, put(examples.test_images, device))
    placed_on = sorted({one for array in [found, *parameters] for one in devices_of(array)})
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


def accuracy(found, labels):
    """The part of the images held back that is recognised."""
    import numpy

    return float((numpy.asarray(found).argmax(1) == labels).mean())


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
    """One training step, compiled: loss, gradients in the type computed with, and Adam on the weights as kept."""
    scale = LOSS_SCALE if computed.name == "float16" else 1.0

    def scaled(parameters, images, labels):
        value, _ = loss(jax, name, cast(parameters, computed), images.astype(computed), labels)
        return value * scale

    def step(parameters, state, images, labels):
        value, gradients = jax.value_and_grad(scaled)(parameters, images, labels)
        gradients = [gradient / scale for gradient in gradients]
        parameters, state = adam(jax, parameters, gradients, state, epsilon)
        return parameters, state, value / scale

    return jax.jit(step)


def compare(jax, examples, name, device, computed):
    """How far one step's loss, outputs and gradients are from those in double precision on the CPU."""
    images, labels = batch(examples, 0)
    given = (cast(weights(name), computed), images.astype(computed), labels)
    found = results(jax, name, *jax.device_put(given, device))
    return difference(found, reference(jax, name, images, labels))


def reference(jax, name, images, labels):
    """The step in double precision on the CPU; where a release has no double precision, in single."""
    cpu = jax.devices("cpu")[0]
    with double(jax):
        given = ([weight.astype("float64") for weight in weights(name)], images.astype("float64"), labels)
        return results(jax, name, *jax.device_put(given, cpu))


def double(jax):
    """Double precision for a while."""
    if hasattr(jax, "enable_x64") and callable(jax.enable_x64):
        return jax.enable_x64(True)
    try:
        from jax.experimental import enable_x64
    except ImportError:
        return contextlib.ExitStack()
    return enable_x64()


def results(jax, name, parameters, images, labels):
    """Outputs, loss and gradients of one step, as NumPy's float64."""
    import numpy

    def smooth(all_of, images, labels):
        return loss(jax, name, all_of, images, labels, smooth=True)

    step = jax.jit(jax.value_and_grad(smooth, has_aux=True))
    (value, found), gradients = step(parameters, images, labels)
    return [numpy.asarray(one).astype("float64") for one in [found, value, *gradients]]


def difference(found, wanted):
    """The largest difference, relative to the largest number of the same tensor; NaN where there is one."""
    ratios = [float(abs(a - b).max() / abs(b).max()) for a, b in zip(found, wanted)]
    return max(ratios) if all(ratio >= 0 for ratio in ratios) else float("nan")


def devices_of(array):
    """The names of the devices that hold an array."""
    if hasattr(array, "devices"):
        return {str(device) for device in array.devices()}
    return {str(array.device() if callable(array.device) else array.device)}


def memory(device):
    """What the device's allocator counts; None where it does not."""
    try:
        counts = device.memory_stats()
    except Exception:
        return None
    return counts if counts and "peak_bytes_in_use" in counts and "bytes_in_use" in counts else None
