"""Tickets that came as JSON say what the same words in lines would say."""

import json

import pytest

from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.tickets.documents import spread
from gpudoctor.tickets.read import ingest
from tests.tickets.stated import fact

FORM = {
    "title": "GPU not used",
    "environment": {
        "os": "Ubuntu 22.04",
        "driver_version": "535.54.03",
        "gpus": [{"name": "NVIDIA GeForce RTX 3090", "count": 1, "memory": None}],
        "packages": {"torch": "2.3.0+cpu", "numpy": "1.26.4", "pytorch-cuda": None},
        "env_vars": {"CUDA_VISIBLE_DEVICES": "0", "LD_LIBRARY_PATH": None},
        "kernel_modules": ["nvidia", "nvidia_uvm"],
        "wsl": None,
        "container": "",
        "torch.cuda.is_available()": False,
    },
    "log": "first line\nsecond line",
}


@pytest.mark.parametrize(
    "line",
    [
        "os: Ubuntu 22.04",
        "driver version: 535.54.03",
        "gpus: NVIDIA GeForce RTX 3090",
        "torch==2.3.0+cpu",
        "CUDA_VISIBLE_DEVICES=0",
        "kernel modules: nvidia, nvidia_uvm",
        "torch.cuda.is_available(): False",
        "second line",
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_each_member_is_a_line(line: str, indent: int | None) -> None:
    assert line in spread(json.dumps(FORM, indent=indent)).splitlines()


@pytest.mark.parametrize("word", ["wsl", "container", "memory", "pytorch-cuda", "None", "null"])
def test_what_is_not_given_is_not_mentioned(word: str) -> None:
    assert word not in spread(json.dumps(FORM))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("host.distribution", "ubuntu"),
        ("driver.release", "535.54.03"),
        ("gpus.0.name", "NVIDIA GeForce RTX 3090"),
        ("frameworks.torch.variant", "cpu"),
        ("environ.CUDA_VISIBLE_DEVICES", "0"),
    ],
)
def test_its_facts_arrive(path: str, value: str) -> None:
    assert fact(ingest(json.dumps(FORM).encode(), load_matrix()), path) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "{not json}",
        '{"checks": {}, "summary": {}}',
        "torch==2.3.0\n{}",
        '[{"name": "torch", "version": "2.3.0"}]',
    ],
)
def test_all_else_stays_as_it_is(text: str) -> None:
    assert spread(text) == text


def test_a_deep_document_ends() -> None:
    deep: object = "bottom"
    for _ in range(40):
        deep = {"a": [deep]}
    assert "bottom" not in spread(json.dumps(deep))
    assert spread('{"a":' * 100_000 + "1" + "}" * 100_000).startswith('{"a"')
