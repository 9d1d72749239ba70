"""The step in double precision that every framework's results are compared with: its gradients are its slopes."""

import json
import subprocess

import pytest

from tests.agent.ask_agent import AGENT
from tests.live.environments import environment

#: For each network: [slope of the loss in a random direction, the same by its gradient] of each weight and bias.
SLOPES = """
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy
from smoke_data import generated
from smoke_reference import look
SHAPES = {
    "dense": ((784, 128), (128,), (128, 10), (10,)),
    "conv": ((3, 3, 1, 8), (8,), (3, 3, 8, 16), (16,), (784, 10), (10,)),
}
numbers, examples, found = numpy.random.RandomState(1), generated(20, 10), {}
for network, shapes in SHAPES.items():
    weights = [numbers.standard_normal(shape) * 0.1 for shape in shapes]
    gradients = look(network, weights, examples.images, examples.labels)[2:]
    found[network] = []
    for place, gradient in enumerate(gradients):
        way, losses = numbers.standard_normal(weights[place].shape), []
        for by in (1e-5, -1e-5):
            moved = weights[:place] + [weights[place] + by * way] + weights[place + 1 :]
            losses.append(look(network, moved, examples.images, examples.labels)[0])
        found[network].append([(losses[0] - losses[1]) / 2e-5, (gradient * way).sum()])
print(json.dumps(found))
"""


@pytest.mark.parametrize("name", ["cpu", "tf24", "tf115"])
def test_the_gradients_are_the_slopes_of_the_loss(name):
    told = subprocess.run([environment(name), "-c", SLOPES, AGENT], capture_output=True, text=True, check=True).stdout
    found = json.loads(told)
    assert {network: len(pairs) for network, pairs in found.items()} == {"dense": 4, "conv": 6}
    for slope, by_gradient in [pair for pairs in found.values() for pair in pairs]:
        assert slope == pytest.approx(by_gradient, rel=1e-6)
