"""Hosts on which nothing is wrong: whatever is found on them beyond a note is a false finding."""

from tests.machines.healthy import (
    apple_arm,
    builders,
    clouds,
    containers,
    desktops,
    environments,
    habits,
    laptops,
    mixtures,
    old_and_odd,
    paths,
    platforms,
    rare,
    recorded_targets,
    servers,
    unusual,
    windows,
)
from tests.machines.healthy.recorded import Healthy

HEALTHY: dict[str, Healthy] = {
    **desktops.MACHINES,
    **habits.MACHINES,
    **mixtures.MACHINES,
    **old_and_odd.MACHINES,
    **platforms.MACHINES,
    **recorded_targets.MACHINES,
    **paths.MACHINES,
    **builders.MACHINES,
    **unusual.MACHINES,
    **rare.MACHINES,
    **laptops.MACHINES,
    **servers.MACHINES,
    **clouds.MACHINES,
    **containers.MACHINES,
    **windows.MACHINES,
    **apple_arm.MACHINES,
    **environments.MACHINES,
}
