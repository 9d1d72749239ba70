"""Cases whose verdict is not yet the expected one, and why. The test is strict: one that passes must leave."""

#: Expected finding not first, something false beside it, or the fix that helped not among the fixes.
MISSES: dict[str, str] = {
    **dict.fromkeys(
        (
            "820-tf-35376-cudnn741",
            "821-kohya-2787-cudnn870",
            "826-subsai-7-cublaslt",
            "837-tf-37606-jetson-cudnn",
            "907-jaxlib-py39-055",
            "914-toolkit378-runtime",
        ),
        "only a message is there, and it has no strong cause, or two that are as usual",
    ),
    "833-jaxdecomp-116-init": "two messages of one failure, one of which has a usual cause that both share",
}

#: Told rightly, with another severity than the case expects.
SEVERITIES: dict[str, str] = {}
