"""The benchmark networks in JAX, built from their weights, as JAX has no layers and no optimizer.

Images are batch, height, width, channels. `jax` is given, not imported.
"""

import math

from bench_subject import CLASSES, HEADS, PATCH, WIDTH


def shapes(network, side, channels):
    """The shape of each weight, by name; a bias has one axis."""
    if network == "dense":
        found = {"hidden": (channels * side**2, 128), "head": (128, CLASSES)}
    elif network == "conv":
        found = {"first": (3, 3, channels, 32), "second": (3, 3, 32, 64), "head": (64 * (side // 4) ** 2, CLASSES)}
    else:
        found = {"patches": (PATCH, PATCH, channels, WIDTH), "up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)}
        found.update(dict.fromkeys(("query", "key", "value", "out"), (WIDTH, WIDTH)), head=(WIDTH, CLASSES))
    return dict(found, **{name + " bias": shape[-1:] for name, shape in found.items()})


def weights(network, side, channels):
    """Random, by the inputs of a unit (He et al., 2015), as NumPy has them; zeros for a bias."""
    import numpy

    random = numpy.random.RandomState(1)
    found = {}
    for name, shape in sorted(shapes(network, side, channels).items()):
        spread = math.sqrt(2.0 / numpy.prod(shape[:-1])) if len(shape) > 1 else 0.0
        found[name] = (random.standard_normal(shape) * spread).astype("float32")
    return found


def scores(jax, network, weight, images):
    """What the network makes of images."""
    relu, batch = jax.nn.relu, images.shape[0]

    def linear(name, values):
        return values @ weight[name] + weight[name + " bias"]

    def convolved(name, values, stride, padding):
        order = ("NHWC", "HWIO", "NHWC")
        found = jax.lax.conv_general_dilated(values, weight[name], (stride,) * 2, padding, dimension_numbers=order)
        return found + weight[name + " bias"]

    if network == "dense":
        return linear("head", relu(linear("hidden", images.reshape(batch, -1))))
    if network == "conv":
        values = images
        for name in ("first", "second"):
            values = relu(convolved(name, values, 1, "SAME"))
            values = jax.lax.reduce_window(values, -math.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return linear("head", values.reshape(batch, -1))
    tokens = convolved("patches", images, PATCH, "VALID").reshape(batch, -1, WIDTH)
    tokens = _normalised(jax, tokens + linear("out", _attention(jax, linear, tokens)))
    tokens = _normalised(jax, tokens + linear("down", relu(linear("up", tokens))))
    return linear("head", tokens.mean(1))


def _attention(jax, linear, tokens):
    batch, count, _ = tokens.shape

    def heads(name):
        return linear(name, tokens).reshape(batch, count, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

    query, key, value = heads("query"), heads("key"), heads("value")
    chosen = jax.nn.softmax(query @ key.transpose(0, 1, 3, 2) / math.sqrt(WIDTH // HEADS))
    return (chosen @ value).transpose(0, 2, 1, 3).reshape(batch, count, WIDTH)


def _normalised(jax, values):
    mean = values.mean(-1, keepdims=True)
    return (values - mean) * jax.lax.rsqrt(((values - mean) ** 2).mean(-1, keepdims=True) + 1e-5)


def stepper(jax, network, kind):
    """A compiled training step with Adam: state, images, labels → state. `kind`: the numbers it computes in."""
    numpy = jax.numpy

    def loss(weight, images, labels):
        cast = {name: one.astype(kind) for name, one in weight.items()}
        chosen = jax.nn.log_softmax(scores(jax, network, cast, images.astype(kind)).astype("float32"))
        return -numpy.take_along_axis(chosen, labels[:, None], 1).mean()

    def step(state, images, labels):
        weight, first, second, count = state
        gradients, count = jax.grad(loss)(weight, images, labels), count + 1
        rate = 0.001 * numpy.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        first = {name: 0.9 * first[name] + 0.1 * one for name, one in gradients.items()}
        second = {name: 0.999 * second[name] + 0.001 * one * one for name, one in gradients.items()}
        weight = {name: one - rate * first[name] / (numpy.sqrt(second[name]) + 1e-7) for name, one in weight.items()}
        return weight, first, second, count

    return jax.jit(step)
