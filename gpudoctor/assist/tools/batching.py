"""The MCP tool `batch`: many questions in one call, each answered briefly."""

from typing import Any, Literal

import msgspec

from gpudoctor.assist.quoting import CLOSE, OPEN, cut
from gpudoctor.assist.tool import CannotAnswer, Session, Short, Takes, Tool
from gpudoctor.assist.tools.answering import ANSWER
from gpudoctor.assist.tools.explaining import EXPLAIN
from gpudoctor.assist.tools.looking_up import LOOK_UP
from gpudoctor.assist.tools.matrix import FIT
from gpudoctor.assist.tools.verifying import VERIFY_DESCRIBED
from gpudoctor.facts.base import Fact
from gpudoctor.facts.typed_json import convert_to

#: Characters of an answer, and questions of a call.
LONGEST, MOST = 400, 200
#: Of an answer: its verdict, reason and sureness; a command is given whole or not at all.
_PARTS = {"verdict": 150, "because": 110, "sure": 40}
TOOLS: dict[str, Tool] = {one.name: one for one in (ANSWER, EXPLAIN, FIT, LOOK_UP, VERIFY_DESCRIBED)}


class Asked(Takes, frozen=True, kw_only=True):
    """One question: a tool, and what it takes."""

    tool: Literal["answer", "explain", "fit", "look_up", "verify"]
    arguments: dict[str, Any] = {}


class Batch(Takes, frozen=True, kw_only=True):
    """Up to 200 questions."""

    questions: tuple[Asked, ...]


class Answers(Fact, frozen=True, kw_only=True):
    """An answer to each question, in their order."""

    answers: tuple[Short, ...]


def batch(asked: Batch, session: Session) -> Answers:
    """The answers. Raises CannotAnswer."""
    if len(asked.questions) > MOST:
        raise CannotAnswer(f"A call takes {MOST} questions; split them.")
    return Answers(answers=tuple(_answer(one, session) for one in asked.questions))


def _answer(asked: Asked, session: Session) -> Short:
    tool = TOOLS[asked.tool]
    try:
        found = tool.run(convert_to(asked.arguments, tool.takes), session)
    except msgspec.ValidationError as error:
        return Short(verdict="not answered", because=session.quoting().text(str(error), _PARTS["because"]))
    except CannotAnswer as error:
        return Short(verdict="not answered", because=shortened(str(error), _PARTS["because"]))
    assert tool.short is not None
    return bounded(tool.short(found))


def bounded(one: Short) -> Short:
    """The answer in 400 characters; a command that does not fit is left out, for half of one is another one."""
    parts = {name: shortened(text, most) for name, most in _PARTS.items() if (text := getattr(one, name))}
    left = LONGEST - sum(map(len, parts.values()))
    command = one.command if one.command and len(one.command) <= left else None
    return Short(command=command, **parts)


def shortened(text: str, most: int) -> str:
    """The text cut, with a quotation that was open closed."""
    short = cut(text, most)
    if short.count(OPEN) > short.count(CLOSE):
        short = short[: most - 2].rstrip("\N{HORIZONTAL ELLIPSIS}") + "\N{HORIZONTAL ELLIPSIS}" + CLOSE
    return short


BATCH = Tool(
    name="batch",
    title="Many questions at once",
    about="Answers up to 200 questions of answer, explain, fit, look_up and verify in one call, each in at most "
    "400 characters: verdict, command, because, sure. Call the tool itself for more of one.",
    takes=Batch,
    gives=Answers,
    run=batch,
    deadline=120,
)
