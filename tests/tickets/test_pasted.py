"""Real pasted texts: what they state arrives, and what they do not state stays unknown."""

import pytest

from gpudoctor.diagnosis.diagnose import diagnose
from gpudoctor.diagnosis.verdict import report_of
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.rules.load import load_rules
from tests.tickets.stated import FOLDER, STATED, fact, read

FACTS = [(name, path, value) for name, row in STATED.items() for path, value in row["facts"].items()]


def test_there_are_enough_of_them() -> None:
    assert len(STATED) >= 40
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(STATED)
    assert all(
        row["url"].startswith("https://github.com/") and (row["facts"] or row["cause"]) for row in STATED.values()
    )


@pytest.mark.parametrize(("name", "path", "value"), FACTS, ids=[f"{name}-{path}" for name, path, _ in FACTS])
def test_a_stated_fact_arrives(name: str, path: str, value: str) -> None:
    assert fact(read(name), path) == value


@pytest.mark.parametrize("name", sorted(STATED))
def test_no_pasted_text_is_called_healthy(name: str) -> None:
    snapshot = read(name).snapshot
    diagnosis = diagnose(snapshot, load_matrix(), load_rules())
    assert not diagnosis.crashed, diagnosis.crashed
    assert report_of(snapshot, diagnosis, matrix=load_matrix()).verdict in ("findings", "incomplete")


WORKING = (
    "torch-40682",
    "torch-51858",
    "jax-12213",
    "mmdetection-3959",
    "mmdetection-4471",
    "mmdetection-4659",
    "doctr-81",
)


@pytest.mark.parametrize("name", WORKING)
def test_nothing_false_is_found_where_the_gpu_was_used(name: str) -> None:
    """In these the framework says that it can use the GPU; the question was another one."""
    diagnosis = diagnose(read(name).snapshot, load_matrix(), load_rules())
    assert [one.name for one in diagnosis.findings if one.severity == "error"] == []
