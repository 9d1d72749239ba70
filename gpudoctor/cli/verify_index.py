"""Asks the user's package index about packages that `verify` has no table for. Opens connections."""

import re
from collections.abc import Iterable
from contextlib import closing

from msgspec.structs import replace

from gpudoctor.cli.matrix_verify import settings_of
from gpudoctor.errors import CannotExamine
from gpudoctor.index.fetch import Fetcher, IndexUnusable
from gpudoctor.index.files import Found
from gpudoctor.index.offers import Offers
from gpudoctor.plan.machine import Machine
from gpudoctor.plan.specifiers import meets
from gpudoctor.report.verification import printable
from gpudoctor.verify.read_pip import parse_requirement
from gpudoctor.verify.verdict import Verdict

_OF_PYTHON = re.compile(r"\b(?:pip\d*(?:\.\d+)?|uv)\b|^[\w.\[\]-]+\s*[=<>~!]=")


def asked(found: Iterable[Verdict], machine: Machine) -> tuple[Verdict, ...]:
    """The verdicts, with those on unknown packages settled by the index where it can. Raises CannotExamine."""
    verdicts = tuple(found)
    if not any(_is_open(one) for one in verdicts):
        return verdicts
    try:
        with closing(Fetcher(settings_of(None, None))) as fetcher:
            offers = Offers(fetcher)
            return tuple(_asked(one, offers, machine) if _is_open(one) else one for one in verdicts)
    except IndexUnusable as error:
        raise CannotExamine(printable(f"{error}. Leave --ask-index out to judge by the tables alone.")) from None


def _is_open(one: Verdict) -> bool:
    unlisted = one.word == "not known" and one.grounds == "not in the tables" and one.aspect in ("version", "name")
    return unlisted and _OF_PYTHON.search(one.command) is not None


def _asked(one: Verdict, offers: Offers, machine: Machine) -> Verdict:
    wanted = parse_requirement(one.subject)
    if not wanted.name:
        return one
    releases = offers.releases(wanted.name)
    if not releases:
        return _no(one, "version", f"Your package index has no {wanted.name}.")
    matching = [release for release in releases if meets(release.version, wanted.specifier)]
    if not matching:
        newest = releases[0].version
        return _no(
            one, "version", f"Your package index has no {wanted.name}{wanted.specifier}; its newest is {newest}."
        )
    usable = [release for release in matching if _suits(release, machine)]
    if not usable:
        where = " on ".join(filter(None, (f"Python {machine.python}" if machine.python else "", machine.platform)))
        return _no(one, "python", f"{wanted.name} {matching[0].version} has no wheel for {where}.")
    text = "Your package index has it; whether it runs on the GPU is not in the tables."
    build = f"{wanted.name} {usable[0].version}"
    return replace(one, word="fits", grounds=None, aspect=None, because="", notes=(text,), build=build)


def _no(one: Verdict, aspect: str, text: str) -> Verdict:
    return replace(one, word="does not fit", grounds="not here", aspect=aspect, because=text)


def _suits(release: Found, machine: Machine) -> bool:
    """Whether it has a wheel for the machine; a release with sources only can be built anywhere."""
    python = machine.python
    if python and release.requires_python and not meets(f"{python}.99", release.requires_python):
        return False
    if not release.wheels or machine.platform is None:
        return True
    tags = (*release.wheels.get(machine.platform, ()), *release.wheels.get("any", ()))
    return any(python is None or tag == python or (tag[:1] == ">" and meets(python, tag)) for tag in tags)
