"""Reads lock and project files as commands: uv.lock, poetry.lock, pylock.toml, pyproject.toml, conda's.

Forms: https://docs.astral.sh/uv/concepts/projects/layout, https://peps.python.org/pep-0751, https://python-poetry.org
/docs/pyproject, https://docs.conda.io/projects/conda/en/latest/user-guide/tasks/manage-environments.html (2026-11-23).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpudoctor.facts import lazy_re as re
from gpudoctor.sources.package_names import is_relevant, normalise
from gpudoctor.sources.toml import parse_toml
from gpudoctor.verify.split_commands import Typed, Unread

_TOML = re.compile(r"(?:uv|poetry|pdm)\.lock|pylock(?:\.[^.]+)?\.toml|pyproject\.toml")
_CONDA = re.compile(r"environment[\w.-]*\.ya?ml")
_CONDA_KEY = re.compile(r"^(channels|dependencies):\s*$")
_ITEM = re.compile(r"^(\s*)-\s+[\"']?([^#\"']+?)[\"']?\s*(?:#.*)?$")
#: poetry's own comparisons, ^2.1 and ~2.1, as the others write them.
_CARET = re.compile(r"^\^\s*((\d+)(?:\.(\d+))?[\w.]*)$")
_TILDE = re.compile(r"^~\s*(\d+\.\d+)[\w.]*$")
_VERSION = re.compile(r"^\d[\w.+!-]*$")
#: The public package index, or a mirror that is called like it.
_USUAL = re.compile(r"//[^/]{0,80}\bpypi\b[^/]{0,80}/simple/?$")

Found = Iterator[Typed | Unread]


def project_commands(text: str, lines: Sequence[str], file: str | None) -> list[Typed | Unread] | None:
    """What a file of a project asks for; None where the text is none."""
    name = (file or "").replace("\\", "/").rpartition("/")[2].lower()
    if _TOML.fullmatch(name):
        try:
            document = parse_toml(text.encode())
        except ValueError as error:
            return [Unread(1, name, f"it is no TOML: {error}")]
        return list(_of_pyproject(document, lines) if name == "pyproject.toml" else _of_lock(document, lines))
    is_conda = any(line.startswith("channels:") for line in lines) and any(line.startswith("depend") for line in lines)
    return list(_of_conda(lines)) if _CONDA.fullmatch(name) or (is_conda and not name) else None


def _of_lock(document: Mapping[str, Any], lines: Sequence[str]) -> Found:
    """The packages of this field, each with the index that it was locked from."""
    packages = [one for one in _list(document.get("package") or document.get("packages")) if isinstance(one, dict)]
    known: dict[str, list[dict[str, Any]]] = {}
    for one in packages:
        name = normalise(str(one.get("name") or ""))
        if is_relevant(name) and one.get("version"):
            known.setdefault(name, []).append(one)
    indexes: dict[str, None] = {}
    pins: list[Typed | Unread] = []
    for name, rows in known.items():
        number = _line_of(f'name = "{rows[0]["name"]}"', lines)
        versions = {str(one["version"]) for one in rows}
        if len(versions) > 1:
            said = " and ".join(sorted(versions))
            pins.append(Unread(number, name, f"it holds {said}, for different systems or extras"))
            continue
        indexes |= {url: None for one in rows if (url := _index_of(one)) and not _USUAL.search(url)}
        pins.append(_requirement(number, f"{name}=={versions.pop()}"))
    yield from (_option(url) for url in indexes)
    yield from pins


def _index_of(package: Mapping[str, Any]) -> str | None:
    source = package.get("source")
    told = source if isinstance(source, dict) else {}
    found = told.get("registry") or (told.get("url") if told.get("type") == "legacy" else None) or package.get("index")
    return found if isinstance(found, str) else None


def _of_pyproject(document: Mapping[str, Any], lines: Sequence[str]) -> Found:
    """The dependencies of [project] or of poetry, with the indexes that uv and poetry are told of."""
    tool = _table(document, "tool")
    uv, poetry = _table(tool, "uv"), _table(tool, "poetry")
    places = [one for one in (*_list(uv.get("index")), *_list(poetry.get("source"))) if isinstance(one, dict)]
    urls = (one.get("url") for one in places)
    yield from (_option(url) for url in urls if isinstance(url, str) and not _USUAL.search(url))
    for text in _list(_table(document, "project").get("dependencies")):
        if isinstance(text, str):
            yield _requirement(_line_of(text, lines), text)
    for name, wanted in _table(poetry, "dependencies").items():
        version = wanted.get("version") if isinstance(wanted, dict) else wanted
        if name != "python" and isinstance(version, str):
            yield _requirement(_line_of(f"{name} =", lines), f"{name}{_plain(version)}")


def _plain(version: str) -> str:
    """A bound of poetry's as pip reads it."""
    version = version.strip()
    caret, tilde = _CARET.match(version), _TILDE.match(version)
    if caret:
        major, minor = int(caret[2]), int(caret[3] or 0)
        return f">={caret[1]},<{major + 1}" if major or caret[3] is None else f">={caret[1]},<0.{minor + 1}"
    if tilde:
        return f"~={tilde[1]}.0"
    return "" if version == "*" else f"=={version}" if _VERSION.match(version) else version


def _of_conda(lines: Sequence[str]) -> Found:
    """One command of conda, and one of pip for what stands below `- pip:`."""
    key, within = "", None
    channels: list[str] = []
    specs: list[tuple[int, str]] = []
    pip: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        found, item = _CONDA_KEY.match(line), _ITEM.match(line)
        if found or (line[:1].strip() and item is None and not line.startswith("#")):
            key, within = (found[1] if found else ""), None
        elif item and key == "channels":
            channels.append(item[2])
        elif item and key == "dependencies":
            if item[2] == "pip:":
                within = len(item[1])
            elif within is not None and len(item[1]) > within:
                pip.append((number, item[2]))
            else:
                within = None
                specs.append((number, item[2].replace(" ", "")))
    if specs:
        options = [word for channel in channels for word in ("--channel", channel)]
        words = ("conda", "create", "--name", "env", *options, *(spec for _, spec in specs))
        yield Typed(specs[0][0], " ".join(words), words)
    if pip:
        words = ("python", "-m", "pip", "install", *(spec.strip() for _, spec in pip))
        yield Typed(pip[0][0], " ".join(words), words)


def _requirement(line: int, text: str) -> Typed:
    return Typed(line, text, (text,), "requirements")


def _option(url: str) -> Typed:
    return Typed(1, f"--extra-index-url {url}", ("--extra-index-url", url), "requirements")


def _line_of(text: str, lines: Sequence[str]) -> int:
    return next((number for number, line in enumerate(lines, 1) if text in line), 1)


def _table(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
