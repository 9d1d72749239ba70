"""The smoke-test networks in Keras (Keras 3 on any backend, TensorFlow's Keras 2), their training and their data."""

import socket

import smoke_data as data
from agent_channel import Skip

#: Seconds without an answer after which a download is given up.
DOWNLOAD_TIMEOUT_S = 15


def build(keras, network):
    """The compiled network, as the tutorials write it."""
    layers = keras.layers
    model = keras.Sequential([layers.InputLayer((data.SIDE, data.SIDE))])
    if network == "dense":
        model.add(layers.Flatten())
        model.add(layers.Dense(128, activation="relu"))
    else:
        model.add(layers.Reshape((data.SIDE, data.SIDE, 1)))
        for filters in (8, 16):
            model.add(layers.Conv2D(filters, 3, padding="same", activation="relu"))
            model.add(layers.MaxPooling2D())
        model.add(layers.Flatten())
    # The softmax in single precision, as the guide of mixed precision has it.
    model.add(layers.Dense(data.CLASSES))
    model.add(layers.Activation("softmax", dtype="float32"))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def learn(model, trials, examples, steps):
    """Train one batch after the other; what was measured."""
    losses = []
    for step in trials.steps(steps):
        model.reset_metrics()  # Keras 3 tells the mean of all batches since
        losses.append(float(model.train_on_batch(*data.batch(examples, step))[0]))
    model.reset_metrics()
    accuracy = float(model.test_on_batch(examples.test_images, examples.test_labels)[1])
    return {
        "steps": steps,
        "first_loss": losses[0],
        "last_loss": losses[-1],
        "accuracy": accuracy,
        "threshold": data.THRESHOLD,
    }


def fit(keras, model, trials, examples, epochs=2):
    """Train as the tutorials do, in whole rounds through the examples; what was measured."""

    class InTime(keras.callbacks.Callback):
        """Stops when the time is up."""

        def on_train_batch_end(self, *_arguments, **_more):
            """After each step."""
            self.model.stop_training = trials.over

    images, labels = examples.images, examples.labels
    before = model.evaluate(images, labels, batch_size=data.BATCH, verbose=0)[0]
    model.fit(images, labels, batch_size=data.BATCH, epochs=epochs, verbose=0, callbacks=[InTime()])
    if trials.over:
        raise Skip("the time was up")
    after = model.evaluate(images, labels, batch_size=data.BATCH, verbose=0)[0]
    accuracy = model.evaluate(examples.test_images, examples.test_labels, batch_size=data.BATCH, verbose=0)[1]
    return {
        "steps": epochs * len(images) // data.BATCH,
        "first_loss": float(before),
        "last_loss": float(after),
        "accuracy": float(accuracy),
        "threshold": data.THRESHOLD,
    }


def examples_asked(find_keras, channel):
    """The generated examples, or those of Fashion-MNIST through Keras's own loader; None where it cannot load them."""
    if channel.request.get("data") != "fashion-mnist":
        return data.generated()
    return channel.ask("load fashion-mnist", lambda: fashion_mnist(find_keras()))


def fashion_mnist(keras):
    """As many images as are generated else, between -1 and 1."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(DOWNLOAD_TIMEOUT_S)
    try:
        (images, labels), (test_images, test_labels) = keras.datasets.fashion_mnist.load_data()
    except Exception as error:
        raise Skip("it cannot be loaded: {}".format(error)) from error
    finally:
        socket.setdefaulttimeout(before)
    scaled = [(one / 127.5 - 1).astype("float32") for one in (images[:1024], test_images[:256])]
    return data.Examples(scaled[0], labels[:1024].astype("int64"), scaled[1], test_labels[:256].astype("int64"))
