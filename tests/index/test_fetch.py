"""Reading an index over HTTP and from folders: what goes wrong is said in one line, without credentials."""

import base64
import os
import socket
import threading
import zipfile
from contextlib import closing, contextmanager, suppress

import pytest

from gpudoctor.index import fetch
from gpudoctor.index.fetch import Fetcher, IndexUnusable
from gpudoctor.index.metadata import read_metadata
from gpudoctor.index.offers import Offers
from gpudoctor.index.settings import Settings
from tests.index.serving import Answer, json_page, page, serving

TORCH = "torch-2.0.0-cp311-cp311-win_amd64.whl"


@pytest.fixture(autouse=True)
def direct(monkeypatch):
    """No proxy of the machine's stands between the tests and the loopback address."""
    monkeypatch.setenv("NO_PROXY", "*")


@contextmanager
def offers(*indexes, find_links=(), **settings):
    with closing(Fetcher(Settings(indexes=indexes, find_links=find_links, **settings), pause=0.01)) as fetcher:
        yield Offers(fetcher)


def versions(found):
    return None if found is None else [one.version for one in found]


@pytest.mark.parametrize(
    "answer",
    [
        Answer(page([TORCH])),
        Answer(page([TORCH]), kind="text/html; charset=utf-8"),
        Answer(page([TORCH]), kind="application/vnd.pypi.simple.v1+html"),
        Answer(json_page([TORCH]), kind="application/vnd.pypi.simple.v1+json"),
    ],
)
def test_both_formats(answer):
    with serving({"/simple/torch/": answer}) as server, offers(server.url()) as here:
        assert versions(here.releases("torch")) == ["2.0.0"]
        assert here.releases("keras") is None
        assert "vnd.pypi.simple.v1+json" in server.asked[0][1]["Accept"]
        here.releases("torch")
        assert len(server.asked) == 2, "a package is asked for once"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer(b"<html><body>Please <a href='/login'>log in</a></body></html>"), "lists no files of torch"),
        (Answer(b"<html><body>It works!</body></html>"), "without any link"),
        (Answer(b"Service unavailable", kind="text/plain"), "of type text/plain"),
        (Answer(b"oops"), "not HTML"),
        (Answer(page(["keras-3.0-py3-none-any.whl"])), "lists no files of torch"),
        (Answer(b'{"message": "hello"}', kind="application/json"), "no list of files"),
        (Answer(json_page([TORCH], "2.0"), kind="application/vnd.pypi.simple.v1+json"), "version 2"),
        (Answer(b"", status=401), "credentials"),
        (Answer(b"", status=403), "refuses access"),
        (Answer(b"", status=418), "HTTP 418"),
        (Answer(b"", status=503), "it answers 503"),
        (Answer(b"", status=302, headers={"Location": "/simple/torch/"}), "redirects without end"),
        (Answer(b"", status=302, headers={"Location": "http://[bad/"}), "no address"),
    ],
)
def test_an_index_that_lies_or_refuses(answer, says):
    with serving({"/simple/torch/": answer}) as server, offers(server.url().replace("//", "//me:secret@")) as here:
        with pytest.raises(IndexUnusable, match=says) as caught:
            here.releases("torch")
        text = str(caught.value)
        assert text.startswith(f"{server.url()}")
        assert "\n" not in text
        assert "secret" not in text
        assert "me:" not in text


def test_a_busy_index_is_asked_again():
    answers = {"/simple/torch/": Answer(b"", status=503)}
    with serving(answers) as server, offers(server.url()) as here:
        with pytest.raises(IndexUnusable):
            here.releases("torch")
        assert len(server.asked) == 3
        answers["/simple/torch/"] = Answer(page([TORCH]))
        assert versions(here.releases("torch")) == ["2.0.0"]


def test_nobody_listens():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with (
            offers(f"http://127.0.0.1:{unused.getsockname()[1]}/simple") as here,
            pytest.raises(IndexUnusable, match="refused"),
        ):
            here.releases("torch")


def test_an_index_that_never_answers(monkeypatch):
    monkeypatch.setattr(fetch, "READ", 0.05)
    with (
        socket.create_server(("127.0.0.1", 0)) as mute,
        offers(f"http://127.0.0.1:{mute.getsockname()[1]}/simple") as here,
        pytest.raises(IndexUnusable, match="in time"),
    ):
        here.releases("torch")


def test_an_answer_without_end_is_cut(monkeypatch):
    monkeypatch.setattr(fetch, "BIGGEST", 1000)
    with (
        serving({"/simple/torch/": Answer(b"x" * 2000)}) as server,
        offers(server.url()) as here,
        pytest.raises(IndexUnusable, match="larger than"),
    ):
        here.releases("torch")


def test_an_answer_that_drips_is_cut(monkeypatch):
    monkeypatch.setattr(fetch, "WHOLE", 0.0)
    with (
        serving({"/simple/torch/": Answer(page([TORCH]))}) as server,
        offers(server.url()) as here,
        pytest.raises(IndexUnusable, match="took longer"),
    ):
        here.releases("torch")


def test_a_connection_that_breaks():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        stop = threading.Event()

        def hang_up():
            listening.settimeout(0.05)
            while not stop.is_set():
                with suppress(TimeoutError):
                    listening.accept()[0].close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        try:
            with (
                offers(f"http://127.0.0.1:{listening.getsockname()[1]}/simple") as here,
                pytest.raises(IndexUnusable, match="broke"),
            ):
                here.releases("torch")
        finally:
            stop.set()
            thread.join()


