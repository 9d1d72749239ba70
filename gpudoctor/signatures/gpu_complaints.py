"""What people say of a GPU's state: its parts, its link, its clocks and memory, where no program's message says it."""

from gpudoctor.signatures.catalogue import signature

_SMI = "https://docs.nvidia.com/deploy/nvidia-smi/index.html"
_VGPU = "https://docs.nvidia.com/vgpu/latest/grid-vgpu-user-guide/index.html"
_LINK = (
    "nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max "
    "--format=csv, while the GPU works"
)

SIGNATURES = (
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
