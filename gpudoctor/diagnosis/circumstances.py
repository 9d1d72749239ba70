"""Drops sentences of a remedy that are for other circumstances than the known ones."""

from collections.abc import Set as AbstractSet
from functools import lru_cache

from msgspec.structs import replace

from gpudoctor.diagnosis.snapshot_view import SnapshotView
from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.fix import Ask, Run, SetEnv, Write
from gpudoctor.facts.gpus import Gpus
from gpudoctor.facts.python import Interpreter
from gpudoctor.facts.system import Container, System
from gpudoctor.facts.versions import Capability
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tables import rows_of

Step = Run | SetEnv | Write | Ask

_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z`\"<])")
#: How a sentence begins that says nothing without the one before it.
_LEANS = re.compile(r"(?:Or|Else|Otherwise|It|They|There|That|This)\b")
_ARCHS = {"x86_64": "arch-x86", "amd64": "arch-x86", "aarch64": "arch-arm", "arm64": "arch-arm"}
_VOLTA, _MAXWELL = Capability("7.0"), Capability("5.0")


@lru_cache(maxsize=1)
def _rows() -> tuple[tuple[str, frozenset[str], frozenset[str]], ...]:
    rows = rows_of("knowledge/circumstances")
    return tuple((lead, frozenset(own.split()), frozenset(others.split())) for lead, own, others in rows)


def said_here(say: str, words: AbstractSet[str]) -> str:
    """What is said, without the sentences for another circumstance; all of it where nothing would be left."""
    kept: list[str] = []
    is_left_out = False
    for sentence in _SENTENCE.split(say):
        is_left_out = _is_elsewhere(sentence, words) or (is_left_out and _LEANS.match(sentence) is not None)
        if not is_left_out:
            kept.append(sentence)
    return " ".join(kept) or say


def steps_here(steps: tuple[Step, ...], words: AbstractSet[str]) -> tuple[Step, ...]:
    """The steps of a fix, without what they ask of a person in another circumstance."""
    told = [one for one in steps if not (isinstance(one, Ask) and _is_all_elsewhere(one.text, words))]
    return tuple(
        replace(one, text=said_here(one.text, words)) if isinstance(one, Ask) else one for one in told or steps
    )


def _is_all_elsewhere(text: str, words: AbstractSet[str]) -> bool:
    return all(_is_elsewhere(sentence, words) for sentence in _SENTENCE.split(text))


def _is_elsewhere(sentence: str, words: AbstractSet[str]) -> bool:
    return any(
        not own & words and bool(others & words)
        for lead, own, others in _rows()
        if re.match(lead, sentence) is not None
    )


def circumstances_of(seen: SnapshotView) -> frozenset[str]:
    """What the facts tell of the machine, in the words of circumstances.tsv."""
    return frozenset((*_of_host(seen), *_of_gpus(seen)))


def _of_host(seen: SnapshotView) -> set[str]:
    found = set()
    host, container = seen.section(System, "host"), seen.section(Container, "container")
    if host is not None:
        found |= {_ARCHS[host.arch]} if host.arch in _ARCHS else set()
        if host.virtualization is not None:
            found.add("bare-metal" if host.virtualization == "none" else "virtual")
    if container is not None and container.kind == "none" and not container.kubernetes:
        found.add("no-container")
    python = seen.section(Interpreter, "interpreter")
    if python is not None and python.environment == "venv":
        found.add("own-venv")
    return found


def _of_gpus(seen: SnapshotView) -> set[str]:
    """The kind and the age of all the GPUs; neither where they differ, or one is not known."""
    gpus = seen.section(Gpus, "gpus")
    own = gpus.nvidia if gpus is not None else ()
    matrix = load_matrix() if own else None
    if matrix is None:
        return set()
    kinds = {model.segment for gpu in own for model in matrix.models_by_name(gpu.name or "")}
    known = [matrix.capability(gpu) or gpu.capability for gpu in own]
    found = {f"gpu-{kind}" for kind in kinds if kind} if len(kinds) == 1 else set()
    ages = [one for one in known if one is not None]
    if len(ages) == len(known):
        found.add("gpu-from-volta" if min(ages) >= _VOLTA else "gpu-before-volta")
        found.add("gpu-from-maxwell" if min(ages) >= _MAXWELL else "gpu-before-maxwell")
    return found
