"""gpudoctor: finds out why a deep-learning framework does not use the GPU, and says what to type."""

__version__ = "0.1.0"
__all__ = ["Checked", "__version__", "check", "judge", "snapshot"]

TYPE_CHECKING = False
if TYPE_CHECKING:  # not from typing: until our own search for modules holds, that may be somebody else's file
    from gpudoctor.api import Checked, check, judge, snapshot


def __getattr__(name: str) -> object:
    """The Python interface, imported when it is asked for: the command should not pay for it."""
    if name in ("Checked", "check", "judge", "snapshot"):
        from gpudoctor import api

        return getattr(api, name)
    raise AttributeError(f"module 'gpudoctor' has no attribute {name!r}")
