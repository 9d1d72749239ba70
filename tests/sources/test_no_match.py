"""What installers say that they looked for in vain."""

import pytest

from gpudoctor.sources.no_match import NoMatch, parse_no_match

_REQUIREMENT = "ERROR: Could not find a version that satisfies the requirement "
_ONLY = (
    "hint: You're using CPython 3.14 (`cp314`), but `torch` (v2.8.0) only has wheels with the following Python ABI tags"
)
_NO_WHEEL = (
    "error: Distribution `tensorflow==2.15.0 @ registry+https://example.org` can't be installed because it doesn't"
)
_FILE = "(from -r requirements.txt (line 3))"


def vain(package, *bounds, offered=None):
    return NoMatch(package, tuple((bound[:2], bound[2:]) for bound in bounds), offered)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (_REQUIREMENT + "torch (from versions: none)", vain("torch", offered=())),
        (
            _REQUIREMENT + "torch==1.13.1 (from versions: 2.0.0, 2.0.1)",
            vain("torch", "==1.13.1", offered=("2.0.0", "2.0.1")),
        ),
        (_REQUIREMENT + "torch==1.9.1+cu111(from versions 0.1.2", vain("torch", "==1.9.1", offered=("0.1.2",))),
        (
            _REQUIREMENT + "jaxlib<=0.5.4,>=0.5.3 (from jax) (from versions: 0.5.1)",
            vain("jaxlib", "<=0.5.4", ">=0.5.3", offered=("0.5.1",)),
        ),
        (
            _REQUIREMENT + f"tensorflow[and-cuda]==2.15 {_FILE} (from versions: )",
            vain("tensorflow", "==2.15", offered=()),
        ),
        ("ERROR: No matching distribution found for torch===1.6.0", vain("torch", "==1.6.0")),
        (_ONLY, vain("torch", "==2.8.0")),
        (_NO_WHEEL, vain("tensorflow", "==2.15.0")),
        ("Because torch==2.5.1 has no wheels with a matching Python ABI tag (e.g., `cp313`)", vain("torch", "==2.5.1")),
        ("Unable to find installation candidates for torch (1.8.1)", vain("torch", "==1.8.1")),
        ("Successfully installed torch-2.6.0", None),
    ],
)
def test_what_was_looked_for(line, told):
    assert parse_no_match(line) == told
