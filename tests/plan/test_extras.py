"""Which environment of a plan an extra belongs to."""

import pytest

from gpudoctor.plan.extras import Extra, Extras

FOUND = Extras(
    found=(
        Extra(name="flash-attn", environment=1, requirement="flash-attn==2.8.3"),
        # One that cannot be installed is said with the first environment.
        Extra(name="bitsandbytes", note="It has no wheel for this Python."),
    )
)


@pytest.mark.parametrize(("number", "names"), [(0, ["bitsandbytes"]), (1, ["flash-attn"]), (2, [])])
def test_the_extras_of_an_environment(number, names):
    assert [one.name for one in FOUND.of(number).found] == names
