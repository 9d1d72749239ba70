"""A small Adam optimizer for smoke tests: importing torch 2's own imports its compiler, which takes seconds."""


class Adam:
    """Adam (Kingma and Ba, 2015) with the usual decay rates."""

    def __init__(self, weights, lr, eps, decay=(0.9, 0.999)):
        self.weights, self.rate, self.epsilon, self.decay = weights, lr, eps, decay
        self.means = [weight.detach() * 0 for weight in weights]
        self.squares = [weight.detach() * 0 for weight in weights]
        self.count = 0

    def zero_grad(self):
        """Forget the gradients."""
        for weight in self.weights:
            weight.grad = None

    def step(self):
        """Change the weights by their gradients."""
        self.count += 1
        first, second = self.decay
        rate = self.rate / (1 - first**self.count)
        for weight, mean, square in zip(self.weights, self.means, self.squares):
            gradient = weight.grad
            mean.mul_(first).add_(gradient * (1 - first))
            square.mul_(second).add_(gradient * gradient * (1 - second))
            root = (square / (1 - second**self.count)).sqrt() + self.epsilon
            weight.data -= rate * mean / root
