"""Sizes of what would be downloaded: asked of a real index over HTTP, and what is said where they cannot be had."""

import socket

import pytest

from gpudoctor.apply.dry_run_result import Archive, Verification, measured
from gpudoctor.apply.events import Verified
from gpudoctor.apply.sizes import sizer
from gpudoctor.index.settings import Settings
from gpudoctor.install.reporters import sentence
from tests.apply.package_index import served


def found(*urls):
    archives = tuple(Archive(name=f"a{number}", version="1", url=url) for number, url in enumerate(urls))
    return Verification(by="pip", installs=tuple(f"{one.name}==1" for one in archives), archives=archives)


def test_the_index_is_asked(index):
    with served(index) as there:
        base = there.url.replace("/simple", "/files")
        told = measured(found(*(f"{base}/{name}" for name in there.wheels()), f"{base}/gone.whl"), sizer())
        assert {command for command, _ in there.asked} == {"HEAD"}
    sizes = [one.size for one in told.archives]
    assert sizes == [*((index / name).stat().st_size for name in there.wheels()), None]
    assert (told.known_bytes, told.unknown_sizes, told.download_bytes) == (sum(sizes[:-1]), 1, None)


def test_what_is_named_with_its_size_is_not_asked():
    one = Archive(name="a", version="1", url="http://127.0.0.1:9/a.whl", size=5)
    told = measured(Verification(by="uv", installs=("a==1",), archives=(one,)), pytest.fail)
    assert told.download_bytes == 5


def test_a_host_that_does_not_answer_is_asked_once():
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
    calls = []
    asked = sizer(lambda: calls.append("pip") or Settings())
    assert [asked(f"http://127.0.0.1:{port}/{number}.whl") for number in range(20)] == [None] * 20
    assert calls == ["pip"]


def test_what_is_in_the_cache_is_no_download():
    assert Verification(by="uv", installs=("a==1",), to_download=0).download_bytes == 0


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"installs": ()}, "nothing is to be installed"),
        ({"known_bytes": 202_000_000, "to_download": 3}, "3 packages, 202 MB to download"),
        ({"known_bytes": 202_000_000, "to_download": 1}, "3 packages, 1 to download, up to 202 MB"),
        ({"known_bytes": 202_000_000}, "3 packages, up to 202 MB to download"),
        ({"unknown_sizes": 3, "to_download": 0}, "3 packages, all in its cache"),
        ({"unknown_sizes": 3}, "3 packages, of a size that is not known"),
        (
            {"known_bytes": 7_000_000, "unknown_sizes": 1},
            "3 packages: 7 MB, and 1 of a size that is not known",
        ),
    ],
)
def test_what_is_not_known_is_said(fields, words):
    event = Verified(**{"by": "uv pip install --dry-run", "installs": ("a", "b", "c"), "took": 0.25, **fields})
    assert sentence(event) == f"  verified by uv pip install --dry-run (0.2 s): {words}"


def test_a_pip_without_a_dry_run_verified_nothing():
    old = "nothing: this pip is older than 22.2 and has no dry run"
    assert not Verification(by=old).says
    assert sentence(Verified(by=old, installs=(), says=False)) == f"  not verified, by {old}"
    assert Verification(by="uv", archives=()).says
