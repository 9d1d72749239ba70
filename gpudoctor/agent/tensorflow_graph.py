"""Smoke training in TensorFlow 1: a graph, run in a session with explicit device placement."""

import smoke_data as data
import tensorflow_session as session
import tensorflow_step as network_step
from smoke_judgement import TOLERANCES
from smoke_reference import difference, weights
from tensorflow_step import accuracy, place_name, place_of


class Trainer(network_step.Trainer):
    """Trains the networks of `tensorflow_step` on examples."""

    def finish(self):
        """Each session ended with its training."""

    def opened(self, graph):
        """A session for that graph."""
        config = session.configuration(self.tf, self.trials.channel.request.get("threads"))
        return self.tf.compat.v1.Session(graph=graph, config=config)

    def train(self, network, device, precision, mode):  # noqa: ARG002 - there is one mode
        """What was measured of a training."""
        tf = self.tf
        expected = self.reference(network)
        place, start = place_of(device), weights(network)
        with tf.Graph().as_default() as graph, tf.device(place):
            images = tf.compat.v1.placeholder(tf.float32, [None, data.SIDE, data.SIDE])
            labels = tf.compat.v1.placeholder(tf.int64, [None])
            rate, smooth = (tf.compat.v1.placeholder(tf.float32, []) for _ in range(2))
            variables = [tf.Variable(one, use_resource=True) for one in start]
            moments = [[tf.Variable(one * 0, use_resource=True) for _ in range(2)] for one in start]
            looked = network_step.look(tf, network, variables, images, labels, precision, smooth)
            updates = network_step.adam(tf, variables, moments, looked[2], rate)
            begin = tf.compat.v1.global_variables_initializer()
            with self.opened(graph) as opened:
                opened.run(begin)
                compared = opened.run(looked, dict(zip((images, labels, smooth), (*data.batch(self.examples, 0), 1))))
                measured = self.steps(opened, network, (images, labels, rate, smooth), looked, updates)
        measured["difference"] = difference([compared[0], compared[1], *compared[2]], expected)
        placed = measured["placed_on"]
        measured.update(placed_on_ok=placed == {place}, placed_on=", ".join(sorted(placed)))
        return dict(measured, threshold=data.THRESHOLD, tolerance=TOLERANCES[precision])

    def steps(self, opened, network, inputs, looked, updates):
        """Every step; which devices the session gave the operations to; and what was learned."""
        tf, steps, losses = self.tf, data.STEPS[network], []
        for number in self.trials.steps(steps):
            fed = dict(zip(inputs, (*data.batch(self.examples, number), network_step.rate_of(number), 0)))
            if number == 0:
                options, said = tf.compat.v1.RunOptions(output_partition_graphs=True), tf.compat.v1.RunMetadata()
                losses.append(opened.run([looked[0], updates], fed, options=options, run_metadata=said)[0])
            else:
                losses.append(opened.run([looked[0], updates], fed)[0])
        fed = {inputs[0]: self.examples.test_images, inputs[3]: 0}
        scores = opened.run(looked[1], fed)
        return {
            "steps": steps,
            "first_loss": float(losses[0]),
            "last_loss": float(losses[-1]),
            "accuracy": accuracy(scores, self.examples.test_labels),
            "placed_on": placed_operations(said),
        }


#: Operations that say where the work was done; what is fed and fetched is always on the CPU.
WORK = ("MatMul", "Conv2D", "Relu", "AssignSubVariableOp")


def placed_operations(said):
    """The devices that the session gave the operations of the training to."""
    nodes = [node for graph in said.partition_graphs for node in graph.node]
    return {place_name(node.device) for node in nodes if node.op.startswith(WORK)} or {"not told"}
