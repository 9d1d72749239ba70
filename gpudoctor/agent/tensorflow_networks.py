"""The benchmark networks in TensorFlow's own operations, without Keras, which may have another backend.

Images are batch, height, width, channels. One graph serves every batch size.
"""

import math

from bench_subject import CLASSES, HEADS, PATCH, WIDTH


class Weights:
    """The variables of a network, made as they are first asked for, and cast to the kind of number it computes in."""

    def __init__(self, tf, kind):
        self.tf, self.kind = tf, kind
        self.all = {}

    def get(self, name, *shape):
        """The variable of that name; random, by the inputs of a unit (He et al., 2015); zeros for a bias."""
        if name not in self.all:
            inputs = 1
            for length in shape[:-1]:
                inputs *= length
            start = self.tf.zeros(shape) if len(shape) == 1 else self.tf.random.normal(shape) * math.sqrt(2.0 / inputs)
            self.all[name] = self.tf.Variable(start)
        return self.tf.cast(self.all[name], self.kind)

    def linear(self, name, values, inputs, outputs):
        """A layer of `outputs` units over the last axis."""
        return self.tf.tensordot(values, self.get(name, inputs, outputs), 1) + self.get(name + " bias", outputs)


def dense(tf, weights, images, side, channels):
    """The seed of every tutorial: 128 ReLU units."""
    inputs = channels * side**2
    hidden = tf.nn.relu(weights.linear("hidden", tf.reshape(images, [-1, inputs]), inputs, 128))
    return weights.linear("head", hidden, 128, CLASSES)


def conv(tf, weights, images, side, channels):
    """Two convolutions of 3 by 3, each halved by pooling."""
    values = images
    for name, inputs, outputs in (("first", channels, 32), ("second", 32, 64)):
        values = tf.nn.conv2d(values, weights.get(name, 3, 3, inputs, outputs), 1, "SAME")
        values = tf.nn.max_pool2d(tf.nn.relu(values + weights.get(name + " bias", outputs)), 2, 2, "VALID")
    inputs = 64 * (side // 4) ** 2
    return weights.linear("head", tf.reshape(values, [-1, inputs]), inputs, CLASSES)


def transformer(tf, weights, images, side, channels):
    """Patches of 4 by 4 as tokens, one encoder block, and a softmax over their mean."""
    tokens = tf.nn.conv2d(images, weights.get("patches", PATCH, PATCH, channels, WIDTH), PATCH, "VALID")
    tokens = tf.reshape(tokens, [-1, (side // PATCH) ** 2, WIDTH])
    tokens = _normalised(tf, tokens + _attention(tf, weights, tokens))
    hidden = tf.nn.relu(weights.linear("up", tokens, WIDTH, 4 * WIDTH))
    tokens = _normalised(tf, tokens + weights.linear("down", hidden, 4 * WIDTH, WIDTH))
    return weights.linear("head", tf.reduce_mean(tokens, 1), WIDTH, CLASSES)


def _attention(tf, weights, tokens):
    count, part = tokens.shape[1], WIDTH // HEADS

    def heads(name):
        values = tf.reshape(weights.linear(name, tokens, WIDTH, WIDTH), [-1, count, HEADS, part])
        return tf.transpose(values, [0, 2, 1, 3])

    query, key, value = heads("query"), heads("key"), heads("value")
    scores = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / math.sqrt(part))
    mixed = tf.reshape(tf.transpose(tf.matmul(scores, value), [0, 2, 1, 3]), [-1, count, WIDTH])
    return weights.linear("out", mixed, WIDTH, WIDTH)


def _normalised(tf, values):
    mean, variance = tf.nn.moments(values, [-1], keepdims=True)
    return (values - mean) * tf.math.rsqrt(variance + 1e-5)


NETWORKS = {"dense": dense, "conv": conv, "transformer": transformer}


def trainer(tf, network, side, channels, kind, place):
    """A compiled training step with Adam, on `place`: images, labels → loss."""
    weights = Weights(tf, kind)
    # Variables cannot be made within a graph that is called more than once: a first look makes them.
    NETWORKS[network](tf, weights, tf.zeros([1, side, side, channels], kind), side, channels)
    variables = list(weights.all.values())
    moments = [(tf.Variable(tf.zeros_like(one)), tf.Variable(tf.zeros_like(one))) for one in variables]
    powers = tf.Variable(0.9), tf.Variable(0.999)

    @tf.function(
        input_signature=[tf.TensorSpec([None, side, side, channels], tf.float32), tf.TensorSpec([None], tf.int64)]
    )
    def train(images, labels):
        with tf.device(place):
            with tf.GradientTape() as tape:
                scores = NETWORKS[network](tf, weights, tf.cast(images, kind), side, channels)
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, tf.cast(scores, tf.float32))
                loss = tf.reduce_mean(losses)
            for one, gradient, (mean, square) in zip(variables, tape.gradient(loss, variables), moments):
                tf.raw_ops.ResourceApplyAdam(
                    var=one.handle,
                    m=mean.handle,
                    v=square.handle,
                    beta1_power=powers[0],
                    beta2_power=powers[1],
                    lr=0.001,
                    beta1=0.9,
                    beta2=0.999,
                    epsilon=1e-7,
                    grad=gradient,
                )
            powers[0].assign(powers[0] * 0.9)
            powers[1].assign(powers[1] * 0.999)
            return loss

    return train
