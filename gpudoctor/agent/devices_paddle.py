"""Lists PaddlePaddle's devices, from 2.0 to the newest. `agent_channel` is the protocol.

Every question is a stage of its own, and what is known is told each time whole.
"""

from agent_channel import Channel
from cuda_runtime import get_device_count


def main(channel):
    """Import Paddle, and ask."""
    with channel.stage("import paddle"):
        import paddle
    facts = {"framework": "paddle", "version": str(paddle.__version__), "notes": []}

    def tell(**more):
        facts.update((name, value) for name, value in more.items() if value is not None)
        channel.fact("devices", **facts)

    cuda = channel.ask("paddle.is_compiled_with_cuda", lambda: bool(paddle.is_compiled_with_cuda()))
    rocm = channel.ask("paddle.is_compiled_with_rocm", lambda: bool(paddle.is_compiled_with_rocm()))
    # Paddle's own word for CUDA holds for its builds with ROCm too.
    tell(built_with_cuda=cuda and not rocm, built_with_rocm=rocm)
    if cuda:
        built = channel.ask("paddle.version", lambda: stated(paddle)) or {}
        tell(**built)
    count = channel.ask("paddle.device.cuda.device_count", paddle.device.cuda.device_count) if cuda else 0
    if cuda and not count:
        facts["notes"].append(["cudaGetDeviceCount", str(channel.ask("cudaGetDeviceCount", get_device_count))])
    devices = [{"name": "cpu", "kind": "cpu"}]
    for index in range(count or 0):
        name = "paddle.device.cuda.get_device_properties({})".format(index)
        devices.append(channel.ask(name, lambda index=index: gpu(paddle, index)) or unnamed(index))
    tell(devices=devices, gpu_available=bool(count))


def stated(paddle):
    """The CUDA, the cuDNN and the architectures that it says it was built with."""
    version = paddle.version
    archs = getattr(version, "cuda_archs", list)() or ()
    return {
        "cuda": word(version.cuda()),
        "cudnn": word(version.cudnn()),
        "archs": ["sm_{}".format(arch) for arch in archs] or None,
    }


def word(value):
    """A version; None for Paddle's "False"."""
    return None if str(value) in ("False", "None", "") else str(value)


def unnamed(index):
    """A GPU of which only its number is known."""
    return {"name": "gpu:{}".format(index), "kind": "gpu", "index": index}


def gpu(paddle, index):
    """One GPU."""
    properties = paddle.device.cuda.get_device_properties(index)
    return dict(
        unnamed(index),
        product=str(properties.name),
        memory_total_mib=int(properties.total_memory) // 2**20,
        capability="{}.{}".format(properties.major, properties.minor),
    )


if __name__ == "__main__":
    Channel().run(main)
