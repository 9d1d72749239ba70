"""ENV003: downloads fail: a variable names a missing certificate file, or the server's certificate is not trusted."""

from gpudoctor.rules.failures import pasted
from gpudoctor.rules.sections import Environ, Gap, Live
from gpudoctor.rules.terms import Ask, Evidence, Fix, Iterator, Problem, SetEnv, by_hand, problem, rule, seen

#: Variables that name the list, in the order in which pip and requests read them.
_VARIABLES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


@rule(
    "ENV003", name="pip-tls-ca", severity="error", when="environ.absent_files or live.symptoms.signature=tls-unknown-ca"
)
def pip_tls_ca(environ: Environ | Gap | None, live: Live | Gap | None) -> Iterator[Problem]:
    """Downloads fail: a variable names a missing certificate file, or the server's certificate is not trusted.

    What it means:
    Downloads over HTTPS are checked against a list of certificates. A variable says in which file it is, and that file
    is not there; or the list does not have the certificate that vouches for the server.

    Why it breaks:
    The environment or the package that brought the file was removed, and the variable stayed: pip ends with "Could not
    find a suitable TLS CA certificate bundle, invalid path". Or a company's proxy puts its own certificate in the place
    of the server's, or the list is an old one, as conda may bring: "unable to get local issuer certificate".

    How to fix it:
    Unset the variable, or let it name a file that exists. Where a company inspects traffic, ask for its certificate and
    name that file; on Python 3.10 and later pip can also use the system's own list.

    When to ignore it:
    Never, if you want to install anything. Never use --trusted-host instead: it turns the check off.

    Sources:
    pip documentation, HTTPS certificates, https://pip.pypa.io/en/stable/topics/https-certificates/
    """
    yield from _untrusted(environ, live)
    for name in environ.absent_files if isinstance(environ, Environ) else ():
        value = (environ.get(name) if isinstance(environ, Environ) else None) or "(not kept)"
        ask = Ask(
            text="Find where it is set (~/.profile, ~/.bashrc, the environment's activate script), and remove it."
        )
        yield problem(
            f"{name} names a certificate file that does not exist, so pip cannot download anything.",
            seen(name, value),
            seen("that file", "does not exist"),
            subject=name,
            fix=Fix(f"Unset {name}", "safe", (SetEnv(name=name, value=None), ask), undo=f"export {name}={value}"),
        )


def _untrusted(environ: Environ | Gap | None, live: Live | Gap | None) -> Iterator[Problem]:
    """The message of a download that was refused."""
    met = next((one for one in pasted(live) if one.signature == "tls-unknown-ca"), None)
    if met is None:
        return
    named = [name for name in _VARIABLES if isinstance(environ, Environ) and environ.get(name)]
    evidence: tuple[Evidence, ...] = (
        seen(met.where or "the pasted text", met.text),
        *(seen(name, environ.get(name)) for name in named if isinstance(environ, Environ)),
    )
    unset = tuple(Fix(f"Try without {name}", "safe", (SetEnv(name=name, value=None),)) for name in named)
    ask = Ask(
        text="Where a company inspects traffic, ask for its certificate, and name that file: "
        "python -m pip config set global.cert FILE"
    )
    yield problem(
        "The package index's certificate is not trusted here, so nothing can be downloaded.",
        *evidence,
        confidence="likely",
        fixes=(*unset, by_hand("Name the certificate that is missing", ask)),
    )
