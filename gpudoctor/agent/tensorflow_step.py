"""One smoke-training step in plain TensorFlow operations, the same in TensorFlow 1 and 2, without Keras."""

import smoke_data as data
import smoke_reference

#: Adam's constants, and what half precision multiplies a loss with so that small gradients do not vanish.
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-7
LOSS_SCALE = 128.0


class Trainer:
    """What trains the networks on examples, by either TensorFlow."""

    def __init__(self, tf, trials, examples):
        self.tf, self.trials, self.examples = tf, trials, examples
        self.expected = {}

    def reference(self, network):
        """Loss, scores and gradients of the first batch at the start, in double precision on the CPU."""
        if network not in self.expected:
            self.expected[network] = smoke_reference.look(
                network, smoke_reference.weights(network), *data.batch(self.examples, 0)
            )
        return self.expected[network]


def scores(tf, network, weights, images, smooth=None):
    """What the network says of each image, before the softmax; in the kind of number of `weights`.

    `smooth`: a tensor, 1 for the network that `smoke_reference` computes, 0 for the one that is trained: so one graph,
    traced and compiled once, does both. None is 0.
    """
    if network == "dense":
        values = tf.reshape(images, [-1, data.PIXELS])
        values = bent(tf, tf.matmul(values, weights[0]) + weights[1], smooth)
    else:
        values = tf.reshape(images, [-1, data.SIDE, data.SIDE, 1])
        for kernel, bias in (weights[:2], weights[2:4]):
            values = bent(tf, tf.nn.conv2d(values, kernel, [1, 1, 1, 1], "SAME") + bias, smooth)
            values = halved(tf, values, smooth)
        values = tf.reshape(values, [-1, 7 * 7 * 16])
    return tf.matmul(values, weights[-2]) + weights[-1]


def bent(tf, values, smooth):
    """ReLU, or tanh."""
    found = tf.nn.relu(values)
    return found if smooth is None else smooth * tf.tanh(values) + (1 - smooth) * found


def halved(tf, values, smooth):
    """The largest of every 2 by 2, or the mean."""
    found = tf.nn.max_pool2d(values, 2, 2, "VALID")
    return found if smooth is None else smooth * tf.nn.avg_pool2d(values, 2, 2, "VALID") + (1 - smooth) * found


def look(tf, network, weights, images, labels, kind, smooth):
    """(loss, scores, gradients) of a batch, computed in `kind`; the loss itself in single precision."""
    scale = LOSS_SCALE if kind == "float16" else 1.0
    with tf.GradientTape() as tape:
        for one in weights:
            tape.watch(one)
        cast = [tf.cast(one, kind) for one in weights]
        said = scores(tf, network, cast, tf.cast(images, kind), tf.cast(smooth, kind))
        said = tf.cast(said, "float32")
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=said))
        scaled = loss * scale
    return loss, said, [gradient / scale for gradient in tape.gradient(scaled, weights)]


def adam(tf, variables, moments, gradients, rate):
    """The operations that move every variable one step (Kingma and Ba, 2015)."""
    updates = []
    for variable, (mean, square), gradient in zip(variables, moments, gradients):
        new_mean = BETA1 * mean + (1 - BETA1) * gradient
        new_square = BETA2 * square + (1 - BETA2) * gradient * gradient
        delta = rate * new_mean / (tf.sqrt(new_square) + EPSILON)
        updates += [mean.assign(new_mean), square.assign(new_square), variable.assign_sub(delta)]
    return updates


def rate_of(step, rate=data.RATE):
    """The rate of that step, corrected for the moments that begin at zero."""
    return rate * (1 - BETA2 ** (step + 1)) ** 0.5 / (1 - BETA1 ** (step + 1))


def place_of(device):
    """The place /device:GPU:0 of gpu:0."""
    return "/device:{}".format(device.upper() if ":" in device else device.upper() + ":0")


def place_name(device):
    """The last part of /job:localhost/replica:0/task:0/device:GPU:0."""
    return "/" + device.rpartition("/")[2]


def accuracy(said, labels):
    """The part of the images that were classified right."""
    return float((said.argmax(axis=1) == labels).mean())
