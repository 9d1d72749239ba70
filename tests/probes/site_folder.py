"""Distributions written into a folder as an installer does, for tests."""

import hashlib
from base64 import urlsafe_b64encode


def row(path, content):
    digest = urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(content)}"


def install(site, name, version, files=None, *, requires=(), installer="pip", metadata=None, extra=None):
    """A distribution with its metadata and files; returns its metadata folder. Later ones overwrite earlier files."""
    info = site / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    lines = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"]
    lines += [f"Requires-Dist: {line}\n" for line in requires]
    (info / "METADATA").write_text("".join(lines) + "\nRequires-Dist: not-a-header\n" if metadata is None else metadata)
    if installer is not None:
        (info / "INSTALLER").write_text(f"{installer}\n")
    rows = []
    for path, text in (files or {}).items():
        content = text.encode() if isinstance(text, str) else text
        target = site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        rows.append(row(path, content))
    rows.append(f"{info.name}/RECORD,,")
    (info / "RECORD").write_text("".join(f"{line}\n" for line in rows))
    for path, text in (extra or {}).items():
        (info / path).write_text(text)
    return info
