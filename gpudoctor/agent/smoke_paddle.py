"""Trains small networks with PaddlePaddle, from 2.0 on, on each device asked for, in float32.

`agent_channel` is the protocol.
"""

from agent_channel import Channel, Skip
from smoke_data import RATE, STEPS, THRESHOLD, batch, generated
from smoke_judgement import TOLERANCES
from smoke_reference import difference, look, weights
from smoke_trials import Trials


def main(channel):
    """Import, and train."""
    with channel.stage("import paddle"):
        import paddle
    if channel.request.get("data") == "fashion-mnist":
        channel.ask("load fashion-mnist", no_loader)
        return
    examples = channel.ask("generate data", generated)
    if examples is None:
        return
    trials = Trials(channel)
    count = channel.ask("paddle.device.cuda.device_count", lambda: gpus(paddle)) or 0
    asked = channel.request.get("devices")
    for label in all_labels(count) if asked is None else asked:
        for name in STEPS:

            def training(name=name, label=label):
                if label != "cpu" and int(label.partition(":")[2] or 0) >= count:
                    raise Skip("Paddle sees no such device")
                return train(paddle, trials, examples, name, label)

            trials.run(training, network=name, device=label, precision="float32")


def no_loader():
    """Why there is no such training."""
    raise Skip("Paddle loads this data set from a server of its own")


def gpus(paddle):
    """How many it sees; a build without CUDA sees none."""
    return paddle.device.cuda.device_count() if paddle.is_compiled_with_cuda() else 0


def all_labels(count):
    """Every GPU; the CPU where there is none."""
    return ["gpu:{}".format(index) for index in range(count)] or ["cpu"]


def train(paddle, trials, examples, name, label):
    """One step compared with the CPU's, all steps, and the images held back: what was measured, as a Trial has it."""
    paddle.set_device(label)
    start = weights(name)
    parameters = [parameter(paddle, array) for array in start]
    apart = difference(step_of(paddle, name, parameters, *batch(examples, 0)), look(name, start, *batch(examples, 0)))
    adam = paddle.optimizer.Adam(learning_rate=RATE, parameters=parameters)
    adam.clear_grad()
    losses = []
    for number in trials.steps(STEPS[name]):
        images, labels = (paddle.to_tensor(one) for one in batch(examples, number))
        loss = cross_entropy(paddle, outputs(paddle, name, parameters, images), labels)
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(loss)
    found = outputs(paddle, name, parameters, paddle.to_tensor(examples.test_images))
    placed = sorted({place(one) for one in [found, *parameters]})
    return {
        "steps": len(losses),
        "first_loss": float(losses[0]),
        "last_loss": float(losses[-1]),
        "accuracy": float((found.numpy().argmax(1) == examples.test_labels).mean()),
        "threshold": THRESHOLD,
        "placed_on": ", ".join(placed),
        "placed_on_ok": placed == [label],
        "difference": apart,
        # Products are in TF32 by default where the GPU has it, and nothing in Paddle's interface says otherwise.
        "tolerance": TOLERANCES["float32" if label == "cpu" else "tf32"],
    }


def parameter(paddle, array):
    """A weight to be trained, with these numbers."""
    given = paddle.nn.initializer.Assign(array)
    return paddle.create_parameter(list(array.shape), "float32", default_initializer=given)


def outputs(paddle, name, parameters, images, smooth=False):
    """What the network makes of images. Kernels are rows, columns, channels in, channels out, as the reference's.

    `smooth`: with tanh and means in the place of ReLU and maxima, for the comparison.
    """
    functional = paddle.nn.functional
    bend = paddle.tanh if smooth else functional.relu
    pool = functional.avg_pool2d if smooth else functional.max_pool2d
    values = images
    if name == "conv":
        values = values.reshape([-1, 1, 28, 28])
        for kernel, bias in (parameters[0:2], parameters[2:4]):
            values = functional.conv2d(values, kernel.transpose([3, 2, 0, 1]), bias, padding=1)
            values = pool(bend(values), 2)
        values = values.transpose([0, 2, 3, 1])
    values = values.reshape([values.shape[0], -1])
    if name == "dense":
        values = bend(paddle.matmul(values, parameters[0]) + parameters[1])
    return paddle.matmul(values, parameters[-2]) + parameters[-1]


def cross_entropy(paddle, found, labels):
    """The mean of the sparse cross-entropy."""
    return paddle.nn.functional.cross_entropy(found, labels.reshape([-1, 1])).mean()


def step_of(paddle, name, parameters, images, labels):
    """Loss, outputs and gradients of the smooth network, as NumPy has them."""
    found = outputs(paddle, name, parameters, paddle.to_tensor(images), smooth=True)
    loss = cross_entropy(paddle, found, paddle.to_tensor(labels))
    loss.backward()
    return [one.numpy().astype("float64") for one in [loss, found, *(weight.grad for weight in parameters)]]


def place(tensor):
    """Where a tensor is, as devices are asked for: cpu, gpu:0. Paddle writes Place(gpu:0), before 2.4 CUDAPlace(0)."""
    text = str(tensor.place).lower()
    if "cpu" in text:
        return "cpu"
    return "gpu:" + "".join(letter for letter in text if letter.isdigit())


if __name__ == "__main__":
    Channel().run(main)
