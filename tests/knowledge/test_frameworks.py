"""The frameworks' records: what each names is there, and no word means two of them."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import gpudoctor
from gpudoctor.knowledge.frameworks import (
    computing,
    descriptors,
    gpu_code_of,
    name_of,
    names_and_packages,
    that_run,
    title_of,
)
from gpudoctor.knowledge.matrix.tables import ALL_TABLES

PACKAGE = Path(gpudoctor.__file__).parent
BY_NAME = {one.name: one for one in descriptors()}


@pytest.mark.parametrize("name", BY_NAME)
def test_a_record_is_whole(name):
    one = BY_NAME[name]
    assert one.title and one.page.startswith("https://") and one.packages
    assert one.table is None or one.table in ALL_TABLES
    assert set(one.backends) <= set(BY_NAME)
    assert set(one.variants) <= set(one.packages)
    assert one.build_file is not None or one.agents


@pytest.mark.parametrize("name", BY_NAME)
def test_its_agents_are_there_and_no_others(name):
    found = {path.stem.partition("_")[0] for path in (PACKAGE / "agent").glob(f"*_{name}.py")}
    assert set(BY_NAME[name].agents) == found & {"devices", "smoke", "bench"}


def test_every_agent_belongs_to_a_framework():
    names = {
        p.stem.partition("_")[2] for kind in ("devices", "smoke", "bench") for p in PACKAGE.glob(f"agent/{kind}_*.py")
    }
    assert names - set(BY_NAME) <= {"cases", "cores", "rounds", "subject", "data", "judgement", "reference", "trials"}


def test_no_word_means_two():
    words = Counter(
        word
        for one in descriptors()
        for word in {one.name, *one.aliases, *one.packages, *one.conda_packages, *one.parts, *one.companions}
    )
    assert not [word for word, count in words.items() if count > 1]


@pytest.mark.parametrize(
    ("word", "name"), [("PyTorch", "torch"), ("tf", "tensorflow"), ("JAX", "jax"), ("Theano", "theano")]
)
def test_words_of_users(word, name):
    assert name_of(word) == name


def test_names():
    assert title_of("torch") == "PyTorch"
    assert title_of("theano") == "theano"
    assert gpu_code_of("jax") == "jax-cuda-plugin"
    assert gpu_code_of("keras") == ""
    assert names_and_packages()["jaxlib"] == "jax"
    assert that_run("smoke")[0] == "tensorflow"
    assert "keras" not in computing()


def _lists_of_names(tree):
    """Displays (tuples, lists, sets) that hold the names of three frameworks that compute; not those of a type."""
    types = {id(node.slice) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple | ast.List | ast.Set) and id(node) not in types:
            words = {one.value for one in node.elts if isinstance(one, ast.Constant)}
            if len(words & set(computing())) >= 3:
                yield node.lineno


def test_nobody_lists_the_frameworks_anew():
    """What holds for every framework asks the records; a list of names would leave out the next one."""
    found = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] not in ("agent", "redact")
        for line in _lists_of_names(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found
