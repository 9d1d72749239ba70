"""Every cause at every place: its commands are that place's, parse in its shell, and none is another place's."""

import re
import shutil
import subprocess

import pytest

from gpudoctor.diagnosis.at_place import asked_at, at_place, said_at
from gpudoctor.diagnosis.place import Place, place_of
from gpudoctor.diagnosis.ranking import Candidate
from gpudoctor.diagnosis.remedies import remedies
from gpudoctor.facts.base import Gap
from gpudoctor.facts.gpus import Gpu, Gpus
from gpudoctor.facts.python import Framework, Frameworks, Interpreter, Package, Packages
from gpudoctor.facts.snapshot import Snapshot
from gpudoctor.facts.system import Container, System, Wsl
from gpudoctor.knowledge.causes import all_causes
from gpudoctor.knowledge.places import places_in
from gpudoctor.rules.load import load_rules

RULES = load_rules()
CODES = {rule.name: rule.code for rule in RULES}
NAMED = sorted(name for name, one in all_causes().items() if one.remedy)
EMPTY = {name: Gap(reason="not stated") for name in ("host", "gpus", "driver", "interpreter", "packages")}


def machine(**sections):
    return Snapshot(**{**EMPTY, "frameworks": Gap(reason="not stated"), "container": Gap(reason="x"), **sections})


def python(path, environment=None):
    return Interpreter(executable=path, chosen_by="report", environment=environment)


AMD = Gpus(devices=(Gpu(vendor="amd", name="AMD Radeon RX 6600"),))
OF_DEBIAN = r"(?:^|&& )(?:sudo )?(?:apt(?:-get|-mark)?|dpkg) "
EMBEDDED = r".\python_embeded\python.exe"
#: A place: its facts, the words of its text, its system; what each command looks like, or what none of them holds.
PLACES = {
    "Colab": (machine(), "on Google Colab", "linux", r"[!%]|import os", r"\bsudo\b|reboot|systemctl|ubuntu-drivers"),
    "Kaggle": (machine(container=Container(notebook="kaggle")), "", "linux", r"[!%]|import os", r"\bsudo\b|reboot"),
    "ComfyUI": (machine(interpreter=python(EMBEDDED)), "", "windows", None, r"^python|\bgrep\b|^sudo"),
    "uv": (machine(), "uv sync", "linux", None, r"python3? -m pip (?:install|uninstall|list)"),
    "poetry": (machine(), "poetry install", "linux", None, r"^python3? "),
    "NuGet": (machine(), "Microsoft.ML.OnnxRuntime.Gpu from NuGet", "windows", None, r"^(?:python|pip|uv|conda) "),
    "C++": (machine(), "whisper.cpp, cmake --build build", "linux", None, r"^(?:python|pip|uv|conda)\b"),
    "AMD": (machine(gpus=AMD), "", "linux", None, r"nvidia-smi|whl/cu\d|<CUDA_TAG>|nvidia-driver"),
    "Jetson": (machine(host=System(os="linux", tegra="R32.7.1")), "", "linux", None, r"nvidia-smi|download\.pytorch"),
    "Arch": (machine(), "on CachyOS", "linux", None, OF_DEBIAN + r"|(?:^|&& )(?:sudo )?dnf "),
    "Debian": (machine(), "Debian 12", "linux", None, r"(?:^|&& )(?:sudo )?(?:dnf|pacman|ubuntu-drivers|zypper) "),
    "Rocky": (machine(host=System(os="linux", distribution="rocky", distribution_like=("rhel", "fedora"))), "", "linux",
              None, OF_DEBIAN + r"|(?:^|&& )(?:sudo )?(?:pacman|zypper) "),
    "Void": (machine(), "Void Linux", "linux", None, OF_DEBIAN + r"|(?:^|&& )(?:sudo )?(?:dnf|pacman|zypper) "),
    "Podman": (machine(), "podman run", "linux", None, r"^(?:sudo )?(?:docker|nerdctl) "),
    "Kubernetes": (machine(), "kubectl logs", "linux", None, r"^(?:sudo )?(?:docker|podman) "),
    "cmd": (machine(), "C:\\src>pip install torch", "windows", None, r"^(?:\$|& |[A-Z][a-z]+-[A-Z])| '[^']*'$|  # "),
    "a program of its own": (machine(), "about-another", "linux", None, None),
    "TensorFlow": (machine(frameworks=Frameworks(found=(Framework(name="tensorflow", version="2.9.0"),))),
                   "tensorflow about-tensorflow", "linux", None, None),
}  # fmt: skip


