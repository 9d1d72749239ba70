"""What is advised: the answer, what makes a job fit, prices."""

import json

import click
import pytest
from click.testing import CliRunner

from gpudoctor.advise.advice import advise
from gpudoctor.advise.jobs import changed, language_model, networks, preset
from gpudoctor.advise.prices import parse_prices
from gpudoctor.cli.main import cli
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.matlab import Matlab
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Cpu, System
from gpudoctor.knowledge.matrix.load import load_matrix
from gpudoctor.report.advice_html import render_advice_html
from gpudoctor.report.advice_text import render_advice
from gpudoctor.report.terminal import Style

MATRIX = load_matrix()
HOST = System(os="linux", arch="x86_64", cpu=Cpu(model="a CPU", cores=8, flags=("avx2", "fma")), memory_total=32 << 30)


def job(name, **stated):
    found = next(preset(one) for one in networks(MATRIX) if one.name == name)
    return changed(found, **{"samples": None, "epochs": None, "batch": None, "precision": None, **stated})


def machine(*gpus, memory=24):
    found = tuple(
        Gpu(index=number, vendor="nvidia", name=name, memory_total_mib=memory * 1024)
        for number, name in enumerate(gpus)
    )
    return Snapshot(host=HOST, gpus=Gpus(devices=found))


@pytest.mark.parametrize(
    ("name", "stated", "gpus", "word"),
    [
        ("dense-28", {}, (), "No GPU is needed"),
        ("resnet-50", {}, (), "A GPU pays"),
        ("resnet-50", {"samples": 100, "epochs": 1}, (), "No GPU is needed"),
        ("resnet-50", {}, ("NVIDIA GeForce RTX 3090",), "The GPU here"),
    ],
)
def test_the_answer(name, stated, gpus, word):
    assert advise(job(name, **stated), machine(*gpus), None, MATRIX).answer.startswith(word)


@pytest.mark.parametrize(
    ("wanted", "memory", "title"),
    [
        (job("resnet-50", batch=2048), 24, "batches of at most"),
        (language_model(7e9, "train"), 24, "LoRA"),
        (language_model(30e9, "run"), 24, "4 bits"),
        (language_model(400e9, "run"), 24, "Several GPUs"),
    ],
)
def test_what_makes_it_fit(wanted, memory, title):
    report = advise(wanted, machine("NVIDIA GeForce RTX 3090", memory=memory), None, MATRIX)
    assert report.estimates[1].fits is False
    assert any(title in option.title for option in report.options)
    order = [("nothing", "effort", "money").index(option.costs) for option in report.options]
    assert order[0] <= order[-1]


def test_an_old_gpu_is_told_its_last_driver_and_builds():
    report = advise(job("resnet-50"), machine("Tesla K40m", memory=12), None, MATRIX)
    (old,) = [one for one in report.estimates if one.here and one.kind == "gpu"]
    assert "470" in old.note
    assert any(build.startswith("torch ") for build in old.builds)


def test_a_snapshot_that_saw_nothing_gives_no_numbers_of_its_machine():
    report = advise(job("resnet-50"), Snapshot(), None, MATRIX)
    assert report.estimates[0].rate is None
    assert "Nothing is known of this machine" in report.answer


def test_an_installed_matlab_is_judged_on_the_gpu_here():
    here = machine("NVIDIA GeForce RTX 5090")
    matlab = Matlab(root="/opt/MATLAB/R2023b", release="R2023b", has_toolbox=True)
    report = advise(job("resnet-50"), here, None, MATRIX, matlabs=(matlab,))
    (one,) = report.matlab
    assert (one.gpu, one.reasons) == ("NVIDIA GeForce RTX 5090", ("driver-not-known",))
    style = Style(width=100, unicode=True, verbosity=0)
    assert "gpudoctor matrix matlab --here" in render_advice(report, style)
    assert "R2023b" in render_advice_html(report)
    assert "MATLAB" not in render_advice(advise(job("resnet-50"), here, None, MATRIX), style)


PRICES = {"date": "2026-11-01", "currency": "EUR", "an_hour": {"NVIDIA L4": 0.5, "NVIDIA H100 80GB HBM3": 3.0}}


def test_prices_are_those_of_the_file():
    report = advise(job("resnet-50"), machine(), None, MATRIX, (), parse_prices(json.dumps(PRICES).encode()))
    found = {one.device: one.price for one in report.estimates}
    assert found["Tesla T4"] is None
    assert found["NVIDIA L4"] > 0
    assert any(option.title.startswith("Rent a") for option in report.options)


@pytest.mark.parametrize(
    "changes", [{"date": "soon"}, {"an_hour": {"NVIDIA L4": -1}}, {"currency": "much money"}, {"an_hour": 3}]
)
def test_a_price_file_that_is_none(changes):
    with pytest.raises(ValueError, match=r"\w"):
        parse_prices(json.dumps(PRICES | changes).encode())


@pytest.mark.parametrize(
    "words",
    [
        (), ("nothing-known",), ("resnet-50", "--samples", "0"), ("resnet-50", "--batch", "-4"),
        ("--parameters", "1e30"), ("--parameters", "nan"), ("--parameters", "x"), ("resnet-50", "--gpu", "RTX 9999"),
        ("--parameters", "1M", "--gflop", "nan"), ("--parameters", "1M", "--gflop", "-1"),
        ("resnet-50", "--parameters", "1M"), ("resnet-50", "--bench", "/nowhere"),
        ("resnet-50", "--prices", "/nowhere"),
    ],
)  # fmt: skip
def test_bad_input_is_one_message_and_exit_code_2(words):
    done = CliRunner().invoke(cli, ["advise", *words])
    assert done.exit_code == 2, done.output
    assert "Error" in done.output
    assert "Traceback" not in done.output


def test_another_machine_and_json(tmp_path):
    from gpudoctor.facts.codec import encode

    file = tmp_path / "machine.json"
    file.write_bytes(encode(machine("NVIDIA GeForce RTX 3090")))
    done = CliRunner().invoke(
        cli, ["advise", "--parameters", "7B", "--task", "lora", "--from", str(file), "--format", "json"]
    )
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    assert [one["device"] for one in told["estimates"] if one.get("here")][1] == "NVIDIA GeForce RTX 3090"
    assert told["job"]["task"] == "lora"


@pytest.mark.parametrize("wanted", [job("resnet-50", batch=2048), language_model(400e9, "run")])
@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("prices", [None, PRICES])
def test_the_table_fits_a_narrow_terminal(wanted, width, prices):
    priced = parse_prices(json.dumps(prices).encode()) if prices else None
    every = tuple(row.name for row in MATRIX.table("gpu_peaks"))
    report = advise(wanted, machine("NVIDIA GeForce RTX 3090"), None, MATRIX, every, priced)
    told = click.unstyle(render_advice(report, Style(width=width)))
    assert [line for line in told.splitlines() if len(line) > width] == []


def test_the_jobs_are_listed():
    done = CliRunner().invoke(cli, ["advise", "--list"])
    assert done.exit_code == 0
    assert "resnet-50" in done.output


def test_the_page_says_what_the_terminal_says():
    from gpudoctor.report.advice_html import render_advice_html

    report = advise(job("resnet-50"), machine("NVIDIA GeForce RTX 3090"), None, MATRIX)
    page = render_advice_html(report)
    assert report.answer in page
    assert page.count("<tr>") == 1 + len(report.estimates)
    assert all(option.title.replace("'", "&#x27;") in page for option in report.options)
    assert "<script" not in page
