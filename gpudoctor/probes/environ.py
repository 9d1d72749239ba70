"""The environment variables that matter to GPUs, from an allow-list, with credentials taken out of the values."""

import re
from collections.abc import Mapping

import msgspec

from gpudoctor.host.port import Host
from gpudoctor.model.system import Environ
from gpudoctor.probes.environ_login import read_login
from gpudoctor.probes.system_spaces import is_remote

#: Longest value kept, in characters.
VALUE_LIMIT = 4096
REMOVED = "***"

#: A name that holds one of these is never kept, whatever list it is on.
_DENIED = re.compile(
    r"secret|token|passw|passphrase|pwd|api_?key|_key$|^key_|private|credential|cred_|_cred|auth|cookie|session|csrf|"
    r"license_server|_user$|_host$|host_?name|host_?ip|addr|_account$|^tf_config$|^tf_(?:var|cli|cloud|workspace|data_dir|plugin|reg)",
    re.IGNORECASE,
)

_PREFIXES = (
    "ACCELERATE_", "APPTAINER_", "BLAS_", "BNB_", "CONDA_", "CUBLAS", "CUDA_", "CUDNN_", "CUPY_", "FLASH_ATTENTION_",
    "GOMP_", "GPUDOCTOR_", "HIP_", "HSA_", "JAX_", "KERAS_", "KMP_", "LD_", "MAX_JOBS", "MIOPEN_", "MKL_", "NCCL_",
    "NUMBA_", "NUMEXPR_", "NVCC_", "NVIDIA_", "NVTE_", "OMP_", "ONEAPI_", "OPENBLAS_", "ORT_", "PJRT_", "PYTORCH_",
    "ROCM_", "ROCR_", "SINGULARITY_", "TF_", "TORCH", "TRITON_", "UCX_", "VLLM_", "XFORMERS_", "XLA_", "ZE_",
)  # fmt: skip

_NAMES = frozenset({
    # The interpreter and its packages.
    "PATH", "PYTHONPATH", "PYTHONHOME", "PYTHONNOUSERSITE", "PYTHONUSERBASE", "PYTHONSTARTUP", "PYTHONSAFEPATH",
    "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONPLATLIBDIR", "VIRTUAL_ENV", "PIPENV_ACTIVE", "POETRY_ACTIVE",
    "PIXI_ENVIRONMENT_NAME", "PYENV_VERSION", "PYENV_ROOT", "MAMBA_ROOT_PREFIX", "UV",
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CONSTRAINT", "PIP_CACHE_DIR",
    "PIP_REQUIRE_VIRTUALENV", "PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_CERT", "PIP_NO_BUILD_ISOLATION",
    "PIP_BREAK_SYSTEM_PACKAGES", "PIP_CONFIG_FILE", "PIP_PRE", "PIP_ONLY_BINARY", "PIP_NO_BINARY", "PIP_NO_CACHE_DIR",
    "UV_INDEX", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_NO_INDEX",
    "UV_INDEX_STRATEGY", "UV_TORCH_BACKEND", "UV_CACHE_DIR", "UV_PYTHON", "UV_SYSTEM_PYTHON", "UV_PROJECT_ENVIRONMENT",
    "UV_CONSTRAINT", "UV_OVERRIDE", "UV_OFFLINE", "UV_NO_BUILD_ISOLATION", "UV_LINK_MODE",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    # Compilers that build extensions.
    "CC", "CXX", "CUDACXX", "CUDAHOSTCXX", "CUDAARCHS", "CMAKE_CUDA_ARCHITECTURES", "CPATH", "LIBRARY_PATH",
    # Places and the machine.
    "TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "LANG", "LC_ALL", "GPU_DEVICE_ORDINAL", "DISPLAY",
    "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS", "OS", "WSL_DISTRO_NAME", "WSL_INTEROP", "WSL2_GUI_APPS_ENABLED",
    "__NV_PRIME_RENDER_OFFLOAD", "DRI_PRIME",
    # Containers, schedulers, notebooks.
    "CONTAINER", "KUBERNETES_SERVICE_PORT", "COLAB_GPU", "COLAB_RELEASE_TAG", "KAGGLE_KERNEL_RUN_TYPE",
    "KAGGLE_CONTAINER_NAME", "SM_NUM_GPUS", "SM_CURRENT_INSTANCE_TYPE", "JPY_PARENT_PID", "JUPYTER_PATH",
    "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "LSB_JOBID", "PBS_JOBID", "PBS_GPUFILE",
    "SLURM_JOB_ID", "SLURM_JOBID", "SLURM_STEP_ID", "SLURM_JOB_GPUS", "SLURM_STEP_GPUS", "SLURM_GPUS",
    "SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK", "SLURM_GPUS_PER_SOCKET", "SLURM_GPU_BIND",
    "SLURM_GPUS_TASK", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", "SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_NODEID",
    "SLURM_PROCID", "SLURM_LOCALID", "SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "SLURM_MEM_PER_NODE",
    "SLURM_MEM_PER_GPU", "SLURM_TRES_PER_TASK", "SLURM_CONF",
    # Launchers.
    "LOCAL_RANK", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
})  # fmt: skip

