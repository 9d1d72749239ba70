"""The list of all MCP tools, in the order in which clients show them."""

from gpudoctor.assist.tool import Tool
from gpudoctor.assist.tools.answering import ANSWER
from gpudoctor.assist.tools.batching import BATCH
from gpudoctor.assist.tools.changing import FIX, INSTALL, PLAN, SMOKE, UNDO
from gpudoctor.assist.tools.checking import CHECK, SNAPSHOT
from gpudoctor.assist.tools.explaining import DIFF, EXPLAIN
from gpudoctor.assist.tools.looking_up import LOOK_UP
from gpudoctor.assist.tools.matrix import FIT
from gpudoctor.assist.tools.verifying import VERIFY

READING: tuple[Tool, ...] = (CHECK, ANSWER, FIT, VERIFY, EXPLAIN, PLAN, LOOK_UP, DIFF, SNAPSHOT, SMOKE, BATCH)
#: Only where the user allowed it.
CHANGING: tuple[Tool, ...] = (FIX, INSTALL, UNDO)


def tools(*, may_change: bool) -> dict[str, Tool]:
    """The tools by name."""
    return {one.name: one for one in (*READING, *(CHANGING if may_change else ()))}
