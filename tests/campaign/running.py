"""Runs scripts/gpu_campaign as a maintainer does, and reads what it kept."""

import json
import subprocess
import sys
import venv
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "scripts"


def campaign(*words, env, before=(), timeout=150, **options):
    """The finished process; output as text."""
    command = [*before, sys.executable, str(SCRIPTS / "gpu_campaign"), *map(str, words)]
    return subprocess.run(
        command, env=env, capture_output=True, text=True, errors="replace", timeout=timeout, check=False, **options
    )


def outcomes(folder):
    """The rows of the table by their step."""
    return {row["step"]: row for row in json.loads((folder / "summary.json").read_text())["steps"]}


def compiled(folder, name, *more, code="int nothing;"):
    """A library of that name."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "source.c"
    source.write_text(code)
    target = folder / name
    subprocess.run(
        ["cc", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-Wl,--no-as-needed", "-o", target, source, *more], check=True
    )
    source.unlink()
    return target


def environment_with_torch(folder):
    """A torch for CUDA 13 of a few files, with a cuDNN in a wheel of its own; importing it says that it has no GPU."""
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    cudnn = site / "nvidia" / "cudnn" / "lib"
    own = "-Wl,--enable-new-dtags,-rpath,$ORIGIN"
    ours = [compiled(cudnn, name, own) for name in ("libcudnn.so.9", "libcudnn_ops.so.9", "libcudnn_graph.so.9")]
    runpath = "-Wl,--disable-new-dtags,-rpath,$ORIGIN/../../nvidia/cudnn/lib"
    torch = compiled(site / "torch" / "lib", "libtorch_cuda.so", str(ours[0]), runpath)
    code = "from .version import __version__\nclass cuda:\n    device_count = staticmethod(lambda: 0)\n"
    (site / "torch" / "__init__.py").write_text(code)
    facts = "__version__ = '2.9.0+cu130'\ndebug = False\ncuda = '13.0'\ngit_version = ''\nhip = None\n"
    (site / "torch" / "version.py").write_text(facts)
    files = [torch, site / "torch" / "__init__.py", site / "torch" / "version.py"]
    distribution(site, "torch", "2.9.0", files)
    distribution(site, "nvidia_cudnn_cu13", "9.13.0.50", ours)
    return folder / "bin" / "python"


def distribution(site, name, version, files):
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n")
    (info / "INSTALLER").write_text("pip\n")
    (info / "RECORD").write_text("".join(f"{file.relative_to(site)},,{file.stat().st_size}\n" for file in files))
