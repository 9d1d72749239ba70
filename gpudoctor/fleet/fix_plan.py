"""One fix plan for the fleet: which nodes need which change; also as an Ansible playbook."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from gpudoctor.fleet.drift import nodes_of
from gpudoctor.fleet.gather import FixKey, Gathered
from gpudoctor.fleet.node_names import expanded
from gpudoctor.fleet.overview import Drift, FleetStep, Nodes, Slow
from gpudoctor.fleet.record import NodeFix

#: Families of codes from the hardware up: what is fixed below may fix what is above.
_ORDER = ("HST", "GPU", "DRV", "BOX", "TLK", "LIB", "PYT", "FRM", "ENV", "SMK", "PRF")
_INSPECT = NodeFix(
    title="Find out why these nodes did not answer, then ask them again",
    by_hand=("Check power, network and the state the scheduler shows, then repeat `gpudoctor fleet run`.",),
)


def plan_of(
    gathered: Gathered, silent: Mapping[str, object], drift: Iterable[Drift], slow: Iterable[Slow]
) -> tuple[FleetStep, ...]:
    """All steps in the order in which they are to be done."""
    steps = [FleetStep(title=_INSPECT.title, nodes=nodes_of(list(silent)), fix=_INSPECT)] if silent else []
    steps += _of_findings(gathered)
    steps += map(_same_as_the_rest, drift)
    hosts = list(dict.fromkeys(one.host for one in slow))
    if hosts:
        fix = NodeFix(
            title="Measure the slow GPUs again, before anything is replaced",
            by_hand=("gpudoctor fleet run --bench --nodes " + nodes_of(hosts).names,),
        )
        steps.append(FleetStep(title=fix.title, nodes=nodes_of(hosts), fix=fix))
    return tuple(steps)


def _of_findings(gathered: Gathered) -> list[FleetStep]:
    """Nodes that need the same fix are one step, whatever finding asks for it."""
    needing: dict[NodeFix, dict[str, None]] = defaultdict(dict)
    codes: dict[NodeFix, set[str]] = defaultdict(set)
    for host, kept in gathered.nodes.items():
        for number in kept.fixes:
            key: FixKey = gathered.fixes[number]
            needing[key.fix][host] = None
            codes[key.fix].add(key.code)
    steps = [
        FleetStep(title=fix.title, nodes=nodes_of(list(hosts)), codes=tuple(sorted(codes[fix])), fix=fix)
        for fix, hosts in needing.items()
    ]
    return sorted(steps, key=lambda one: (min(map(_layer, one.codes)), -one.nodes.count))


def _layer(code: str) -> int:
    return _ORDER.index(code[:3]) if code[:3] in _ORDER else len(_ORDER)


def _same_as_the_rest(drift: Drift) -> FleetStep:
    first = drift.differences[0]
    title = f"Change {first.field} from {first.value} to {first.usual}"
    also = "; ".join(f"{one.field} from {one.value} to {one.usual}" for one in drift.differences[1:])
    said = (f"This may change with it: {also}.",) if also else ()
    return FleetStep(title=title, nodes=drift.nodes, fix=NodeFix(title=title, by_hand=said))


def playbook_of(plan: Iterable[FleetStep]) -> list[dict[str, Any]]:
    """The steps as plays of an Ansible playbook; JSON is YAML, so that it can be written as either.

    A step for a person is a pause that says what to do; a reboot is a task of its own.
    """
    return [_play(step, step.nodes) for step in plan]


def _play(step: FleetStep, nodes: Nodes) -> dict[str, Any]:
    fix = step.fix
    says = fix.by_hand if fix.by_hand or fix.commands else (step.title,)
    tasks: list[dict[str, Any]] = [
        {"name": _plain(line), "ansible.builtin.debug": {"msg": _plain(line)}} for line in says
    ]
    tasks += [{"name": _plain(line), "ansible.builtin.shell": {"cmd": _plain(line)}} for line in fix.commands]
    if fix.needs_reboot:
        tasks.append({"name": "Restart", "ansible.builtin.reboot": {}})
    return {
        "name": _plain(step.title),
        "hosts": ",".join(expanded(nodes.names)),
        "gather_facts": False,
        "become": fix.needs_root,
        "tasks": tasks,
    }


def _plain(text: str) -> str:
    """Text of another machine, in which Ansible must not find an expression of its own to evaluate."""
    return text.replace("{{", "{ {").replace("{%", "{ %").replace("{#", "{ #")
