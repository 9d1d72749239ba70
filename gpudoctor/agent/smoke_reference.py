"""One training step of both smoke networks in NumPy float64, as the reference for the frameworks' results.

Neither the framework nor its compiler has a part in it. Images are batch, rows, columns; kernels are rows, columns,
channels in, channels out; weights and biases come in turn. For NumPy, which is given in the arrays.

The networks are smooth, with tanh and means in the place of ReLU and maxima. Where a number is next to the bend of one
of those, a mere rounding sends the gradient elsewhere, and results differ by several percent with nothing wrong.
"""

import math

from smoke_data import CLASSES, PIXELS, SEED

#: The axes of the 3 by 3 around a point and of its channels: in `_neighbours`, and in a kernel.
AROUND = ((3, 4, 5), (0, 1, 2))


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


def look(network, weights, images, labels):
    """Loss, scores and gradients of a batch: the loss is the mean of the sparse cross-entropy."""
    import numpy

    weights = [numpy.asarray(one, "float64") for one in weights]
    values = numpy.asarray(images, "float64")
    values, back = (_dense if network == "dense" else _conv)(numpy, weights, values)
    scores = values @ weights[-2] + weights[-1]
    chances = numpy.exp(scores - scores.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    rows = numpy.arange(len(labels))
    loss = -numpy.log(chances[rows, labels]).mean()
    chances[rows, labels] -= 1
    wrong = chances / len(labels)
    return [loss, scores, *back(wrong @ weights[-2].T), values.T @ wrong, wrong.sum(0)]


def difference(found, wanted):
    """The largest difference, relative to the largest number of the same tensor; NaN where there is one."""
    ratios = [float(abs(a - b).max() / abs(b).max()) for a, b in zip(found, wanted)]
    return max(ratios) if all(ratio >= 0 for ratio in ratios) else float("nan")


def _dense(numpy, weights, images):
    """The hidden units; and what takes their gradient back to the first weights and bias."""
    flat = images.reshape(len(images), -1)
    hidden = numpy.tanh(flat @ weights[0] + weights[1])

    def back(gradient):
        gradient = gradient * (1 - hidden**2)
        return [flat.T @ gradient, gradient.sum(0)]

    return hidden, back


def _conv(numpy, weights, images):
    """What two convolutions, each halved, make of the images; and what takes its gradient back to their weights."""
    first, first_back = _stage(numpy, weights[0], weights[1], images[..., None])
    second, second_back = _stage(numpy, weights[2], weights[3], first)

    def back(gradient):
        gradient, second_weights = second_back(gradient.reshape(second.shape))
        turned = weights[2][::-1, ::-1].transpose(0, 1, 3, 2)
        gradient = numpy.tensordot(_neighbours(numpy, gradient), turned, AROUND)
        return [*first_back(gradient)[1], *second_weights]

    return second.reshape(len(images), -1), back


def _stage(numpy, kernel, bias, values):
    """A convolution, tanh, and the mean of every 2 by 2; and what takes its gradient back.

    That gives the gradient before tanh, and those of kernel and bias.
    """
    parts = _neighbours(numpy, values)
    bent = numpy.tanh(numpy.tensordot(parts, kernel, AROUND) + bias)
    count, rows, columns, channels = bent.shape
    means = bent.reshape(count, rows // 2, 2, columns // 2, 2, channels).mean((2, 4))

    def back(gradient):
        gradient = gradient.repeat(2, 1).repeat(2, 2) / 4 * (1 - bent**2)
        return gradient, [numpy.tensordot(parts, gradient, ((0, 1, 2), (0, 1, 2))), gradient.sum((0, 1, 2))]

    return means, back


def _neighbours(numpy, values):
    """The 3 by 3 around every point, zeros beyond the edge: batch, rows, columns, 3, 3, channels."""
    rows, columns = values.shape[1:3]
    wide = numpy.pad(values, ((0, 0), (1, 1), (1, 1), (0, 0)), "constant")
    lines = [[wide[:, y : y + rows, x : x + columns] for x in range(3)] for y in range(3)]
    return numpy.stack([numpy.stack(line, 3) for line in lines], 3)
