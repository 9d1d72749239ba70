"""What people say of the driver, its modules and device files, where no program's message says it."""

from gpudoctor.signatures.catalogue import signature

_SECURE_BOOT = "https://wiki.ubuntu.com/UEFI/SecureBoot/DKMS"
_NODES = "https://docs.nvidia.com/cuda/cuda-installation-guide-linux/index.html#device-node-verification"
_SMI = "https://docs.nvidia.com/deploy/nvidia-smi/index.html"
_VGPU = "https://docs.nvidia.com/vgpu/latest/grid-vgpu-user-guide/index.html"
_GPU = r"(?:gpu|cuda|nvidia|torch|tensorflow|nvml|card)"
_AS_ROOT = r"(?:as|with|under|for|by|unless|using|via) (?:the )?(?:root|sudo|super ?user)\b"

SIGNATURES = (
    signature(
        "secure-boot-told",
        r"\bsecure[ -]?boot\b[^\n]{0,24}\b(?:on|enabled|active|enforc\w*)\b"
        r"|\b(?:disabl\w*|turn\w* off|switch\w* off)\b[^\n]{0,16}\bsecure[ -]?boot\b[^\n]{0,60}"
        r"\b(?:fix\w*|solv\w*|help\w*|work\w*|load\w*)"
        r"|\bmodule\.sig_enforce=1|\bmok(?:util)?\b[^\n]{0,30}\b(?:enrol\w*|import|management|manager|key)"
        r"|\bmodules?\b[^\n]{0,20}\b(?:signing |signature )?keys? (?:is|are|was|were|gets?) rejected",
        needles=("secure", "sig_enforce", "mok", "rejected"),
        meaning="Secure Boot lets the kernel load signed modules only.",
        causes={"drv-secureboot-rejected": 0.6},
        ask="mokutil --sb-state; lsmod | grep nvidia; sudo dmesg | grep -i -E 'nvidia|module'",
        source=_SECURE_BOOT,
        fallback=True,
    ),
    signature(
        "gpu-gone-after-sleep",
        r"\b(?:resum\w+|suspend\w*|hibernat\w+|standby)\b[^\n]{0,80}\bnvidia[-_]uvm\b"
        r"|\bnvidia[-_]uvm\b[^\n]{0,80}\b(?:resum\w+|suspend\w*|hibernat\w+|standby)\b"
        r"|\b(?:rmmod|modprobe -r|reload\w*)(?: the)? \W?nvidia[-_]uvm\b"
        rf"|\b{_GPU}\b[^\n]{{0,80}}\b(?:after|from|upon|following|since)\b[^\n]{{0,24}}"
        r"\b(?:suspend\w*|resum(?:e|ing)\b(?! (?:training|from (?:a )?checkpoint))|hibernat\w*|standby|sleep mode"
        r"|wak(?:e|ing)[ -]?up)"
        rf"|\bafter (?:a |the )?(?:suspend|resume|hibernat\w+|standby|sleep|wake-?up)\b[^\n]{{0,60}}\b{_GPU}\b",
        needles=("resum", "suspend", "hibernat", "standby", "sleep", "wak", "nvidia_uvm", "nvidia-uvm"),
        meaning="The GPU's memory module (nvidia_uvm) did not survive the machine's sleep.",
        causes={"uvm-broken-after-suspend": 0.75},
        ask="sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm; systemctl status nvidia-suspend nvidia-resume",
        source="https://download.nvidia.com/XFree86/Linux-x86_64/535.183.01/README/powermanagement.html",
        fallback=True,
    ),
    signature(
        "guest-and-host-driver",
        r"\bguest\b[^\n]{0,60}\bhost\b[^\n]{0,40}\bdrivers?\b|\bdrivers?\b[^\n]{0,24}\bguest\b[^\n]{0,60}\bhost\b"
        r"|\bguest driver\b[^\n]{0,60}\b(?:mismatch\w*|differ\w*|older|newer|must match|not match\w*)",
        needles=("guest",),
        meaning="The vGPU driver in the virtual machine and that of its host are of different branches.",
        causes={"vgpu-driver-mismatch": 0.7},
        ask="nvidia-smi -q | grep -i -A3 virtualization; on both: cat /proc/driver/nvidia/version",
        source=_VGPU,
        fallback=True,
    ),
    signature(
        "smi-told-hanging",
        r"\bnvidia-smi\b[^\n,.;]{0,40}\b(?:hangs?|hung|freez\w+|stuck|blocks?|unresponsive|never (?:returns|ends)"
        r"|(?:(?:does|did|is|will|do) ?n.?t|wo.?nt|not) (?:respond|return|answer)\w*)\b",
        needles=("nvidia-smi",),
        meaning="The driver does not answer: a process that nobody can end holds it, or a GPU has failed.",
        causes={"driver-not-answering": 0.7, "gpu-mem-orphan": 0.3, "xid-79": 0.3, "xid-119-gsp": 0.25},
        ask="sudo dmesg | grep -E 'NVRM|Xid' | tail; ps -eo pid,stat,wchan:32,args | awk '$2 ~ /D|Z/'",
        source=_SMI,
        fallback=True,
    ),
    signature(
        "hybrid-told-off",
        r"\bbbswitch\b[^\n]{0,40}\b(?:off|disabled)\b|\b0000:[0-9a-f]{2}:00\.0 off\b"
        r"|\b(?:prime-select|envycontrol|optimus-manager|supergfxctl|system76-power)\b[^\n]{0,40}"
        r"\b(?:intel|integrated|igpu|power-?sav\w+)\b"
        r"|\b(?:gpu|graphics) mode ?: ?(?:integrated|intel|igpu)|\b(?:in|to|on) (?:the )?(?:integrated|intel|igpu)"
        r"(?:-only| only)? (?:graphics )?mode\b",
        needles=(
            "bbswitch",
            "00.0 off",
            "prime-select",
            "envycontrol",
            "optimus-manager",
            "supergfxctl",
            "system76-power",
            " mode",
        ),
        meaning="The laptop runs on its processor's graphics, and the NVIDIA GPU is switched off.",
        causes={"laptop-gpu-off": 0.85},
        ask="prime-select query; cat /proc/acpi/bbswitch; cat /sys/bus/pci/devices/0000:01:00.0/power_state",
        source="https://download.nvidia.com/XFree86/Linux-x86_64/535.183.01/README/dynamicpowermanagement.html",
    ),
    signature(
        "uvm-told-missing",
        r"\bnvidia[-_]uvm\b(?:-tools)?[^\n]{0,40}\b(?:not (?:been |being |getting )?(?:loaded|created|there|present"
        r"|found|exist\w*|available)|missing|absent|no such file)\b"
        r"|\b(?:miss(?:es|ing)|without|forg[eo]t\w*|lacks?|(?:is|are|there.?s) no)\b[^\n]{0,40}\bnvidia[-_]uvm\b"
        r"|could not load uvm kernel module|stat /dev/nvidia-uvm"
        r"|(?:failed to|could not) insert (?:module )?['\"]?nvidia[-_]uvm"
        r"|^(?![^\n]*(?:rmmod|modprobe -r|resum|suspend))[^\n]*\bmodprobe nvidia[-_]uvm\b"
        r"|\bbefore\b[^\n]{0,30}\bnvidia[-_]uvm\b[^\n]{0,60}\b(?:initializ\w+|load\w*|ready)\b",
        needles=("nvidia-uvm", "nvidia_uvm", "uvm kernel module"),
        meaning="The part of the driver that CUDA's memory needs (nvidia_uvm) is not loaded, or its device file is not "
        "there.",
        causes={"uvm-missing": 0.8},
        ask="lsmod | grep nvidia_uvm; ls -l /dev/nvidia-uvm*; sudo nvidia-modprobe -c 0 -u",
        source=_NODES,
        fallback=True,
    ),
    signature(
        "works-as-root-only",
        rf"\b{_GPU}\b[^\n]{{0,50}}\b(?:only|works?|fine|ok|unless|succeeds?)\b[^\n]{{0,30}}\b{_AS_ROOT}"
        rf"|\b{_GPU}\b[^\n]{{0,50}}\b(?:unless|except)\b[^\n]{{0,12}}\b(?:root|sudo|super ?user)\b"
        rf"|\b(?:as root|with sudo)\b,? (?:everything |it |all |nvidia-smi )?(?:\w+ )?(?:works|is fine|succeeds)"
        rf"|\bnon-?root (?:users?|account)\b[^\n]{{0,20}}\b(?:can.?(?:no|n.)?t|fails?|no)\b",
        needles=("root", "sudo", "super user", "superuser"),
        meaning="Root can use the GPU and your own user cannot: its device files are closed to you.",
        causes={"dev-permission": 0.7},
        ask="ls -l /dev/nvidia*; id",
        source=_NODES,
        fallback=True,
    ),
    signature(
        "gpu-told-unsupported-by-driver",
        r"\bdrivers?\b[^\n]{0,40}\b(?:no longer|dropp\w*|end\w*|stopp?\w*|ceas\w*|do(?:es)? ?n.t|do(?:es)? not)\b"
        r"[^\n]{0,12}\bsupport\w*[^\n]{0,30}"
        r"\b(?:kepler|maxwell|pascal|volta|gtx? ?(?:[679]\d0|10[5-8]0)|10[5-8]0|titan x|tesla [kmpv]\d+|card|gpu)s?\b"
        r"|\b(?:kepler|maxwell|pascal|volta)\b[^\n]{0,50}\b(?:no longer|dropp\w*)\b[^\n]{0,12}(?:support\w*)?"
        r"[^\n]{0,20}\bdrivers?\b|explicitly ignored the gpu",
        needles=("driver", "ignored the gpu"),
        meaning="The installed driver is of a branch that no longer serves this GPU.",
        causes={"driver-dropped-gpu": 0.6, "open-module-unsupported-gpu": 0.25},
        ask="lspci -nn -d 10de:; cat /proc/driver/nvidia/version; sudo dmesg | grep NVRM",
        source="https://www.nvidia.com/en-us/drivers/unix/legacy-gpu/",
        fallback=True,
    ),
    signature(
        "assigned-gpu-in-use",
        r"\b(?:assigned|given|granted|scheduled|sent to)\b[^\n]{0,60}\bgpus?\b[^\n]{0,80}"
        r"\b(?:already (?:in use|used|occupied|taken|running)|used by|occupied|not (?:empty|free|idle)"
        r"|some(?:one|body) else|(?:an)?other (?:user|job)s?)\b"
        r"|\bgpus?\b[^\n]{0,12}\b(?:assigned|allocated|given|granted) (?:to|for) (?:me|my|us|our|the job)\b[^\n]{0,40}"
        r"\b(?:already|used by|occupied|busy|not (?:empty|free|idle))\b"
        r"|\bgpus?\b[^\n]{0,30}\b(?:not|n.t) (?:empty|free|idle)\b[^\n]{0,30}\bassigned"
        r"|\b(?:another|other|different) users?.{0,2} (?:jobs?|process\w*|programs?)\b[^\n]{0,40}"
        r"\b(?:my|same|assigned|allocated) gpus?\b",
        needles=("assigned", "allocated", "given", "granted", "scheduled", "sent to", "other", "different"),
        meaning="The scheduler gave out a GPU on which somebody else's program runs.",
        causes={
            "slurm-gpu-allocation": 0.5,
            "slurm-gpu-allocation @ slurm": 0.25,
            "other-process-holds-memory": 0.3,
            "gpu-mem-orphan": 0.2,
        },
        ask="nvidia-smi; echo $CUDA_VISIBLE_DEVICES; scontrol show job -d $SLURM_JOB_ID | grep -i gres",
        source="https://slurm.schedmd.com/gres.html",
        fallback=True,
    ),
    signature(
        "iommu-off-told",
        r"\b(?:intel_|amd_)?iommu=(?:off|pt|soft)\b|\bpci=noacs\b|\baccess control services\b"
        r"|\b(?:disabl\w*|turn\w* off|switch\w* off)\b[^\n]{0,24}\b(?:iommu|acs|vt-?d|amd-?vi)\b",
        needles=("iommu", "noacs", "access control services", "acs", "vt-d", "vtd", "amd-vi"),
        meaning="The IOMMU, or a setting of the PCIe bridges (ACS), stands between the GPUs.",
        causes={"pcie-acs-p2p": 0.5, "pcie-acs-p2p @ several-gpus": 0.25},
        ask="sudo lspci -vvv | grep ACSCtl; cat /proc/cmdline; nvidia-smi topo -m",
        source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
        fallback=True,
    ),
    signature(
        "nouveau-told-running",
        r"\bnouveau\b[^\n]{0,24}(?:\b(?:not|never)|n.?t) (?:be |been |being )?(?:disabled|blacklisted|unloaded|removed)"
        r"|\b(?:unload\w*|rmmod|modprobe -r|disabl\w+|blacklist\w+) (?:the )?nouveau\b[^\n]{0,60}"
        r"\b(?:works?|fix\w*|solv\w*|help\w*)"
        r"|\b(?:already )?bound to (?:nouveau|novacore|nova_core)|kernel driver in use: nova",
        needles=("nouveau", "nova"),
        meaning="The kernel's free driver holds the GPU, so NVIDIA's does not get it.",
        causes={"drv-nouveau-bound": 0.8},
        ask="lspci -nnk -d 10de:; lsmod | grep -E 'nvidia|nouveau|nova'",
        source="https://docs.nvidia.com/cuda/cuda-installation-guide-linux/index.html#disabling-nouveau",
    ),
    signature(
        "falls-back-to-nouveau",
        r"\bkernel module (?:is )?(?:missing|not found)\b[^\n]{0,20}\bnouveau"
        r"|\bfall(?:s|ing)? ?back to (?:the )?nouveau"
        r"|\bnvidia (?:kernel )?(?:drivers?|modules?)\b[^\n]{0,12}(?:is |are |was |were )?(?:not|n.t)"
        r" (?:being |getting |get )?load(?:ed|ing)?\b",
        needles=("nouveau", "load"),
        meaning="NVIDIA's module does not start in this kernel, so the free driver nouveau takes the GPU.",
        causes={
            "drv-dkms-not-built": 0.5,
            "drv-secureboot-rejected": 0.4,
            "drv-nouveau-bound": 0.3,
            "drv-not-loaded": 0.2,
        },
        ask="lsmod | grep -E 'nvidia|nouveau'; dkms status; mokutil --sb-state; sudo dmesg | grep -i nvidia | tail",
        source="https://rpmfusion.org/Howto/NVIDIA",
        fallback=True,
    ),
)
