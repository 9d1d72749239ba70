"""Cases whose verdict is not yet the expected one, and why. The test is strict: one that passes must leave."""

#: Expected finding not first, something false beside it, or the fix that helped not among the fixes.
MISSES: dict[str, str] = {}

#: Told rightly, with another severity than the case expects.
SEVERITIES: dict[str, str] = {}
