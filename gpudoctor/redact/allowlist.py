"""Public names that need no redaction: accounts of distributions and images, public hosts."""

from gpudoctor.facts import lazy_re as re

_ACCOUNTS = frozenset({
    "root", "admin", "administrator", "user", "users", "ubuntu", "debian", "centos", "fedora", "ec2-user",
    "azureuser", "opc", "jovyan", "nobody", "docker", "runner", "vscode", "codespace", "gitpod", "colab", "kaggle",
    "sagemaker-user", "studio-lab-user", "conda", "condauser", "mambauser", "anaconda", "linuxbrew", "shared",
    "public", "default", "all users", "default user", "app", "appuser", "worker", "service", "test", "guest", "me",
    "you", "name", "username", "yourname", "someone", "daemon", "slurm", "nvidia", "jetson", "triton-server", "torch",
    "tensorflow", "python", "cuda", "git", "none", "null", "local", "media", "software", "opt", "lib", "tmp", "data",
    "site-packages", "dist-packages", "miniconda", "miniconda3", "miniforge3", "mambaforge", "envs", "env",
    "venv", "venvs", ".venv", "models", "datasets", "modules", "apps", "build", "builds", "spack", "cache", "jobs",
    "project", "projects", "group", "groups", "work", "home", "homes", "people", "scratch", "store", "storage",
    "workspace", "checkpoints", "containers", "images", "src", "bin", "share", "easybuild",
})  # fmt: skip

_HOSTS = (
    "localhost", "localhost.localdomain", "pypi.org", "pythonhosted.org", "pytorch.org", "tensorflow.org",
    "nvidia.com", "nvidia.cn", "github.com", "githubusercontent.com", "github.io", "gitlab.com", "huggingface.co",
    "hf-mirror.com", "anaconda.com", "anaconda.org", "conda-forge.org", "prefix.dev", "google.com", "googleapis.com",
    "python.org", "readthedocs.io", "docs.rs", "keras.io", "microsoft.com", "aka.ms", "amazonaws.com", "docker.com",
    "docker.io", "nvcr.io", "quay.io", "ghcr.io", "gcr.io", "ubuntu.com", "debian.org", "kernel.org",
    "kernel.ubuntu.com", "redhat.com", "fedoraproject.org", "archlinux.org", "opensuse.org", "almalinux.org",
    "tsinghua.edu.cn", "ustc.edu.cn", "aliyun.com", "douban.com", "sjtu.edu.cn", "intel.com", "amd.com", "apple.com",
    "arm.com", "stackoverflow.com", "wikipedia.org", "astral.sh", "numpy.org", "scipy.org", "kubernetes.io", "w3.org",
    "example.com", "example.org", "example", "apache.org", "gnu.org", "schedmd.com", "jax.dev", "openxla.org",
)  # fmt: skip


def is_public_account(name: str) -> bool:
    """Many machines have an account of this name, or it is a pseudonym of ours."""
    lower = name.lower()
    return lower in _ACCOUNTS or (lower.startswith("user-") and lower[5:].isdigit()) or not any(map(str.isalpha, name))


def is_public_host(name: str) -> bool:
    """The host is on the open internet and known to all, or a pseudonym of ours."""
    lower = name.lower().rstrip(".")
    if lower.startswith("host-") and lower[5:].partition(".")[0].isdigit():
        return True
    return any(lower == host or lower.endswith("." + host) for host in _HOSTS)


#: Words of reports. A person or host of such a name is found only where the text says that it is one.
_WORDS = frozenset({
    "agent", "apple", "array", "audio", "bench", "build", "cache", "class", "clean", "cloud", "code", "conda",
    "config", "conv", "core", "cuda", "cudnn", "data", "debug", "deep", "default", "desktop", "device", "docker",
    "driver", "error", "failed", "file", "flash", "float", "found", "fabric", "gpudoctor", "graph", "group", "home",
    "host", "image", "info", "intel", "jax", "keras", "kernel", "laptop", "learning", "library", "linux", "local",
    "loader", "main", "memory", "model", "module", "network", "node", "none", "nvidia", "open", "package", "path",
    "python", "release", "remote", "report", "root", "runtime", "server", "slurm", "smoke", "space", "stack",
    "static", "system", "table", "tensor", "tensorflow", "test", "text", "title", "torch", "train", "triton",
    "true", "ubuntu", "update", "user", "value", "version", "vision", "warning", "windows", "work", "worker",
    "workstation",
})  # fmt: skip


#: GPUs and the machines that are called like them: A100, h100-sxm, RTX4090, Tesla, DGX.
_PRODUCT = re.compile(
    r"(?:[abghklmptv]|gb|gh|gv|gp|gm|gk|ga|ad|tu|rtx|gtx|gt|dgx|hgx|egx|agx|mi|hd|uhd|sxm|pcie|nvl|nvlink|hbm|gb|ti|super|max|q|"
    r"tesla|geforce|quadro|titan|jetson|orin|xavier|nano|thor|tegra|spark|igx|grace|hopper|ampere|blackwell|turing|volta|"
    r"pascal|maxwell|kepler|fermi|ada|lovelace|rubin|radeon|instinct|ryzen|epyc|xeon|core|arc|iris)\d{0,4}[a-z]{0,4}",
    re.IGNORECASE,
)
#: Packages that reports are full of.
_PACKAGES = frozenset({
    "absl", "accelerate", "aiohttp", "apex", "attrs", "bitsandbytes", "black", "boto3", "certifi", "click", "cmake",
    "cupy", "dask", "datasets", "deepspeed", "diffusers", "django", "docker", "einops", "fastai", "flash", "flask",
    "flax", "fsspec", "gast", "gensim", "grpc", "grpcio", "h5py", "httpx", "idna", "ipython", "jaxlib", "jinja2",
    "joblib", "jupyter", "keras", "lightning", "lxml", "markdown", "mamba", "matplotlib", "mpmath", "msgspec", "nccl",
    "networkx", "ninja", "numba", "numpy", "onnx", "onnxruntime", "opencv", "openvino", "optax", "optree", "packaging",
    "pandas", "peft", "pillow", "pluggy", "polars", "poetry", "protobuf", "psutil", "pyarrow", "pydantic", "pynvml",
    "pytest", "ray", "requests", "rich", "safetensors", "scikit", "scipy", "seaborn", "sentencepiece", "setuptools",
    "sklearn", "spacy", "sympy", "tensorboard", "tensorrt", "tokenizers", "torchaudio", "torchvision", "tqdm",
    "transformers", "triton", "trl", "typer", "urllib3", "uvicorn", "vllm", "wandb", "wheel", "xformers", "xgboost",
    "yaml", "zlib",
})  # fmt: skip


def is_product(name: str) -> bool:
    """A GPU or a machine's model is called so."""
    parts = [part for part in re.split(r"[-_ ]", name) if part]
    return all(_PRODUCT.fullmatch(part) or part.isdigit() for part in parts)


def is_telling(name: str) -> bool:
    """The name stands for nobody else, so that it can be found as a word of its own."""
    return len(name) >= 4 and name.lower() not in _WORDS and name.lower() not in _PACKAGES
