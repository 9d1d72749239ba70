"""BOX026: the container device specification (CDI) names files of a different driver version."""

from gpudoctor.facts.system import CdiList
from gpudoctor.rules._driver_state import CUDA_LIBRARY, differ
from gpudoctor.rules._situation import is_bare
from gpudoctor.rules.sections import Container, Driver, Gpus
from gpudoctor.rules.terms import Iterator, Problem, by_hand, problem, rule, run, seen


@rule("BOX026", name="cdi-list-old", severity="info", when="container.tools.cdi_lists")
def cdi_list_old(gpus: Gpus, driver: Driver, container: Container) -> Iterator[Problem]:
    """The container device specification (CDI) names files of a different driver version.

    What it means:
    Podman, Docker and others hand GPUs to a container by a list, /etc/cdi/nvidia.yaml or /var/run/cdi/nvidia.yaml. It
    names each of the driver's files with its release. A container that is started by this list fails with "no such file
    or directory", or gets libraries that do not fit the kernel module.

    Why it breaks:
    The driver was updated, and the list was not written anew. From release 1.18 on the NVIDIA Container Toolkit has a
    service for that (nvidia-cdi-refresh), which keeps the list in /var/run/cdi; one in /etc/cdi it leaves alone.

    How to fix it:
    Regenerate the CDI specification. If the service does that already, remove the old one of /etc/cdi.

    When to ignore it:
    When no container is started by the list: docker run --gpus and --runtime=nvidia can do without it.

    Sources:
    NVIDIA Container Toolkit, Support for Container Device Interface,
    https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/cdi-support.html; Go package cdi, Spec
    Priorities, https://pkg.go.dev/tags.cncf.io/container-device-interface/pkg/cdi; what it looks like:
    https://github.com/Igalia/webkit-container-sdk/issues/23
    """
    lists = (container.tools.cdi_lists if container.tools else None) or ()
    library = driver.library(CUDA_LIBRARY)
    if not gpus.nvidia or not is_bare(container) or driver.module_release is None or library is None:
        return
    # Where library and kernel module differ, the driver is to be mended first; which of them the list fits says little.
    if differ(driver.module_release, library.release) is not False:
        return
    ranking = [one for one in lists if _folder(one) == _folder(lists[-1])]
    if not ranking or not all(one.absent or differ(driver.module_release, one.release) for one in ranking):
        return
    old = ranking[-1]
    yield problem(
        "The container device specification (CDI) names files of a different driver version.",
        seen("driver that runs", driver.module_release),
        *((seen(f"driver in {old.path}", old.release),) if old.release is not None else ()),
        *((seen("named there, and not found", ", ".join(old.absent)),) if old.absent else ()),
        subject=old.path,
        confidence="certain" if old.absent else "likely",
        fix=by_hand(
            "Regenerate the CDI specification",
            run("nvidia-ctk", "cdi", "generate", f"--output={old.path}"),
            needs_root=True,
        ),
    )


def _folder(one: CdiList) -> str:
    return one.path.rpartition("/")[0]
