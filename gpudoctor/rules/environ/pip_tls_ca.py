"""ENV003: a variable names certificates that are not there."""

from collections.abc import Iterator

from gpudoctor.model.finding import Problem
from gpudoctor.model.fix import Ask, Fix, SetEnv
from gpudoctor.model.system import Environ
from gpudoctor.rules._declare import rule
from gpudoctor.rules._evidence import seen


@rule("ENV003", name="pip-tls-ca", severity="error", since="0.1")
def pip_tls_ca(environ: Environ) -> Iterator[Problem]:
    """A variable names a file of certificates that does not exist, so nothing can be downloaded.

    What it means:
    Downloads over HTTPS are checked against a list of certificates. A variable says in which file it is, and that file
    is not there.

    Why it breaks:
    The environment or the package that brought the file was removed, and the variable stayed. pip then ends with "Could
    not find a suitable TLS CA certificate bundle, invalid path".

    How to mend it:
    Unset the variable, or let it name a file that exists. Where a company inspects traffic, ask for its certificate and
    name that file; on Python 3.10 and later pip can also use the system's own list.

    When to ignore it:
    Never, if you want to install anything. Never use --trusted-host instead: it turns the check off.

    Sources:
    pip documentation, HTTPS certificates, https://pip.pypa.io/en/stable/topics/https-certificates/
    """
    for name in environ.absent_files:
        value = environ.get(name) or "(not kept)"
        ask = Ask(
            text="Find where it is set (~/.profile, ~/.bashrc, the environment's activate script), and remove it."
        )
        yield Problem(
            summary=f"{name} names a file of certificates that does not exist, so pip cannot download anything.",
            subject=name,
            evidence=(seen(name, value), seen("that file", "does not exist")),
            explains=("pip-no-matching-distribution",),
            fixes=(
                Fix(
                    title=f"Unset {name}",
                    safety="safe",
                    steps=(SetEnv(name=name, value=None), ask),
                    undo=f"export {name}={value}",
                ),
            ),
        )
