"""Which environment variables may be shown in a report."""

from gpudoctor.facts import lazy_re as re

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


def is_allowed(name: str) -> bool:
    """The variable is on the allow-list and its name says nothing of a secret or an identity."""
    upper = name.upper()
    return (upper in _NAMES or upper.startswith(_PREFIXES)) and not _DENIED.search(name)
