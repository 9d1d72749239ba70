"""From messages to causes: which are likeliest, all messages and the surroundings taken together."""

import re
from collections.abc import Iterable

from gpudoctor.model.live import Symptom
from gpudoctor.signatures.catalogue import Cause, signature_of

#: Causes that no rule tells, in words.
OTHER_CAUSES: dict[str, str] = {
    "batch-too-large": "The batch or the model is larger than the memory of the GPU.",
    "other-process-holds-memory": "Another program holds most of the GPU's memory.",
    "memory-fragmented": "Free memory is there, but in pieces that are too small.",
    "label-out-of-range": "A label or an index of the data is outside the range that the model was made for.",
    "bug-in-gpu-code": "The program, or an extension it uses, has a fault in its GPU code.",
    "earlier-gpu-error": "An earlier error broke the program's connection to the GPU; the first message counts.",
    "overclocked-or-unstable": "The GPU is overclocked, too hot, short of power, or faulty.",
    "forked-after-cuda": "The program used CUDA and then made a copy of itself (fork); use the start method spawn.",
    "script-hides-gpus": "The program itself hides the GPUs: it sets CUDA_VISIBLE_DEVICES before it starts CUDA.",
    "script-names-gpu": "The program asks for a GPU by a number that this machine does not have.",
    "model-on-other-machine": "The model was saved on a machine with a GPU (or with more GPUs) than this one.",
    "peer-process-failed": "Another process of the group failed first; its own message says why.",
    "network-between-nodes": "The machines of the group do not reach one another on the chosen network interface.",
    "firewall-or-interface": "A firewall or the wrong network interface keeps the processes apart.",
    "import-missing": "A package that the program needs is not installed in this Python.",
    "package-half-installed": "A package is only partly installed.",
    "wrong-environment": "The program runs in another Python environment than the packages were installed into.",
    "dependency-conflict": "Two packages ask for versions of a third that exclude each other.",
    "mistyped-name": "The name or version of the package is mistyped or was never published.",
    "no-network": "The package index could not be reached.",
    "conda-repodata": "The solver's channels offer no build that fits the rest of the environment.",
    "conda-without-driver": "The environment is made where conda sees no NVIDIA driver (a login node, an image build); "
    "CONDA_OVERRIDE_CUDA names the CUDA version that the driver of the machine it is for offers.",
    "no-free-port": "The port is in use by another program.",
    "toolkit-not-needed": "The message is about a toolkit that the program may not need.",
    "windows-no-nccl": "There is no NCCL on Windows.",
    "numpy-older-than-built": "A package was compiled for a newer NumPy than the installed one.",
    "harmless": "The message is harmless: nothing has to be done.",
    "nvlink-fault": "A link between two GPUs had an error.",
    "watchdog-display": "The GPU also drives a display, and the system stops programs that keep it busy for seconds.",
    "disk-full": "A disk, or the temporary folder, is full.",
    "tensorrt-not-needed": "TensorRT is not installed; only programs that ask for it need it.",
    "not-installed": "The program or package is not installed.",
    "host-memory-full": "The machine ran out of main memory, and the system ended the program.",
    "feature-needs-newer-gpu": "The program uses something that this GPU does not have.",
    "keras-version": "The program was written for another major version of Keras.",
    "api-changed": "The program was written for another version of the library.",
    "built-without-gpu": "The package was installed without its GPU part: its processor package, or one built where "
    "no CUDA compiler or GPU was found.",
    "half-on-cpu": "The program calculates in half precision on the processor; that needs a GPU, or single precision.",
    "half-not-in-operation": "The package that does this step has no half-precision form of it for the GPU.",
    "mixed-precision-in-code": "The program mixes half and single precision in one step.",
    "mixed-devices-in-code": "The program mixes data on the GPU with data on the processor in one step.",
    "mps-operation-missing": "PyTorch has no form of this operation for the GPU of a Mac; "
    "PYTORCH_ENABLE_MPS_FALLBACK=1 lets the processor do it.",
    "amd-gpu-not-in-build": "PyTorch for ROCm has no code for this model of AMD GPU; for a model of the same family "
    "HSA_OVERRIDE_GFX_VERSION names the one that it has.",
    "amd-device-files": "AMD's kernel module is not loaded, or your user may not open /dev/kfd and /dev/dri (groups "
    "render and video; a container must be given them).",
    "open-files-limit": "The limit of open files is too low for the number of processes that load data.",
    "no-main-guard": "The program starts processes without the guard: if __name__ == '__main__'.",
    "kubernetes-no-device-plugin": "NVIDIA's device plugin does not run on the nodes, so they offer no GPU.",
    "kubernetes-gpus-taken": "All GPUs of the nodes that may run the pod are given to other pods.",
    "compiler-too-old": "The C++ compiler is older than what PyTorch or CUDA needs.",
    "openmp-twice": "Two packages brought the same OpenMP library along.",
    "import-order": "A library must be loaded before others: import its package first, or name it in LD_PRELOAD.",
    "no-cpp-compiler": "No C++ compiler was found, and a package is built from source.",
    "model-parts-unused": "Parts of the model get no gradient in a step, which training on several GPUs must be told.",
    "container-tools-settings": "NVIDIA's container tools are set up for another system: the ldconfig line in "
    "/etc/nvidia-container-runtime/config.toml must name a program that exists (@/sbin/ldconfig, on Ubuntu and Debian "
    "@/sbin/ldconfig.real).",
    "gpu-asked-for-absent": "The container was given the number or UUID of a GPU that this machine does not have.",
    "cluster-settings": "The cluster's settings name other GPUs than the machine has; its administrator mends that.",
    "notebook-limits": "The notebook service's limit for GPUs is used up, or none is free.",
    "gpu-in-use": "Programs still use the GPU: the desktop, a service, or a job; end them first.",
    "gpu-firmware-missing": "The driver's firmware files (/lib/firmware/nvidia) are missing or of another release: "
    "install the driver's packages anew, all of one release.",
    "gpu-settings-damaged": "The GPU's own store of settings (infoROM) is damaged; its maker knows if that matters.",
    "mig-mode-off": "MIG is off, or waits for a reset of the GPU: sudo nvidia-smi -mig 1, then restart.",
    "open-module-not-enabled": "Drivers 515 to 545 with open modules need the module option "
    "NVreg_OpenRmEnableUnsupportedGpus=1 on such GPUs, or the proprietary modules.",
}

