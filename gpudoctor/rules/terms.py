"""What rules say, and how they are declared."""

from collections.abc import Iterator

from gpudoctor.facts.finding import Evidence, Problem
from gpudoctor.facts.fix import Ask, Fix, Run, SetEnv, by_hand, run
from gpudoctor.rules._evidence import answer_seen, gpu_seen, log_seen, problem, seen
from gpudoctor.rules.declare import rule

__all__ = [
    "Ask",
    "Evidence",
    "Fix",
    "Iterator",
    "Problem",
    "Run",
    "SetEnv",
    "answer_seen",
    "by_hand",
    "gpu_seen",
    "log_seen",
    "problem",
    "rule",
    "run",
    "seen",
]
