"""The steps in order of worth: what is seen, what is kept, what is judged at once, then what takes minutes."""

from campaign import faults, look, numbers, processes, programs, recordings
from campaign.steps import Step

STEPS: tuple[Step, ...] = (
    Step("machine", "look", 120, 5, look.machine),
    Step("snapshot", "look", 30, 2, look.snapshot),
    Step("check-static", "look", 60, 3, look.check_static),
    Step("side-by-side", "look", 30, 2, look.side_by_side),
    Step("recording", "recordings", 60, 5, recordings.recording),
    Step("check", "look", 180, 20, look.check),
    *(Step(name, "faults", 20, 2, faults.fault(name)) for name in faults.FAULTS),
    Step("hidden-library", "faults", 60, 5, faults.hidden_library),
    Step("no-driver-library", "faults", 20, 2,
         faults.viewed("no-driver-library", faults.without_driver_library, faults.no_library)),
    Step("no-uvm", "faults", 20, 2, faults.viewed("no-uvm", faults.without_uvm, faults.every("uvm-missing"))),
    Step("closed-nodes", "faults", 30, 3,
         faults.viewed("closed-nodes", faults.closed_nodes, faults.every("dev-permission"))),
    *(Step(name, "faults", 60, 5, programs.program(name)) for name in programs.PROGRAMS),
    Step("held-memory", "faults", 90, 15, programs.held_memory),
    Step("killed-memory", "faults", 90, 15, processes.killed_memory),
    Step("smoke", "look", 240, 30, look.smoke),
    Step("bench-1", "look", 150, 30, numbers.bench(1)),
    Step("devices", "look", 120, 10, look.devices),
    Step("many-contexts", "faults", 60, 5, processes.many_contexts),
    Step("many-checks", "faults", 90, 10, faults.many_at_once),
    Step("killed-training", "faults", 90, 15, processes.killed_training),
    Step("bench-2", "numbers", 150, 30, numbers.bench(2)),
    Step("bench-3", "numbers", 150, 30, numbers.bench(3)),
    Step("numbers", "numbers", 20, 1, numbers.numbers),
    Step("latency", "numbers", 60, 5, numbers.latency),
    Step("xids", "numbers", 20, 2, numbers.xids),
    Step("messages", "recordings", 20, 1, recordings.messages),
    Step("reference", "recordings", 20, 1, recordings.reference),
)  # fmt: skip
