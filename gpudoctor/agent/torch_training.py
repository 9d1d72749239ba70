"""Smoke training with PyTorch on one device, and what is measured of it. `torch` is given, not imported."""

import gc

from agent_channel import Skip
from smoke_judgement import TOLERANCES
from torch_networks import difference, network, results
from torch_precision import Precision

#: Adam's default of 1e-8 is zero in float16.
HALF_EPSILON = 1e-4

#: What releases say of a type that they cannot compute with: no fault of this machine.
LACKING = ("not implemented for", "only support Bfloat16", "is not supported on MPS", "doesn't support bfloat16")


def train(torch, trials, workload, name, device, precision_name, compiler=None):
    """Train, and return what was measured, as a Trial has it; `compiler`: what makes another model of the model."""
    precision = Precision(torch, precision_name)
    before = memory_before(torch, device)
    try:
        with precision.tf32():
            measured = learn(torch, trials, workload, name, device, precision, compiler)
    except (RuntimeError, TypeError) as error:
        if precision_name != "float32" and any(words in str(error) for words in LACKING):
            raise Skip("this release of torch cannot do it: {}".format(error)) from error
        raise
    measured.update(memory_after(torch, device, before))
    return measured


def learn(torch, trials, workload, name, device, precision, compiler):
    """The training: one step compared with the CPU's, all steps, and the images held back."""
    smooth = network(torch, name, True).to(device=device, dtype=precision.weights)
    # To compile takes long: what is compared is then trained too.
    model = smooth if compiler else network(torch, name).to(device=device, dtype=precision.weights)
    computed = compiler(model) if compiler else model
    compared = compare(torch, workload, name, computed if compiler else smooth, device, precision)
    losses, placed_on = take_steps(torch, trials, workload, name, computed, device, precision)
    return dict(
        compared,
        steps=len(losses),
        first_loss=losses[0].item(),
        last_loss=losses[-1].item(),
        accuracy=accuracy(torch, model, workload, device, precision),
        threshold=workload.threshold,
        placed_on=", ".join(placed_on),
        placed_on_ok=placed_on == [str(device)],
    )


def compare(torch, workload, name, model, device, precision):
    """How far one step's loss, outputs and gradients are from those in double precision on the CPU."""
    images, labels = ready(workload.batch(0), device, precision)
    with precision.autocast(device):
        found, outputs = results(torch, model, images, labels)
    if precision.mixed and outputs.dtype != precision.type:
        raise Skip("autocast did not compute in {}".format(precision.type))
    wanted = workload.reference(torch, name)
    return {"difference": difference(found, wanted), "tolerance": TOLERANCES[precision.name]}


def ready(batch, device, precision):
    """A batch on the device."""
    images, labels = batch
    return images.to(device=device, dtype=precision.weights), labels.to(device)


def take_steps(torch, trials, workload, name, model, device, precision):
    """The loss of every step; and the devices of the outputs, and of the weights and their gradients."""
    epsilon = HALF_EPSILON if precision.weights == torch.float16 else 1e-8
    adam = workload.adam(torch, model.parameters(), epsilon)
    scaler = precision.scaler(device)
    losses = []
    for step in trials.steps(workload.steps[name]):
        images, labels = ready(workload.batch(step), device, precision)
        adam.zero_grad()
        with precision.autocast(device):
            outputs = model(images)
            loss = torch.nn.functional.cross_entropy(outputs.float(), labels)
        if scaler is None:
            loss.backward()
            adam.step()
        else:
            scaler.scale(loss).backward()
            scaler.step(adam)
            scaler.update()
        losses.append(loss.detach())
    used = [outputs, *model.parameters(), *(weights.grad for weights in model.parameters())]
    return losses, sorted({str(one.device) for one in used})


def accuracy(torch, model, workload, device, precision):
    """The part of the images held back that is recognised."""
    images, labels = ready((workload.examples.test_images, workload.examples.test_labels), device, precision)
    with torch.no_grad(), precision.autocast(device):
        return (model(images).argmax(1) == labels).float().mean().item()


def memory_before(torch, device):
    """Bytes in use on a GPU, counted anew from here; None elsewhere."""
    if device.type != "cuda":
        return None
    gc.collect()
    torch.cuda.empty_cache()
    reset = getattr(torch.cuda, "reset_peak_memory_stats", None) or torch.cuda.reset_max_memory_allocated
    reset(device)
    return torch.cuda.memory_allocated(device)


def memory_after(torch, device, before):
    """The most that was in use, and what still is, MiB."""
    if before is None:
        return {}
    torch.cuda.synchronize(device)
    peak = torch.cuda.max_memory_allocated(device)
    gc.collect()
    torch.cuda.empty_cache()
    left = torch.cuda.memory_allocated(device)
    return {"memory_peak_mib": (peak - before) / 2.0**20, "memory_left_mib": (left - before) / 2.0**20}
