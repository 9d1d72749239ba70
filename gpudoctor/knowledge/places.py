"""Where commands are to be typed, as far as a text says so: which Python, installer, engine and kind of program."""

from gpudoctor.facts import lazy_re as re
from gpudoctor.knowledge.surroundings import without_denied

_CONDA = r"\b(?:conda|mamba|micromamba) (?:install|update|create)\b[^\n]{0,160}"

#: Words of a text by the place that they name. Who mentions a place to say that all is well there means another one.
_PLACES = {
    # Google's and Kaggle's machines.
    "at-hosted": r"(?<!works in )(?<!works on )(?<!works fine on )(?<!works fine in )(?<!unlike )"
    r"\b(?:google )?coo?ll?ab\b(?! pro is)|\bkaggle\b|/content/drive/|^/content/",
    # A cell of any notebook.
    "at-cell": r"^\s*[`>]*\s*[!%](?:pip3?|python3?|conda|apt(?:-get)?) |^\s*in ?\[\d+\]: ?[!%]",
    # A Python in the program's own folder.
    "at-embedded": r"\bpython_embed(?:d?ed)?\b|comfyui_windows_portable",
    "at-uv": r"\buv (?:pip|sync|add|run|venv|lock|tool)\b|\buv\.lock\b",
    # Its lock puts back what `uv pip` changes.
    "at-uv-project": r"\buv (?:sync|add|run|lock|remove)\b|\buv\.lock\b",
    "at-poetry": r"\bpoetry (?:install|add|lock|run|shell|update)\b|\bpoetry\.lock\b"
    r"|\bpypoetry\b|\bpoetry\b[ \w]{0,15}\benvironment",
    "at-conda-torch": _CONDA + r"\b(?:py)?torch(?![\w.-]*whl)",
    "at-conda-jax": _CONDA + r"\bjax|conda-forge[^\n]{0,60}\bjax(?:lib)?\b|\bjax(?:lib)?\b[^\n]{0,60}conda-forge",
    "at-conda-tensorflow": _CONDA + r"\btensorflow",
    "at-conda-cuda": _CONDA + r"\b(?:cudatoolkit|cudnn)\b",
    # AMD's Polaris, which ROCm dropped.
    "gfx-without-override": r"\bgfx803\b|\bpolaris\b|\b(?:rx|amd) ?(?:4[5-9]|5[5-9])0(?:x|d)?\b|\bwx ?[2457]100\b",
    "at-windows-7": r"\bwin(?:dows)? ?7\b",
    # Programs without a Python: what they load comes with their own packages, or was compiled.
    "at-dotnet": r"\bnuget\b|\bmicrosoft\.ml\.|\.csproj\b|\bc#|\bcsharp\b|\bml\.net\b|\bnet[5-9]\.0-windows"
    r"|\.cs:line \d|\[errorcode:runtimeexception\]|(?-i:\b[A-Z]\w{2,}\.Gpu\b)",
    "at-native": r"\b(?:llama|whisper|stable[-_ ]?diffusion|sd|bark)\.?cpp\b(?!-python)|\bkoboldcpp\b|\bggml_\w+:"
    r"|\b(?:whisper|llama|sd)_(?:init|model|backend|context)\w*:|\bcmake (?:-b|\.\.|--build)"
    r"|\blibtorch\b(?!_)|\bcmakelists\b",
    # GPU code of its own, and no framework's.
    "at-another": r"onnx ?runtime|\bcupy\b|\bctranslate2\b|\bpaddle(?:paddle|ocr)?\b|\bmxnet\b|\bdlib\b|\bollama\b"
    r"|\bopencv\b[^\n]{0,40}\bcuda|\b(?:llama|whisper|stable[-_ ]?diffusion)\.cpp\b|\bkoboldcpp\b|\bblender\b"
    r"|\bffmpeg\b|\bhashcat\b",
    # Windows' program, called from WSL.
    "exe-named": r"\b(?:jupyter|python|pip|conda)[\w -]{0,12}\.exe\b",
    # Packages whose GPU build has a command of its own.
    "of-llama-cpp-python": r"\bllama[-_]cpp[-_]python\b|\bllama_cpp\b",
    "of-onnxruntime": r"\bonnxruntime\b|\b(?:cuda|tensorrt|azure)executionprovider\b"
    r"|\binsightface\b|\brembg\b|\bort\.InferenceSession\b",
    "of-bitsandbytes": r"\bbitsandbytes\b",
    "of-lightgbm": r"\blightgbm\b",
    "lightgbm-opencl": r"\bgpu tree learner was not enabled|\blightgbm\b[^\n]*\bdevice(?:_type)?\W{1,5}gpu\b",
    "of-catboost": r"\bcatboost",
    "of-rapids": r"\b(?:cudf|cuml|cugraph|cuspatial|rapids|rapidsai)\b",
    "of-xgboost": r"\bxgb(?:oost)?\b",
    "of-paddle": r"\bpaddle(?:paddle|ocr|detection|seg|nlp|x)?\b",
    "of-mxnet": r"\bmxnet\b",
    "of-numba": r"\bnumba\b",
    "of-cupy": r"\bcupy\b",
    "cupy-twice": r"multiple cupy packages are installed"
    r"|\b(?:both|and|with) (?:\w+ ){0,2}cupy[\w-]*\b[^\n]{0,60}\band [`'\"]?cupy",
    # ONNX Runtime names the missing library from 1.17 on.
    "dll-unnamed": r"loadlibrary failed with error 126|failed to load library, error code: 126"
    r"|appendexecutionprovider_cuda: failed to load shared library",
    "dll-of-tensorrt": r"onnxruntime_providers_tensorrt\.dll|appendexecutionprovider_tensorrt: failed",
    "with-tensorrt": r"\btensorrt(?!execution)",
    "of-ultralytics": r"\bultralytics\b|\byolov?(?:8|9|1[0-2])\w?\b",
    "of-faiss": r"\bfaiss\b",
    "of-dlib": r"\bdlib\b|\bface_recognition\b",
    "of-opencv": r"\bopencv\b|\bcv2\.cuda\b|\bcv2\.dnn\b",
    # Programs that put as many layers of a model on the GPU as fit, and the rest on the processor.
    "at-llm": r"\bollama\b|\bllama[._-]cpp\b|\bllama\.cpp\b|\bkoboldcpp\b|\blm ?studio\b|\bgguf\b|\bggml_\w+:",
    "at-docker": r"\bdocker\b(?! ?hub)|\bdockerfile\b",
    "at-compose": r"\bdocker[- ]compose\b|\bcompose\.ya?ml\b|^services:",
    "at-podman": r"\bpodman\b",
    "at-nerdctl": r"\bnerdctl\b",
    "at-kubernetes": r"\bkubectl\b|\bkubernetes\b|\bk8s\b|\bpods?\b[^\n]{0,40}\b(?:running|pending|gpu|node)"
    r"|\bdaemonset\b|\bkubelet\b|\b(?:aks|eks|gke)\b|\bnode ?pools?\b|\b(?:k8s-|nvidia-|the )device[- ]plugin\b|\bk0s\b"
    r"|\b(?:in|inside|into) (?:the|my|a|each|this) pods?\b|\bpods? (?:fails?|starts?|logs?|cannot|does|do)\b",
    # Kubernetes as one program, with settings and an engine of its own.
    # Nodes that a cloud's service makes of its own images.
    "at-managed-nodes": r"\b(?:aks|eks|gke)\b|\bnode ?(?:pools?|groups?)\b|\bbottlerocket\b|\bautopilot\b",
    "at-gke": r"\bgke\b|\bcontainer-optimized os\b|\bgoogle kubernetes\b",
    # Branches that get no more releases, by the names of their packages and folders.
    "legacy-branch": r"\bnvidia[-_]?(?:driver|legacy|dkms|graphics-drivers|kernel)?[-_]?(?:304|340|390|470)(?:xx|-|\b)"
    r"|/nvidia/(?:304|340|390|470)\.",
    "at-k0s": r"\bk0s\b",
    "at-k3s": r"\bk3s\b|/var/lib/rancher/k3s\b|\brke2\b",
    "at-microk8s": r"\bmicrok8s\b",
    # Its operator brings driver, container tools and device plugin as containers.
    "at-gpu-operator": r"\bgpu[- ]operator\b|\bnvidia-driver-(?:daemonset|ctr|container)\b|nvcr\.io/nvidia/driver:",
    # Slurm's containers.
    "at-enroot": r"\b(?:enroot|pyxis)\b|(?<!\S)--container-image\b",
    # Cards in an enclosure of their own.
    "at-egpu": r"\be-?gpus?\b|\bthunderbolt\b|\boculink\b|\brazer core\b|\busb ?4\b",
    # A container that is a whole system, with a driver's libraries of its own.
    "at-lxc": r"\blx[cd]\b|\bproxmox\b[^\n]{0,80}\bcontainer|\bincus\b|\bpct (?:enter|create|set)\b",
    # Programs that start others without a login shell.
    "at-ide": r"\bpycharm\b|\bintellij\b|\bvs ?code\b|\bvisual studio code\b|\bspyder\b|\beclipse\b|\bclion\b",
    # R's interfaces run a Python of their own choice.
    "at-r": r"\breticulate\b|\blibrary\((?:keras|tensorflow|torch)\d?\)|\binstall_(?:keras|tensorflow)\("
    r"|\bpy_module_import\b|\br ?studio\b|\br-tensorflow\b",
    "gpu-as-version": r"\b(?:keras|tensorflow)==(?:gpu|cpu)\b",
    "at-rstudio": r"\br ?studio\b|\bposit workbench\b",
    "at-service": r"\bsystemd\b|\bsystemctl (?:start|restart|status|enable) (?!nvidia)|\bcron(?:tab| ?job)?\b"
    r"|\bsupervisord?\b|\bas an? (?:\w+ )?(?:service|daemon)\b|\b(?:service|unit) file\b|\bat boot\b|\blaunchd\b",
    # A cluster's software, chosen by module.
    "at-modules": r"\bmodule (?:load|avail|spider|list|add|purge)\b|\blmod\b|\bmodulefiles?\b|\benvironment modules\b",
    # Systems that are an image: packages and modules come with it, not with a package manager.
    "at-image-system": r"\b(?:silverblue|kinoite|bazzite|bluefin|secureblue|ublue|rpm-ostree|bootc|universal blue)\b",
    # Modules made ready for single kernels: kmod packages of RHEL and its kin, linux-modules-nvidia of Ubuntu.
    "at-ready-modules": r"\bkmod-nvidia(?!-latest-dkms)[\w-]*|\blinux-(?:modules|signatures)-nvidia\b"
    r"|\bnvidia-[\w-]*kmp\b|\bnvidia-[\w-]*kmp-\w+",
    "at-supergfxctl": r"\bsupergfxctl\b|\basusctl\b|\bsupergfxd\b",
    "at-envycontrol": r"\benvycontrol\b",
    "at-optimus-manager": r"\boptimus-manager\b",
    "at-system76": r"\bsystem76-power\b|\bpop!?_os\b",
    "at-esxi": r"\besxi?\b|\bvsphere\b|\bvmware\b",
    "at-hyper-v": r"\bhyper-?v\b|\bdda\b",
    "at-qemu": r"\bqemu\b|\bkvm\b|\blibvirt\b|\bovmf\b|\bvirt-manager\b|\bproxmox\b|\bunraid\b",
    "at-unraid": r"\bunraid\b",
    "at-truenas": r"\btrue ?nas\b",
    "at-proxmox": r"\bproxmox\b|\d-pve\b|\bpve-(?:kernel|headers)\b",
    "at-apptainer": r"\b(?:apptainer|singularity)\b",
    "at-singularity": r"\bsingularity\b(?<!/singularity)(?! hub)",
}
#: Distributions by their names, and by how their kernels are called.
_DISTRIBUTIONS = {
    "on-ubuntu": r"\bubuntu\b|\blinux ?mint\b|\bpop!?_os\b|\d-generic\b|~\d\d\.\d\d\.\d\b",
    "on-debian": r"\bdebian\b|\d-(?:cloud-|rt-)?amd64\b",
    "on-fedora": r"\bfedora\b|\.fc\d\d\b|\bbazzite\b|\bnobara\b|\bsilverblue\b|\bkinoite\b|\bbluefin\b|\bublue\b",
    "on-rhel": r"\b(?:rhel|red hat|cent ?os(?: ?\d)?|rocky(?: linux)?|alma ?linux|oracle linux|amazon linux)\b|\.el\d",
    "on-el7": r"\b(?:rhel|red hat|cent ?os)(?: linux)?(?: release)? ?7\b|\.el7\b",
    "on-arch": r"\b(?:arch ?linux|manjaro|cachyos|endeavouros|garuda)\b|\d-arch\d|\bpacman -s",
    "on-suse": r"\bopensuse\b|\bsles\b|\bzypper\b",
    "on-void": r"\bvoid[- ]?linux\b|\bxbps-|kernel-\d\.\d+\.\d+_\d",
    "on-nixos": r"\bnixos\b|\bnixpkgs\b",
    "on-gentoo": r"\bgentoo\b|\bemerge -",
}
_FLAGS = re.IGNORECASE | re.MULTILINE | re.ASCII
#: Images by the names of distributions, which say nothing of the system under them.
_IMAGES = re.compile(
    r"(?:\b|/)(?:ubuntu|debian|fedora|archlinux|centos|rockylinux|almalinux|nixos/nix)"
    r"(?::[\w.-]+|(?= (?:nvidia-smi|bash|sh)\b))"
    r"|[\w./-]+:[\w.-]*(?:ubuntu|ubi|rockylinux|centos|debian)[\w.-]*",
    re.IGNORECASE,
)
#: They bind a program of ggml or libtorch into Python, which is then the place.
_BINDINGS = re.compile(r"\bllama[-_]cpp[-_]python\b|\bllama_cpp\b|\bpywhispercpp\b|\bsite-packages\b", re.IGNORECASE)


def places_in(text: str) -> frozenset[str]:
    """The places that a text names; a distribution where it names one only."""
    text = without_denied(text)
    found = {name for name, words in _PLACES.items() if re.search(words, text, _FLAGS)}
    if "at-native" in found and _BINDINGS.search(text):
        found.discard("at-native")
    text = _IMAGES.sub("", text)
    on = [name for name, words in _DISTRIBUTIONS.items() if re.search(words, text, _FLAGS)]
    found |= {"on-el7"} & set(on)
    on = [name for name in on if name != "on-el7"]
    # Debian's packages and kernels are named in texts about Ubuntu, too.
    on = [name for name in on if name != "on-debian" or on == ["on-debian"]]
    return frozenset(found | set(on if len(on) == 1 else ()))
