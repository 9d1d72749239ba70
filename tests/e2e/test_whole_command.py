"""The whole command on this machine, with a driver that a file directs: real bindings, children and environments."""

import json
import shutil
import sys
import time
import venv
from pathlib import Path

import pytest

from tests.e2e.command import gpudoctor
from tests.fake_driver import compiled_driver, machine  # noqa: F401

pytestmark = pytest.mark.skipif(shutil.which("cc") is None or sys.platform != "linux", reason="needs a C compiler")

TORCH = {
    "torch/__init__.py": "raise SystemExit('torch was imported')",
    "torch/version.py": "__version__ = '{version}'\ndebug = False\ncuda = {cuda}\ngit_version = ''\nhip = None\n",
    "torch-{plain}.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: {plain}\n",
    "torch-{plain}.dist-info/INSTALLER": "pip\n",
    "torch-{plain}.dist-info/RECORD": "torch/__init__.py,,\ntorch/version.py,,\n",
}


#: Nothing wrong, but a build for CUDA of which only texts are there is not called healthy.
UNSEEN = 3


@pytest.fixture(scope="module")
def environments(tmp_path_factory):
    """A call that makes an environment without pip, holding the files of a torch version."""
    folder = tmp_path_factory.mktemp("environments")

    def with_torch(version, cuda):
        path = folder / version
        if not path.exists():
            venv.create(path, with_pip=False)
            (site,) = path.glob("lib/python*/site-packages")
            for name, text in TORCH.items():
                file = site / name.format(plain=version.partition("+")[0])
                file.parent.mkdir(exist_ok=True)
                file.write_text(text.format(version=version, plain=version.partition("+")[0], cuda=cuda))
        return str(path)

    return with_torch


def verdict(*arguments, env=None, code=None):
    """(report as JSON, names of the root causes that are errors)."""
    done = gpudoctor("check", "--static", "--format", "json", *arguments, env=env)
    assert code is None or done.returncode == code, done.out + done.err
    report = json.loads(done.stdout)
    assert report["exit_code"] == done.returncode
    causes = [
        finding["name"]
        for finding in report["diagnosis"].get("findings", ())
        if finding["severity"] == "error" and not finding.get("because_of")
    ]
    return report, sorted(set(causes))


def test_nvml_only(fake_driver, environments):
    env = fake_driver.environment(machine("RTX 4090", 2))
    report, causes = verdict("--python", environments("2.6.0+cu124", "'12.4'"), env=env, code=UNSEEN)
    assert (report["verdict"], causes) == ("incomplete", [])
    assert report["unseen"] == ["the GPU code of torch 2.6.0+cu124: its files were not seen"]
    assert [gpu["name"] for gpu in report["snapshot"]["gpus"]["devices"]] == ["NVIDIA GeForce RTX 4090"] * 2
    assert "pip_version" not in report["snapshot"]["interpreter"], "an environment without pip is no obstacle"


def test_cpu_torch_beside_a_driver(fake_driver, environments):
    env = fake_driver.environment(machine("RTX 4090", 1))
    _, causes = verdict("--python", environments("2.13.0+cpu", None), env=env, code=1)
    assert causes == ["torch-cpu-only"]


def test_a_card_newer_than_the_build(fake_driver, environments):
    env = fake_driver.environment(machine("RTX 5090", 1))
    _, causes = verdict("--python", environments("2.6.0+cu124", "'12.4'"), env=env, code=1)
    assert causes == ["arch-too-new-for-build"]


def test_a_card_older_than_the_build(fake_driver, environments):
    env = fake_driver.environment(machine("GTX 1080 Ti", 1))
    _, causes = verdict("--python", environments("2.9.0+cu130", "'13.0'"), env=env, code=1)
    assert causes == ["arch-too-old-for-build"]


@pytest.mark.parametrize("mask", ["", "-1", "7"])
def test_masked_devices(fake_driver, environments, mask):
    env = {**fake_driver.environment(machine("RTX 4090", 1, **{"err.cuInit": 100})), "CUDA_VISIBLE_DEVICES": mask}
    _, causes = verdict("--python", environments("2.6.0+cu124", "'12.4'"), env=env, code=1)
    assert causes == ["cvd-invalid"]


def test_one_gpu_of_eight_is_lost(fake_driver, environments):
    env = fake_driver.environment(machine("H100", 8, **{"err.3.*": 15}))
    report, causes = verdict("--python", environments("2.6.0+cu124", "'12.4'"), env=env, code=1)
    assert causes == ["xid-79"]
    assert len(report["snapshot"]["gpus"]["devices"]) == 8


def test_memory_that_is_not_told_is_unknown(fake_driver, environments):
    env = fake_driver.environment(machine("GB10", 1))
    report, _ = verdict("--python", environments("2.10.0+cu130", "'13.0'"), env=env, code=UNSEEN)
    (gpu,) = report["snapshot"]["gpus"]["devices"]
    assert "memory_total_mib" not in gpu
    assert "memory_total_mib" in gpu["unsupported"]


