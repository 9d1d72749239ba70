"""The networks in JAX, from their weights up: JAX brings no layers and no optimizer. `jax` is given, not imported."""

import math

from smoke_data import CLASSES, PIXELS, RATE, SEED

NETWORKS = ("dense", "conv")

#: Adam's default of 1e-8 is zero in float16.
HALF_EPSILON = 1e-4

#: A fixed factor that keeps small gradients from becoming zero in float16.
LOSS_SCALE = 1024.0


def weights(name):
    """Weights and biases in turn, as NumPy's float32: He's start, the same each time."""
    import numpy

    numbers = numpy.random.RandomState([SEED])
    shapes = ((PIXELS, 128), (128, CLASSES)) if name == "dense" else ((3, 3, 1, 8), (3, 3, 8, 16), (784, CLASSES))
    found = []
    for shape in shapes:
        spread = math.sqrt(2.0 / numpy.prod(shape[:-1]))
        found += [(numbers.standard_normal(shape) * spread).astype("float32"), numpy.zeros(shape[-1], "float32")]
    return found


def outputs(jax, name, parameters, images, smooth=False):
    """What the network makes of images.

    `smooth`: without ReLU and maxima, for a comparison. Where a number is next to the bend of one, a mere rounding
    sends the gradient elsewhere, and results differ by several percent with nothing wrong.
    """
    numpy = jax.numpy
    bend = numpy.tanh if smooth else lambda values: numpy.maximum(values, 0)
    values = images
    if name == "conv":
        values = values.reshape(-1, 28, 28, 1)
        for kernel, bias in (parameters[0:2], parameters[2:4]):
            values = jax.lax.conv_general_dilated(
                values, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
            values = pooled(bend(added(jax, values, bias)), smooth)
    values = values.reshape(values.shape[0], -1)
    if name == "dense":
        values = bend(added(jax, values @ parameters[0], parameters[1]))
    return added(jax, values @ parameters[-2], parameters[-1])


def added(jax, values, bias):
    """With the bias. Its gradient is a sum of many numbers, which must not be added up in half precision."""
    wide = jax.numpy.promote_types(values.dtype, "float32")
    return (values.astype(wide) + bias.astype(wide)).astype(values.dtype)


def pooled(values, smooth):
    """The mean or the largest of every 2 by 2."""
    images, rows, columns, channels = values.shape
    squares = values.reshape(images, rows // 2, 2, columns // 2, 2, channels)
    return squares.mean((2, 4)) if smooth else squares.max((2, 4))


def loss(jax, name, parameters, images, labels, smooth=False):
    """Sparse cross-entropy, in single precision or better; and the outputs."""
    numpy = jax.numpy
    found = outputs(jax, name, parameters, images, smooth)
    wide = found if found.dtype == numpy.float64 else found.astype(numpy.float32)
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
