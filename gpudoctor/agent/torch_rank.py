"""One process (rank) of a multi-device training, started by `torch_multi_device`.

It answers with lines of JSON in a file, and ends when standard input does: then the one who asked is gone.
"""

import json
import os
import sys
import threading

from smoke_data import BATCH, THRESHOLD
from smoke_judgement import TOLERANCES
from torch_networks import difference, network, results
from torch_workload import generated_workload


class Rank:
    """One process, and what it tells."""

    def __init__(self, asked):
        self.asked = asked
        self.number = asked["rank"]
        self.size = len(asked["devices"])
        self.name = asked["devices"][self.number]

    def tell(self, **answer):
        """Write an answer: what begins, what was found."""
        with open(self.asked["answers"], "a") as file:
            file.write(json.dumps(answer) + "\n")


def end_with_parent():
    """Wait for the end of standard input, and end."""
    sys.stdin.read()
    os._exit(3)


def main():
    """Do what is asked; exit code 0 only if all of it was done."""
    rank = Rank(json.loads(sys.stdin.readline()))
    threading.Thread(target=end_with_parent, daemon=True).start()
    sys.path[0] = rank.asked["cwd"]
    code = 0
    try:
        work(rank)
    except BaseException as error:
        code = 1
        rank.tell(error="{}: {}".format(type(error).__name__, str(error)[:2000]))
    sys.stderr.flush()
    os._exit(code)


def work(rank):
    """Meet the others, add up, train."""
    rank.tell(begin="import torch")
    import torch

    torch.set_num_threads(1)
    device = torch.device(rank.name)
    if device.type == "cuda":
        torch.cuda.set_device(device)
    rank.tell(begin="init_process_group")
    distributed = torch.distributed
    meeting = "file://" + os.path.join(rank.asked["folder"], "meeting").replace(os.sep, "/")
    distributed.init_process_group(rank.asked["backend"], init_method=meeting, rank=rank.number, world_size=rank.size)
    rank.tell(begin="all-reduce")
    add_up(torch, rank, device)
    rank.tell(begin="training")
    rank.tell(trained=train(torch, rank, device))


def add_up(torch, rank, device):
    """The sum over all processes of their number and one."""
    numbers = torch.full((2**16,), float(rank.number + 1), device=device)
    torch.distributed.all_reduce(numbers)
    wanted = rank.size * (rank.size + 1) / 2
    if not bool((numbers == wanted).all()):
        raise ArithmeticError("the sum of 1 to {} came out as {:g}".format(rank.size, numbers[0].item()))
    rank.tell(**{"added up": True})


def train(torch, rank, device):
    """Train with this process's part of every batch. Returns the fields of a Trial."""
    workload = generated_workload(torch)
    share = BATCH // rank.size
    compared = compare(torch, rank, device, workload, share)
    model = parallel(torch, network(torch, "dense", seed=rank.number), device)
    adam = torch.optim.Adam(model.parameters(), lr=0.001)
    losses = []
    for step in range(workload.steps["dense"] * 2):
        images, labels = (part.to(device) for part in portion(rank, workload.batch(step), share))
        adam.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        adam.step()
        losses.append(loss.item())
    check_same(torch, rank, model)
    with torch.no_grad():
        right = model(workload.examples.test_images.to(device)).argmax(1).cpu() == workload.examples.test_labels
    weights = [str(one.device) for one in model.parameters()]
    return dict(
        compared,
        steps=len(losses),
        first_loss=losses[0],
        last_loss=losses[-1],
        accuracy=right.float().mean().item(),
        threshold=THRESHOLD,
        placed_on=", ".join(sorted(set(weights))),
    )


def portion(rank, batch, share):
    """The part of a batch that is for one process."""
    first = rank.number * share
    return [part[first : first + share] for part in batch]


def parallel(torch, model, device):
    """The model, as it is trained by several. Its weights become those of the first process."""
    ids = [device.index] if device.type == "cuda" else None
    return torch.nn.parallel.DistributedDataParallel(model.to(device), device_ids=ids)


def compare(torch, rank, device, workload, share):
    """How far the gradients of all together are from those of the whole batch in double precision."""
    images, labels = (part[: share * rank.size] for part in workload.batch(0))
    model = parallel(torch, network(torch, "dense", smooth=True, seed=rank.number), device)
    found = results(torch, model, *(part.to(device) for part in portion(rank, (images, labels), share)))[0]
    whole = network(torch, "dense", smooth=True, seed=0).double()
    wanted = results(torch, whole, images.double(), labels)[0]
    # The outputs and the loss are of this process's part alone.
    return {"difference": difference(found[2:], wanted[2:]), "tolerance": TOLERANCES["float32"]}


def check_same(torch, rank, model):
    """Raise unless all processes have the same weights."""
    mine = torch.cat([one.detach().reshape(-1) for one in model.parameters()])
    first = mine.clone()
    torch.distributed.broadcast(first, 0)
    apart = (mine - first).abs().max().item()
    if not apart <= 1e-6:
        raise ArithmeticError("the weights of process {} are {:g} from those of process 0".format(rank.number, apart))


if __name__ == "__main__":
    main()
