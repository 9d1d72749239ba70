"""A rule that no row makes fire, or that none finds quiet, is named."""

from tests.rules.rows import missing


def test_what_lacks_is_named():
    seen = {("a", "fires"), ("a", "quiet"), ("b", "quiet"), ("c", "fires")}
    assert missing(["c", "b", "a"], seen) == [
        "b: no table has a row in which it fires",
        "c: no table has a row in which it is quiet",
    ]
