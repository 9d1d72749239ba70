"""Small shared libraries compiled at test time, and what the system's own loader makes of them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

COMPILER = shutil.which("gcc") or shutil.which("cc")
needs_compiler = pytest.mark.skipif(
    COMPILER is None or not Path("/proc/self/maps").exists(), reason="needs Linux and a C compiler"
)

#: Search path entries that a file of each kind carries.
TAGS = {
    "plain": (),
    "rpath": ("-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN/own:$ORIGIN/../shared"),
    "runpath": ("-Wl,--enable-new-dtags", "-Wl,-rpath,$ORIGIN/own:$ORIGIN/../shared"),
}

_PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
/* program FIRST NAME...: opens FIRST, and each NAME from within it; prints the files mapped. */
int main(int count, char **words) {
    char line[4096];
    void *first = count > 1 ? dlopen(words[1], RTLD_LAZY) : 0;
    void *(*open_from)(const char *) = first ? (void *(*)(const char *))dlsym(first, "open_from") : 0;
    for (int i = 2; open_from && i < count; i++) open_from(words[i]);
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) if (strchr(line, '/')) fputs(strchr(line, '/'), stdout);
    return 0;
}
"""
_TOP = "#include <dlfcn.h>\nvoid *open_from(const char *name) { return dlopen(name, RTLD_LAZY); }\n"


class Parts:
    """Compiled once a session: leaf; middle, which needs leaf; top, which can open and may need middle; a program."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.leaf = self._library("leaf", "plain", "int leaf(void) { return 1; }", ())
        self.middle = {
            tag: self._library("middle", tag, "int middle(void) { return 1; }", (self.leaf,)) for tag in TAGS
        }
        self.linked_top = {tag: self._library("top", tag, _TOP, (self.middle["plain"],)) for tag in TAGS}
        self.bare_top = {tag: self._library("top", tag, _TOP, ()) for tag in TAGS}
        self.program = {tag: self._compile(folder / f"program-{tag}", tag, _PROGRAM, ("-ldl",)) for tag in TAGS}

    def _library(self, name: str, tag: str, source: str, needs: tuple[Path, ...]) -> Path:
        folder = self._folder / f"{name}-{tag}-{len(needs)}"
        folder.mkdir(exist_ok=True)
        options = (
            "-shared",
            "-fPIC",
            f"-Wl,-soname,lib{name}.so.1",
            "-Wl,--no-as-needed",
            "-Wl,--unresolved-symbols=ignore-all",
        )
        return self._compile(folder / f"lib{name}.so.1", tag, source, (*options, *map(str, needs)))

    def _compile(self, target: Path, tag: str, source: str, options: tuple[str, ...]) -> Path:
        assert COMPILER
        command = [COMPILER, "-x", "c", "-", "-x", "none", "-o", str(target), *TAGS[tag], *options]
        subprocess.run(command, input=source.encode(), check=True, capture_output=True)
        return target


def run_real(program: Path, first: str, names: tuple[str, ...], env: dict[str, str], cwd: Path) -> dict[str, str]:
    """What the real loader mapped of the compiled libraries: SONAME → path."""
    child = subprocess.run([str(program), first, *names], env=env, cwd=cwd, capture_output=True, text=True, check=True)
    paths = {
        line
        for line in child.stdout.splitlines()
        if os.path.basename(line) in {f"lib{n}.so.1" for n in ("leaf", "middle", "top")}
    }
    return {os.path.basename(path): path for path in paths}


def build_library(path: Path, *, runpath: str = "", rpath: str = "", needs: tuple[Path, ...] = ()) -> Path:
    """A library at `path` whose SONAME is its file name."""
    assert COMPILER
    path.parent.mkdir(parents=True, exist_ok=True)
    tags = [f"-Wl,-rpath,{runpath or rpath}"] if runpath or rpath else []
    kind = "--disable-new-dtags" if rpath else "--enable-new-dtags"
    options = ["-shared", "-fPIC", f"-Wl,-soname,{path.name}", "-Wl,--no-as-needed", f"-Wl,{kind}", *tags]
    late = ["-Wl,--unresolved-symbols=ignore-all", "-o", str(path), *map(str, needs)]
    command = [COMPILER, "-x", "c", "-", "-x", "none", *options, *late]
    subprocess.run(command, input=b"int part(void) { return 1; }\n", check=True, capture_output=True)
    return path