def commands_at(place, name):
    snapshot, text, system, _, _ = PLACES[place]
    around = places_in(text) | {one for one in text.split() if one.startswith("about-")}
    candidate = Candidate(key=name, code=CODES.get(name), words="x", weight=0.9)
    found = remedies((candidate,), (), RULES, system, snapshot, around)
    return found[0].commands if found else ()


PRINTED = {(place, name): commands_at(place, name) for place in PLACES for name in NAMED}


@pytest.mark.parametrize("place", sorted(PLACES))
def test_no_command_is_of_another_place(place):
    *_, own, others = PLACES[place]
    lines = [(name, line) for name in NAMED for line in PRINTED[place, name]]
    assert len(lines) > 20
    assert not [one for one in lines if others and re.search(others, one[1])]
    assert not [one for one in lines if own and not re.match(own, one[1])]


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a POSIX shell")
@pytest.mark.parametrize("place", sorted(name for name, one in PLACES.items() if one[2] == "linux"))
def test_commands_parse_in_their_shell(place):
    lines = (line for name in NAMED for line in PRINTED[place, name] if not line.startswith(("%", "import ")))
    text = "\n".join(dict.fromkeys(re.sub(r"<[\w .:]+>", "WORD", line.removeprefix("!")) for line in lines))
    done = subprocess.run(["sh", "-n", "-c", text], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("place", ["TensorFlow", "a program of its own"])
def test_a_framework_that_the_ticket_is_not_about(place):
    lines = [line for name in NAMED if all_causes()[name].framework is None for line in PRINTED[place, name]]
    assert lines
    assert not [one for one in lines if re.search(r"install .*\btorch[= ]|import torch|TORCH_\w+=|_OF_TORCH", one)]


@pytest.mark.parametrize("ask", ["nvidia-smi on the host", "whether the host's driver is new enough", "docker info"])
def test_nobody_is_asked_for_a_host_that_they_have_not(ask):
    assert asked_at((ask,), Place(words=frozenset(("at-hosted",)))) == ()
    assert asked_at((ask,), Place(words=frozenset(("at-docker",)))) == (ask,)


SAY = "Take a build with its code: PyTorch from 2.7 on; for TensorFlow a container; see there. PyTorch has an index."


@pytest.mark.parametrize(
    ("frameworks", "said"),
    [
        ("torch", "Take a build with its code: PyTorch from 2.7 on; see there. PyTorch has an index."),
        ("tensorflow", "Take a build with its code: for TensorFlow a container; see there."),
        ("another", "Take a build with its code: see there."),
        ("", SAY),
    ],
)
def test_what_is_said_of_other_frameworks(frameworks, said):
    assert said_at(SAY, Place(frameworks=frozenset(frameworks.split()))) == said


@pytest.mark.parametrize(
    ("command", "typed"),
    [
        ('$env:CMAKE_ARGS = "-DGGML_CUDA=on"', "set CMAKE_ARGS=-DGGML_CUDA=on"),
        ('$env:PATH = "$site\\nvidia;$env:PATH"', "set PATH=%site%\\nvidia;%PATH%"),
        ('$env:JAX_PLATFORMS = "cuda"; python -c "import jax"', 'set "JAX_PLATFORMS=cuda" && python -c "import jax"'),
        ("$site = python -c x", 'for /f "usebackq delims=" %i in (`python -c x`) do set site=%i'),
        ("Remove-Item Env:CUDA_VISIBLE_DEVICES", "set CUDA_VISIBLE_DEVICES="),
        ('& "C:\\My Python\\python.exe" -m pip list', '"C:\\My Python\\python.exe" -m pip list'),
        ("Get-PnpDevice -Class Display", 'powershell -Command "Get-PnpDevice -Class Display"'),
        ("python -m pip install 'a==9.*'  # of AMD", 'python -m pip install "a==9.*" & rem of AMD'),
        ("nvidia-smi", "nvidia-smi"),
    ],
)
def test_a_command_in_the_older_prompt_of_windows(command, typed):
    assert at_place((command,), Place(system="windows", words=frozenset(("at-cmd",)))) == (typed,)


@pytest.mark.parametrize(
    ("command", "words", "typed"),
    [
        ("python -m pip install torch", ("at-uv",), ("uv pip install torch",)),
        ("/a/.venv/bin/python -m pip list", ("at-uv",), ("uv pip list --python /a/.venv/bin/python",)),
        ("ls /dev/nvidia*", ("wsl",), ("ls -l /dev/dxg /usr/lib/wsl/lib",)),
        ("sudo modprobe nvidia", ("wsl",), ()),
        ("sudo modprobe nvidia", ("linux",), ("sudo modprobe nvidia",)),
        ("kubectl get nodes", ("at-kubernetes", "at-microk8s"), ("microk8s kubectl get nodes",)),
        ("kubectl get nodes", ("at-kubernetes",), ("kubectl get nodes",)),
        (
            "cat /etc/containerd/config.toml",
            ("at-k3s",),
            ("cat /var/lib/rancher/k3s/agent/etc/containerd/config.toml",),
        ),
        (
            "cat /etc/containerd/config.toml",
            ("at-k3s", "at-rke2"),
            ("cat /var/lib/rancher/rke2/agent/etc/containerd/config.toml",),
        ),
        ("python -m pip uninstall --yes torch", ("at-uv",), ("uv pip uninstall torch",)),
        ("python -m pip install torch", ("at-uv", "at-uv-project"), ("uv add torch",)),
        ("python -m pip uninstall --yes torch", ("at-uv", "at-uv-project"), ("uv remove torch",)),
        (
            "python -m pip install torch --index-url https://download.pytorch.org/whl/cu126",
            ("at-uv-project",),
            ("uv add torch --index https://download.pytorch.org/whl/cu126",),
        ),
        ("python -m pip install 'onnxruntime-gpu>=1.13,<1.19'", ("jetson",), ()),
        ("python -m pip install torch", ("at-poetry",), ("poetry run python -m pip install torch",)),
        ("export CUDA_HOME=/usr/local/cuda PATH=/a:$PATH", ("at-hosted",), ("%env CUDA_HOME=/usr/local/cuda",)),
        ("export LD_LIBRARY_PATH=/a:$LD_LIBRARY_PATH  # older ones", ("at-hosted",), ()),
        ("sudo apt install gcc-10 g++-10", ("at-hosted",), ("!apt-get install -y gcc-10 g++-10",)),
        ("sudo apt install nvidia-driver-580", ("at-hosted",), ()),
        ("unset CUDA_VISIBLE_DEVICES", ("at-cell",), ('import os; os.environ.pop("CUDA_VISIBLE_DEVICES", None)',)),
        ("pip list | grep torch", ("at-dotnet",), ("dotnet list package",)),
        ("podman run x", ("at-docker",), ()),
        ("podman run x", (), ("podman run x",)),
        ("grep -o avx2 /proc/cpuinfo", ("jetson",), ()),
    ],
)
def test_a_command_at_a_place(command, words, typed):
    assert at_place((command,), Place(words=frozenset(words))) == typed


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("!pip3 install torch-scatter", {"at-cell"}),
        ("set CMAKE_ARGS=-DGGML_CUDA=on", {"at-cmd"}),
        ("(venv) C:\\Users\\me>pip install torch", {"at-cmd"}),
        ("PS C:\\Users\\me> pip install torch", {"at-powershell"}),
        ("It works in Colab, at home it does not.", set()),
        ("What others have on Google Colab, but I'm not on Colab", set()),
        ("no docker here, and not under conda", set()),
        ("uv run python train.py", {"at-uv", "at-uv-project"}),
        ("the kernel is linux-cachyos", {"on-arch"}),
        ("Debian 11, 6.1.0-18-cloud-amd64", {"on-debian"}),
        ("Linux host 5.14.0-427.el9.x86_64", {"on-rhel"}),
        ("from llama_cpp import Llama  # llama.cpp", {"at-another", "at-llm", "of-llama-cpp-python"}),
        ("Ubuntu 22.04 in Docker on Fedora", {"at-docker"}),
        ("On NixOS: podman run ubuntu:latest nvidia-smi", {"at-podman", "on-nixos"}),
        ("srun --container-image=cuda nvidia-smi", {"at-enroot"}),
        ("the node pool of AKS", {"at-kubernetes", "at-managed-nodes"}),
        ("kmod-nvidia-open on AlmaLinux 9", {"at-ready-modules", "on-rhel"}),
        ("nvidia-470xx-dkms on Arch Linux", {"legacy-branch", "on-arch"}),
        # What stands in a list of packages is not what a text is about.
        ("pip install numpy\npip install opencv-python\npip install h5py==2.10.0\nGPU idle", set()),
        ("torch==2.1.0\nopencv-python==4.8.1.78\nonnxruntime-gpu==1.16\n", set()),
        ("pip install torch opencv-python onnxruntime-gpu scipy", set()),
        ("OpenCV's dnn module does not use the GPU", {"of-opencv"}),
        ("pip install opencv-python\nOpenCV does not use the GPU", {"of-opencv"}),
    ],
)
def test_places_of_a_text(text, places):
    assert places_in(text) == places


