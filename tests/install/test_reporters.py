"""What is told while an environment is changed, where lines cannot be drawn again."""

import pytest

from gpudoctor.apply.building import COUNTED, counting
from gpudoctor.apply.dry_run_result import Verification
from gpudoctor.apply.events import Asked, Copying, Finished, Output, Progress, Proved, Proving, Started, Stepped
from gpudoctor.install.reporters import Sentences, ending, sentence


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (
            Started(id="1", environment="/e", kind="new"),
            "Building beside /e; until all is proved, nothing there is changed. (id 1)",
        ),
        (
            Started(id="1", environment="/e", kind="changed", way="inside"),
            "Changing, with a copy to go back to, /e. (id 1)",
        ),
        (Started(id="1", environment="/e", kind="new", way="in-place"), "Making /e. (id 1)"),
        (Stepped(argv=("pip", "a b"), number=1, of=1), "  pip 'a b'"),
        (Asked(by="pip install --dry-run"), "  asking: pip install --dry-run"),
        (Copying(of_bytes=2_900_000_000), "  copying what is there, 2900 MB; large files are shared, not copied"),
        (Proving(), "  checking its files, and training a small network with each framework"),
        (
            Proved(framework="jax", outcome="passed", devices=("cpu",), took=6.6),
            "  jax: trained a network on cpu in 7 s",
        ),
        (Proved(framework="jax", outcome="failed", detail="no", took=6.6), "  jax: does not work (no)"),
    ],
)
def test_events_in_words(event, words):
    assert sentence(event) == words


def test_a_long_download_is_not_silent(capsys):
    tell = Sentences()
    tell(Stepped(argv=("pip", "install"), number=1, of=1, seconds=1))
    tell(Output(text="Collecting torch", seconds=2))
    tell(Output(text="a line that says nothing", seconds=3))
    for seconds in range(3, 100):
        tell(Progress(seconds=seconds, written_mib=5))
        tell(Progress(seconds=seconds, done_bytes=seconds * 10_000_000, of_bytes=2_000_000_000))
    assert capsys.readouterr().err.splitlines() == [
        *("  pip install", "    Collecting torch"),
        *("    32 s, 5 MiB written", "    62 s, 5 MiB written", "    92 s, 5 MiB written"),
    ]


def test_a_long_copy_is_not_silent(capsys):
    tell = Sentences()
    tell(Copying(of_bytes=5_000_000_000, seconds=1))
    for seconds in range(2, 65):
        tell(Progress(seconds=seconds, done_bytes=seconds * 50_000_000, of_bytes=5_000_000_000))
    assert capsys.readouterr().err.splitlines()[1:] == ["    31 s, 1550 of 5000 MB", "    61 s, 3050 of 5000 MB"]


def test_the_end_says_how_long_it_took():
    end = Finished(outcome="installed-and-proved", exit_code=0, changes=("+ kit 2.0",), id="1", seconds=12.4)
    assert ending(end, "/e") == (
        "Installed and proved in 12 s.\n  + kit 2.0\nIn /e. To take it back: gpudoctor undo 1\n"
    )


@pytest.mark.parametrize(
    ("release", "counts"), [("26.3", True), ("24.1", True), ("24.0", False), ("23.2.1", False), (None, False)]
)
def test_pip_counts_where_it_can(release, counts):
    assert bool(counting(Verification(by="pip", release=release))) is counts
    assert counting(None) == {}


def test_what_pip_counts_is_read():
    assert COUNTED.fullmatch("Progress 262144 of 17028663").groups() == ("262144", "17028663")
    assert COUNTED.fullmatch("Progress 262144").groups() == ("262144", None)
    assert COUNTED.fullmatch("Progress was made") is None
