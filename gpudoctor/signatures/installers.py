"""Messages of pip, uv and conda."""

from gpudoctor.signatures.catalogue import signature

_RESOLVE = "https://pip.pypa.io/en/stable/topics/dependency-resolution/"
_UV = "https://docs.astral.sh/uv/reference/troubleshooting/build-failures/"

SIGNATURES = (
    signature(
        "no-matching-distribution",
        r"no matching distribution found for|could not find a version that satisfies the requirement"
        r"|has no wheels with a matching (?:python|platform|abi)|no solution found when resolving"
        r"|doesn.t have a source distribution or wheel for the current platform"
        r"|only has wheels with the following python|only has wheels for the following platforms?:"
        r"|unable to find installation candidates for (?:torch|tensorflow|jax)",
        needles=(
            "source distribution or wheel for the",
            "only has wheels",
            "unable to find installation candidates",
            "no matching distribution",
            "could not find a version that",
            "has no wheels with a matching",
            "no solution found",
        ),
        meaning="The package index has no build of this package for this Python and system.",
        causes={
            "python-unsupported-by-framework": 0.6,
            "python-32bit": 0.35,
            "pip-no-matching-distribution": 0.35,
            "glibc-too-old": 0.2,
            "jetson-generic-wheel @ jetson": 0.35,
            "mistyped-name": 0.15,
        },
        ask="python -m pip debug --verbose | head -30",
        source=_RESOLVE,
    ),
    signature(
        "cuda-build-not-on-index",
        r"(?:torch|torchvision|torchaudio)==[\d.]+\+cu\d+[^\n]{0,40}(?:not found|no matching|could not find)"
        r"|(?:no matching|could not find)[^\n]{0,80}\+cu\d+",
        needles=("+cu",),
        meaning="The index that is used does not have PyTorch's builds for CUDA, which come from PyTorch's own index.",
        causes={
            "pip-no-matching-distribution": 0.6,
            "torch-cpu-only": 0.55,
            "macos-no-cuda @ macos": 0.32,
            "python-unsupported-by-framework": 0.4,
        },
        ask="pip config list; python --version",
        source="https://pytorch.org/get-started/locally/",
        frameworks=("torch",),
    ),
    signature(
        "resolution-conflict",
        r"resolutionimpossible|cannot install [^\n]{0,200}conflicting dependencies"
        r"|pip.s dependency resolver does not currently take into",
        needles=("resolutionimpossible", "conflicting dependencies", "dependency resolver"),
        meaning="Two packages ask for versions of a third that exclude each other.",
        causes={"dependency-conflict": 0.9, "numpy2-abi": 0.1, "tf-protobuf": 0.1},
        ask="python -m pip check",
        source=_RESOLVE,
    ),
    signature(
        "torch-companion-conflict",
        r"\btorch(?:vision|audio|text|data)\b \S+ (?:requires|has requirement) torch==[^\n,]{1,40}, but you",
        needles=("requires torch==", "requirement torch=="),
        meaning="Torchvision, torchaudio or torchtext belongs to another release of PyTorch than the installed one.",
        causes={"torch-companion-version": 0.92},
        ask="pip list | grep torch",
        source="https://pytorch.org/get-started/previous-versions/",
        frameworks=("torch",),
    ),
    signature(
        "conda-other-python",
        r"incompatible with the existing python installation|^[^\n]{0,3}your python: python="
        r"|\b(?:pytorch|torchvision|tensorflow(?:-gpu)?|jaxlib?)\b[^\n]{0,60}(?:requires|would require)[^\n]{0,6}"
        r"python(?:_abi)? [^\n]{0,60}(?:conflicts with|does not exist)",
        needles=("existing python installation", "your python: python=", "would require", "requires"),
        meaning="The channels have no build of this package for the Python of the environment.",
        causes={"python-unsupported-by-framework": 0.87, "dependency-conflict": 0.2},
        ask="python --version; conda search -c pytorch pytorch | tail",
        source="https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-python.html",
    ),
    signature(
        "conda-sees-no-driver",
        r"nothing provides (?:requested )?__cuda\b|__cuda\b[^\n,]{0,40},? (?:which is missing on the system"
        r"|for which no candidates were found)",
        needles=("__cuda",),
        meaning="Conda sees no NVIDIA driver that is new enough, and the build that is asked for needs one.",
        causes={"conda-without-driver": 0.7, "drv-absent": 0.4, "driver-too-old": 0.2},
        ask="conda info | grep __cuda; nvidia-smi",
        source="https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-virtual.html",
    ),
    signature(
        "conda-unsatisfiable",
        r"unsatisfiableerror|packagesnotfound(?:inchannels)?error",
        needles=("unsatisfiableerror", "packagesnotfound"),
        meaning="Conda finds no set of packages that fits together.",
        causes={"conda-repodata": 0.6, "dependency-conflict": 0.4, "drv-absent": 0.15},
        ask="conda info | grep -E '__cuda|channel'; conda config --show channels",
        source="https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-virtual.html",
    ),
    signature(
        "tls-unknown-ca",
        r"unable to get local issuer certificate|certificate verify failed|sslcertverificationerror|unknown ca\b"
        r"|self.signed certificate",
        needles=(
            "issuer certificate",
            "certificate verify failed",
            "sslcertverification",
            "unknown ca",
            "signed certificate",
        ),
        meaning="The server's certificate is not trusted here, often because a company's proxy puts in its own.",
        causes={"pip-tls-ca": 0.92, "no-network": 0.1},
        ask="pip config list; env | grep -i -E 'cert|proxy'",
        source="https://pip.pypa.io/en/stable/topics/https-certificates/",
    ),
    signature(
        "no-network",
        r"temporary failure in name resolution|failed to establish a new connection|name or service not known"
        r"|max retries exceeded(?![^\n]*ssl)",
        needles=("name resolution", "new connection", "service not known", "max retries exceeded"),
        meaning="The server could not be reached.",
        causes={"no-network": 0.9, "pip-tls-ca": 0.1},
        ask="python -m pip index versions pip; env | grep -i proxy",
        source="https://pip.pypa.io/en/stable/user_guide/#using-a-proxy-server",
    ),
    signature(
        "wheel-not-supported",
        r"is not a supported wheel on this platform",
        needles=("not a supported wheel",),
        meaning="This wheel is for another Python or another system.",
        causes={"python-unsupported-by-framework": 0.7, "glibc-too-old": 0.3, "python-32bit": 0.2},
        ask="python -m pip debug --verbose | head -40",
        source="https://packaging.python.org/en/latest/specifications/platform-compatibility-tags/",
    ),
    signature(
        "torch-cpu-wheel",
        r"\btorch-[\d.]+(?:\+cpu|%2bcpu)|\bpytorch\s+[\d.]+\s+py\S*_?cpu|\bcpuonly\b|pytorch-mutex\s+\S+\s+cpu"
        r"|torch-[\d.]+-cp\d+-cp\w+-(?:win_amd64|win32|macosx\w*|manylinux\w*aarch64)\.whl",
        needles=("torch-", "cpuonly", "pytorch"),
        meaning="The installer takes the build of PyTorch for the processor only.",
        causes={"torch-cpu-only-conda": 0.5, "torch-cpu-only": 0.55, "torch-cpu-only-lock": 0.3},
        ask="python -c 'import torch; print(torch.__version__, torch.version.cuda)'; conda list | grep -E "
        "'cpuonly|mutex'",
        source="https://pytorch.org/get-started/locally/",
        frameworks=("torch",),
    ),
    signature(
        "externally-managed",
        r"externally-managed-environment",
        needles=("externally-managed",),
        meaning="This Python belongs to the operating system; packages go into a virtual environment.",
        causes={"wrong-environment": 0.9},
        ask="python3 -m venv .venv",
        source="https://packaging.python.org/en/latest/specifications/externally-managed-environments/",
    ),
)
