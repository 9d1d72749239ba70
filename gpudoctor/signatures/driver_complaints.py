"""What people say of the driver, its device files and the state of the GPU, where no program's message says it."""

from gpudoctor.signatures.catalogue import signature

_SECURE_BOOT = "https://wiki.ubuntu.com/UEFI/SecureBoot/DKMS"
_NODES = "https://docs.nvidia.com/cuda/cuda-installation-guide-linux/index.html#device-node-verification"
_SMI = "https://docs.nvidia.com/deploy/nvidia-smi/index.html"
_VGPU = "https://docs.nvidia.com/vgpu/latest/grid-vgpu-user-guide/index.html"
_GPU = r"(?:gpu|cuda|nvidia|torch|tensorflow|nvml|card)"
_AS_ROOT = r"(?:as|with|under|for|by|unless|using|via) (?:the )?(?:root|sudo|super ?user)\b"
_LINK = (
    "nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max "
    "--format=csv, while the GPU works"
)

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
        "held-in-low-state",
        r"\b(?:stuck|locked|stays?|remains?)\b[^\n]{0,16}\b(?:performance (?:level|state|mode) \d|p-?state \d"
        r"|in p(?:5|8)\b)"
        r"|\bpower (?:consumption|draw|usage)\b[^\n]{0,16}\b(?:extremely |heavily )?throttled\b",
        needles=("stuck", "locked", "stay", "remain", "throttled"),
        meaning="The GPU keeps to its low clocks while it works.",
        causes={"gpu-power-capped": 0.45, "gpu-throttle-reasons": 0.35, "gpu-power-limit-lowered": 0.25},
        ask="nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE,CLOCK, while the GPU works",
        source=_SMI,
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
        "mig-shows-one",
        r"\b(?:only|just)\b[^\n]{0,30}\b(?:one|1|single|first|id 0|id `?0`?)\b[^\n]{0,40}\bmigs?\b"
        r"|\bmigs?\b[^\n]{0,80}\b(?:only|just)\b[^\n]{0,20}\b(?:one|1|single|first|id `?0`?)\b"
        r"|\b(?:several|multiple|more than (?:one|1)|two|all)\b[^\n]{0,12}\bmigs?\b",
        needles=("mig",),
        meaning="A program sees one MIG instance at a time, however many there are.",
        causes={"mig-single-instance": 0.75},
        ask="nvidia-smi -L; echo $CUDA_VISIBLE_DEVICES",
        source="https://docs.nvidia.com/datacenter/tesla/mig-user-guide/index.html#cuda-visible-devices",
        fallback=True,
    ),
    signature(
        "uuid-taken-for-number",
        r"(?:invalid literal for int\(\)|could not convert string to (?:int|float)|strconv\.\w+: parsing|\bstoi\b)"
        r"[^\n]{0,40}['\"\\]{0,2}(?:gpu|mig)-(?:gpu-)?[0-9a-f]{4}",
        needles=("gpu-", "mig-"),
        meaning="The program takes the UUID in CUDA_VISIBLE_DEVICES for a number.",
        causes={"cvd-uuid-app-parse": 0.95},
        ask="echo $CUDA_VISIBLE_DEVICES; nvidia-smi -L",
        source="https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#env-vars",
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
        "vgpu-licence-state",
        r"\blicense status\s*:?\s*unlicensed|\bvgpus?\b[^\n]{0,60}\b(?:un|not )licen[cs]ed"
        r"|\bunlicen[cs]ed\b[^\n]{0,40}\bvgpus?\b"
        r"|\bvgpus?\b[^\n]{0,40}\blicen[cs]\w* (?:problem|issue|expired|missing)",
        needles=("licens", "licenc"),
        meaning="This part of a GPU (vGPU) has no licence, and works slowly or not at all without one.",
        causes={"vgpu-unlicensed": 0.9},
        ask="nvidia-smi -q | grep -i -A2 license; journalctl -u nvidia-gridd | tail",
        source=_VGPU,
    ),
    signature(
        "vgpu-lacks-unified-memory",
        r"\b(?:vgpus?|grid)\b[^\n]{0,120}\b(?:unified|managed) memory"
        r"|\b(?:unified|managed) memory\b[^\n]{0,120}\bvgpus?\b"
        r"|\bcudamallocasync\b[^\n]{0,80}\bvgpus?\b|\bvgpus?\b[^\n]{0,80}\bmemory pools?\b",
        needles=("vgpu", "grid"),
        meaning="This part of a GPU (vGPU) may not use unified memory or memory pools.",
        causes={"vgpu-feature-limit": 0.85},
        ask="nvidia-smi -q | grep -i -A3 virtualization",
        source=_VGPU,
        fallback=True,
    ),
    signature(
        "fabric-not-completed",
        r"^\s*state\s*:\s*(?:in progress|not started)\s*$|\bfabric\b[^\n]{0,30}\b(?:in progress|not started)\b"
        r"|\bfabric\b[^\n]{0,30}\b(?:never|not)\b[^\n]{0,24}\bcompleted?\b",
        needles=("in progress", "not started", "complete"),
        meaning="The GPU has not joined the fabric of its NVSwitches.",
        causes={"fabric-state-incomplete": 0.8, "fabric-manager-down": 0.3},
        ask="nvidia-smi -q | grep -i -A3 fabric; systemctl status nvidia-fabricmanager",
        source="https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html",
    ),
    signature(
        "clocks-held-down",
        r"\b(?:sw power cap|hw slowdown|hw power brake slowdown)\s*:\s*active\b",
        needles=("power cap", "slowdown"),
        meaning="The GPU holds its clocks down; near its power limit that is normal.",
        causes={"gpu-throttle-reasons": 0.7, "gpu-power-limit-lowered": 0.3, "gpu-power-capped": 0.25},
        ask="nvidia-smi -q -d PERFORMANCE,POWER,TEMPERATURE,CLOCK, while the GPU works",
        source=_SMI,
        fallback=True,
    ),
    signature(
        "row-remapping",
        r"\bremapping failure occurred\s*:\s*yes|\brow[ -]?remap\w*\b[^\n]{0,30}\b(?:fail\w*|pending)\b"
        r"|\bremap(?:ped|ping) rows?\b[^\n]{0,24}\bpending\b",
        needles=("remap",),
        meaning="The GPU takes failing rows of its memory out of use.",
        causes={"row-remap-failure": 0.85, "ecc-uncorrectable": 0.2},
        ask="nvidia-smi -q -d ROW_REMAPPER,ECC",
        source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/index.html",
    ),
    signature(
        "row-remap-waits",
        r"^[ \t]*pending[ \t]*: yes\b",
        needles=("pending",),
        meaning="The GPU takes a failing row of its memory out of use at its next reset.",
        causes={"row-remap-failure": 0.6, "ecc-uncorrectable": 0.3},
        ask="nvidia-smi -q -d ROW_REMAPPER,ECC",
        source="https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/index.html",
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
    signature(
        "exclusive-mode-told",
        r"\bexclusive[_ -](?:process|thread)\b|\bprocess[- ]exclusive\b|\bcompute[- ](?:exclusive|prohibited)\b"
        r"|\bcompute mode\b[^\n]{0,40}\b(?:exclusive|prohibited)\b|\bgpus?\b[^\n]{0,24}\bexclusive mode\b",
        needles=("exclusive", "prohibited"),
        meaning="The GPU's compute mode lets one process in.",
        causes={"compute-mode-exclusive": 0.75},
        ask="nvidia-smi --query-gpu=index,compute_mode --format=csv; nvidia-smi",
        source=_SMI,
        fallback=True,
    ),
    signature(
        "mig-without-instances",
        r"\bmig\b[^\n]{0,40}\benabled\b[^\n]{0,60}\b(?:no|without|none|zero|0)\b[^\n]{0,16}(?:devices?|instances?)"
        r"|\bno mig devices?\b|\bmig devices? (?:are |is |were )?not (?:found|listed|created)",
        needles=("mig",),
        meaning="MIG is on and no instance was made, so programs see no GPU.",
        causes={"mig-single-instance": 0.8, "mig-mode-off": 0.15},
        ask="nvidia-smi -L; sudo nvidia-smi mig -lgi",
        source="https://docs.nvidia.com/datacenter/tesla/mig-user-guide/index.html",
        fallback=True,
    ),
    signature(
        "link-told-narrow",
        r"\bx(?:1|2|4|8)\b[^\n]{0,24}\b(?:lanes?|instead of|negotiated)\b[^\n]{0,24}\bx16"
        r"|\bpcie\b[^\n]{0,24}\bx(?:1|2|4)\b(?![^\n]{0,20}\b(?:nvme|ssd|m\.2))|\b(?:slot|link) is narrower\b",
        needles=("lane", "instead of", "negotiated", "narrower", "pcie"),
        meaning="The GPU's link to the machine is narrower than the GPU can.",
        causes={"pcie-width-low": 0.55, "pcie-link-downgraded": 0.5},
        ask=_LINK,
        source=_SMI,
        fallback=True,
    ),
    signature(
        "link-told-slow",
        r"\bpcie\b[^\n]{0,24}\b(?:degrad\w*|downgrad\w*)\b"
        r"|\bpcie\b[^\n]{0,20}\b(?:gen ?[12]|[12]\.[01]|2\.5 ?gt)[^\n]{0,40}\b(?:under load|instead of|stuck|only)\b",
        needles=("pcie",),
        meaning="The GPU's link to the machine is slower than the GPU and its slot can.",
        causes={"pcie-link-downgraded": 0.6, "pcie-width-low": 0.3},
        ask=_LINK,
        source=_SMI,
        fallback=True,
    ),
    signature(
        "uuid-told-unread",
        r"\bcuda_visible_devices\b[^\n]{0,60}\b(?:gpu |mig )?uuids?\b"
        r"|\buuids?\b[^\n]{0,40}\binstead of\b[^\n]{0,20}\b(?:index|indices|number|integer|int)\b",
        needles=("uuid",),
        meaning="The program may take the UUID in CUDA_VISIBLE_DEVICES for a number.",
        causes={"cvd-uuid-app-parse": 0.7},
        ask="echo $CUDA_VISIBLE_DEVICES; nvidia-smi -L",
        source="https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#env-vars",
        fallback=True,
    ),
    signature(
        "mask-told",
        r"\bcuda_visible_devices\b['\"\]]* ?(?:=|is|was|being|set to|to) ?(?:an? )?"
        r"(?:empty\b|blank\b|\"\"|''|['\"]?-1\b|(?:invalid|wrong|nonexistent)\b)"
        r"|\b(?:remov\w*|delet\w*|comment\w*(?: out)?|unset\w*|dropp?\w*)\b[^\n]{0,40}\bcuda_visible_devices\b",
        needles=("cuda_visible_devices",),
        meaning="CUDA_VISIBLE_DEVICES hides the GPUs from the program.",
        causes={"cvd-invalid": 0.75, "script-hides-gpus": 0.4},
        ask='echo "$CUDA_VISIBLE_DEVICES"; nvidia-smi -L; grep -rn CUDA_VISIBLE_DEVICES the program\'s files',
        source="https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#env-vars",
        fallback=True,
    ),
    signature(
        "capped-at-watts",
        r"\b(?:cannot|can.t|never|does ?n.t|will not)\b[^\n]{0,12}\b(?:go|gets?|exceeds?|draws?|rise)\b"
        r"(?: (?:beyond|above|over|past|more than))?[^\n]{0,6}\b\d{2,3} ?w(?:atts?)?\b"
        r"|\b(?:capped|limited|stuck|throttl(?:ed|ing)|restricted|held)\b[^\n]{0,16}\b(?:at|to|about|around)\b"
        r"[^\n]{0,8}\b\d{2,3} ?w(?:atts?)?\b"
        r"|\b(?:pinned|flat|stuck)\b[^\n]{0,16}\b\d{2,3} ?w(?:atts?)?\b|\b\d{2,3} ?w(?:att)? (?:ceiling|wall)\b",
        needles=(
            "pinned",
            "flat",
            "ceiling",
            "wall",
            "capped",
            "limited",
            "stuck",
            "throttl",
            "restricted",
            "held",
            "can",
            "never",
            "does",
            "will not",
        ),
        meaning="The GPU may draw less power than others of its kind.",
        causes={"gpu-power-capped": 0.6, "gpu-power-limit-lowered": 0.35, "gpu-thermal-throttle": 0.1},
        ask="nvidia-smi -q -d POWER,PERFORMANCE",
        source=_SMI,
        fallback=True,
    ),
)
