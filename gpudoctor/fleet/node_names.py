"""Sets of node names such as gpu[001-004,017], parsed and folded by ClusterShell."""

import re
from collections.abc import Iterable
from typing import Any

from gpudoctor.errors import Failure, Misused
from gpudoctor.host.safe_files import read_given

#: A host name (RFC 1123), with the underscores that some sites use.
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?")
#: More than any cluster has: a typing error such as gpu[1-999999999] must not take the memory.
_MOST = 1_000_000
#: Bytes of a list of nodes.
_LONGEST = 64 * 1024 * 1024


class FleetPartsMissing(Failure):
    """A library of the extra `fleet` is not installed."""

    exit_code = 3

    def __init__(self, library: str) -> None:
        super().__init__(
            f"{library} is not installed, and `gpudoctor fleet` needs it. Install it beside gpudoctor:"
            ' pip install "gpu-stack-doctor[fleet]"'
        )


def is_name(text: str) -> bool:
    """Whether a text can be the name of a node."""
    return _NAME.fullmatch(text) is not None


def folded(names: Iterable[str]) -> str:
    """The names as one set: gpu[001-004,017]."""
    return str(_sets().fromlist(list(names), autostep=None, resolver=_no_groups()))


def expanded(text: str) -> tuple[str, ...]:
    """The names of a set, a file with one set a line (@FILE), or several of both by comma. Raises Misused."""
    if text.startswith("@"):
        try:
            listed = read_given(text[1:], limit=_LONGEST, pipes=True).decode("utf-8")
        except OSError as error:
            raise Misused(f"The list of nodes {text[1:]} cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError as error:
            raise Misused(f"The list of nodes {text[1:]} cannot be read: {error}.") from None
        lines = [line.partition("#")[0].strip() for line in listed.splitlines()]
        return tuple(dict.fromkeys(name for line in lines if line for name in expanded(line)))
    from_text, mistakes = _sets(), _mistakes()
    try:
        found = from_text(text, resolver=_no_groups())
        if len(found) > _MOST:
            raise Misused(f"{text!r} names {len(found):,} nodes; at most {_MOST:,} are taken.")
        names = tuple(found)
    except mistakes as error:
        raise Misused(f"{text!r} is no set of nodes ({error}); write gpu[001-064] or a,b,c.") from None
    bad = next((name for name in names if not is_name(name)), None)
    if bad is not None or not names:
        raise Misused(f"{bad or text!r} is no name of a node; write gpu[001-064] or a,b,c, or @FILE.")
    return names


def _sets() -> Any:
    try:
        from ClusterShell.NodeSet import NodeSet
    except ImportError:
        raise FleetPartsMissing("ClusterShell") from None
    return NodeSet


def _mistakes() -> tuple[type[Exception], ...]:
    """What ClusterShell raises for a text that is no set; a range of billions is an AssertionError."""
    from ClusterShell.NodeSet import NodeSetException

    return (NodeSetException, AssertionError)


def _no_groups() -> Any:
    """Names come from other machines: none of them may start the commands that a site has set up for @groups."""
    from ClusterShell.NodeSet import RESOLVER_NOGROUP

    return RESOLVER_NOGROUP
