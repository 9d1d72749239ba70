"""What a known error message is made of, and all of them."""

from functools import lru_cache
from importlib import import_module

from gpudoctor.model.base import Fact

#: The modules of tables, each with SIGNATURES; loaded when first asked for.
TABLES = (
    "smi",
    "driver",
    "kernel",
    "modules",
    "container",
    "clusters",
    "cuda_errors",
    "cuda_run_errors",
    "cuda_program_errors",
    "cuda_libraries",
    "memory",
    "loader",
    "windows",
    "tensorflow",
    "keras",
    "torch",
    "torch_packages",
    "jax",
    "unseen",
    "compilers",
    "nccl",
    "distributed",
    "python",
    "attention",
    "companions",
    "inference",
    "extensions",
    "building",
    "precision",
    "makers",
    "data_loading",
    "installers",
    "complaints",
    "driver_complaints",
    "gpu_complaints",
)


class Cause(Fact, frozen=True, kw_only=True):
    """A cause of a message and how often it is that one, between 0 and 1, before anything else is known.

    `key` is the name of a rule, or a key of OTHER_CAUSES. `where` names surroundings (wsl, container, slurm, windows,
    macos, jetson, laptop, lib64, building, conda, by-conda, by-lock, vgpu, several-gpus, several-machines, amd, intel)
    in which it is likely, and outside of which it hardly is.
    """

    key: str
    prior: float
    where: str | None = None


class Signature(Fact, frozen=True, kw_only=True):
    """A known error message."""

    name: str
    #: A regular expression, matched without regard to case within one line.
    pattern: str
    #: Lower-case words of which one is in every line that matches: the fast way past all other lines.
    needles: tuple[str, ...]
    #: One sentence that a beginner understands.
    meaning: str
    #: Whose message it is; empty where several programs print it.
    frameworks: tuple[str, ...] = ()
    #: Most frequent first.
    causes: tuple[Cause, ...]
    #: The one command or fact that decides between the causes.
    ask: str
    #: Where the message is defined or explained.
    source: str
    #: Only counts where nothing more specific was recognised in the line.
    fallback: bool = False


def signature(
    name: str,
    pattern: str,
    *,
    needles: tuple[str, ...],
    meaning: str,
    causes: dict[str, float],
    ask: str,
    source: str,
    frameworks: tuple[str, ...] = (),
    fallback: bool = False,
) -> Signature:
    """A row of a table. A cause is written "rule-name", or "rule-name @ surroundings"."""
    return Signature(
        name=name,
        pattern=pattern,
        needles=needles,
        meaning=meaning,
        frameworks=frameworks,
        causes=tuple(_cause(key, prior) for key, prior in causes.items()),
        ask=ask,
        source=source,
        fallback=fallback,
    )


def _cause(written: str, prior: float) -> Cause:
    key, _, where = written.partition(" @ ")
    return Cause(key=key, prior=prior, where=where or None)


@lru_cache(maxsize=1)
def signatures() -> tuple[Signature, ...]:
    """All known messages."""
    return tuple(row for rows in _tables().values() for row in rows)


def signature_of(name: str) -> Signature | None:
    """The message of that name."""
    return _by_name().get(name)


def table_of(name: str) -> str:
    """The table in which the message of that name stands: driver, cuda_errors, torch."""
    return next(table for table, rows in _tables().items() if any(row.name == name for row in rows))


@lru_cache(maxsize=1)
def _tables() -> dict[str, tuple[Signature, ...]]:
    return {name: import_module(f"gpudoctor.signatures.{name}").SIGNATURES for name in TABLES}


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Signature]:
    return {row.name: row for row in signatures()}
