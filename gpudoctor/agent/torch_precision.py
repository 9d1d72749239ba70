"""Number formats in PyTorch, of any release: types, autocast, TF32, loss scaling."""

import contextlib

from agent_channel import Skip


class Precision:
    """How a network is computed: its type, the type that autocast takes, and TF32."""

    def __init__(self, torch, name):
        kind = name.replace("mixed-", "")
        self.torch = torch
        self.name = name
        self.mixed = name.startswith("mixed-")
        self.type = torch.float32 if kind == "tf32" else getattr(torch, kind)
        self.weights = torch.float32 if self.mixed else self.type

    @contextlib.contextmanager
    def autocast(self, device):
        """Mixed precision, if it is that."""
        if not self.mixed:
            yield
            return
        if not hasattr(self.torch, "autocast"):
            raise Skip("this release has no torch.autocast (it is new in 1.10)")
        with self.torch.autocast(device.type, dtype=self.type):
            yield

    def scaler(self, device):
        """What keeps small gradients from becoming zero in float16; None where it is not needed."""
        if self.name != "mixed-float16":
            return None
        amp = getattr(self.torch, "amp", None)
        if hasattr(amp, "GradScaler"):
            return amp.GradScaler(device.type)
        if device.type == "cuda":
            return self.torch.cuda.amp.GradScaler()
        raise Skip("this release has no GradScaler for {} (it is new in 2.3)".format(device.type))

    @contextlib.contextmanager
    def tf32(self):
        """TF32 in products and convolutions, or none of it: then float32 is float32."""
        backends = self.torch.backends
        places = [getattr(getattr(backends, "cuda", None), "matmul", None), getattr(backends, "cudnn", None)]
        places = [place for place in places if hasattr(place, "allow_tf32")]
        before = [place.allow_tf32 for place in places]
        try:
            for place in places:
                place.allow_tf32 = self.name == "tf32"
            yield
        finally:
            for place, value in zip(places, before):
                place.allow_tf32 = value
