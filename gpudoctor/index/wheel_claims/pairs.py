"""Checks the tables `pairs` and `toolkit_parts` against the METADATA of wheels."""

from collections.abc import Iterator

from gpudoctor.facts import lazy_re as re
from gpudoctor.index.claims import Claim, claim
from gpudoctor.index.requirement_text import named, parsed
from gpudoctor.index.wheel_claims.stated import LINUX, specifier_text
from gpudoctor.index.wheel_facts import Library
from gpudoctor.knowledge.matrix.offer_types import Pair, ToolkitParts
from gpudoctor.knowledge.matrix.query import Matrix

_FIRST = re.compile(r">=([\d.]+)")


def pair_claims(matrix: Matrix, library: Library) -> Iterator[Claim]:
    """What the first release of each row asks of its framework."""
    rows: tuple[Pair, ...] = matrix.table("pairs")
    for row in rows:
        first = _FIRST.search(row.releases) if row.confidence == "metadata" else None
        facts = library(row.package, first[1], LINUX) if first else None
        if first is None or facts is None or facts.requires is None:
            continue
        asked = named(parsed(facts.requires), row.of)
        stated = str(asked[0].specifier) if asked else ""
        name, about = f"{row.package} {row.releases}", f"{row.of} of {first[1]}"
        fields = ("package", "releases", "of", "made_for")
        yield claim("pairs", name, about, specifier_text(row.made_for), stated, fields=fields)


def toolkit_claims(matrix: Matrix, library: Library) -> Iterator[Claim]:
    """The cuSPARSE that the first package of each toolkit requires (==12.9.4.2.*)."""
    rows: tuple[ToolkitParts, ...] = matrix.table("toolkit_parts")
    for row in rows:
        facts = library("cuda-toolkit", row.toolkit, LINUX)
        if facts is None or facts.requires is None:
            continue
        asked = [one for one in parsed(facts.requires) if one.name.startswith("nvidia-cusparse")]
        stated = str(asked[0].specifier) if asked else ""
        name, fields = f"CUDA {row.cuda}", ("toolkit", "cusparse")
        yield claim("toolkit_parts", name, f"cuSPARSE of {row.toolkit}", f"=={row.cusparse}.*", stated, fields=fields)
