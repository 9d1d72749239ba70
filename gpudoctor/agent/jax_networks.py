"""The smoke-test networks in JAX, built from their weights. `jax` is given, not imported."""

from smoke_data import CLASSES, RATE

NETWORKS = ("dense", "conv")

#: Adam's default of 1e-8 is zero in float16.
HALF_EPSILON = 1e-4

#: A fixed factor that keeps small gradients from becoming zero in float16.
LOSS_SCALE = 1024.0


def outputs(jax, name, parameters, images, smooth=None):
    """What the network makes of images.

    `smooth`: 1 for the network that `smoke_reference` computes, 0 for the one that is trained: so one computation,
    compiled once, does both. None is 0.
    """
    values = images
    if name == "conv":
        values = values.reshape(-1, 28, 28, 1)
        for kernel, bias in (parameters[0:2], parameters[2:4]):
            values = jax.lax.conv_general_dilated(
                values, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
            values = pooled(bent(jax, added(values, bias), smooth), smooth)
    values = values.reshape(values.shape[0], -1)
    if name == "dense":
        values = bent(jax, added(values @ parameters[0], parameters[1]), smooth)
    return added(values @ parameters[-2], parameters[-1])


def added(values, bias):
    """With the bias. Its gradient is a sum of many numbers, which must not be added up in half precision."""
    return (values.astype("float32") + bias.astype("float32")).astype(values.dtype)


def bent(jax, values, smooth):
    """ReLU, or tanh."""
    return mixed(jax.numpy.maximum(values, 0), lambda: jax.numpy.tanh(values), smooth)


def pooled(values, smooth):
    """The largest of every 2 by 2, or the mean."""
    images, rows, columns, channels = values.shape
    squares = values.reshape(images, rows // 2, 2, columns // 2, 2, channels)
    return mixed(squares.max((2, 4)), lambda: squares.mean((2, 4)), smooth)


def mixed(found, other, smooth):
    """What was found, or the smooth `other()` of it."""
    if smooth is None:
        return found
    smooth = smooth.astype(found.dtype)
    return smooth * other() + (1 - smooth) * found


def loss(jax, name, parameters, images, labels, smooth=None):
    """Sparse cross-entropy, in single precision; and the outputs."""
    numpy = jax.numpy
    found = outputs(jax, name, parameters, images, smooth)
    wide = found.astype(numpy.float32)
    chances = wide - jax.scipy.special.logsumexp(wide, axis=1, keepdims=True)
    return -(chances * (labels[:, None] == numpy.arange(CLASSES))).sum(1).mean(), found


def adam(jax, parameters, gradients, state, epsilon):
    """One step of Adam (Kingma and Ba, 2015) with the usual decay rates: new weights and state."""
    count, means, squares = state
    count = count + 1
    means = [0.9 * mean + 0.1 * gradient for mean, gradient in zip(means, gradients)]
    squares = [0.999 * square + 0.001 * gradient * gradient for square, gradient in zip(squares, gradients)]
    rate, correction = RATE / (1 - 0.9**count), 1 - 0.999**count
    changed = []
    for weight, mean, square in zip(parameters, means, squares):
        root = jax.numpy.sqrt(square / correction.astype(square.dtype)) + epsilon
        changed.append(weight - rate.astype(weight.dtype) * mean / root)
    return changed, (count, means, squares)


def adam_start(parameters):
    """The state before the first step, as NumPy has it: every operation of JAX on its own is compiled on its own."""
    import numpy

    zeros = [numpy.zeros(weight.shape, weight.dtype) for weight in parameters]
    return numpy.zeros((), "float32"), zeros, zeros
