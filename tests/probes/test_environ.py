"""Which variables are kept, and that nothing secret is in what is kept."""

import pytest

from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.environ.probe import VALUE_LIMIT, clean_value, parse_environ, probe
from gpudoctor.redact.credentials import REMOVED
from gpudoctor.redact.variables import is_allowed

KEPT = (
    "CUDA_VISIBLE_DEVICES",
    "CUDA_HOME",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "PATH",
    "PYTHONPATH",
    "PYTHONNOUSERSITE",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "UV_INDEX_URL",
    "UV_TORCH_BACKEND",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "NCCL_P2P_DISABLE",
    "TF_CPP_MIN_LOG_LEVEL",
    "TORCH_CUDA_ARCH_LIST",
    "XLA_FLAGS",
    "SLURM_JOB_ID",
    "SLURM_STEP_GPUS",
    "NVIDIA_VISIBLE_DEVICES",
    "OMP_NUM_THREADS",
    "BNB_CUDA_VERSION",
    "TMPDIR",
    "JUPYTER_PATH",
    "cuda_visible_devices",
)
DROPPED = (
    "AWS_SECRET_ACCESS_KEY",
    "HF_TOKEN",
    "JUPYTER_TOKEN",
    "JUPYTERHUB_API_TOKEN",
    "WANDB_API_KEY",
    "TF_TOKEN_app",
    "TF_VAR_db",
    "TF_CONFIG",
    "CONDA_TOKEN",
    "NVIDIA_API_KEY",
    "TORCH_HUB_PASSWORD",
    "UV_PUBLISH_PASSWORD",
    "UV_PUBLISH_TOKEN",
    "PIP_PASSWORD",
    "UV_INDEX_CORP_USERNAME",
    "SLURM_JOB_USER",
    "SLURM_JOB_ACCOUNT",
    "SLURM_JOB_NAME",
    "SLURM_NODELIST",
    "SLURM_SUBMIT_HOST",
    "USER",
    "LOGNAME",
    "HOSTNAME",
    "HOME",
    "SSH_AUTH_SOCK",
    "KUBERNETES_SERVICE_HOST",
    "HTTP_PROXY",
    "VLLM_HOST_IP",
    "JAX_COORDINATOR_ADDRESS",
    "MASTER_ADDR",
    "NVIDIA_LICENSE_SERVER",
    "TORCH_SESSION",
    "CUDA_PRIVATE",
    "MY_CUDA_HOME",
)

CLEANED = {
    "plain text": "plain text",
    "https://download.pytorch.org/whl/cu124": "https://download.pytorch.org/whl/cu124",
    "https://ada:s3cret@pypi.corp/simple": f"https://{REMOVED}@pypi.corp/simple",
    "https://s3cret@pypi.corp/simple": f"https://{REMOVED}@pypi.corp/simple",
    "https://ada:s3/cr@et@pypi.corp/simple": f"https://{REMOVED}@pypi.corp/simple",
    "https://ada:s3?cr#et@pypi.corp/simple": f"https://{REMOVED}@pypi.corp/simple",
    "https://a:1@one/ https://b:2@two/": f"https://{REMOVED}@one/ https://{REMOVED}@two/",
    "git+ssh://git:pw@host/x.git@v1": f"git+ssh://{REMOVED}@host/x.git@v1",
    "http://host:8080/path@v1": "http://host:8080/path@v1",
    "https://h/s?token=abc&x=1": f"https://h/s?token={REMOVED}&x=1",
    "https://h/s?x=1&X-Amz-Signature=abc": f"https://h/s?x=1&X-Amz-Signature={REMOVED}",
    "https://h/s?sv=1&sig=a%2B;k=2": f"https://h/s?sv=1&sig={REMOVED};k=2",
    "--opt hf_abcdefghijklmnopqrst end": f"--opt {REMOVED} end",
    "ghp_abcdefghijklmnopqrst0123": REMOVED,
    "nvapi-abcdefghijklmnopqrst": REMOVED,
    "AKIAIOSFODNN7EXAMPLE": REMOVED,
    "eyJhbGciOiJI.eyJzdWIiOiIx.c2ln": REMOVED,
    "/usr/lib:/opt/sk-learn/lib": "/usr/lib:/opt/sk-learn/lib",
    "": "",
}


@pytest.mark.parametrize("name", KEPT)
def test_kept(name: str) -> None:
    assert is_allowed(name)


@pytest.mark.parametrize("name", DROPPED)
def test_dropped(name: str) -> None:
    assert not is_allowed(name)


@pytest.mark.parametrize("value", CLEANED)
def test_cleaned(value: str) -> None:
    assert clean_value(value) == CLEANED[value]


def test_long_values_are_cut() -> None:
    assert len(clean_value("/x" * 5000)) == VALUE_LIMIT


def test_a_secret_behind_the_cut_and_before_it() -> None:
    assert "s3cret" not in clean_value("https://ada:s3cret@host/" + "x" * 5000)


def test_others_are_counted() -> None:
    seen = parse_environ({"CUDA_HOME": "/usr/local/cuda", "HF_TOKEN": "x", "EDITOR": "vi"})
    assert (seen.variables, seen.others) == ({"CUDA_HOME": "/usr/local/cuda"}, 2)
    assert (seen.get("CUDA_HOME"), seen.get("EDITOR")) == ("/usr/local/cuda", None)


def test_no_environment() -> None:
    assert probe(RecordedHost()).others == 0