@pytest.mark.parametrize(
    ("scenario", "cause"),
    [
        ({"do.nvmlInitWithFlags": "hang"}, "driver-not-answering"),
        ({"do.cuInit": "hang"}, "driver-not-answering"),
        ({"do.nvmlInitWithFlags": "segv"}, "driver-not-answering"),
        ({"do.cuInit": "abort"}, "driver-not-answering"),
    ],
)
def test_a_driver_that_hangs_or_crashes_is_a_finding_in_time(fake_driver, environments, scenario, cause):
    env = fake_driver.environment(machine("RTX 3090", 1, **scenario))
    started = time.monotonic()
    report, causes = verdict("--python", environments("2.6.0+cu124", "'12.4'"), env=env, code=1)
    assert time.monotonic() - started < 5 + 2 + 1
    assert causes == [cause]
    assert report["snapshot"]["frameworks"]["found"][0]["version"] == "2.6.0+cu124", "the rest is still there"


QUERY = "0, NVIDIA B200, GPU-11111111-2222-3333-4444-555555555555, 00000000:1B:00.0, {release}, 183359 MiB, 10.0"
HEADER = "index, name, uuid, pci.bus_id, driver_version, memory.total [MiB], compute_cap"
BANNERS = {
    "570.133.20": "| NVIDIA-SMI 570.133.20     Driver Version: 570.133.20     CUDA Version: 12.8     |",
    "610.43.02": "| NVIDIA-SMI 610.43.02     KMD Version: 610.43.02     CUDA UMD Version: 13.3     |",
}


def nvidia_smi(folder, body):
    (folder / "nvidia-smi").write_text(f"#!/bin/sh\n{body}\n")
    (folder / "nvidia-smi").chmod(0o755)
    return {"GPUDOCTOR_TOOL_PATH": str(folder)}


@pytest.mark.parametrize("release", BANNERS)
def test_nvidia_smi_only_with_either_banner(tmp_path, environments, release):
    query = f"echo '{HEADER}'; echo '{QUERY.format(release=release)}'"
    answer = f"case $* in *--query-gpu*) {query};; *) echo '{BANNERS[release]}';; esac"
    env = nvidia_smi(tmp_path, answer)
    report, _ = verdict("--python", environments("2.11.0+cu130", "'13.0'"), env=env)
    assert report["snapshot"]["driver"]["release"] == release
    assert report["snapshot"]["gpus"]["devices"][0]["capability"] == "10.0"
    assert report["verdict"] != "healthy", "libcuda was not seen"


def test_a_blocking_nvidia_smi_ends_in_time_and_is_not_no_gpu(tmp_path, environments):
    started = time.monotonic()
    report, _ = verdict(
        "--python", environments("2.11.0+cu130", "'13.0'"), env=nvidia_smi(tmp_path, "trap '' TERM; sleep 60.5 & wait")
    )
    assert time.monotonic() - started < 5 + 2 + 1
    assert report["verdict"] not in ("healthy", "no-gpu")


def test_a_nvidia_smi_first_on_path_is_not_run(tmp_path):
    nvidia_smi(tmp_path, f"touch '{tmp_path}/ran'")
    gpudoctor("check", env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("requirement", "code"),
    [
        ("gpu", UNSEEN),
        ("gpu>=3", 1),
        ("driver>=580", UNSEEN),
        ("driver>=999", 1),
        ("torch>=2.6", UNSEEN),
        ("torch>=99", 1),
        ("tensorflow", 1),
        ("compute-capability>=8.0", UNSEEN),
        ("compute-capability>=12", 1),
        ("python>=3.6", UNSEEN),
        ("python>=4", 1),
    ],
)
def test_requirements(fake_driver, environments, requirement, code):
    env = fake_driver.environment(machine("RTX 4090", 2))
    done = gpudoctor(
        "check", "--static", "--python", environments("2.6.0+cu124", "'12.4'"), "--require", requirement, env=env
    )
    assert done.returncode == code, done.out


def test_a_gpu_required_where_there_is_none():
    assert gpudoctor("check", "--require", "gpu").returncode == 1


def test_a_snapshot_is_judged_elsewhere_as_it_was_here(fake_driver, environments, tmp_path):
    env = fake_driver.environment(machine("GTX 1080 Ti", 1))
    saved = str(tmp_path / "saved.json")
    python = environments("2.9.0+cu130", "'13.0'")
    assert gpudoctor("snapshot", "--python", python, "-o", saved, env=env).returncode == 0
    there, causes_there = verdict("--from", saved)
    here, causes_here = verdict("--python", python, env=env)
    assert causes_there == causes_here == ["arch-too-old-for-build"]
    assert there["diagnosis"]["findings"] == here["diagnosis"]["findings"]


def test_every_python_here_can_be_examined():
    pythons = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3"))
    for python in pythons:
        done = gpudoctor("check", "--python", str(python))
        assert done.returncode in (0, 1), done.out
        assert str(python.parts[-3]) in done.out
