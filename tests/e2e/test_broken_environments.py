"""Real environments, broken in the ways they break: the first root cause is the true one, looked at and run."""

import json
import os
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from tests.e2e.broken import Copy
from tests.e2e.command import gpudoctor
from tests.fake_driver import compiled_driver, machine  # noqa: F401

pytestmark = pytest.mark.full


def _shadow(copy: Copy) -> None:
    (copy.cwd / "torch.py").write_text("print('mine')\n")


def _half_uninstall(copy: Copy) -> None:
    for part in ("nn", "utils", "autograd"):
        copy.delete(f"torch/{part}")


def _python_path(copy: Copy) -> None:
    folder = copy.folder.parent / "old"
    (folder / "torch").mkdir(parents=True)
    (folder / "torch" / "__init__.py").write_text("__version__ = '1.0.0'\n")
    copy.env["PYTHONPATH"] = str(folder)


def _old_torch(copy: Copy) -> None:
    """Its metadata and its word on itself, as release 2.1 has them: the numbers are what is judged."""
    copy.delete("torch-*.dist-info")
    copy.write("torch-2.1.2+cpu.dist-info/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.1.2+cpu\n")
    copy.write("torch/version.py", "__version__ = '2.1.2+cpu'\ncuda = None\nhip = None\n")


def _foreign_numpy(copy: Copy) -> None:
    copy.uv("uninstall", "numpy")
    foreign = ("--python-version", "3.12", "--only-binary", ":all:", "--target", str(copy.site))
    copy.uv("install", "--no-deps", *foreign, "numpy==2.2.0")


