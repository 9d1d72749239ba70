"""The smoke-test networks in PyTorch, one training step, and how far two such steps differ."""

from smoke_data import SEED

NETWORKS = ("dense", "conv")


def network(torch, name, smooth=False, seed=SEED):
    """The network, with the same weights each time.

    `smooth`: without ReLU and maxima, for a comparison. Where a number is next to the bend of one, a mere rounding
    sends the gradient elsewhere, and results differ by several percent with nothing wrong.
    """
    torch.manual_seed(seed)
    nn = torch.nn
    bend, pool = (nn.Tanh, nn.AvgPool2d) if smooth else (nn.ReLU, nn.MaxPool2d)
    if name == "dense":
        return nn.Sequential(nn.Flatten(), nn.Linear(784, 128), bend(), nn.Linear(128, 10))
    first = (nn.Conv2d(1, 8, 3, padding=1), bend(), pool(2))
    second = (nn.Conv2d(8, 16, 3, padding=1), bend(), pool(2))
    return nn.Sequential(*(first + second + (nn.Flatten(), nn.Linear(784, 10))))


def results(torch, model, images, labels):
    """Outputs, loss and gradients of one step, in double precision on the CPU; and the outputs as they were."""
    outputs = model(images)
    loss = torch.nn.functional.cross_entropy(outputs.float() if outputs.dtype != torch.float64 else outputs, labels)
    model.zero_grad()
    loss.backward()
    found = [outputs, loss] + [weights.grad for weights in model.parameters()]
    return [one.detach().double().cpu() for one in found], outputs


def difference(found, wanted):
    """The largest difference, relative to the largest number of the same tensor; NaN where there is one."""
    ratios = [((a - b).abs().max() / b.abs().max()).item() for a, b in zip(found, wanted)]
    return max(ratios) if all(ratio >= 0 for ratio in ratios) else float("nan")
