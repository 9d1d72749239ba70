"""The two networks as Keras builds and trains them: Keras 3 on any backend, and Keras 2 of TensorFlow."""

import smoke_data as data


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
        start = data.start_of_batch(step)
        chosen = slice(start, start + data.BATCH)
        model.reset_metrics()  # Keras 3 tells the mean of all batches since
        losses.append(float(model.train_on_batch(examples.images[chosen], examples.labels[chosen])[0]))
    model.reset_metrics()
    accuracy = float(model.test_on_batch(examples.test_images, examples.test_labels)[1])
    return {
        "steps": steps,
        "first_loss": losses[0],
        "last_loss": losses[-1],
        "accuracy": accuracy,
        "threshold": data.THRESHOLD,
    }
