"""Package indexes on the loopback address, with empty wheels of the names and versions that a plan asks for."""

import hashlib
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

from tests.index.serving import Answer, Server, serving

#: What each index has: (name, version, requirements).
USUAL = (
    ("torch", "2.14.1", ("filelock",)),
    ("torch", "2.15.0", ("filelock",)),
    ("torchvision", "0.29.1", ("torch>=2.14.0",)),
    ("torchvision", "0.29.2", ("torch>=2.14.0",)),
    ("xformers", "0.0.35", ("torch>=2.10",)),
    ("tensorflow", "2.20.0", ("numpy>=1.26", "nvidia-cudnn-cu12>=9 ; extra == 'and-cuda'")),
    ("tensorflow-cpu", "2.21.0", ("numpy>=1.26",)),
    ("nvidia-cudnn-cu12", "9.10.2.21", ()),
    ("numpy", "2.3.0", ()),
    ("filelock", "3.0", ()),
    ("rich", "13.0", ()),
)
#: PyTorch's own has an old NumPy beside its builds.
OF_TORCH = (
    ("torch", "2.14.1+cu126", ("filelock",)),
    ("torchvision", "0.29.1+cu126", ("torch==2.14.1",)),
    ("numpy", "1.24.1", ()),
    ("filelock", "2.0", ()),
)
CPU = (("torch", "2.15.0+cpu", ("filelock",)), ("filelock", "2.0", ()))


@contextmanager
def indexes() -> Iterator[Server]:
    """The usual index at /simple, those of PyTorch below /whl."""
    answers: dict[str, Answer] = {}
    for root, packages in (("/simple", USUAL), ("/whl/cu126", OF_TORCH), ("/whl/cpu", CPU)):
        links: dict[str, list[str]] = {}
        for name, version, requires in packages:
            file = f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
            metadata = _metadata(name, version, requires)
            raw = _wheel(name, version, metadata)
            for path in {f"{root}/files/{file}", f"{root}/files/{file.replace('+', '%2B')}"}:
                answers[path] = Answer(raw, kind="application/octet-stream")
                # Metadata beside the wheel (PEP 658): no tool asks for parts of it.
                answers[f"{path}.metadata"] = Answer(metadata.encode(), kind="text/plain")
            sums = [hashlib.sha256(one).hexdigest() for one in (raw, metadata.encode())]
            beside = f'data-dist-info-metadata="sha256={sums[1]}" data-core-metadata="sha256={sums[1]}"'
            anchor = f'<a href="{root}/files/{file}#sha256={sums[0]}" {beside}>{file}</a>'
            links.setdefault(name, []).append(anchor)
        for name, anchors in links.items():
            answers[f"{root}/{name}/"] = Answer(("<!DOCTYPE html><html><body>" + "".join(anchors)).encode())
    with serving(answers) as server:
        yield server


def _metadata(name: str, version: str, requires: tuple[str, ...]) -> str:
    lines = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}", *(f"Requires-Dist: {one}" for one in requires)]
    lines += ["Provides-Extra: and-cuda"] if name == "tensorflow" else []
    return "\n".join(lines) + "\n"


def _wheel(name: str, version: str, metadata: str) -> bytes:
    stem = f"{name.replace('-', '_')}-{version}"
    files = {
        f"{name.replace('-', '_')}/__init__.py": "",
        f"{stem}.dist-info/METADATA": metadata,
        f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in (*files, f"{stem}.dist-info/RECORD"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in {**files, f"{stem}.dist-info/RECORD": record}.items():
            archive.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), text)
    return buffer.getvalue()
