"""SMK026: a compiled package needs a newer C or C++ library than this system has."""

from gpudoctor.rules.live_problem import Failed, Said, do, failure_rule


@failure_rule("SMK026", name="system-library-too-old", severity="error", since="0.1")
def system_library_too_old(failed: Failed) -> Said:
    """A compiled package needs a newer C or C++ library than this system has.

    What it means:
    Compiled packages name the oldest release of the C library (GLIBC) or C++ library (GLIBCXX) they work with. The
    one that was loaded is older.

    Why it breaks:
    The system is older than those that the package was made for, or an older copy of the library is found first
    (LD_LIBRARY_PATH, conda).

    How to fix it:
    Install an older release of the package, use a container with a newer system, or, for GLIBCXX, take away the
    older copy.

    When to ignore it:
    Never: the package cannot be loaded.

    Sources:
    https://peps.python.org/pep-0600/
    """
    return (
        f"{failed.meaning or 'Compiled code needs a newer system library.'}",
        (do("See what there is", "ldd --version | head -1", 'echo "$LD_LIBRARY_PATH"'),),
    )
