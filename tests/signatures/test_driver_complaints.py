"""What people say of the driver and of the GPU's state is recognised, and what sounds alike is not."""

import pytest

from gpudoctor.signatures import recognise

SAID = [
    ("Secure Boot is enabled on this machine", "secure-boot-told"),
    ("After disabling Secure Boot in the BIOS it works", "secure-boot-told"),
    ("GRUB_CMDLINE_LINUX has module.sig_enforce=1", "secure-boot-told"),
    ("the MOK management screen was never shown", "secure-boot-told"),
    ("the Nvidia module keys are rejected", "secure-boot-told"),
    ("ERROR: the module failed to load, because it was not signed by a key that is trusted by the kernel.",
     "module-key-rejected"),
    ("Loading of module with unavailable key is rejected", "module-key-rejected"),
    ("the nvidia_uvm module is not loaded after a reboot", "uvm-told-missing"),
    ("I forgot --device /dev/nvidia-uvm:/dev/nvidia-uvm", "uvm-told-missing"),
    ("lstat /dev/nvidia-uvm: no such file or directory", "uvm-told-missing"),
    ("Error: Could not load UVM kernel module. Is nvidia-modprobe installed?", "uvm-told-missing"),
    ("Torch is not able to use GPU unless superuser", "works-as-root-only"),
    ("nvidia-smi works fine as root only", "works-as-root-only"),
    ("As root, everything works fine", "works-as-root-only"),
    ("nvidia-docker | Error: nvml: Insufficient Permissions", "nvml-permission"),
    ("NVRM:  supported through the NVIDIA 470.xx Legacy drivers. Please", "legacy-driver-needed"),
    ("NVRM:  information.  The 595.58.03 NVIDIA driver will ignore", "legacy-driver-needed"),
    ("the closed drivers no longer support the 1070 card", "gpu-told-unsupported-by-driver"),
    ("driver 590 dropped support for Pascal", "gpu-told-unsupported-by-driver"),
    ("srun assigned me a GPU that is not empty", "assigned-gpu-in-use"),
    ("the GPU allocated to my job is already in use", "assigned-gpu-in-use"),
    ("torch.cuda.device_count() shows only one gpu in MIG A100", "mig-shows-one"),
    ("How do I use several MIG instances in one process?", "mig-shows-one"),
    ("ValueError: invalid literal for int() with base 10: 'GPU-52a3a85d-3c55-ca3a-a955-82c69ed360fc'",
     "uuid-taken-for-number"),
    ("ValueError: invalid literal for int() with base 10: 'MIG-377e0049-554c-540b-93c6-d0976f8426cb'",
     "uuid-taken-for-number"),
    ("booting with amd_iommu=off solved it", "iommu-off-told"),
    ("we turned off ACS in the BIOS", "iommu-off-told"),
    ("        License Status                    : Unlicensed (Restricted)", "vgpu-licence-state"),
    ("the vGPU is not licensed", "vgpu-licence-state"),
    ("segfaults on vGPUs that don't support Unified Memory", "vgpu-lacks-unified-memory"),
    ("        State                             : In Progress", "fabric-not-completed"),
    ("fabric manager never reported Completed; trying anyway", "fabric-not-completed"),
    ("        SW Power Cap                      : Active", "clocks-held-down"),
    ("            HW Power Brake Slowdown       : Active", "clocks-held-down"),
    ("        Remapping Failure Occurred        : Yes", "row-remapping"),
    ("one of the V100 is capped to 150W", "capped-at-watts"),
    ("device 0 memory hasn't been released", "memory-without-process"),
    ("进程结束后显存不释放", "memory-without-process"),
    ("a zombie process keeps the GPU memory", "memory-without-process"),
    ("NVRM: installed in this system is not supported by open", "open-module-refuses-gpu"),
    ("NVRM: nvidia.ko because it does not include the required GPU", "open-module-refuses-gpu"),
    ("NVRM: installed in this system is not supported by the", "release-refuses-gpu"),
    ("NVIDIA kernel module missing. Falling back to nouveau.", "falls-back-to-nouveau"),
    ("the NVIDIA drivers aren't getting loaded", "falls-back-to-nouveau"),
    ("all GPUs have their compute mode set to EXCLUSIVE_THREAD", "exclusive-mode-told"),
    ("the GPUs are in process exclusive mode", "exclusive-mode-told"),
    ("MIG is enabled, but there are no MIG instances", "mig-without-instances"),
    ("MIG devices not found after applying configuration", "mig-without-instances"),
    ("x4 lanes negotiated (GPU max x16)", "link-told-narrow"),
    ("it runs at PCIe 3.0 x4", "link-told-narrow"),
    ("fails when CUDA_VISIBLE_DEVICES is set to a UUID", "uuid-told-unread"),
    ("the card cannot go beyond 25W", "capped-at-watts"),
    ("NCCL: peer-to-peer (P2P) access is not supported between the GPU devices", "p2p-not-supported"),
    ("the GPU addressing order does not correspond to nvidia-smi", "gpu-numbers-differ"),
    ("nothing appears in nvidia-smi but the memory is being used", "memory-of-nobody"),
]  # fmt: skip

#: Sounds alike, and is something else.
OTHERS = [
    ("Secure Boot is disabled", "secure-boot-told"),
    ("SecureBoot disabled", "secure-boot-told"),
    ("nvidia_uvm 1523712 0", "uvm-told-missing"),
    ("nvidia-uvm: Loaded the UVM driver, major device number 511.", "uvm-told-missing"),
    ("I installed the GPU driver as root", "works-as-root-only"),
    ("Failed to display compute instances: Insufficient Permissions", "nvml-permission"),
    ("the driver does not see my GPU", "gpu-told-unsupported-by-driver"),
    ("PyTorch dropped support for Pascal", "gpu-told-unsupported-by-driver"),
    ("memory is allocated on the GPU that is used by torch", "assigned-gpu-in-use"),
    ("migrate only one model", "mig-shows-one"),
    ("ValueError: invalid literal for int() with base 10: '0,1'", "uuid-taken-for-number"),
    ("IOMMU is enabled", "iommu-off-told"),
    ("        License Status                    : Licensed (Expiry: 2026-1-1 0:0:0 GMT)", "vgpu-licence-state"),
    ("        State                             : Completed", "fabric-not-completed"),
    ("        SW Power Cap                      : Not Active", "clocks-held-down"),
    ("        Remapping Failure Occurred        : No", "row-remapping"),
    ("the loss is stuck at 2.30", "capped-at-watts"),
    ("OpenCL is not supported by open source drivers", "open-module-refuses-gpu"),
    ("this option is not supported by the installer", "release-refuses-gpu"),
    ("nouveau is blacklisted", "falls-back-to-nouveau"),
    ("these two flags are mutually exclusive", "exclusive-mode-told"),
    ("sbatch --exclusive train.sh", "exclusive-mode-told"),
    ("MIG mode is disabled on this GPU", "mig-without-instances"),
    ("a PCIe 4.0 x4 NVMe SSD holds the data", "link-told-narrow"),
    ("CUDA_VISIBLE_DEVICES=0", "uuid-told-unread"),
    ("The GPU does not go to sleep", "capped-at-watts"),
]


@pytest.mark.parametrize(("text", "name"), SAID)
def test_recognised(text, name):
    assert name in {one.signature for one in recognise(text)}


@pytest.mark.parametrize(("text", "name"), OTHERS)
def test_not_recognised(text, name):
    assert name not in {one.signature for one in recognise(text)}