def test_variables_as_powershell_has_them():
    typed = at_place(("unset A_B", "export C=/d", 'echo "$E"', "echo $env:F"), Place(system="windows"))
    assert typed == ("Remove-Item Env:A_B", '$env:C = "/d"', "echo $env:E", "echo $env:F")


def test_words_of_a_question_stay_words():
    asked = ("nvidia-smi", "the line of your program that the traceback names")
    assert asked_at(asked, Place(words=frozenset(("at-hosted",)))) == ("!nvidia-smi", asked[1])


def test_a_question_is_asked_of_the_program_s_own_python():
    place = place_of(machine(interpreter=python(EMBEDDED)), (), "windows")
    assert asked_at(("python -c 'import torch'",), place) == (f"{EMBEDDED} -c 'import torch'",)


def test_red_hat_7_has_yum():
    rocky, centos = (
        [line for line in commands if "install nvidia-container-toolkit" in line]
        for text in ("Rocky Linux 8", "CentOS 7")
        for commands in (
            remedies(
                (Candidate(key="ctk-missing", code=CODES["ctk-missing"], words="x", weight=0.9),),
                (),
                RULES,
                "linux",
                machine(),
                places_in(text),
            )[0].commands,
        )
    )
    assert rocky == ["sudo dnf install nvidia-container-toolkit"]
    assert centos == ["sudo yum install nvidia-container-toolkit"]


