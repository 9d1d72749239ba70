"""Merges the records of many nodes into one overview. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from statistics import median

from gpudoctor import __version__
from gpudoctor.facts.base import Fact
from gpudoctor.facts.finding import SEVERITIES
from gpudoctor.fleet.drift import Members, drift_in, nodes_of
from gpudoctor.fleet.fix_plan import plan_of
from gpudoctor.fleet.gather import Gathered, Kind
from gpudoctor.fleet.node_names import expanded
from gpudoctor.fleet.outliers import slow_in
from gpudoctor.fleet.overview import Drift, FleetFinding, Group, Nodes, Noted, Overview, Silent, Slow, Trouble
from gpudoctor.fleet.record import NodeRecord, Why

#: Seconds. A run may take hours, and be taken up again the next day.
_MOST_APART = 7 * 86400
#: Differences of as many sets of nodes are told; a fleet in which no two nodes are alike has more.
_MOST_DRIFTS = 500


class Asked(Fact, frozen=True, kw_only=True):
    """What the overview is to be held against."""

    expected: tuple[str, ...] | None = None
    golden: NodeRecord | None = None
    #: For each earlier run the nodes that had an error, or gave no answer.
    earlier: tuple[frozenset[str], ...] = ()


def overview_of(gathered: Gathered, asked: Asked) -> Overview:
    """The overview of all nodes that were read."""
    silent = _silent(gathered, asked.expected)
    groups = _groups(gathered)
    golden = asked.golden.fingerprint if asked.golden else None
    compared = [drift_in(members, golden) for members in groups]
    drift = sorted((one for found, _ in compared for one in found), key=lambda one: one.nodes.count)[:_MOST_DRIFTS]
    slow, small = slow_in(groups)
    nodes = gathered.nodes
    when, off = _clocks(gathered)
    return Overview(
        gpudoctor=__version__,
        expected=None if asked.expected is None else len(asked.expected),
        answered=len(nodes),
        healthy=sum(one.healthy for one in nodes.values()),
        gpus=sum(one.gpus for one in nodes.values()),
        groups=tuple(members.group for members in groups),
        silent=_by_reason(silent),
        findings=_findings(gathered),
        unseen=_unseen(gathered),
        drift=tuple(drift),
        varied=tuple(one for _, found in compared for one in found),
        slow=tuple(slow),
        worst=_worst(gathered, silent, drift, slow, asked.earlier),
        plan=plan_of(gathered, silent, drift, slow),
        unreadable=tuple(gathered.unreadable),
        unreadable_count=gathered.unreadable_count,
        noted=(*_noted(gathered, asked, off), *(_too_few(members, count) for members, count in small)),
        taken=when,
    )


def bad_nodes(gathered: Gathered) -> frozenset[str]:
    """The nodes of a run that had an error, or gave no answer."""
    ill = {host for host, kept in gathered.nodes.items() if any(kind[0] == "error" for kind in kept.kinds)}
    return frozenset(ill | gathered.silent.keys())


def _silent(gathered: Gathered, expected: tuple[str, ...] | None) -> dict[str, tuple[Why, str]]:
    silent = dict(gathered.silent)
    garbled: Why = "garbage"
    silent |= {host: (garbled, reason) for host, reason in gathered.garbled.items() if host not in silent}
    missing: tuple[Why, str] = ("unknown", "no line from this node")
    for host in _absent(expected or (), gathered.nodes):
        silent.setdefault(host, missing)
    return silent


def _absent(names: Iterable[str], others: Iterable[str]) -> list[str]:
    """The names that are not among the others, where gpu1 and gpu1.example.org are one."""
    known = set(others)
    short = {name.partition(".")[0] for name in known if "." in name}
    return [name for name in names if not (name in known or name in short or name.partition(".")[0] in known)]


def _by_reason(silent: Mapping[str, tuple[Why, str]]) -> tuple[Silent, ...]:
    hosts: dict[tuple[Why, str], list[str]] = defaultdict(list)
    for host, reason in silent.items():
        hosts[reason].append(host)
    rows = (Silent(why=why, detail=detail, nodes=nodes_of(names)) for (why, detail), names in hosts.items())
    return tuple(sorted(rows, key=lambda one: -one.nodes.count))


def _groups(gathered: Gathered) -> list[Members]:
    by_kind: dict[tuple[str | None, str], list[str]] = defaultdict(list)
    for host, kept in gathered.nodes.items():
        by_kind[kept.role, kept.gpu].append(host)
    return [
        Members(Group(role=role, gpu=gpu, count=len(hosts)), {host: gathered.nodes[host] for host in hosts})
        for (role, gpu), hosts in sorted(by_kind.items(), key=lambda one: -len(one[1]))
    ]


def _findings(gathered: Gathered) -> tuple[FleetFinding, ...]:
    having: dict[Kind, list[str]] = defaultdict(list)
    for host, kept in gathered.nodes.items():
        for kind in dict.fromkeys(kept.kinds):
            having[kind].append(host)
    rows = (
        FleetFinding(
            code=kind[1],
            name=kind[2],
            severity=next(one for one in SEVERITIES if one == kind[0]),
            summary=gathered.summaries[kind],
            nodes=nodes_of(hosts),
        )
        for kind, hosts in having.items()
    )
    return tuple(sorted(rows, key=lambda one: (SEVERITIES.index(one.severity), -one.nodes.count)))


def _unseen(gathered: Gathered) -> tuple[tuple[str, Nodes], ...]:
    having: dict[str, list[str]] = defaultdict(list)
    for host, kept in gathered.nodes.items():
        for fact in kept.unseen:
            having[fact].append(host)
    return tuple((fact, nodes_of(hosts)) for fact, hosts in sorted(having.items(), key=lambda one: -len(one[1])))


def _clocks(gathered: Gathered) -> tuple[tuple[str, str] | None, list[str]]:
    """From when to when the nodes were looked at, and those whose clock is days from that of the others."""
    times = {host: kept.when for host, kept in gathered.nodes.items() if kept.when}
    if not times:
        return None, []
    middle = median(times.values())
    off = [host for host, when in times.items() if abs(when - middle) > _MOST_APART]
    near = [when for when in times.values() if abs(when - middle) <= _MOST_APART]
    return (_iso(min(near)), _iso(max(near))) if near else None, off


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")


def _noted(gathered: Gathered, asked: Asked, clocks_off: list[str]) -> list[Noted]:
    nodes, found = gathered.nodes, []
    again = [host for host, kept in nodes.items() if kept.again]
    if again:
        found.append(Noted(what="duplicate", text="more than one line; the last one holds", nodes=nodes_of(again)))
    if clocks_off:
        found.append(Noted(what="clock", text="the clock is days from the others'", nodes=nodes_of(clocks_off)))
    versions = Counter(kept.version or "unknown" for kept in nodes.values())
    usual = max(versions, key=lambda one: versions[one], default=None)
    for version in sorted(versions):
        if version != usual:
            hosts = [host for host, kept in nodes.items() if (kept.version or "unknown") == version]
            found.append(
                Noted(what="older", text=f"gpudoctor {version}, the others have {usual}", nodes=nodes_of(hosts))
            )
    if asked.expected is not None:
        unexpected = sorted(_absent(nodes, asked.expected))
        if unexpected:
            text = "answered, but not among the nodes that were expected"
            found.append(Noted(what="unexpected", text=text, nodes=nodes_of(unexpected)))
    if not nodes:
        found.append(Noted(what="empty", text="no node answered, so nothing is known of any"))
    return found


def _too_few(members: Members, count: int) -> Noted:
    text = f"{count} measured GPUs are too few to say which is slow ({members.group.gpu})"
    return Noted(what="small-group", text=text, nodes=nodes_of(list(members.nodes)))


def _worst(
    gathered: Gathered,
    silent: Mapping[str, tuple[Why, str]],
    drift: Iterable[Drift],
    slow: Iterable[Slow],
    earlier: tuple[frozenset[str], ...],
) -> tuple[Trouble, ...]:
    differs: dict[str, list[str]] = defaultdict(list)
    for one in drift:
        for host in expanded(one.nodes.names):
            differs[host].append(one.differences[0].field)
    slower: dict[str, list[str]] = defaultdict(list)
    for gpu in slow:
        slower[gpu.host].append(f"GPU {gpu.gpu} {gpu.metric}: {gpu.below:.0%} below")
    found = []
    for host in {**gathered.nodes, **silent}:
        kinds = gathered.nodes[host].kinds if host in gathered.nodes else ()
        trouble = Trouble(
            host=host,
            errors=tuple(code for severity, code, _ in kinds if severity == "error"),
            warnings=tuple(code for severity, code, _ in kinds if severity == "warning"),
            silent=silent[host][0] if host in silent and host not in gathered.nodes else None,
            differs=tuple(differs.get(host, ())),
            slow=tuple(slower.get(host, ())),
            earlier=sum(host in run for run in earlier),
        )
        if trouble.errors or trouble.warnings or trouble.silent or trouble.differs or trouble.slow:
            found.append(trouble)
    return tuple(sorted(found, key=_gravity))


def _gravity(one: Trouble) -> tuple[int, int, int, int, int, str]:
    bad = len(one.errors) + 2 * bool(one.silent)
    return (-bad, -one.earlier, -len(one.slow), -len(one.warnings), -len(one.differs), one.host)
