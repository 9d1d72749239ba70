"""The environment variables that matter to GPUs, from an allow-list, with credentials taken out of the values."""

from collections.abc import Mapping

import msgspec

from gpudoctor.facts.system import Environ
from gpudoctor.host.port import Host
from gpudoctor.probes.environ.login import read_login
from gpudoctor.probes.system.spaces import is_remote
from gpudoctor.redact.credentials import excerpt
from gpudoctor.redact.variables import is_allowed

#: Longest value kept, in characters.
VALUE_LIMIT = 4096
#: Variables that name a file of certificates, for pip, requests, curl and OpenSSL.
_CERTIFICATES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE")


def probe(host: Host) -> Environ:
    """The allow-listed variables, how many others there are, and what the login files set of those that matter."""
    login, absent = read_login(host), tuple(name for name in _CERTIFICATES if _is_absent(host, host.env.get(name)))
    return msgspec.structs.replace(parse_environ(host.env), login=login, absent_files=absent)


def _is_absent(host: Host, path: str | None) -> bool:
    """The path is not there. One on a file server is not asked for: that could wait for ever."""
    return bool(path) and not is_remote(host, path or "") and host.stat(path or "") is None


def parse_environ(env: Mapping[str, str]) -> Environ:
    """The variables to keep, cleaned; of the others only the number."""
    kept = {name: clean_value(value) for name, value in sorted(env.items()) if is_allowed(name)}
    return Environ(variables=kept, others=len(env) - len(kept))


def clean_value(value: str) -> str:
    """The value without credentials, cut at VALUE_LIMIT characters."""
    return excerpt(value, VALUE_LIMIT)
