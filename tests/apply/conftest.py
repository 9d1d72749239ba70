import pytest

from tests.apply.wheels import environment, wheel


@pytest.fixture(scope="session")
def index(tmp_path_factory):
    """A folder with wheels: kit 1.0 and 2.0, which needs part."""
    folder = tmp_path_factory.mktemp("index")
    wheel(folder, "kit", "1.0")
    wheel(folder, "kit", "2.0", requires=["part"])
    wheel(folder, "part", "1.5")
    wheel(folder, "greedy", "1.0", requires=["kit<1"])
    return folder


@pytest.fixture(scope="session")
def bare(tmp_path_factory):
    """An environment with pip, to be copied."""
    return environment(tmp_path_factory.mktemp("bare") / "env")


@pytest.fixture(autouse=True)
def _own_list(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
