"""Faults of the surroundings, given to child processes alone: variables, search paths, views of the file system."""

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from campaign.environments import copied
from campaign.here import Here, answer_of, roots
from campaign.steps import NotPossible, Outcome, agrees
from campaign.views import View, namespace

Variables = dict[str, str | None]


class Fault(NamedTuple):
    """What is set for the child, and the first cause that must be named; "" where nothing is wrong."""

    variables: Callable[[Here], Variables]
    expected: Callable[[Here], str]


def _mask(text: str) -> Callable[[Here], Variables]:
    return lambda _here: {"CUDA_VISIBLE_DEVICES": text}


def every(cause: str) -> Callable[[Here], str]:
    """The same cause on every machine."""
    return lambda _here: cause


def _out_of_range(here: Here) -> Variables:
    return {"CUDA_VISIBLE_DEVICES": str(len(here.gpus) + 6)}


def _own_uuid(here: Here) -> Variables:
    return {"CUDA_VISIBLE_DEVICES": str(here.gpus[0]["uuid"])}


def _stub(here: Here) -> Variables:
    """A folder `stubs` as a toolkit has it: its libcuda, under the name that programs load."""
    folder = here.scratch / "toolkit" / "stubs"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "libcuda.so.1"
    found = [Path("/usr/local/cuda", place, "stubs/libcuda.so") for place in ("lib64", "targets/x86_64-linux/lib")]
    real = next((path for path in found if path.exists()), None)
    if real is not None:
        shutil.copy(real, target)
    else:
        compiled(here, "int cuInit(unsigned flags) { return 34; }", "libcuda.so.1", target)
    return _before(here, folder)


def _other_cudnn(here: Here) -> Variables:
    """A folder with the parts of an older cuDNN 9, as an old guide or a module puts it on the path."""
    folder = here.scratch / "cudnn" / "lib"
    folder.mkdir(parents=True, exist_ok=True)
    code = 'long cudnnGetVersion(void) { return 90000; } const char *kind = "9.0.0";'
    for name in ("libcudnn.so.9", "libcudnn_ops.so.9", "libcudnn_cnn.so.9", "libcudnn_graph.so.9"):
        if not (folder / name).exists():
            compiled(here, code, name, folder / f"{name}.0.0")
            (folder / name).symlink_to(f"{name}.0.0")
    return _before(here, folder)


def compiled(here: Here, code: str, soname: str, target: Path) -> None:
    """A library of a few lines. Raises NotPossible where there is no C compiler."""
    source = here.scratch / "library.c"
    source.write_text(code)
    ran = here.run(here.tool("cc"), "-shared", "-fPIC", f"-Wl,-soname,{soname}", "-o", str(target), str(source))
    if not ran.ok:
        raise NotPossible(f"the C compiler {ran.describe()}")


def _before(here: Here, folder: Path) -> Variables:
    searched = here.env.get("LD_LIBRARY_PATH")
    return {"LD_LIBRARY_PATH": f"{folder}:{searched}" if searched else str(folder)}


def _order(here: Here) -> str:
    """1,0 is an order where there are two GPUs, and begins with one that does not exist where there is one."""
    return "" if len(here.gpus) > 1 else "cvd-invalid"


FAULTS: dict[str, Fault] = {
    "cvd-empty": Fault(_mask(""), every("cvd-invalid")),
    "cvd-out-of-range": Fault(_out_of_range, every("cvd-invalid")),
    "cvd-unknown-uuid": Fault(_mask("GPU-99999999-9999-9999-9999-999999999999"), every("cvd-invalid")),
    "cvd-twice": Fault(_mask("0,0"), every("cvd-invalid")),
    "cvd-uuid": Fault(_own_uuid, every("")),
    "cvd-order": Fault(_mask("1,0"), _order),
    "stub-libcuda": Fault(_stub, every("libcuda-stub")),
    "other-cudnn": Fault(_other_cudnn, every("ld-path-shadows-cudnn")),
}


def fault(name: str) -> Callable[[Here], Outcome]:
    """A step that plants the fault of that name and has it judged."""
    return partial(_planted, name=name)


def _planted(here: Here, name: str) -> Outcome:
    here.gpus  # noqa: B018 - raises where there is none: nothing can be hidden
    planted = FAULTS[name]
    expected = planted.expected(here)
    if name == "other-cudnn" and not _uses_cudnn(here):
        raise NotPossible("no framework here loads cuDNN")
    return judged(here, name, here.check("--static", env=planted.variables(here)), expected)


