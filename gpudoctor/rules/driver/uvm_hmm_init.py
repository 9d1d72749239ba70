"""DRV022: CUDA initialisation fails (error 3) although the driver works; often its HMM feature is the cause."""

from gpudoctor.facts.fix import Write
from gpudoctor.rules._driver_state import denied_nodes, failed_with, is_loaded
from gpudoctor.rules._situation import place, wsl_of
from gpudoctor.rules.sections import Container, Driver, Gap, Gpus
from gpudoctor.rules.terms import Iterator, Problem, answer_seen, by_hand, problem, rule, seen

#: CUDA_ERROR_NOT_INITIALIZED.
NOT_INITIALIZED = 3
PARAMETER = "uvm_disable_hmm"


@rule("DRV022", name="uvm-hmm-init", severity="error", when="driver.cuda_init.code")
def uvm_hmm_init(gpus: Gpus, driver: Driver, container: Container | Gap | None) -> Iterator[Problem]:
    """CUDA initialisation fails (error 3) although the driver works; often its HMM feature is the cause.

    What it means:
    nvidia-smi is fine, the device files are there, and still CUDA answers "not initialized" (3). Reports with the open
    kernel modules trace this to HMM, a feature of nvidia_uvm that shares memory with the kernel.

    Why it breaks:
    Some combinations of kernel, virtual machine and driver cannot set HMM up.

    How to fix it:
    Switch HMM off with a module option and restart. Only programs that use plain malloc memory on the GPU lose by it.

    When to ignore it:
    Never, if you want to use the GPU.

    Sources:
    Public reports, https://github.com/NVIDIA/open-gpu-kernel-modules/issues (uvm_disable_hmm)
    """
    if not gpus.nvidia or wsl_of(container) or not failed_with(driver.cuda_init, NOT_INITIALIZED):
        return
    healthy = (driver.nvml is None or driver.nvml.ok) and not denied_nodes(driver)
    no_node = driver.device_nodes is not None and driver.node("/dev/nvidia-uvm") is None
    uvm = not no_node and is_loaded(driver, "nvidia_uvm") is not False
    already_off = driver.module_parameters.get(PARAMETER) in ("Y", "1")
    # HMM is a feature of the open modules only.
    if not healthy or not uvm or already_off or driver.module_flavour == "proprietary":
        return
    option = Write(path="/etc/modprobe.d/nvidia-uvm-hmm.conf", text=f"options nvidia_uvm {PARAMETER}=1\n")
    yield problem(
        "The driver works, but CUDA does not start (error 3), often because of nvidia_uvm's HMM feature.",
        answer_seen("The CUDA driver (cuInit)", driver.cuda_init),
        *((answer_seen("NVML", driver.nvml),) if driver.nvml else ()),
        *((seen("kernel module", driver.module_flavour),) if driver.module_flavour else ()),
        seen(PARAMETER, driver.module_parameters.get(PARAMETER, "not set")),
        confidence="possible",
        fix=by_hand(
            f"Switch HMM off{place(container)}",
            option,
            needs_root=True,
            needs_reboot=True,
            undo=f"Remove {option.path} and restart.",
        ),
    )
