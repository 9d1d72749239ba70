"""What login files set, and nothing else of them."""

import pytest

from gpudoctor.facts.system import LoginSetting
from gpudoctor.host.recorded import RecordedHost
from gpudoctor.probes.environ import probe as environ
from gpudoctor.probes.environ.probe import parse_login

HOME = "/home/ada"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("export PATH=/usr/local/cuda-12.4/bin:$PATH", [("PATH", "/usr/local/cuda-12.4/bin")]),
        ('export PATH="$PATH:/usr/local/cuda/bin/"  # mine', [("PATH", "/usr/local/cuda/bin")]),
        ("LD_LIBRARY_PATH=$HOME/cudnn/lib:/opt/mine/lib", [("LD_LIBRARY_PATH", "/home/ada/cudnn/lib")]),
        ("  export CUDA_VISIBLE_DEVICES=1,2", [("CUDA_VISIBLE_DEVICES", "1,2")]),
        ("export CUDA_HOME=/usr/local/cuda; echo hi", [("CUDA_HOME", "/usr/local/cuda")]),
        ("export CUDA_HOME=$(which nvcc)", []),
        ("# export CUDA_HOME=/usr/local/cuda", []),
        ("export PATH=/home/ada/secret-project/bin:$PATH", []),
        ("export API_TOKEN=/usr/local/cuda/hf_abcdef", []),
        ("", []),
    ],
)
def test_parse_login(text: str, found: list[tuple[str, str]]) -> None:
    settings = parse_login(text, "/etc/profile", HOME)
    assert [(setting.name, setting.value) for setting in settings] == found


def test_files_of_the_system_and_of_the_user() -> None:
    host = RecordedHost(
        files={
            "/etc/profile.d/cuda.sh": "export CUDA_HOME=/usr/local/cuda\n",
            "/etc/profile.d/cuda.csh": "setenv CUDA_HOME /x\n",
            f"{HOME}/.bashrc": "export CUDA_VISIBLE_DEVICES=0\n",
        },
        env={"HOME": HOME},
    )
    assert environ.probe(host).login == (
        LoginSetting(name="CUDA_HOME", value="/usr/local/cuda", file="/etc/profile.d/cuda.sh"),
        LoginSetting(name="CUDA_VISIBLE_DEVICES", value="0", file=f"{HOME}/.bashrc"),
    )


def test_a_home_on_a_file_server_is_not_read() -> None:
    mount = f"40 1 0:50 / {HOME} rw - nfs4 server:/home rw\n"
    files = {"/proc/self/mountinfo": mount, f"{HOME}/.bashrc": "export CUDA_HOME=/usr/local/cuda\n"}
    assert environ.probe(RecordedHost(files=files, env={"HOME": HOME})).login is None


def test_certificates_that_are_not_there() -> None:
    env = {"SSL_CERT_FILE": "/etc/ssl/own.pem", "PIP_CERT": "/gone.pem", "CURL_CA_BUNDLE": ""}
    host = RecordedHost(files={"/etc/ssl/own.pem": "x"}, env=env)
    assert environ.probe(host).absent_files == ("PIP_CERT",)
