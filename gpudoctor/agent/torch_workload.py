"""The smoke training in PyTorch: its images and steps, the accuracy to reach, the reference to compare with."""

from agent_channel import Skip
from smoke_data import BATCH, RATE, STEPS, THRESHOLD, Examples, batch, generated
from torch_adam import Adam
from torch_networks import NETWORKS, network, results

#: torchvision's Fashion-MNIST is harder than what is generated: more steps, and less is asked.
FASHION_STEPS = 300
FASHION_THRESHOLD = 0.7


class Workload:
    """What is learned: tensors on the CPU, the number of steps for a network, and the accuracy to be reached."""

    def __init__(self, examples, steps, threshold):
        self.examples = examples
        self.own_adam = False
        self.steps = steps
        self.threshold = threshold
        self.references = {}

    def batch(self, step):
        """Images and labels of one step."""
        return batch(self.examples, step)

    def adam(self, torch, weights, epsilon):
        """The optimizer."""
        return (Adam if self.own_adam else torch.optim.Adam)(list(weights), lr=RATE, eps=epsilon)

    def reference(self, torch, name):
        """Loss, outputs and gradients of the first step, in double precision on the CPU."""
        if name not in self.references:
            images, labels = self.batch(0)
            self.references[name] = results(torch, network(torch, name, True).double(), images.double(), labels)[0]
        return self.references[name]


def generated_workload(torch):
    """The generated data."""
    data = generated()
    images, test_images = (as_tensor(torch, part).reshape(-1, 1, 28, 28) for part in (data.images, data.test_images))
    labels, test_labels = (as_tensor(torch, part) for part in (data.labels, data.test_labels))
    examples = Examples(images, labels, test_images, test_labels)
    return Workload(examples, STEPS, THRESHOLD)


def as_tensor(torch, values):
    """An array of NumPy or of the standard library as a tensor. Works without NumPy, and where torch rejects it."""
    try:
        return torch.from_numpy(values)
    except Exception:  # a torch and a NumPy that were not made for each other fail in many ways
        return torch.tensor(values.tolist())


def fashion_workload(folder):
    """Fashion-MNIST, fetched by torchvision's own loader into `folder`."""
    try:
        from torchvision.datasets import FashionMNIST
    except ImportError as error:
        raise Skip("fashion-mnist needs torchvision: {}".format(error)) from error
    parts = []
    for learn in (True, False):
        try:
            part = FashionMNIST(folder, train=learn, download=True)
        except (OSError, RuntimeError) as error:  # RuntimeError: torchvision's "Error downloading"
            raise Skip("fashion-mnist could not be fetched: {}".format(error)) from error
        parts += [part.data.reshape(-1, 1, 28, 28).float() / 255, part.targets]
    count = len(parts[1]) // BATCH * BATCH
    examples = Examples(parts[0][:count], parts[1][:count], parts[2][:2000], parts[3][:2000])
    return Workload(examples, dict.fromkeys(NETWORKS, FASHION_STEPS), FASHION_THRESHOLD)