#: A cause that needs surroundings which are not known to be there, or are, counts by this factor.
ELSEWHERE, THERE = 0.4, 3.0
_MOST = 0.97


def causes_of(symptoms: Iterable[Symptom], surroundings: Iterable[str] = ()) -> tuple[Cause, ...]:
    """The causes of all messages together, likeliest first. Each message adds its doubt; none takes any away."""
    around = frozenset(surroundings)
    unlikely: dict[str, float] = {}
    for name in dict.fromkeys(symptom.signature for symptom in symptoms):
        row = signature_of(name)
        for cause in row.causes if row else ():
            unlikely[cause.key] = unlikely.get(cause.key, 1.0) * (1.0 - _weight(cause, around))
    ranked = sorted(unlikely.items(), key=lambda item: item[1])
    return tuple(Cause(key=key, prior=round(1.0 - doubt, 4)) for key, doubt in ranked)


#: Words of a text that tell its surroundings.
_SURROUNDINGS = {
    "wsl": r"\bwsl ?[12]?\b|windows subsystem for linux|microsoft-standard|/usr/lib/wsl|/dev/dxg",
    "container": r"\b(?:docker|podman|kubernetes|kubectl|apptainer|singularity|nvidia-container-cli)\b|/\.dockerenv",
    # Red Hat's Pythons put torch here, and what has no compiled part of its own beside it, in lib.
    "lib64": r"/lib64/python3[\d.]*/site-packages/torch/",
    # What is compiled with torch when it is installed.
    "building": r"\b(?:pip3?|uv|pdm|poetry|pixi) (?:pip )?(?:install|add|sync)\b[^\n]{0,120}\b(?:flash[-_]?attn|apex"
    r"|xformers|deepspeed|mamba[-_]ssm|causal[-_]conv1d|transformer[-_]engine|torch[-_](?:scatter|sparse|cluster)|pytorch3d"
    r"|detectron2|mmcv|sageattention|gptqmodel|auto[-_]gptq)\b",
    "slurm": r"\b(?:slurm\w*|srun|sbatch|salloc)\b",
    "windows": r"\bwindows (?:1[01]|server)|\bwin(?:_amd64|-64| ?10| ?11)\b"
    r"|\b[a-z]:\\\\?(?:users|program|windows)|winerror|\w\.dll\b",
    "macos": r"\bmac ?os\b|\bos ?x\b|\bdarwin\b|macosx_|\bmac ?book|\bi?mac(?: ?(?:mini|studio|pro))?\b(?! addr)"
    r"|\bapple (?:m\d|silicon)|\bm[1-5] (?:pro|max|ultra|chip|mac)",
    "jetson": r"\bjetson\b|\btegra\b|\bl4t\b|\bjetpack|\borin (?:nano|nx|agx)|\bagx (?:orin|xavier)"
    r"|\bxavier (?:nx|agx)|\bnx ?\(?xavier",
    "several-machines": r"\bmulti-?nodes?\b"
    r"|\b(?:two|three|four|several|multiple|[2-9]) (?:machines|nodes|servers|hosts)\b"
    r"|--(?:nnodes|node_rank|num_machines)[ =][1-9]|\bmaster node\b",
    "vgpu": r"\bvgpus?\b|\bgrid (?:k\d|[avtmp]\d+)|\b(?:a|l|t|v|h)\d{1,3}[a-z]?-\d{1,2}[qcab]\b",
    "by-conda": r"\b(?:conda|mamba) (?:install|create)\b[^\n]{0,160}(?:torch|cudatoolkit)|\bpy\d\.?\d+_cpu"
    r"|\bcpuonly\b",
    "by-lock": r"\buv (?:sync|lock|add|run)\b|\bpoetry (?:install|add|lock)\b|\b(?:uv|poetry)\.lock\b"
    r"|\bpixi (?:install|add)",
    "amd": r"\bradeon\b|\brx ?[5-9]\d{3}\b|\bamd (?:gpu|graphics|card|\d{4} ?xt)|\brocm(?! used to build)|\bgfx\d{3,4}",
    "rootless": r"\b(?:podman|rootless)\b",
    "selinux": r"\bse ?linux\b|container_use_devices|\bgetenforce\b",
    "notebook": r"\bjupyter\b|\bipykernel\b|<ipython-input|\.ipynb\b|\bnotebook\b|^\s*in ?\[\d*\]:",
    # Python imports it, and IPython's prompt does not.
    "imports-elsewhere": r"^[ \t]*>>> import (\w+)\n[ \t]*>>>[\s\S]{0,1500}\bin ?\[\d+\]: import \1\b"
    r"[\s\S]{0,600}\bno module named '?\1\b",
    # They looked at what pip installed, or where.
    "pip-said": r"requirement already satisfied|\b(?:which|where) (?:-a )?pip\d?\b|\bpip3? \d[\d.]* from "
    r"|\bpip3? (?:list|show|freeze|--version|-v)\b|already installed|installed successfully|successfully installed",
    "intel": r"\bintel(?:\(r\)|®)? (?:arc|iris|uhd|hd graphics|xe)\b|\biris(?:\(r\)|®)? xe\b|\barc[ -]?[ab]\d{3}\b",
}
_APPTAINER = re.compile(r"\b(?:apptainer|singularity)\b", re.I)
#: Other makers' GPUs count as surroundings only where no product of NVIDIA is named.
_OTHERS, _NVIDIA = (
    ("amd", "intel"),
    re.compile(r"\b(?:geforce|[rg]tx ?\d{3,4}|tesla|quadro|nvidia-smi|a100|h100|v100)\b", re.I),
)


