"""Words a duration: 45 s, 12 min, 3.5 h, 9.0 days."""

_UNITS = (("years", 365 * 86400.0), ("days", 86400.0), ("h", 3600.0), ("min", 60.0))
#: A larger unit is used from this many of it on.
_FROM = 1.5


def spoken(seconds: float) -> str:
    """45 s, 12 min, 3.5 h, 9.0 days, 2.1 years."""
    for word, size in _UNITS:
        if seconds >= _FROM * size:
            return f"{seconds / size:,.{1 if seconds / size < 10 else 0}f} {word}"
    return f"{seconds:.{1 if seconds < 10 else 0}f} s"
