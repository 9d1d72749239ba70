"""Rebuilds compat/dates.json: when releases came out.

Of packages that is the day of the first file on the package index that pip is set up for (PEP 700); of drivers the
first tag of that name in clones of NVIDIA's repositories that are named: open-gpu-kernel-modules, nvidia-settings. A
date that is known stays. Usage:

    python scripts/refresh_dates.py [--check] [--drivers CLONE]... [--date YYYY-MM-DD]
"""

import argparse
import datetime
import re
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from typing import Any

from compat_file import read_file, write_file
from packaging.version import Version
from refresh_releases import PACKAGES, is_final

from gpudoctor.host.real import RealHost
from gpudoctor.index.fetch import Fetcher
from gpudoctor.index.offers import Offers
from gpudoctor.index.settings import read_settings

SOURCES = {
    "s1": "upload times of the package index (PEP 700); the day of the first file of a release",
    "s2": "tags of github.com/NVIDIA/open-gpu-kernel-modules and github.com/NVIDIA/nvidia-settings; the earlier",
}
Row = dict[str, Any]
#: The day on which the repository was begun, with everything that was there.
BEGUN = "2008-02-12"


def main() -> int:
    """Rewrite the table; with --check only say whether it would change (exit 1)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the table would change")
    parser.add_argument("--drivers", action="append", default=[], metavar="CLONE", help="a clone, for its tags")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="the date to note (default: today)")
    options = parser.parse_args()
    old = _old()
    made_for = {row.get("dist", row["package"]) for row in read_file("extensions")["rows"]}
    with closing(Fetcher(read_settings(RealHost(), (sys.executable,)))) as fetcher:
        offers = Offers(fetcher)
        rows = [_package(name, offers, old.get(name, {})) for name in (*PACKAGES, *sorted(made_for))]
    rows.append(_drivers(options.drivers, old.get("nvidia-driver", {})))
    rows = [row for row in rows if row["released"]]
    if {row["package"]: row["released"] for row in rows} == old:
        print("dates.json says what the index says.")
        return 0
    print(f"{sum(len(row['released']) for row in rows)} dates, before {sum(map(len, old.values()))}")
    if not options.check:
        write_file({"table": "dates", "checked": options.date, "sources": SOURCES, "rows": rows})
    return int(options.check)


def _old() -> dict[str, dict[str, str]]:
    try:
        return {row["package"]: row["released"] for row in read_file("dates")["rows"]}
    except FileNotFoundError:
        return {}


def _package(name: str, offers: Offers, old: dict[str, str]) -> Row:
    found = offers.releases(name) or ()
    dates = {one.version: one.released for one in found if one.released and is_final(one.version)} | old
    return {"package": name, "released": _newest_first(dates), "confidence": "metadata", "source": "s1"}


def _drivers(clones: Iterable[str], old: dict[str, str]) -> Row:
    dates = dict(old)
    for clone in clones:
        tags = subprocess.run(
            ["git", "-C", clone, "for-each-ref", "--format=%(creatordate:short) %(refname:short)", "refs/tags"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for day, name in re.findall(r"^(\S+) (\d{3}(?:\.\d+){1,2})$", tags, re.MULTILINE):
            if day != BEGUN:
                dates[name] = min(day, dates.get(name, day))
    return {"package": "nvidia-driver", "released": _newest_first(dates), "confidence": "official", "source": "s2"}


def _newest_first(dates: dict[str, str]) -> dict[str, str]:
    return dict(sorted(dates.items(), key=lambda item: Version(item[0]), reverse=True))


if __name__ == "__main__":
    sys.exit(main())
