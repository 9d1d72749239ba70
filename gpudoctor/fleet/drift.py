"""Finds nodes that differ from the rest of their group or from a reference node, and in which field."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gpudoctor.fleet.gather import Fields, Kept
from gpudoctor.fleet.node_names import folded
from gpudoctor.fleet.overview import Difference, Drift, Group, Nodes, Varied

#: Below this share of a group no value is the usual one.
_USUAL = 0.5
_MOST_VALUES = 5


class Members(NamedTuple):
    """The nodes of a group, by name."""

    group: Group
    nodes: Mapping[str, Kept]


def nodes_of(names: list[str]) -> Nodes:
    """A set of nodes."""
    return Nodes(count=len(names), names=folded(names))


def drift_in(members: Members, golden: Mapping[str, str] | None) -> tuple[list[Drift], list[Varied]]:
    """What differs within a group. Nodes with the same fingerprint are one case, so that few are looked at."""
    alike: dict[Fields, list[str]] = defaultdict(list)
    for host, kept in members.nodes.items():
        alike[kept.fields].append(host)
    varied: list[Varied] = []
    usual: dict[str, tuple[str, int | None]] = {}
    for field in _fields(alike):
        counts = _counts(field, alike)
        if golden is not None:
            if field in golden:
                usual[field] = (golden[field], None)
            continue
        value, count = counts.most_common(1)[0]
        if count > _USUAL * counts.total():
            usual[field] = (value, count)
        else:
            varied.append(_varied(members.group, field, alike, counts))
    return list(_drifts(members.group, alike, usual)), varied


def _fields(alike: Mapping[Fields, list[str]]) -> Iterator[str]:
    """All fields, in the order of the fingerprint that has most of them."""
    longest = max(alike, key=len, default=())
    names = dict.fromkeys(name for name, _ in longest)
    for fields in alike:
        names |= dict.fromkeys(name for name, _ in fields)
    yield from names


def _counts(field: str, alike: Mapping[Fields, list[str]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for fields, hosts in alike.items():
        value = dict(fields).get(field)
        if value is not None:
            counts[value] += len(hosts)
    return counts


def _varied(group: Group, field: str, alike: Mapping[Fields, list[str]], counts: Counter[str]) -> Varied:
    most = [value for value, _ in counts.most_common(_MOST_VALUES)] if len(counts) <= _MOST_VALUES else []
    having: dict[str, list[str]] = {value: [] for value in most}
    for fields, hosts in alike.items():
        value = dict(fields).get(field)
        if value in having:
            having[value] += hosts
    shown = tuple((value, nodes_of(hosts)) for value, hosts in having.items())
    return Varied(group=group, field=field, values=len(counts), most=shown)


def _drifts(
    group: Group, alike: Mapping[Fields, list[str]], usual: Mapping[str, tuple[str, int | None]]
) -> Iterator[Drift]:
    """One for each set of nodes: the fields in which the same nodes differ are told together."""
    odd: dict[tuple[str, str], list[Fields]] = defaultdict(list)
    for fields in alike:
        for name, value in fields:
            if name in usual and value != usual[name][0]:
                odd[name, value].append(fields)
    order = {name: place for place, name in enumerate(usual)}
    together: dict[tuple[int, ...], list[tuple[str, str]]] = defaultdict(list)
    sets: dict[tuple[int, ...], list[Fields]] = {}
    for case in sorted(odd, key=lambda one: order[one[0]]):
        key = tuple(map(id, odd[case]))
        together[key].append(case)
        sets[key] = odd[case]
    for key, cases in together.items():
        hosts = [host for fields in sets[key] for host in alike[fields]]
        yield Drift(
            group=group,
            differences=tuple(Difference(field=name, value=value, usual=usual[name][0]) for name, value in cases),
            nodes=nodes_of(hosts),
            usual_on=usual[cases[0][0]][1],
        )