def test_a_line_for_a_distribution_says_so_where_none_is_known():
    candidate = Candidate(key="nvcc-gcc-too-new", code=CODES["nvcc-gcc-too-new"], words="x", weight=0.9)
    (found,) = remedies((candidate,), (), RULES, "linux", machine())
    assert found.commands[0].endswith("# Debian, Ubuntu")


def test_a_notebook_is_hosted_only_where_the_system_allows_it():
    around = places_in("I copied it from colab")
    assert place_of(machine(), around, None).has("at-hosted")
    assert not place_of(machine(), around, "windows").has("at-hosted")
    assert not place_of(machine(container=Container(wsl=Wsl(version=2))), around, "wsl").has("at-hosted")


def test_a_package_of_conda_is_changed_by_conda():
    cudnn = Packages(installed=(Package(name="cudnn", version="8.9.7", installer="conda"),), excerpt=True)
    candidate = Candidate(key="cudnn-too-old", code=CODES["cudnn-too-old"], words="x", weight=0.9)
    (found,) = remedies((candidate,), (), RULES, "linux", machine(packages=cudnn))
    assert found.commands[-1].startswith("conda install")


@pytest.mark.parametrize(
    ("cause", "text", "command"),
    [
        ("ctk-missing", "pyxis on Ubuntu 22.04", "sudo apt install libnvidia-container-tools"),
        ("ctk-not-configured", "k3s on Rocky Linux 9", "kubectl get runtimeclass nvidia"),
        ("cdi-list-missing", "podman on NixOS", "ls -l /run/cdi"),
        ("drv-dkms-not-built", "nvidia-open-driver-G06-signed-kmp-default on openSUSE", "sudo zypper dup"),
        ("drv-absent", "Bazzite 41", "rpm-ostree status"),
        ("driver-older-than-kernel", "the GPU operator's driver", "kubectl logs"),
        ("drv-lib-mismatch", "GPU nodes of EKS", "kubectl cordon <NODE>"),
    ],
)
def test_a_remedy_is_for_its_place_on_each_distribution(cause, text, command):
    candidate = Candidate(key=cause, code=CODES.get(cause), words="x", weight=0.9)
    (found,) = remedies((candidate,), (), RULES, "linux", machine(), places_in(text))
    assert any(line.startswith(command) for line in found.commands), found.commands
