"""Where a program ran, as far as a text says so: in WSL, in a container, under Slurm, installed by conda."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.knowledge.applications import frameworks_of_applications
from gpudoctor.knowledge.image_variants import image_with_gpu_code

#: Words of a text that tell its surroundings.
_SURROUNDINGS = {
    "wsl": r"\bwsl ?[12]?\b|windows subsystem for linux|microsoft-standard|/usr/lib/wsl|/dev/dxg",
    "wsl-1": r"\bwsl ?1\b",
    "wsl-2": r"\bwsl ?2\b|wsl2\b|/usr/lib/wsl/lib/lib|/dev/dxg",
    "container": r"\b(?:docker|podman|kubernetes|kubectl|k8s|apptainer|singularity|lx[cd]|incus"
    r"|nvidia-container-cli)\b|/\.dockerenv",
    # Red Hat's Pythons put torch here, and what has no compiled part of its own beside it, in lib.
    "lib64": r"/lib64/python3[\d.]*/site-packages/torch/",
    # What is compiled with torch when it is installed.
    "building": r"\b(?:pip3?|uv|pdm|poetry|pixi) (?:pip )?(?:install|add|sync)\b[^\n]{0,120}\b(?:flash[-_]?attn|apex"
    r"|xformers|deepspeed|mamba[-_]ssm|causal[-_]conv1d|transformer[-_]engine|torch[-_](?:scatter|sparse|cluster)|pytorch3d"
    r"|detectron2|mmcv|sageattention|gptqmodel|auto[-_]gptq)\b",
    # PyTorch's C++ library, without a Python: the archive that was unpacked decides.
    "libtorch": r"\blibtorch\b|\btorch::(?:cuda|jit|kcuda|device|nn)\b|find_package\(torch",
    "libtorch-cpu": r"/libtorch/(?:nightly/)?cpu/|\blibtorch[-\w.]*%2bcpu|\blibtorch[-\w.]*\+cpu",
    "kubernetes": r"\b(?:kubernetes|kubectl|kubelet|k8s|k3s|k0s|microk8s|rke2|openshift|aks|eks|gke)\b"
    r"|\bnvidia\.com/gpu\b",
    # One GPU is given to several pods, which share its memory.
    "gpu-shared-by-pods": r"\btime[- ]?slic\w+\b|\bgpu sharing\b|\bshared gpus?\b",
    "gpus-asked-of-kubernetes": r"\bnvidia\.com/(?:gpu|mig-[\w.]+)[\"']?\s*[:=]\s*[\"']?[1-9]",
    "musl": r"\balpine\b|\bmusl\b",
    "gpus-asked-of-slurm": r"--gres[= ]gpu\b|\b(?:srun|sbatch|salloc)\b[^\n]*--gpus[= ]\d"
    r"|--gpus-per-(?:node|task)[= ]\d"
    r"|#sbatch[^\n]*\bgpu:|#sbatch[^\n]*--gpus[= ]\d",
    "docker-snap": r"\bsnap (?:install|list|refresh|connect) docker\b|/snap/(?:bin/)?docker\b"
    r"|\bdocker\b[^\n]{0,40}\b(?:via|with|using|from|through|by|as an?) snap\b|\bdocker[- ]snap\b|\bsnap docker\b",
    "cvd": r"\bcuda_visible_devices\b",
    "vm": r"\bvirtual ?box\b|\bparallels\b|\bvmware\b|\bvirtuali[sz]ed\b|\bin an? (?:vm|virtual machine)\b"
    r"|\bguest (?:os|vm)\b",
    "slurm": r"\b(?:slurm\w*|srun|sbatch|salloc)\b",
    "windows": r"\bwindows (?:1[01]|server|machine|pc|system|environment)"
    r"|\b(?:on|for|under|than|native) windows\b(?! subsystem)|\bwin(?:_amd64|-64| ?10| ?11)\b"
    r"|(?<![\w/])[a-z]:\\\\?\w[\w .-]{0,60}\\|\bwindowspath\(|winerror|\w\.dll\b|\bdll load failed"
    r"|\b[\w-]+\.bat\b"
    r"|microsoft visual c\+\+|\bvcvars\w*\.bat|\bcl\.exe\b|\bvisual studio\b(?! ?code)|\bpowershell\b|\bon win32\b",
    "macos": r"\bmac ?os\b|\bos ?x\b|\bdarwin\b|macosx_|\bmac ?book|\bi?mac(?: ?(?:mini|studio|pro))?\b(?! addr)"
    r"|\bapple (?:m\d|silicon)|\bm[1-5] (?:pro|max|ultra|chip|mac)",
    # Apple's own processors.
    "apple-silicon": r"\bapple (?:silicon|m[1-5]\b)|\bm[1-5](?: ?(?:pro|max|ultra|chip|mac)|\W{0,3}(?:mac|芯片|的mac))"
    r"|\bmac ?(?:book)?(?: ?(?:pro|air|mini|studio))?[ ,(]{1,2}(?:with )?(?:an? |the )?(?:apple )?m[1-5]\b"
    r"|macosx_\d+_\d_arm64"
    r"|\brelease_arm64_t\d",
    "linux": r"\b(?:ubuntu|debian|cent ?os|fedora|red ?hat|rhel|rocky linux|manjaro|opensuse|nixos|gentoo)\b"
    r"|(?<!subsystem for )\blinux\b",
    "jetson": r"\bjetson\b|\bjetbot|\btegra\b|\bl4t\b|\bjetpack|\borin (?:nano|nx|agx)|\bagx (?:orin|xavier)"
    r"|\bxavier (?:nx|agx)|\bnx ?\(?xavier",
    "jetson-4": r"\bjetpack[ -]?4\b|\br32[._]\d|\bl4t[-: ]*r?32\b|\br32 \(release\)",
    "several-machines": r"\bmulti-?nodes?\b"
    r"|\b(?:two|three|four|several|multiple|[2-9]) (?:machines|nodes|servers|hosts)\b"
    r"|--(?:nnodes|node_rank|num_machines)[ =][1-9]|\bmaster node\b",
    "vgpu": r"\bvgpus?\b|\bgrid (?:k\d|[avtmp]\d+)|\b(?:a|l|t|v|h)\d{1,3}[a-z]?-\d{1,2}[qcab]\b",
    "by-conda": r"\b(?:conda|mamba) (?:install|create)\b[^\n]{0,160}(?:torch|cudatoolkit)|\bpy\d\.?\d+_cpu"
    r"|\bcpuonly\b",
    "conda-is-named": r"\b(?:mini|ana)?conda\b|\bmamba\b|\bmini ?forge\b",
    "by-lock": r"\buv (?:sync|lock|add|run)\b|\bpoetry (?:install|add|lock)\b|\b(?:uv|poetry)\.lock\b"
    r"|\bpixi (?:install|add)",
    "amd": r"\bradeon\b|\bamdgpu\b|\bamd (?:rx ?)?[2-5][2-9]0(?: series)?\b"
    r"|\brx ?[5-9]\d{3}\b|\bamd (?:gpu|graphics|card|\d{4} ?xt)|(?<!backend ')\brocm(?! used to build|_v\d)"
    r"|\bgfx\d{3,4}",
    "rootless": r"\b(?:podman|rootless)\b",
    "selinux": r"\bse ?linux\b|container_use_devices|\bgetenforce\b",
    "notebook": r"\bjupyter(?:hub|lab)?\b|\bipykernel\b|<ipython-input|\.ipynb\b|\bnotebook\b|^\s*in ?\[\d*\]:",
    # Python imports it, and IPython's prompt does not.
    "imports-elsewhere": r"^[ \t]*>>> import (\w+)\n[ \t]*>>>[\s\S]{0,1500}\bin ?\[\d+\]: import \1\b"
    r"[\s\S]{0,600}\bno module named '?\1\b",
    # They looked at what pip installed, or where.
    "pip-said": r"requirement already satisfied|\b(?:which|where) (?:-a )?pip\d?\b|\bpip3? \d[\d.]* from "
    r"|\bpip3? (?:list|show|freeze|--version|-v)\b|already installed|installed successfully|successfully installed",
    # Packages whose GPU code is not the framework's, and programs that are known by it.
    "gpu-extension": r"\b(?:exllama\w*|mamba[-_]ssm|causal[-_]conv1d|selective_scan\w*|auto[-_]?gptq|auto[-_]?awq"
    r"|spconv|nvdiffrast|tiny-?cuda-?nn|diff[-_]gaussian\w*|simple[-_]knn|minkowskiengine|pointnet2\w*|natten|gsplat"
    r"|dcnv\d|groundingdino)\b",
    # What root may, and others may not.
    "only-as-root": r"\b(?:root|privileged|sudo)\b[^\n]{0,60}\bnot\b[^\n]{0,30}\b(?:rootless|non[- ]?root|unprivileged"
    r"|(?:normal|regular|ordinary|other) users?|without sudo)\b|\brootless\b[^\n]{0,60}\bworks? (?:fine )?"
    r"(?:as|with) (?:root|sudo)|\bonly works? (?:as|with|for) (?:root|sudo)\b",
    # One process a GPU.
    "distributed": r"nproc[_-]per[_-]node|--ntasks-per-node|\btorchrun\b|\btorch\.distributed|\bjax\.distributed"
    r"|\baccelerate launch|\bdeepspeed\b|\bmpirun\b|\bhorovodrun\b",
    # A script called as the package that it imports.
    "own-file-shadows": r"file \"(?![^\"\n]*-packages)[^\"\n]*?\b(\w+)\.py\", line \d+[\s\S]{0,900}"
    r"\bmodule '?\1'? (?:\([^\n]{0,200}\) )?has no attribute",
    "slept": r"\b(?:suspend\w*|hibernat\w*|slept|sleep mode|(?:after|from|to) sleep(?:ing)?|wak(?:e|es|ing) up"
    r"|woke|stand-?by)\b",
    "hosted-notebook": r"\b(?:google )?coll?ab\b|\bkaggle\b",
    # Intel's GPUs that train: builds of PyTorch for them exist.
    "intel-arc": r"\bintel(?:\(r\)|®)? arc\b|\barc[ -]?(?:pro )?[ab]\d{2,3}m?\b|\bdata center gpu max\b",
    "intel": r"\bintel(?:\(r\)|®)? (?:arc|iris|uhd|hd graphics|xe)\b|\biris(?:\(r\)|®)? xe\b|\barc[ -]?[ab]\d{3}\b",
}
#: What a text names, of the frameworks and of programs that bring their own GPU code.
_SUBJECTS = {
    "torch": r"\b(?:py)?torch\w*|\bcomfyui\b|stable[- ]?diffusion|web-?ui\b|\bxformers\b|\bvllm\b|\bsglang\b"
    r"|\btransformers\b|\bdiffusers\b|\bultralytics\b|\byolo|\bopenai-whisper\b|\bflash[-_]attn|\bmm(?:cv|det|seg|engine)\b"
    r"|\bdeepspeed\b|\bunsloth\b|\blightning\b|\bexllama|\bbitsandbytes\b|\bdetectron|\bapex\b|\btext-generation",
    "tensorflow": r"\btensorflow\w*|\btf[-_ .=v]{0,3}[12]\.\d|\bkeras\b|\btf\.\w|\btf[-_]gpu|\bTF\b",
    "jax": r"\bjax(?:lib)?\b|\bflax\b|\bxla_bridge\b|\balphafold|\bcolab(?:fold|design)|\bnumpyro\b|\btrax\b",
    "another": r"\bollama\b|\bllama[.-]?cpp|\bggml\w*|\bffmpeg\b|\bjellyfin\b|\bplex\b|\bemby\b|\bhashcat\b|\bblender\b"
    r"|\bpaddle\w*|\bmxnet\b|\bcupy\b|\bonnxruntime|\bwhisper\.cpp|\bgromacs\b|\bopencl\b|\bfrigate\b|\btriton ?server"
    r"|\bnvidia-smi\b[^\n]{0,60}(?:segmentation|segfault|sigsegv|core dump)",
}
#: ASCII, as Chinese text puts no space between its characters and a name: "在Mac上".
_WORDS = re.IGNORECASE | re.MULTILINE | re.ASCII
_APPTAINER = re.compile(r"\b(?:apptainer|singularity)\b", re.I)
#: Other makers' GPUs count as surroundings only where no product of NVIDIA is named.
_OTHERS, _NVIDIA = (
    ("amd", "intel", "intel-arc"),
    re.compile(r"\b(?:geforce|[rg]tx ?\d{3,4}|tesla|quadro|nvidia-smi|a100|h100|v100)\b", re.I),
)


#: A line of a form that denies, or leaves open, what its label names: "WSL: no", "Container: n/a", "slurm: None".
_DENIED = re.compile(
    r"^[^\n:=]{1,60}[:=][ :\"'*]*(?:none|null|nil|n/?a|no|nope|false|0|unknown|not (?:used|applicable|given|known))"
    r"[ \"'*,.]*$",
    re.IGNORECASE | re.MULTILINE,
)
#: The same in a sentence: "I'm not on Colab", "no docker here", "as others have it on Colab".
_DENIED_IN_PASSING = re.compile(
    r"(?:\b(?:not|isn'?t|no|without|don'?t use|never|unlike|instead of)"
    r"|\bothers? (?:have|had|see|saw)(?: it| this)?)[ \t]+"
    r"(?:(?:on|in|inside|under|using|running|via|with|an?|the|any|google)[ \t]+){0,3}"
    r"(?:coo?ll?ab|kaggle|docker|podman|containers?|wsl ?[12]?|(?:ana|mini)?conda|slurm|kubernetes|vms?"
    r"|virtual machines?|windows|mac ?os|macs?)\b(?! (?:support|version|image|package|file|user|env))",
    re.IGNORECASE,
)
#: What a program prints for every system and every maker alike.
_ANYWHERE = re.compile(
    r"\bcuda(?:xxx)? ?(?:or|and|/) ?(?:cupy-)?rocm[-\w]*"
    r"|\bon linux or \w{1,40} on mac ?os\b|\bnote: after mac ?os \d+\.\d+",
    re.IGNORECASE,
)


#: An image by its repository: ghcr.io/open-webui/open-webui:main
_IMAGE = re.compile(r"(?<![\w./-])[\w.-]{1,60}(?:/[\w.-]{1,60}){1,2}(?::[\w.-]{1,80})?(?![\w/])", re.ASCII)
#: Characters of a text that is more than a message somebody looks up.
_REPORT = 300


def without_denied(text: str) -> str:
    """The text without the places and systems that it says it is not about."""
    return _ANYWHERE.sub("", _DENIED_IN_PASSING.sub("", _DENIED.sub("", text)))


def subjects_in(text: str) -> frozenset[str]:
    """What a text is about: about-torch, about-tensorflow, about-jax, about-another: GPU code of its own.

    A report that names none of them is about a program that is not known here.
    """
    found = {name for name, words in _SUBJECTS.items() if re.search(words, text, _WORDS)}
    found |= frameworks_of_applications(text)
    if not found and len(text) > _REPORT:
        found.add("another")
    return frozenset(f"about-{name}" for name in found)


def surroundings_in(text: str) -> frozenset[str]:
    """Where the program ran, as far as the text says so."""
    text = without_denied(text)
    found = {name for name, words in _SURROUNDINGS.items() if re.search(words, text, _WORDS)}
    if "wsl" in found and _APPTAINER.search(text):
        found.add("wsl-apptainer")
    if found.issuperset(("jetson-4", "container")):
        found.add("jetson-4-container")
    if found.intersection(_OTHERS) and _NVIDIA.search(text):
        found.difference_update(_OTHERS)
    # One that the same program publishes with GPU code, too.
    if any(image_with_gpu_code(image) for image in set(_IMAGE.findall(text))):
        found.add("cpu-image")
    return frozenset(found)