@pytest.mark.parametrize("address", ["ftp://a.example/simple", "http://[bad/simple"])
def test_no_address(address):
    with offers(address) as here, pytest.raises(IndexUnusable, match="no address"):
        here.releases("torch")


def test_a_proxy_that_is_away(monkeypatch):
    monkeypatch.delenv("NO_PROXY")
    with (
        offers("http://a.invalid/simple", proxy="http://127.0.0.1:9") as here,
        pytest.raises(IndexUnusable, match="proxy"),
    ):
        here.releases("torch")


def test_credentials_are_used_and_not_shown():
    with serving({"/simple/torch/": Answer(page([TORCH]))}) as server:
        with offers(server.url().replace("//", "//me:secret@")) as here:
            assert versions(here.releases("torch")) == ["2.0.0"]
        sent = server.asked[0][1]["Authorization"]
        assert base64.b64decode(sent.removeprefix("Basic ")) == b"me:secret"


def test_indexes_and_folders_are_one(tmp_path):
    (tmp_path / "simple" / "torch").mkdir(parents=True)
    (tmp_path / "simple" / "torch" / "index.html").write_bytes(page(["torch-2.1.0-cp311-cp311-win_amd64.whl"]))
    wheels = tmp_path / "my wheels"
    wheels.mkdir()
    for name in ("torch-2.2.0+cpu-cp311-cp311-win_amd64.whl", "keras-3.0-py3-none-any.whl", "torchvision-1.0.tar.gz"):
        (wheels / name).touch()
    with serving({"/simple/torch/": Answer(page([TORCH]))}) as server:
        file_index = (tmp_path / "simple").as_uri()
        with offers(server.url(), file_index, find_links=(str(wheels),)) as here:
            assert versions(here.releases("torch")) == ["2.2.0+cpu", "2.1.0", "2.0.0"]
            assert versions(here.releases("keras")) == ["3.0"]
            assert here.releases("jax") is None


def test_a_further_index_may_have_an_empty_page():
    answers = {
        "/simple/torch/": Answer(page([TORCH])),
        "/more/torch/": Answer(page([])),
        "/more/keras/": Answer(page([])),
    }
    with serving(answers) as server, offers(server.url(), server.url("/more/")) as here:
        assert versions(here.releases("torch")) == ["2.0.0"]
        assert here.releases("keras") is None


def test_a_folder_laid_out_as_an_index_needs_no_pages(tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / TORCH).touch()
    with offers(tmp_path.as_uri()) as here:
        assert versions(here.releases("torch")) == ["2.0.0"]


def test_a_folder_that_is_not_there(tmp_path):
    with offers((tmp_path / "gone").as_uri()) as here, pytest.raises(IndexUnusable, match="no such folder"):
        here.releases("torch")


METADATA = """Metadata-Version: 2.1
Name: torch
Version: 2.0.0
Requires-Python: >=3.8
Requires-Dist: sympy
Requires-Dist: triton (==2.0.0) ; platform_system == "Linux"
"""


@pytest.fixture(params=[zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def wheel(request, tmp_path):
    path = tmp_path / TORCH
    with zipfile.ZipFile(path, "w", request.param) as archive:
        archive.writestr("torch/lib.so", os.urandom(300_000))
        archive.writestr("torch/vendored/other-1.dist-info/METADATA", "Name: other")
        archive.writestr("torch-2.0.0.dist-info/METADATA", METADATA)
        archive.writestr("torch-2.0.0.dist-info/RECORD", "")
    return path


def test_metadata_without_the_wheel(wheel):
    answers = {"/simple/torch/": Answer(page([TORCH])), f"/files/{TORCH}": Answer(wheel.read_bytes(), parts=True)}
    with serving(answers) as server, closing(Fetcher(Settings(indexes=(server.url(),)))) as fetcher:
        (link,) = fetcher.links(server.url("/simple/torch/"))
        found = read_metadata(fetcher, link)
        assert found.requires == ("sympy", 'triton (==2.0.0) ; platform_system == "Linux"')
        assert found.requires_python == ">=3.8"
        sent = [int(headers["Range"].split("-")[-1]) for path, headers in server.asked if path.endswith(".whl")]
        assert len(sent) == 1, "a part, not the whole"


def test_metadata_of_a_wheel_in_a_folder(wheel):
    with closing(Fetcher(Settings())) as fetcher:
        (link,) = [link for link in fetcher.links(str(wheel.parent)) if link.name == TORCH]
        assert read_metadata(fetcher, link).version == "2.0.0"


def test_metadata_beside_the_wheel():
    raw = page([TORCH]).replace(b"<a ", b'<a data-core-metadata="true" ')
    answers = {"/simple/torch/": Answer(raw), f"/files/{TORCH}.metadata": Answer(METADATA.encode())}
    with serving(answers) as server, closing(Fetcher(Settings())) as fetcher:
        (link,) = fetcher.links(server.url("/simple/torch/"))
        assert read_metadata(fetcher, link).version == "2.0.0"


@pytest.mark.parametrize(
    "answer",
    [Answer(b"whole file", parts=False), Answer(b"PK\x01\x02" * 30, parts=True), Answer(b"", status=404)],
)
def test_no_metadata_to_be_had(answer):
    answers = {"/simple/torch/": Answer(page([TORCH])), f"/files/{TORCH}": answer}
    with serving(answers) as server, closing(Fetcher(Settings())) as fetcher:
        (link,) = fetcher.links(server.url("/simple/torch/"))
        assert read_metadata(fetcher, link) is None
