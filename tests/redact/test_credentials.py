import time

import pytest

from gpudoctor.redact.credentials import REMOVED, credentials_removed, without_credentials
from tests.redact.secrets import ENCODINGS, PLANTED


def test_there_are_enough_kinds() -> None:
    assert len(PLANTED) >= 64


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_secret_is_taken_out(kind: str, encoding: str) -> None:
    text, secret = PLANTED[kind]
    encode = ENCODINGS[encoding]
    left = without_credentials(f"before {encode(text)} after")
    assert secret not in left
    assert encode(secret) not in left
    if encoding == "plain":
        assert left.startswith("before ")


@pytest.mark.parametrize("kind", PLANTED)
def test_what_was_taken_out_once_stays_as_it_is(kind: str) -> None:
    once = without_credentials(PLANTED[kind][0])
    assert without_credentials(once) == once


def test_the_number_taken_out_is_told() -> None:
    text, counts = credentials_removed("https://a:b@one/ https://c:d@two/ " + PLANTED["Hugging Face"][0])
    assert counts == {"address with a password": 2, "Hugging Face token": 1}
    assert text.count(REMOVED) == 3


@pytest.mark.parametrize(
    "text",
    [
        "torch 2.6.0+cu124 (CUDA 12.4, cuDNN 9.1.0.70) /usr/lib/x86_64-linux-gnu/libcudnn.so.9",
        "sha256:" + "0123456789abcdef" * 4,
        "https://download.pytorch.org/whl/cu128/torch-2.11.0%2Bcu128-cp312-cp312-manylinux_2_28_x86_64.whl",
        "git+https://github.com/huggingface/transformers@v4.40.0",
        "python@3.11 actions/checkout@v4 torch@main",
        "tokenizers==0.19.1 secretstorage==3.3.3 keyring==25.2.1 authlib==1.3.0 sessions",
        "cudaErrorInvalidDevicePointer CUBLAS_STATUS_NOT_INITIALIZED CUDNN_STATUS_EXECUTION_FAILED",
        "max_new_tokens=512 num_tokens: 4096 pad_token_id=0 tokenizer=AutoTokenizer key=value",
        "TF_CPP_MIN_LOG_LEVEL=2 CUDA_VISIBLE_DEVICES=0,1 NVIDIA_DRIVER_CAPABILITIES=compute,utility",
        'File "/env/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1553, in _call_impl',
        "_ZN2at4_ops19empty_memory_format4callEN3c108ArrayRefINS2_6SymIntEEE undefined symbol: __nvJitLinkAddData_12_1",
        "/data/t/models/resnet/weights.pt and ./t/runs/one",
        "SSL_CERT_FILE=/etc/ssl/certs/ca.pem PIP_CERT=/etc/pki/tls/cert.pem",
        "Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
        "KeyError: 'lm_head.weight' Unexpected key(s) in state_dict: \"features.0.weight\"",
        "password: ****** token=*** secret=<redacted> API_KEY=$API_KEY",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert without_credentials(text) == text


def test_a_large_text_takes_little_time() -> None:
    text = ("2026-01-01 00:00:00.000 I tensorflow/core: key=value https://host/path?x=1 " + "a" * 40 + "\n") * 20_000
    began = time.process_time()
    without_credentials(text)
    assert time.process_time() - began < 10
