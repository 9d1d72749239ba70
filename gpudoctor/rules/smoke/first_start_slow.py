"""SMK033: the framework's first start is slow: the driver compiles its code."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK033", name="first-start-slow", severity="warning", since="0.1")
def first_start_slow(failed: Failed) -> Said:
    """The framework's first start is slow: the driver compiles its code.

    What it means:
    The framework has no machine code for this GPU, only an intermediate form that the driver translates at the
    first start. This can take half an hour.

    Why it breaks:
    The build is older than the GPU.

    How to fix it:
    Wait once: the result is kept in ~/.nv/ComputeCache. Or install a build made for this GPU.

    When to ignore it:
    After the first start, if the cache is kept.

    Sources:
    https://developer.nvidia.com/blog/cuda-pro-tip-understand-fat-binaries-jit-caching/
    """
    return (
        f"{failed.meaning or failed.first.text}",
        (
            do(
                "Keep the result",
                "Set CUDA_CACHE_MAXSIZE=4294967296, so that everything fits into the cache, and wait once.",
            ),
        ),
    )
