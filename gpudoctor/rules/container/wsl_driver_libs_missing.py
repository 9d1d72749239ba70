"""BOX011: WSL has no NVIDIA driver libraries, so it cannot use an NVIDIA GPU."""

from gpudoctor.rules._driver_fixes import WINDOWS_DRIVER
from gpudoctor.rules._situation import known
from gpudoctor.rules.sections import Container, Frameworks, Gap, Gpus
from gpudoctor.rules.terms import Ask, Iterator, Problem, by_hand, problem, rule, seen

#: Builds for GPUs of other makers: who installs one has such a GPU.
_OTHERS = ("rocm", "xpu")


@rule("BOX011", name="wsl-driver-libs-missing", severity="error")
def wsl_driver_libs_missing(
    gpus: Gpus | Gap | None, container: Container, frameworks: Frameworks | Gap | None
) -> Iterator[Problem]:
    """WSL has no NVIDIA driver libraries, so it cannot use an NVIDIA GPU.

    What it means:
    WSL 2 uses the driver of Windows. When Windows has an NVIDIA driver, WSL shows its libraries in /usr/lib/wsl/lib.
    They are not there.

    Why it breaks:
    Windows has no NVIDIA GPU, or no NVIDIA driver, or one from before WSL was supported; or WSL is too old, or was not
    restarted after the driver was installed.

    How to fix it:
    Install the current NVIDIA driver in Windows, update WSL, and restart it. Install nothing of the driver in WSL.

    When to ignore it:
    When this PC has no NVIDIA GPU.

    Sources:
    CUDA on WSL user guide, https://docs.nvidia.com/cuda/wsl-user-guide/
    """
    wsl = container.wsl
    if wsl is None or wsl.version != 2 or wsl.driver_library is not False:
        return
    present = known(gpus)
    found = bool(present and present.nvidia)
    if present and any(gpu.is_listed for gpu in present.nvidia):
        return
    if not found and isinstance(frameworks, Frameworks) and any(one.variant in _OTHERS for one in frameworks.found):
        return
    restart = Ask(text="In Windows, run: wsl --update, then wsl --shutdown, and open WSL again.")
    dxg = {True: "present", False: "missing", None: "not known"}[wsl.dxg]
    yield problem(
        "WSL has no NVIDIA driver libraries, so it cannot use an NVIDIA GPU.",
        seen("/usr/lib/wsl/lib/libcuda.so.1", "missing"),
        seen("/dev/dxg", dxg),
        # Without these libraries WSL cannot tell whether Windows has an NVIDIA GPU at all.
        severity="error" if found else "warning",
        confidence="certain" if found else "possible",
        fix=by_hand(
            "If this PC has an NVIDIA GPU, install its driver in Windows and restart WSL", WINDOWS_DRIVER, restart
        ),
    )
