"""LIB012: a compiled extension needs a newer C++ library (libstdc++) than this Python would load."""

from gpudoctor.facts.versions import LibraryVersion
from gpudoctor.plan.places import conda, conda_prefix
from gpudoctor.rules.sections import Gap, Interpreter, Libraries
from gpudoctor.rules.terms import Fix, Iterator, Problem, by_hand, problem, rule, seen


@rule(
    "LIB012",
    name="libstdcxx-too-old",
    severity="error",
    when="libraries.glibcxx, libraries.needs.library=libstdc++.so.6",
)
def libstdcxx_too_old(libraries: Libraries, interpreter: Interpreter | Gap | None) -> Iterator[Problem]:
    """A compiled extension needs a newer C++ library (libstdc++) than this Python would load.

    What it means:
    Programs in C++ need the library libstdc++.so.6 in at least the version of their compiler. The copy that is found
    first is older than what the extension needs.

    Why it breaks:
    The import ends with "libstdc++.so.6: version `GLIBCXX_3.4.32' not found". Usually the extension was compiled here
    by the system's gcc, and a conda environment brings an older library, or the other way round.

    How to fix it:
    In a conda environment update its library: conda install -c conda-forge libstdcxx-ng. Where the folder in the
    message comes from LD_LIBRARY_PATH, take it out of there. Or build the extension with the environment's compiler.

    When to ignore it:
    If you do not use that extension.

    Sources:
    https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html
    """
    has = LibraryVersion.parse(libraries.glibcxx) if libraries.glibcxx else None
    if has is None:
        return
    wanting = [one for one in libraries.needs if one.library == "libstdc++.so.6" and one.version > has]
    if not wanting:
        return
    newest = max(wanting, key=lambda one: one.version)
    files = f"{newest.file} and {len(wanting) - 1} more need" if len(wanting) > 1 else f"{newest.file} needs"
    yield problem(
        f"{files} GLIBCXX_{newest.version}, and {libraries.libstdcxx or 'libstdc++'} ends at {has}.",
        seen("libstdc++ found first", f"{libraries.libstdcxx or 'path not known'}, up to GLIBCXX_{has}"),
        *(seen(f"needed by {one.file}", f"GLIBCXX_{one.version}") for one in wanting[:5]),
        subject=newest.file,
        fix=_fix(interpreter),
    )


def _fix(interpreter: Interpreter | Gap | None) -> Fix:
    prefix = conda_prefix(interpreter)
    if prefix is None:
        text = "Build the extension again here, or take a folder with an older libstdc++ out of LD_LIBRARY_PATH."
        return by_hand("Build the extension for this system", text)
    install = conda(interpreter, "install", "libstdcxx-ng")
    undo = f"conda install --prefix {prefix} --revision N (conda list --revisions shows the numbers)"
    return Fix("Update the environment's C++ library", "review", (install,), undo=undo)
