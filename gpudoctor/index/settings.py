"""Which package index the user installs from: as pip is told, else as uv is told. No index is known in advance."""

import ast
import os
from collections.abc import Mapping

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.base import Fact
from gpudoctor.host.port import Host

#: Seconds for pip to say how it is set up; it takes about half a second.
PIP_TIMEOUT_S = 30.0
_SETTING = re.compile(r"(?P<section>[^\s.=]+)\.(?P<key>[^\s=]+)=(?P<value>.+)")
_DEFAULT = re.compile(r"--index-url <url>.*?\(default:?\s+([^\s)]+)\)", re.DOTALL)
#: Later ones win; `pip config list` has merged the files of each section already.
_SECTIONS = ("global", "install", ":env:")


class Settings(Fact, frozen=True, kw_only=True):
    """Where packages come from, and how to get there. Addresses may hold credentials: show them through `shown`."""

    indexes: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    cert: str | None = None
    client_cert: str | None = None
    proxy: str | None = None
    trusted_hosts: tuple[str, ...] = ()
    #: Who named the index: "--index-url", "pip", "uv".
    named_by: str = ""


def read_settings(host: Host, pythons: tuple[str, ...], index_url: str | None = None) -> Settings:
    """The settings of the first pip that answers; `index_url` takes the place of every index and folder named there.

    Without pip its environment variables count. Where neither names an index, uv's do, then pip's own default.
    """
    python, told = _ask_pip(host, pythons)
    settings = _from_pip(told, host.env)
    if index_url is not None:
        return _changed(settings, (index_url,), (), "--index-url")
    if told.get("no-index", "").lower() in {"1", "true", "yes", "on", "y", "t"}:
        return _changed(settings, (), settings.find_links, "pip")
    main = told.get("index-url")
    if main is not None:
        return settings
    uv = _from_uv(host.env)
    if uv:
        return _changed(settings, (*uv, *settings.indexes), settings.find_links, "uv")
    default = _default_of_pip(host, python)
    return settings if default is None else _changed(settings, (default, *settings.indexes), settings.find_links, "pip")


def read_connection(host: Host, pythons: tuple[str, ...]) -> Settings:
    """How to get to an index, whichever it is: certificates, proxy, trusted hosts."""
    _, told = _ask_pip(host, pythons)
    return _from_pip(told, host.env)


def _changed(settings: Settings, indexes: tuple[str, ...], links: tuple[str, ...], named_by: str) -> Settings:
    return Settings(
        indexes=indexes,
        find_links=links,
        cert=settings.cert,
        client_cert=settings.client_cert,
        proxy=settings.proxy,
        trusted_hosts=settings.trusted_hosts,
        named_by=named_by,
    )


def _ask_pip(host: Host, pythons: tuple[str, ...]) -> tuple[str | None, dict[str, str]]:
    """(the Python whose pip answered, what it said)."""
    for python in pythons:
        # -I: nothing in the current folder is taken for pip.
        ran = host.run((python, "-I", "-m", "pip", "config", "list"), timeout=PIP_TIMEOUT_S)
        if ran.ok:
            return python, parse_pip_config(ran.text)
    return None, parse_pip_environment(host.env)


def _default_of_pip(host: Host, python: str | None) -> str | None:
    if python is None:
        return None
    # So wide that no address is broken over two lines.
    wide = {**host.env, "COLUMNS": "2000"}
    ran = host.run((python, "-I", "-m", "pip", "install", "--help"), timeout=PIP_TIMEOUT_S, env=wide)
    return parse_default_index(ran.text) if ran.ok else None


def parse_pip_config(text: str) -> dict[str, str]:
    """What `pip config list` prints, by option, as it holds for `pip install`."""
    sections: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in text.splitlines():
        match = _SETTING.fullmatch(line.strip())
        if match is None or match["section"] not in sections:
            continue
        try:
            value = ast.literal_eval(match["value"])
        except (ValueError, SyntaxError):
            continue
        sections[match["section"]][match["key"]] = str(value)
    return {key: value for section in _SECTIONS for key, value in sections[section].items()}


def parse_pip_environment(env: Mapping[str, str]) -> dict[str, str]:
    """The options in PIP_… variables; for where pip itself cannot be asked."""
    prefix = "PIP_"
    return {
        name[len(prefix) :].lower().replace("_", "-"): value
        for name, value in env.items()
        if name.startswith(prefix) and value
    }


def parse_default_index(help_text: str) -> str | None:
    """The index that `pip install --help` names as its default."""
    match = _DEFAULT.search(help_text)
    return match.group(1) if match is not None else None


def _from_pip(told: Mapping[str, str], env: Mapping[str, str]) -> Settings:
    main = told.get("index-url")
    return Settings(
        indexes=(*((main,) if main else ()), *told.get("extra-index-url", "").split()),
        find_links=tuple(told.get("find-links", "").split()),
        cert=told.get("cert") or env.get("REQUESTS_CA_BUNDLE") or env.get("SSL_CERT_FILE"),
        client_cert=told.get("client-cert"),
        proxy=told.get("proxy"),
        trusted_hosts=tuple(told.get("trusted-host", "").split()),
        named_by="pip",
    )


def _from_uv(env: Mapping[str, str]) -> tuple[str, ...]:
    """The indexes in UV_… variables (docs.astral.sh/uv/reference/environment); UV_INDEX may name them: name=address."""
    main = env.get("UV_DEFAULT_INDEX") or env.get("UV_INDEX_URL")
    more = f"{env.get('UV_INDEX', '')} {env.get('UV_EXTRA_INDEX_URL', '')}".split()
    addresses = (*((main,) if main else ()), *more)
    return tuple(re.sub(r"^[\w.-]+=(?=[a-z]+:)", "", address) for address in addresses) if main else ()


def shown(address: str) -> str:
    """An address without what may be secret: user, password, query and fragment."""
    bare = re.split(r"[?#]", address, maxsplit=1)[0]
    return re.sub(r"(?<=//)[^/]*@", "", bare)


def local_path(address: str) -> str | None:
    """The path of a file: address or of a plain path; None of an address on the network."""
    if address.lower().startswith("file:"):
        # Imported here, as below: only those who have such an index pay for it.
        from urllib.parse import urlsplit
        from urllib.request import url2pathname

        return url2pathname(urlsplit(address).path)
    return None if re.match(r"[a-z][a-z0-9+.-]+://", address, re.IGNORECASE) else os.path.expanduser(address)
