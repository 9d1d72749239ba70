"""PYT013: the examined Python has no ssl module, so it cannot download packages."""

from gpudoctor.rules.sections import Frameworks, Gap, Interpreter
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, seen


@rule("PYT013", name="py-no-ssl", severity="warning", when="interpreter.has_ssl=False")
def py_no_ssl(interpreter: Interpreter, frameworks: Frameworks | Gap | None) -> Iterator[Problem]:
    """The examined Python has no ssl module, so it cannot download packages.

    What it means:
    Python was built without OpenSSL, or does not find it. pip cannot open any https address.

    Why it breaks:
    A Python compiled from source without the OpenSSL headers, or a conda Python on Windows that was started without
    being activated. pip says "SSL module is not available".

    How to fix it:
    Activate the conda environment first. A Python of your own must be compiled again with the OpenSSL headers present.

    When to ignore it:
    If you install packages from local files only.

    Sources:
    https://docs.python.org/3/library/ssl.html
    """
    if interpreter.has_ssl is not False:
        return
    yield problem(
        f"{interpreter.executable} has no ssl module, so pip cannot download anything with it.",
        seen("ssl module", "absent"),
        subject=interpreter.executable,
        # Where a framework is installed, nothing may have to be downloaded any more.
        severity="error"
        if frameworks is None or (isinstance(frameworks, Frameworks) and not frameworks.found)
        else None,
        fix=by_hand(
            "Use a Python with ssl",
            "Activate the conda environment, or install a Python that was built with OpenSSL.",
        ),
    )
