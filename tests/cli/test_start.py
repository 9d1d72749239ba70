"""Starting is quick because what a command does not need is not imported."""

import os
import subprocess
import sys
import tempfile

import pytest

from gpudoctor.cli.start import _value

#: Heavy, or only for what a user asks to fetch or draw.
NEVER = {
    "requests",
    "urllib3",
    "psutil",
    "rich",
    "tomllib",
    "tomli",
    "importlib.metadata",
    "asyncio",
    "ctypes",
    "yaml",
    "packaging.requirements",
    "packaging.specifiers",
    "torch",
    "tensorflow",
    "pynvml",
    "concurrent.futures",
}


def imported(*arguments):
    code = (
        "import sys, gpudoctor.cli.main as m\n"
        f"sys.argv = ['gpudoctor', *{list(arguments)!r}]\n"
        "m.main()\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)\n"
    )
    # Elsewhere: this project's own pyproject.toml has settings to read.
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "PYTHONPATH": os.getcwd()}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=env)
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", [("check", "--static"), ("snapshot",), ("rules",), ("explain", "DRV001")])
def test_heavy_modules_are_left_alone(arguments):
    assert imported(*arguments) & NEVER == set()


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("check", "--help")])
def test_help_needs_no_probe(arguments):
    assert not any(name.startswith("gpudoctor.probes") for name in imported(*arguments))


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_help_and_version_import_click_and_nothing_of_ours(arguments):
    ours = {name for name in imported(*arguments) if name.startswith("gpudoctor.")}
    assert ours == {"gpudoctor.cli", "gpudoctor.cli.main"}
    assert "msgspec" not in imported(*arguments)


TEN_LINES = """Traceback (most recent call last):
  File "train.py", line 10, in <module>
    model.cuda()
  File "/opt/conda/lib/python3.10/site-packages/torch/cuda/__init__.py", line 229, in _lazy_init
    torch._C._cuda_init()
RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver.

torch 2.1.0+cu121, Ubuntu 22.04
NVIDIA-SMI 470.82.01    Driver Version: 470.82.01    CUDA Version: 11.4
"""


def test_modules_of_ours_that_a_command_imports(tmp_path):
    """Each costs a tenth of a millisecond or more; a GPU needs some of its own."""
    ticket = tmp_path / "ticket.txt"
    ticket.write_text(TEN_LINES)
    for most, arguments in ((191, ("check", "--static", "--python", sys.executable)), (295, ("triage", str(ticket)))):
        ours = [name for name in imported(*arguments) if name.startswith("gpudoctor")]
        assert len(ours) <= most, arguments


def test_a_machine_without_nvidia_software_needs_no_reader_of_it():
    if any(os.path.exists(f"/usr/lib/x86_64-linux-gnu/{name}") for name in ("libcuda.so.1", "libnvidia-ml.so.1")):
        pytest.skip("it is there")
    modules = imported("check", "--static")
    assert "gpudoctor.probes.nvidia.children" in modules
    assert not any(name.endswith((".replies", ".transcript", ".gpus.nvml", "nvidia_smi")) for name in modules)


BEGUN = "import sys; from gpudoctor.cli.start import start; start({!r}); print(*sys.modules)"


@pytest.mark.skipif(sys.platform != "linux", reason="there is no such fork")
@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        (["check", "--static"], True),
        (["node", "--budget", "2s"], True),
        (["node", "--budget", "soon"], False),
        (["check", "--from", "machine.json"], False),
        (["snapshot", "--schema"], False),
        (["fix", "-h"], False),
        (["triage", "ticket.txt"], False),
        ([], False),
    ],
)
def test_a_look_begins_before_the_command_line_is_loaded(arguments, begins):
    command = [sys.executable, "-c", BEGUN.format(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    modules = done.stdout.split()
    assert ("gpudoctor.probes.early_look" in modules) == begins
    assert "click" not in modules


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (["check", "--python", "a"], "a"),
        (["check", "--python=a", "-v"], "a"),
        (["check", "--python", "a", "--python=b"], "b"),
        (["check", "--python"], None),
        (["check", "--static"], None),
    ],
)
def test_the_interpreter_that_is_probably_meant(arguments, value):
    assert _value(arguments, "--python") == value


def test_an_interpreter_taken_for_another_option_is_not_the_one_examined(tmp_path):
    """click reads `--select --python`: the early look is at another interpreter, and is thrown away."""
    command = [sys.executable, "-m", "gpudoctor", "check", "--static", "--select", "--python", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert str(tmp_path) in done.stderr