#: A line of a form that denies, or leaves open, what its label names: "WSL: no", "Container: n/a", "slurm: None".
_DENIED = re.compile(
    r"^[^\n:=]{1,60}[:=][ :\"'*]*(?:none|null|nil|n/?a|no|nope|false|0|unknown|not (?:used|applicable|given|known))"
    r"[ \"'*,.]*$",
    re.IGNORECASE | re.MULTILINE,
)


def surroundings_in(text: str) -> frozenset[str]:
    """Where the program ran, as far as the text says so."""
    text = _DENIED.sub("", text)
    found = {name for name, words in _SURROUNDINGS.items() if re.search(words, text, re.IGNORECASE | re.MULTILINE)}
    if "wsl" in found and _APPTAINER.search(text):
        found.add("wsl-apptainer")
    if found.intersection(_OTHERS) and _NVIDIA.search(text):
        found.difference_update(_OTHERS)
    return frozenset(found)


def _weight(cause: Cause, around: frozenset[str]) -> float:
    if cause.where is None:
        return min(cause.prior, _MOST)
    return min(cause.prior * (THERE if cause.where in around else ELSEWHERE), _MOST)


def words_of_cause(key: str, rule_summaries: dict[str, str]) -> str:
    """A cause in one sentence: the summary of the rule of that name, or our own words."""
    return OTHER_CAUSES.get(key) or rule_summaries.get(key) or key