def _uses_cudnn(here: Here) -> bool:
    libraries = here.snapshot.get("libraries") or {}
    return any(one.get("family") == "cudnn" for one in libraries.get("resolutions", ()))


def judged(here: Here, name: str, report: dict[str, Any], expected: str) -> Outcome:
    """Holds the first cause that the untouched machine has not against the one that was planted."""
    here.results.keep(f"faults/{name}.json", json.dumps(report, indent=1))
    before = here.baseline()
    new = [cause for cause in roots(report) if cause not in before]
    named = new[0] if new else ""
    words = f"all new causes: {', '.join(new)}" if len(new) > 1 else ""
    state = agrees(named == expected)
    return Outcome(state, words, expected or "none", named or "none", {"new": new, "before": before})


def hidden_library(here: Here) -> Outcome:
    """A library of a wheel is gone: from a copy of the environment, not from the machine's."""
    here.gpus  # noqa: B018 - without a GPU nothing of it would be said
    site = Path(here.program("import sysconfig; print(sysconfig.get_path('purelib'))").text.strip())
    hidden = sorted(site.glob("nvidia/*/lib/libcudnn.so.*")) or sorted(site.glob("nvidia/*/lib/libcublas.so.*"))
    if not hidden:
        raise NotPossible(f"no wheel in {site} holds cuDNN or cuBLAS")
    python = copied(here, site, here.scratch / "copy", without=frozenset(hidden))
    report = here.ask("check", "--static", "--format", "json", "--python", python)
    return judged(here, "hidden-library", report, "files-damaged")


def many_at_once(here: Here) -> Outcome:
    """32 checks at the same time say what one says."""
    count = 6 if here.quick else 32
    before = here.baseline()
    with ThreadPoolExecutor(count) as pool:
        reports = list(pool.map(lambda _: here.check("--static"), range(count)))
    other = [roots(report) for report in reports if roots(report) != before]
    words = f"{count} at once; {len(other)} said otherwise than one alone{': ' if other else ''}{other[:1] or ''}"
    return Outcome(agrees(not other), words)


def viewed(name: str, view: Callable[[Here], View], expected: Callable[[Here], str]) -> Callable[[Here], Outcome]:
    """A step that looks at the machine through a mount namespace of its own."""

    def step(here: Here) -> Outcome:
        command = (*here.doctor, "check", "--static", "--format", "json", "--python", here.python)
        here.gpus  # noqa: B018 - raises where there is none
        ran = here.run(*namespace(here, view(here), command))
        if ran.ok or ran.text.startswith("{"):
            return judged(here, name, answer_of(ran, name), expected(here))
        raise NotPossible(f"no such view can be made here: {ran.stderr.decode('utf-8', 'replace').strip()[-300:]}")

    return step


def without_driver_library(here: Here) -> View:
    """libcuda.so.1 is nowhere; everything else is as it was."""
    libraries = (here.snapshot.get("driver") or {}).get("libraries") or ()
    paths = {path for one in libraries if one["name"] == "libcuda.so.1" for path in (one["path"], one.get("real_path"))}
    if not paths:
        raise NotPossible("no libcuda.so.1 is known here")
    return View(hidden=tuple(sorted(filter(None, paths))))


def no_library(here: Here) -> str:
    """A container that has NVML and lacks libcuda was not given it; a machine has lost it."""
    kind = (here.snapshot.get("container") or {}).get("kind", "none")
    return "nvml-library-missing" if kind == "none" else "container-no-compute-cap"


def without_uvm(_here: Here) -> View:
    """As a container that was started without /dev/nvidia-uvm."""
    _nodes()
    return View(hidden=("/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"))


def closed_nodes(here: Here) -> View:
    """/dev/nvidia* belong to another, and a user without rights looks."""
    nodes = _nodes()
    if not here.is_root:
        raise NotPossible("only root can look as another user")
    as_nobody = here.run(*namespace(here, View(user=65534), (*here.doctor, "--version")))
    # Where nobody may not even read this Python: as root without the right to open what belongs to others.
    return View(closed=nodes, user=65534 if as_nobody.ok else None)


def _nodes() -> tuple[str, ...]:
    found = tuple(str(path) for path in sorted(Path("/dev").glob("nvidia*")) if not path.is_dir())
    if not found:
        raise NotPossible("there are no /dev/nvidia* here")
    return found
