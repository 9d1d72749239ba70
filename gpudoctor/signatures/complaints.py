"""What people complain of where nothing fails: numbers, names and speeds that are not what they expect."""

from collections.abc import Mapping

from gpudoctor.signatures.catalogue import Signature, signature

_SMI = "https://docs.nvidia.com/deploy/nvidia-smi/index.html"
_VARIABLES = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#env-vars"
_DIFFERS = (
    r"(?:differ\w*|disagree\w*|wrong|mismatch\w*|do(?:es)? ?n.?t (?:match|agree|correspond)"
    r"|not (?:match|correspond|the same)|swapped|inconsisten\w*)"
)
_NUMBERING = r"(?:ids?|index\w*|indices|order\w*|number\w*|enumerat\w*)"
_SLOW = r"(?:slow(?:er|ly)?|longer|no (?:faster|speed\w*|gain|benefit)|not (?:any )?faster)"


def _complaint(
    name: str,
    pattern: str,
    *,
    needles: tuple[str, ...],
    meaning: str,
    causes: Mapping[str, float],
    ask: str,
    source: str,
) -> Signature:
    """One that counts only where no message of a program is in the line."""
    return signature(
        name, pattern, needles=needles, meaning=meaning, causes=dict(causes), ask=ask, source=source, fallback=True
    )


_NOTEBOOK = r"(?:notebooks?|jupyter\w*|ipykernel)"
_SHELL = r"(?:terminal|console|command (?:line|prompt)|shell|prompt|script|\.?py file|python file|cmd|ssh)"