#: The part of a URL before "@", whatever characters it holds up to the next slash.
_URL_USER = re.compile(r"(?<=://)[^\s/]*@")
#: A password with a slash in it. A port before the slash (host:8080/path@v1) is none.
_URL_PASSWORD = re.compile(r"(?<=://)[^\s/@:]*:(?!\d+(?:/|$))\S*@")
_URL_PARAMETER = re.compile(
    r"([?&;#][^=&;\s]*(?:token|sig|key|secret|auth|pass|credential|session|sas)[^=&;\s]*=)[^&;\s]+", re.IGNORECASE
)
#: The token formats that services publish so that scanners can find them.
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:hf|ghp|gho|ghu|ghs|ghr|npm|dp|glpat|github_pat|pypi|xox[abprs]|sk|nvapi)[-_][A-Za-z0-9_-]{12,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)"
)


#: Variables that name a file of certificates, for pip, requests, curl and OpenSSL.
_CERTIFICATES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE")


def probe(host: Host) -> Environ:
    """The allow-listed variables, how many others there are, and what the login files set of those that matter."""
    login, absent = read_login(host), tuple(name for name in _CERTIFICATES if _is_absent(host, host.env.get(name)))
    return msgspec.structs.replace(parse_environ(host.env), login=login, absent_files=absent)


def _is_absent(host: Host, path: str | None) -> bool:
    """The path is not there. One on a file server is not asked for: that could wait for ever."""
    return bool(path) and not is_remote(host, path or "") and host.stat(path or "") is None


def parse_environ(env: Mapping[str, str]) -> Environ:
    """The variables to keep, cleaned; of the others only the number."""
    kept = {name: clean_value(value) for name, value in sorted(env.items()) if is_allowed(name)}
    return Environ(variables=kept, others=len(env) - len(kept))


def is_allowed(name: str) -> bool:
    """The variable is on the allow-list and its name says nothing of a secret or an identity."""
    upper = name.upper()
    return (upper in _NAMES or upper.startswith(_PREFIXES)) and not _DENIED.search(name)


def clean_value(value: str) -> str:
    """The value without credentials in URLs and without known token formats, cut at VALUE_LIMIT characters."""
    if "://" in value:
        value = _URL_USER.sub(f"{REMOVED}@", value)
        value = _URL_PASSWORD.sub(f"{REMOVED}@", value)
    value = _URL_PARAMETER.sub(rf"\g<1>{REMOVED}", value)
    value = _TOKEN.sub(REMOVED, value)
    return value if len(value) <= VALUE_LIMIT else value[: VALUE_LIMIT - 1] + "…"
