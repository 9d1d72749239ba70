"""Writes the rows of compat/pairs.json that package metadata states: which JAX flax, optax, chex … ask for.

The other rows, where a README alone names the framework, stay as they are. Usage:

    python scripts/refresh_pairs.py [--check] [--date YYYY-MM-DD]
"""

import argparse
import datetime
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby
from typing import Any

from compat_file import read_file, source_id, write_file
from packaging.version import Version

from gpudoctor.host.real import RealHost
from gpudoctor.index.fetch import Fetcher
from gpudoctor.index.offers import Offers
from gpudoctor.index.requirement_text import named, parsed
from gpudoctor.index.settings import read_settings
from gpudoctor.index.wheel_facts import LiveLibrary

Row = dict[str, Any]
SOURCE = "package metadata of the package index"
#: What goes with JAX, and the oldest release that has a row.
PACKAGES = {"flax": "0.6", "optax": "0.1", "chex": "0.1", "orbax-checkpoint": "0.2.3"}
FRAMEWORK, PLATFORM = "jax", "linux-x86_64"


def main() -> int:
    """Rewrite the table; with --check only say whether it would change (exit 1)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the table would change")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="the date to note (default: today)")
    options = parser.parse_args()
    document = read_file("pairs")
    source = source_id(document, SOURCE)
    with closing(Fetcher(read_settings(RealHost(), (sys.executable,)))) as fetcher:
        offers = Offers(fetcher)
        library = LiveLibrary(fetcher, offers)
        asked = {name: _asked(name, oldest, offers, library) for name, oldest in PACKAGES.items()}
    fresh = [row for name, releases in asked.items() for row in rows(name, releases, source)]
    dates = {tuple(row.items()): date for row, date in map(_apart, document["rows"])}
    same = [{**row, "checked": dates.get(tuple(row.items())) or options.date} for row in fresh]
    kept = [row for row in document["rows"] if row["package"] not in PACKAGES]
    if [*kept, *same] == document["rows"]:
        print("pairs.json says what the index says.")
        return 0
    print("pairs: rows of package metadata changed")
    if not options.check:
        write_file({**document, "rows": [*kept, *same]})
    return int(options.check)


def _apart(row: Row) -> tuple[Row, str | None]:
    """A row without its date, and that."""
    return {name: value for name, value in row.items() if name != "checked"}, row.get("checked")


def _asked(package: str, oldest: str, offers: Offers, library: LiveLibrary) -> list[tuple[str, str]]:
    """Its releases, newest first, and what each asks of the framework."""
    found = [one for one in offers.releases(package) or () if one.wheels and not one.yanked]
    versions = [one.version for one in found if not Version(one.version).is_prerelease]
    versions = sorted((one for one in versions if Version(one) >= Version(oldest)), key=Version, reverse=True)
    library.prepare((package, version, PLATFORM) for version in versions)
    told = []
    for version in versions:
        facts = library(package, version, PLATFORM)
        lines = named(parsed((facts.requires if facts is not None else None) or ()), FRAMEWORK)
        told.append((version, str(lines[0].specifier) if lines else ""))
    return told


def rows(package: str, asked: list[tuple[str, str]], source: str) -> Iterator[Row]:
    """A row for neighbours that ask for the same; what asks for any release has none."""
    above = ""
    for made_for, group in groupby(asked, key=lambda one: one[1]):
        first = [version for version, _ in group][-1]
        if made_for:
            releases = f">={first}{above}"
            row = {"package": package, "releases": releases, "of": FRAMEWORK, "made_for": made_for}
            yield {**row, "confidence": "metadata", "source": source}
        above = f",<{first}"


if __name__ == "__main__":
    sys.exit(main())