SIGNATURES = (
    _complaint(
        "gpu-numbers-differ",
        rf"\b(?:gpu|device)(?:s|_id)?\b[^\n]{{0,16}}\b{_NUMBERING}\b[^\n]{{0,40}}\b{_DIFFERS}"
        rf"|\b{_DIFFERS}\b[^\n]{{0,20}}\b(?:gpu|device)s?\b[^\n]{{0,8}}\b{_NUMBERING}\b",
        needles=("gpu", "device"),
        meaning="CUDA counts the GPUs in another order than nvidia-smi.",
        causes={"cvd-device-order": 0.7},
        ask="echo $CUDA_DEVICE_ORDER; nvidia-smi -L",
        source=_VARIABLES,
    ),
    _complaint(
        "notebook-differs",
        rf"\b{_NOTEBOOK}\b[^\n]{{0,80}}\b(?:false|not (?:work|found|available)|fails?|can.?t|cannot|no module)\b"
        rf"[^\n]{{0,120}}\b{_SHELL}\b[^\n]{{0,60}}\b(?:true|works?|fine|ok|successful\w*|no problem)\b"
        rf"|\b{_SHELL}\b[^\n]{{0,60}}\b(?:true|works?|fine|ok|successful\w*|able)\b[^\n]{{0,120}}\b{_NOTEBOOK}\b"
        r"[^\n]{0,80}\b(?:false|not|fails?|can.?t|cannot|doesn.?t|error)\b",
        needles=("notebook", "jupyter", "ipykernel", ".ipynb"),
        meaning="The notebook runs in another Python, or with other variables, than the terminal.",
        causes={"py-kernelspec-mismatch": 0.65, "env-login-only": 0.45},
        ask="import sys; print(sys.executable) in the notebook and in the terminal; jupyter kernelspec list",
        source="https://ipython.readthedocs.io/en/stable/install/kernel_install.html",
    ),
    _complaint(
        "wsl-folder-helps",
        r"ld_library_path\b[^\n]{0,20}/usr/lib/wsl/lib|/usr/lib/wsl/lib[^\n]{0,30}\b(?:to|into|in)\b[^\n]{0,12}ld_library_path",
        needles=("/usr/lib/wsl/lib",),
        meaning="Programs do not look in the folder where WSL has Windows' driver libraries.",
        causes={"wsl-libcuda-path": 0.8},
        ask='echo "$LD_LIBRARY_PATH"; ldconfig -p | grep libcuda',
        source="https://docs.nvidia.com/cuda/wsl-user-guide/index.html",
    ),
    _complaint(
        "smi-slow",
        r"\b(?:nvidia-smi|first cuda (?:call|program)|cuda (?:init\w*|start\w*))\b[^\n]{0,30}"
        r"\b(?:forever|takes?[^\n]{0,20}(?:seconds|minutes|\d+ ?s\b|long)|(?:is |very |so |extremely )+slow|slow to)\b",
        needles=("nvidia-smi", "cuda"),
        meaning="The driver starts the GPU anew for each program, because nothing keeps it awake.",
        causes={"persistence-off": 0.6, "driver-not-answering": 0.15},
        ask="nvidia-smi -q -d PERFORMANCE | head; nvidia-smi --query-gpu=persistence_mode --format=csv",
        source="https://docs.nvidia.com/deploy/driver-persistence/index.html",
    ),
    _complaint(
        "memory-of-nobody",
        r"\bmemory\b[^\n]{0,40}\b(?:in use|used|not (?:released|freed|cleared)|occupied|full|still)\b[^\n]{0,60}"
        r"\b(?:no (?:running )?process\w*|without (?:any )?process\w*|nothing is running|process list is empty)"
        r"|\b(?:no (?:running )?process\w*|nothing (?:appears|shows?|is (?:listed|running|shown)))\b[^\n]{0,60}"
        r"\bmemory\b[^\n]{0,30}"
        r"\b(?:in use|used|not (?:released|freed)|occupied|full)",
        needles=("memory",),
        meaning="Memory of the GPU is taken, and no process is listed that holds it.",
        causes={"gpu-mem-orphan": 0.75},
        ask="sudo fuser -v /dev/nvidia*",
        source=_SMI,
    ),
    _complaint(
        "shell-and-notebook-differ",
        rf"\b(?:jupyter|notebook|ipython|vs ?code|pycharm|cron|systemd)\b[^\n]{{0,60}}\b{_DIFFERS}"
        rf"|\b{_DIFFERS}\b[^\n]{{0,60}}\b(?:jupyter|notebook|ipython|vs ?code|pycharm|cron|systemd)\b"
        r"|\bworks? in (?:the |a )?(?:terminal|shell|console)\b[^\n]{0,40}\bnot (?:in|from)\b",
        needles=(
            "jupyter",
            "notebook",
            "ipython",
            "vscode",
            "vs code",
            "pycharm",
            "cron",
            "systemd",
            "shell",
        ),
        meaning="A shell and a program started otherwise have other variables, or another Python.",
        causes={"env-login-only": 0.4, "wrong-environment": 0.35, "py-pip-mismatch": 0.35},
        ask="in both: python -c 'import sys, os; print(sys.executable, os.environ.get(\"LD_LIBRARY_PATH\"))'",
        source="https://jupyter-client.readthedocs.io/en/stable/kernels.html",
    ),
    _complaint(
        "held-down-by-heat",
        # `nvidia-smi -q` has lines such as "HW Thermal Slowdown : Not Active".
        r"\b(?:thermal\w*|airflow|overheat\w*|heat|temperature)\b[^\n]{0,40}"
        r"\b(?:throttl(?:es|ed|ing)|constrain\w*|slow(?:s|ed|ing)|limit(?:ed|ing)|clocks? drop\w*)"
        r"|\bthrottl(?:es|ed|ing)\b[^\n]{0,40}\b(?:thermal\w*|airflow|heat|temperature|hot)\b"
        r"|\bgpus?\b[^\n]{0,16}\boverheat\w*|\boverheat\w*[^\n]{0,12}\bgpus?\b"
        r"|\bthermal (?:slowdown|throttl\w*)\W*active",
        needles=("thermal", "airflow", "heat", "throttl", "temperature"),
        meaning="The GPU lowers its clocks because it is too hot.",
        causes={"gpu-thermal-throttle": 0.75, "gpu-thermal-limit-low": 0.15},
        ask="nvidia-smi -q -d PERFORMANCE,TEMPERATURE,CLOCK",
        source=_SMI,
    ),
    _complaint(
        "temperature-limit-low",
        r"\bmax(?:imum)? operating temp\w*\s*:?\s*[3-6]\d ?c\b",
        needles=("operating temp",),
        meaning="The GPU holds its clocks down from a temperature on that it reaches at once.",
        causes={"gpu-thermal-limit-low": 0.85},
        ask="nvidia-smi -q -d TEMPERATURE",
        source=_SMI,
    ),
    _complaint(
        "held-down-by-power",
        r"\b(?:sw|software)[ _-]?power[ _-]?cap(?:ping)?\W{1,12}active\b"
        r"|\bpower[ _-]?(?:limit|cap)\w*\b[^\n]{0,40}"
        r"\b(?:throttl(?:es|ed|ing)|slow(?:s|ed|ing|er)?|lower\w*|reduc\w*|held|stuck)\b"
        r"|\bclocks?\b[^\n]{0,30}\b(?:low|stuck|drop\w*)\b[^\n]{0,30}\bpower (?:limit|cap)",
        needles=("power",),
        meaning="The GPU lowers its clocks because it may not draw more power.",
        causes={"gpu-power-limit-lowered": 0.7, "gpu-thermal-throttle": 0.15},
        ask="nvidia-smi -q -d POWER,PERFORMANCE",
        source=_SMI,
    ),
    _complaint(
        "products-inexact",
        r"\b(?:matmul|mat(?:rix)? mult\w*|convolution|conv2d|einsum|result|output)s?\b[^\n]{0,60}"
        r"\b(?:in(?:accurate|exact|correct|consistent)|imprecise|wrong|differ\w*|precision|correct)\b[^\n]{0,60}"
        r"\b(?:a100|ampere|30[5-9]0|40[6-9]0|rtx|h100|tf32)\b"
        r"|\btf32\b[^\n]{0,40}\b(?:precision|accuracy|wrong|differ\w*)"
        r"|\b(?:a100|ampere|30[5-9]0|40[6-9]0|h100)\b[^\n]{0,40}"
        r"\b(?:matmul|mat(?:rix)? mult\w*|convolution|conv2d|einsum)\b"
        r"[^\n]{0,30}\b(?:in(?:accurate|exact|correct)|imprecise|wrong|differ\w*|precision)\b",
        needles=(
            "a100",
            "ampere",
            "3050",
            "3060",
            "3070",
            "3080",
            "3090",
            "4060",
            "4070",
            "4080",
            "4090",
            "rtx",
            "h100",
            "tf32",
        ),
        meaning="On GPUs from Ampere on products may be computed in TF32, with ten bits after the point.",
        causes={"tf32-default": 0.7},
        ask="python -c 'import torch; print(torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32)'",
        source="https://pytorch.org/docs/stable/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices",
    ),
    _complaint(
        "mixed-precision-no-gain",
        rf"\b(?:amp|apex|fp16|float16|half precision|mixed[ -]precision|autocast)\b[^\n]{{0,80}}\b{_SLOW}"
        rf"|\b(?:amp|apex|fp16|mixed[ -]precision)\b[^\n]{{0,80}}\btime\b[^\n]{{0,20}}\b(?:\d\.\d+|more) times",
        needles=("amp", "apex", "fp16", "float16", "half precision", "mixed", "autocast"),
        meaning="Mixed precision brings no speed.",
        causes={"perf-amp-no-gain": 0.65},
        ask="python -c 'import torch; print(torch.cuda.get_device_name(), torch.version.cuda)'",
        source="https://docs.nvidia.com/deeplearning/performance/mixed-precision-training/index.html",
    ),
    _complaint(
        "gpu-no-faster-than-cpu",
        rf"\bgpu\b[^\n]{{0,90}}\b{_SLOW}\b[^\n]{{0,40}}\bcpu\b|\bcpu\b[^\n]{{0,30}}\bfaster\b[^\n]{{0,20}}\bgpu\b"
        rf"|\bfaster\b[^\n]{{0,30}}\bcpu\b[^\n]{{0,20}}\bgpu\b"
        rf"|\b{_SLOW}\b[^\n]{{0,20}}\b(?:on|with|using) (?:the |a |my )?(?:gpu|cuda)\b[^\n]{{0,30}}\bcpu\b"
        r"|\bslower (?:on|with) (?:the |a |my )?gpu\b"
        r"|\b(?:[rg]tx ?\d{3,4}|cuda|tesla|titan|a100|v100)\b[^\n]{0,40}\bslower than\b[^\n]{0,16}"
        r"\b(?:cpu|processor)\b",
        needles=("gpu", "cuda", "slower than"),
        meaning="The GPU is no faster than the processor.",
        causes={"perf-workload-too-small": 0.55, "perf-input-bound": 0.25},
        ask="gpudoctor bench --seconds 30",
        source="https://docs.nvidia.com/deeplearning/performance/dl-performance-gpu-background/index.html",
    ),
    _complaint(
        "torch-came-for-cpu",
        r"^(?=[^\n]*torch)[^\n]*\b(?:install(?:s|ed|ing)?|get(?:s|ting)?|got|gives?|result(?:s|ed) in"
        r"|pull(?:s|ed)?(?: in)?"
        r"|resolves?(?: to)?|obtain(?:s|ed)|back to|replaced? (?:it )?with)\b[^\n]{0,32}\bcpu(?:[ -]?only)?[ -]?"
        r"(?:version|build|variant|wheel|torch|pytorch)",
        needles=("torch",),
        meaning="The installer gave a PyTorch that is built for the processor only.",
        causes={
            "torch-cpu-only": 0.55,
            "torch-cpu-only-lock @ by-lock": 0.31,
            "torch-cpu-only-conda @ by-conda": 0.31,
            "jetson-generic-wheel @ jetson": 0.35,
        },
        ask="python -c 'import torch; print(torch.__version__, torch.version.cuda)'; pip --version; nvidia-smi",
        source="https://pytorch.org/get-started/locally/",
    ),
    _complaint(
        "gpu-little-used",
        r"\b(?:gpu[- ]util\w*|gpu usage|utili[sz]ation)\b[^\n]{0,40}\b(?:low|drops?|fluctuat\w*|spik\w*|poor)\b"
        r"|\blow gpu[- ](?:util\w*|usage|load)|\bgpu[- ](?:util\w*|usage|load)[^\n]{0,24}\b(?:\d|[1-3]\d)(?:-\d+)? ?%"
        r"|\b(?:only )?(?:us(?:es?|ing)|utili[sz]\w+)\b[^\n]{0,16}\b[1-3]?\d ?%[^\n]{0,16}\bgpu\b",
        needles=("util", "gpu usage", "gpu load", "% of"),
        meaning="The GPU is idle most of the time.",
        causes={"perf-workload-too-small": 0.45, "perf-input-bound": 0.4},
        ask="gpudoctor bench --seconds 30; nvidia-smi dmon -s u -c 20",
        source="https://docs.nvidia.com/deeplearning/performance/dl-performance-gpu-background/index.html",
    ),
    _complaint(
        "gpu-waits-for-data",
        r"\b(?:data ?load\w*|input pipeline|reading|decoding)\b[^\n]{0,40}\b(?:bottleneck|bound|slow|dominates)",
        needles=("loader", "loading", "pipeline", "reading", "decoding"),
        meaning="The GPU waits for its data most of the time.",
        causes={"perf-input-bound": 0.55, "perf-workload-too-small": 0.3},
        ask="gpudoctor bench --seconds 30; nvidia-smi dmon -s u -c 20",
        source="https://www.tensorflow.org/guide/data_performance",
    ),
)
