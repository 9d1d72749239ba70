#!/usr/bin/env python3
"""Writes knowledge/releases_of_parts.tsv: which releases of a package have which modules, names and model types.

scripts/refresh_parts.py FOLDER: wheels of the first release of each minor version, as pip download --no-deps brings
them (PyTorch's for macOS, which are small). Of every module that is not deep inside a package the names that it
defines or re-exports are read, and nothing of it is run; what all releases have is left out.
"""

import ast
import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

FILE = Path(__file__).parents[1] / "gpudoctor/knowledge/releases_of_parts.tsv"
HEAD = (
    "# Which releases have a part: module, releases, names. Read from the wheels of the package index by\n"
    "# scripts/refresh_parts.py on 2026-11-27; in transformers: stand the types of models that it knows.\n"
)
#: Modules with more dots are only counted, and those whose names say that nobody imports from them are left out.
DEPTH = {"torch": 3, "diffusers": 3, "ultralytics": 3}
LEFT_OUT = re.compile(
    r"\.dummy_|\.commands\b|testing|__main__|\.tests?\b|conftest|^diffusers\.pipelines\.\w+\."
    r"|^torch\.(?:_|onnx|ao\b|fx\.|testing|utils\.(?:_|benchmark|hipify)|distributed\.(?:_|elastic|rpc|algorithms))"
)
#: Families of models whose files others import from.
FAMILIES = re.compile(r"models\.(?:llama|bloom|clip|bert|gpt2|mistral|qwen2|opt|t5|whisper)\.modeling_")
#: Names that modules bring in for themselves.
_OWN = """
    Optional Union Any List Dict Tuple Set Callable Iterable Iterator Sequence Mapping TypeVar Generic NamedTuple
    Literal TYPE_CHECKING Protocol Generator cast overload dataclass field fields partial wraps lru_cache Path
    OrderedDict defaultdict Counter deque namedtuple Enum IntEnum abstractmethod ABC contextmanager nullcontext
    ExitStack np torch nn F tf flax jax jnp fnn pd plt tqdm PIL cv2 yaml requests packaging version logger Tensor
    Module Parameter
"""
OWN = frozenset((*sys.stdlib_module_names, *_OWN.split()))
#: What a module lists for those who import from it.
LISTS = re.compile(r"(?:_import_structure|__all__)\b")
ALL_RELEASES = {"ultralytics"}


def _strings(node: ast.AST) -> Iterator[str]:
    yield from (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))


def names_of(body: list[ast.stmt]) -> set[str]:
    """What a module defines, brings in from others, and lists for those who import from it lazily."""
    found: set[str] = set()
    for one in body:
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(one.name)
        elif isinstance(one, ast.ImportFrom):
            found.update(alias.asname or alias.name for alias in one.names)
        elif isinstance(one, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            plain = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
            found |= plain
            if plain & {"__all__", "_import_structure"} and one.value is not None:
                found.update(_strings(one.value))
        elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and LISTS.match(ast.unparse(one.value.func)):
            found.update(text for value in one.value.args for text in _strings(value))
        for part in ("body", "orelse", "handlers"):
            if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = getattr(one, part, [])
                found |= names_of([s for h in inner for s in (h.body if isinstance(h, ast.ExceptHandler) else [h])])
    return found


def _of_models(text: str, module: str, parts: dict[str, set[str]]) -> set[str]:
    """What a file of transformers.models offers: its list, its classes, and the types of models."""
    listed = re.search(r"^__all__ = \[(.*?)\]", text, re.DOTALL | re.MULTILINE)
    offered = set(re.findall(r'"(\w+)"', listed[1])) if listed else set()
    parts["transformers"] |= offered
    if module.endswith(("configuration_auto", "auto_mappings")):
        types = re.search(r"CONFIG_MAPPING_NAMES\s*=\s*OrderedDict[^(\n]*\(\s*[\[{](.*?)\n    [\]}]", text, re.DOTALL)
        parts["transformers:"] |= set(re.findall(r'"([\w.-]+)"[,:] "\w+Config"', types[1])) if types else set()
    own = set(re.findall(r"^(?:class|def) (\w+)", text, re.MULTILINE)) if FAMILIES.search(module) else set()
    return own | offered


def parts_of(wheel: Path, package: str) -> dict[str, set[str]]:
    """The names of each module of a wheel; of deep modules only that they are there."""
    parts: dict[str, set[str]] = defaultdict(set)
    with zipfile.ZipFile(wheel) as files:
        for path in files.namelist():
            module = re.sub(r"(?:/__init__)?\.pyi?$", "", path).replace("/", ".")
            is_stub = path.endswith(".pyi") and path.startswith("torch/_C/")
            if not (path.endswith(".py") or is_stub) or module.split(".")[0] != package or LEFT_OUT.search(module):
                continue
            parent, _, leaf = module.rpartition(".")
            parts[parent].add(leaf)
            text = files.read(path).decode("utf-8", "replace")
            if ".models." in module and package == "transformers":
                parts[module] |= _of_models(text, module, parts)
            elif module.count(".") <= DEPTH.get(package, 2):
                try:
                    parts[module] |= names_of(ast.parse(text).body)
                except SyntaxError:
                    continue
    if package == "torch":
        parts["torch"] |= parts["torch._C"] | parts["torch._C._VariableFunctions"]
        parts["torch.nn"] |= parts["torch.nn.modules"]
    return parts


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(one) for one in re.findall(r"\d+", version))


def _short(version: str) -> str:
    return re.sub(r"(\.\d+)(?:\.0)+$", r"\1", version)


def rows_of(package: str, releases: dict[str, dict[str, set[str]]]) -> Iterator[str]:
    """A row a module and span of releases, with the names that these have and others have not."""
    order = sorted(releases, key=_numbers)
    for module in sorted({module for parts in releases.values() for module in parts}):
        if not module or LEFT_OUT.search(module):
            continue
        # Some import transformers' private parts.
        private = package != "transformers" or ".models." in module
        spans: dict[str, list[str]] = defaultdict(list)
        there = [module in releases[one] for one in order]
        for name in {name for one in order for name in releases[one].get(module, ())}:
            has = [name in releases[one].get(module, ()) for one in order]
            if (
                name in OWN
                or name.startswith("_" if private else "__")
                or has == there != [True] * len(order)
                or all(has)
            ):
                continue
            last = max(index for index, holds in enumerate(has) if holds)
            first = last
            while first and has[first - 1]:
                first -= 1
            bounds = [f">={_short(order[first])}"] if first else []
            if last + 1 < len(order):
                every = package in ALL_RELEASES
                bounds.append(f"<={order[last]}" if every else f"<{_short(order[last + 1])}")
            spans[",".join(bounds)].append(name)
        yield from (f"{module}\t{span}\t{' '.join(sorted(spans[span]))}\n" for span in sorted(spans))


def main(folder: Path) -> None:
    """Read all wheels of the folder, and write the file anew."""
    releases: dict[str, dict[str, dict[str, set[str]]]] = defaultdict(dict)
    for wheel in sorted(folder.glob("*.whl")):
        package, version = wheel.name.split("-")[:2]
        package = package.lower()
        # Of PyTorch the newest patches are read, which have what the minor version has.
        release = ".".join(version.split(".")[:2]) if package == "torch" else version.split("+")[0]
        releases[package][release] = parts_of(wheel, package)
    rows = (row for package in sorted(releases) for row in rows_of(package, releases[package]))
    FILE.write_text(HEAD + "".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