def _other_pip(copy: Copy) -> None:
    folder = copy.folder.parent / "tools"
    folder.mkdir()
    pip = folder / "pip"
    pip.write_text(f"#!{os.path.realpath(sys.executable)}\nimport pip\n")
    pip.chmod(0o755)
    copy.env |= {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": str(copy.folder)}


def _other_cudnn(copy: Copy) -> None:
    folder = copy.folder.parent / "cuda" / "lib64"
    folder.mkdir(parents=True)
    (ours,) = copy.site.glob("nvidia/cudnn/lib/libcudnn.so.9")
    (folder / "libcudnn.so.9.1.0").write_bytes(ours.read_bytes())
    (folder / "libcudnn.so.9").symlink_to("libcudnn.so.9.1.0")
    copy.env["LD_LIBRARY_PATH"] = str(folder)


class Way(NamedTuple):
    """A way to break an environment, and the first root cause that must be told."""

    environment: str
    #: The frameworks that the copy has; none: all.
    only: tuple[str, ...]
    break_it: Callable[[Copy], object]
    #: Looked at; "": nothing can be seen without running it.
    static: str
    #: When it is run; None: the same; "": it is not run.
    live: str | None = None


TORCH, TENSORFLOW, JAX, ALL = ("torch",), ("tensorflow", "keras"), ("jax",), ()
LIBTORCH = "torch/lib/libtorch_cpu.so"
METADATA = "torch-2.13.0+cpu.dist-info/METADATA"
EXITS, RAISES = "import os\nos._exit(0)\n", "raise SystemExit(3)\n"


def uv(verb: str, *what: str) -> Callable[[Copy], object]:
    """Broken by an installer that was told to."""
    return lambda copy: copy.uv(verb, *(("--no-deps",) if verb == "install" else ()), *what)


WAYS = {
    "torch.py in the folder": Way("cpu", TORCH, _shadow, "py-name-shadow"),
    "torch on PYTHONPATH": Way("cpu", TORCH, _python_path, "py-name-shadow"),
    "deleted library": Way("cpu", TORCH, lambda c: c.delete(LIBTORCH), "files-damaged"),
    "truncated library": Way("cpu", TORCH, lambda c: c.truncate(LIBTORCH), "files-damaged"),
    "half uninstalled": Way("cpu", TORCH, _half_uninstall, "files-damaged"),
    "empty __init__": Way("cpu", TORCH, lambda c: c.write("torch/__init__.py", ""), "files-damaged"),
    "broken METADATA": Way("cpu", TORCH, lambda c: c.write(METADATA, b"\xff\x00"), "packages-unreadable"),
    "missing dependency": Way("cpu", TORCH, uv("uninstall", "typing-extensions"), "dependency-missing"),
    "dependency too old": Way("cpu", TORCH, uv("install", "typing-extensions==4.5.0"), "dependency-version"),
    "record deleted": Way("cpu", TORCH, lambda c: c.delete("torch-*.dist-info"), "package-without-record"),
    "sitecustomize exits": Way(
        "cpu", TORCH, lambda c: c.write("sitecustomize.py", EXITS), "", "framework-run-ended-silently"
    ),
    "sitecustomize raises": Way(
        "cpu", TORCH, lambda c: c.write("sitecustomize.py", RAISES), "", "framework-run-ended-silently"
    ),
    "wheel of another Python": Way("cpu", TORCH, _foreign_numpy, "", "framework-import-failed"),
    "pip of another Python": Way("cpu", TORCH, _other_pip, "py-pip-mismatch"),
    "torchvision of another torch": Way("cpu", TORCH, uv("install", "torchvision==0.20.0"), "torch-companion-cuda"),
    "NumPy 2 under an old build": Way("cpu", TORCH, _old_torch, "numpy2-abi", ""),
    "protobuf too old": Way("cpu", TENSORFLOW, uv("install", "protobuf==3.20.3"), "tf-protobuf"),
    "protobuf too new": Way("tf115", ALL, uv("install", "protobuf==4.24.4"), "tf-protobuf"),
    "tf-keras of another TensorFlow": Way(
        "cpu", TENSORFLOW, uv("install", "tf-keras==2.15.0"), "keras3-tfkeras-version"
    ),
    "jaxlib of another jax": Way("cpu", JAX, uv("install", "jaxlib==0.8.1"), "jax-plugin-version"),
    "deleted cuDNN": Way("tf220", ALL, lambda c: c.delete("nvidia/cudnn/lib/libcudnn.so.9"), "files-damaged", ""),
    "truncated cuBLAS": Way(
        "tf220", ALL, lambda c: c.truncate("nvidia/cublas/lib/libcublas.so.12"), "files-damaged", ""
    ),
    "another cuDNN first": Way("tf220", ALL, _other_cudnn, "ld-path-shadows-cudnn", ""),
    "uninstalled cuDNN": Way("torchcuda", ALL, uv("uninstall", "nvidia-cudnn-cu13"), "torch-nvidia-deps-missing", ""),
}

#: Environments whose faults only matter where there is a GPU; the driver is a fake one.
WITH_GPU = ("tf220", "torchcuda")


def diagnosed(copy: Copy, fake_driver, name: str, *options: str) -> list[dict]:
    env = {"PYTHONUSERBASE": str(copy.folder), **copy.env}
    if name in WITH_GPU:
        driver = fake_driver.environment(machine("RTX 3090", 1))
        path = os.pathsep.join(part for part in (copy.env.get("LD_LIBRARY_PATH"), driver["LD_LIBRARY_PATH"]) if part)
        env |= {"LD_LIBRARY_PATH": path, "FAKE_DRIVER": driver["FAKE_DRIVER"]}
    which = () if "VIRTUAL_ENV" in copy.env else ("--python", copy.python)
    done = gpudoctor("check", *which, "--format", "json", *options, env=env, cwd=str(copy.cwd), timeout=300)
    report = json.loads(done.out)
    assert not report["diagnosis"].get("crashed"), report["diagnosis"]["crashed"]
    return report["diagnosis"]["findings"]


def first_root(findings: list[dict]) -> tuple[str, str]:
    """The name of the first root cause that is more than a note, and what it says."""
    roots = [one for one in findings if not one.get("because_of") and one["severity"] != "info"]
    return (roots[0]["name"], roots[0]["summary"]) if roots else ("", "")


@pytest.mark.parametrize("name", WAYS)
def test_the_true_cause_comes_first(name, tmp_path, fake_driver):
    way = WAYS[name]
    copy = Copy(way.environment, tmp_path, only=way.only)
    way.break_it(copy)
    static = diagnosed(copy, fake_driver, way.environment, "--static")
    assert first_root(static)[0] == way.static, [(one["name"], one["summary"]) for one in static]
    if way.live == "":
        return
    live = diagnosed(copy, fake_driver, way.environment)
    assert first_root(live)[0] == (way.live or way.static), [(one["name"], one["summary"]) for one in live]
    if way.static:
        roots = [one["name"] for one in live if one["severity"] == "error" and not one.get("because_of")]
        assert set(roots) <= {way.static}, "told beside its own cause"


def test_there_are_enough_ways():
    assert len(WAYS) >= 15
