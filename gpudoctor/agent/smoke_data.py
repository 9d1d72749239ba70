"""Generated training data for smoke tests: 28x28 images in ten classes, learned in some dozen steps.

Each class is a coarse random picture, 7x7 patches of 4x4 pixels; an image is half its class's picture and half noise,
between -1 and 1. The numbers come from the Mersenne Twister, seeded alike by NumPy and by Python: they are the same
with and without NumPy, in every version.

With Adam at RATE and batches of BATCH, STEPS of the dense network (128 ReLU, 10-way softmax) and of the convolutional
one (3x3 filters: 8, halved by max-pooling, 16, halved again, then the 10-way softmax) classify every
image held back, from any usual start (He, Glorot, PyTorch's own), and the loss has fallen to less than half: THRESHOLD
leaves room, and is far above the 0.1 of guessing.
"""

import random
from array import array
from collections import namedtuple

SIDE = 28
PIXELS = SIDE * SIDE
CLASSES = 10
PATCH = 4
SEED = 4

BATCH = 64
RATE = 0.001
STEPS = {"dense": 20, "conv": 40}
THRESHOLD = 0.9

#: Images and labels to learn from, and those held back. NumPy: float32 (n, 28, 28) and int64 (n,).
#: Without NumPy: flat arrays of the standard library, typecodes f and q.
Examples = namedtuple("Examples", "images labels test_images test_labels")


def generated(learn=1024, hold_back=256):
    """The set; the class of image i is i modulo 10, so every batch holds every class."""
    try:
        import numpy

        images = _with_numpy(numpy, learn + hold_back)
        labels = numpy.arange(learn + hold_back, dtype="int64") % CLASSES
        return Examples(images[:learn], labels[:learn], images[learn:], labels[learn:])
    except Exception:  # absent, or broken in one of many ways
        images = _without_numpy(learn + hold_back)
        labels = array("q", (index % CLASSES for index in range(learn + hold_back)))
        cut = learn * PIXELS
        return Examples(images[:cut], labels[:learn], images[cut:], labels[learn:])


def batch(examples, step):
    """Images and labels of one step: through the set again and again."""
    first = step % (len(examples.labels) // BATCH) * BATCH
    return examples.images[first : first + BATCH], examples.labels[first : first + BATCH]


def _with_numpy(numpy, count):
    numbers = numpy.random.RandomState([SEED]).random_sample
    patches = SIDE // PATCH
    pictures = numbers((CLASSES, patches, patches)).repeat(PATCH, 1).repeat(PATCH, 2)
    noise = numbers((count, SIDE, SIDE))
    return (pictures[numpy.arange(count) % CLASSES] + noise - 1).astype("float32")


def _without_numpy(count):
    number = random.Random(SEED).random  # noqa: S311 - no secret
    patches = SIDE // PATCH
    coarse = [[[number() for _ in range(patches)] for _ in range(patches)] for _ in range(CLASSES)]
    pictures = [
        [picture[row // PATCH][column // PATCH] for row in range(SIDE) for column in range(SIDE)] for picture in coarse
    ]
    return array("f", (pixel + number() - 1 for index in range(count) for pixel in pictures[index % CLASSES]))
