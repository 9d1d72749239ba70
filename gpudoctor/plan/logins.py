"""Removes the logins of package indexes from a plan, so that it can be shared.

pip and uv read what is left out from ~/.netrc (pip.pypa.io/en/stable/topics/authentication,
docs.astral.sh/uv/concepts/authentication/http); so does git, for requirements that it fetches.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

from gpudoctor.facts import lazy_re as re
from gpudoctor.facts.plan import InstallPlan
from gpudoctor.facts.typed_json import convert_to
from gpudoctor.redact.credentials import REMOVED, without_credentials

_LOGIN = re.compile(r"(?<=://)[^/\s@]+@(?P<host>\[[^\]]*\]|[^/\s:?#]+)")


def without_logins(plan: InstallPlan) -> InstallPlan:
    """The plan, its further environments too, with addresses that hold no login, and a note on where it belongs."""
    hosts: dict[str, None] = {}
    bare = convert_to(_bare(msgspec.to_builtins(plan), hosts), InstallPlan)
    return _noted(bare, tuple(hosts)) if hosts else bare


def _noted(plan: InstallPlan, hosts: tuple[str, ...]) -> InstallPlan:
    apart = tuple(replace(one, logins=hosts) for one in plan.apart)
    return replace(plan, logins=hosts, apart=apart, notes=(*plan.notes, *map(_note, hosts)))


def _note(host: str) -> str:
    if host == REMOVED:
        return f"A secret inside an address is left out ({REMOVED}): name that address in the settings of pip or uv."
    return (
        f"The login of {host} is left out: pip and uv read it from ~/.netrc "
        f"(machine {host} login NAME password PASSWORD)."
    )


def _bare(value: Any, hosts: dict[str, None]) -> Any:
    if isinstance(value, str) and "://" in value:
        return _without_login(value, hosts)
    if isinstance(value, dict):
        return {key: _bare(item, hosts) for key, item in value.items()}
    return [_bare(item, hosts) for item in value] if isinstance(value, list | tuple) else value


def _without_login(text: str, hosts: dict[str, None]) -> str:
    for match in _LOGIN.finditer(text):
        hosts[match["host"]] = None
    bare = _LOGIN.sub(lambda match: match["host"], text)
    public = without_credentials(bare)
    if public != bare:
        hosts[REMOVED] = None
    return public
