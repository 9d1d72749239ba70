"""Paths and banners that tell of a Python, and text that only looks like them."""

import pytest

from gpudoctor.tickets.context_hints import parse_surroundings
from gpudoctor.tickets.pasted import plain
from gpudoctor.tickets.python_paths import parse_python_paths

CONDA_AND_HOME = """sys.path: ['', '/opt/anaconda3/envs/x/lib/python38.zip',
 '/home/me/.local/lib/python3.8/site-packages', '/opt/anaconda3/envs/x/lib/python3.8/site-packages']"""


def facts(text):
    made = [one.sections["interpreter"] for one in parse_python_paths(plain(text)) if "interpreter" in one.sections]
    return {name: getattr(made[0], name) for name in ("bits", "environment", "user_site")} if made else {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("3.7.3 (v3.7.3:ef4ec6ed12, Mar 25 2019) [MSC v.1916 32 bit (Intel)]", {"bits": 32}),
        (r"sys.executable: c:\users\me\appdata\local\programs\python\python37-32\python.exe", {"bits": 32}),
        (CONDA_AND_HOME, {"environment": "conda", "user_site": "/home/me/.local/lib/python3.8/site-packages"}),
        (
            r'File "C:\Users\me\AppData\Roaming\Python\Python312\site-packages\torch\__init__.py", line 9',
            {"user_site": r"C:\Users\me\AppData\Roaming\Python\Python312\site-packages"},
        ),
        ('File "/srv/app/.venv/lib/python3.10/site-packages/torch/__init__.py", line 9', {"environment": "venv"}),
        ("3.7.3 [MSC v.1916 64 bit (AMD64)] on win32", {}),
        ("Python 3.10 in /usr/lib/python3/dist-packages", {}),
    ],
)
def test_what_is_told(text, told):
    assert {name: value for name, value in facts(text).items() if value is not None} == told


def test_the_folder_of_wsl_that_is_not_there():
    asked = "$ ls /usr/lib/wsl/lib\nls: cannot access '/usr/lib/wsl/lib': No such file or directory"
    (made,) = parse_surroundings(plain(asked))
    assert made.sections["container"].wsl.driver_library is False
    (made,) = parse_surroundings(plain("$ ls /usr/lib/wsl/lib\nlibcuda.so.1"))
    assert made.sections["container"].wsl.driver_library is None


def test_what_a_container_was_given():
    made = parse_python_paths(plain("NVIDIA_VISIBLE_DEVICES=all\nNVIDIA_DRIVER_CAPABILITIES=utility"))
    assert [one.sections["container"].nvidia_driver_capabilities for one in made] == ["utility"]
    assert parse_python_paths(plain("see NVIDIA_DRIVER_CAPABILITIES in the manual")) == ()


@pytest.mark.parametrize(
    "text", ["NVIDIA_DRIVER_CAPABILITIES=utility", "nerdctl run -it --gpus capabilities=utility,device=GPU-3a23 image"]
)
def test_what_a_container_was_given_of_the_driver(text):
    (made,) = parse_python_paths(plain(text))
    assert made.sections["container"].nvidia_driver_capabilities == "utility"


@pytest.mark.parametrize(
    ("text", "executable"),
    [
        (r"webui in C:\stable-diffusion-webui\venv, Windows 11", r"C:\stable-diffusion-webui\venv\Scripts\python.exe"),
        (r"one click installer (C:\tg\installer_files\env)", r"C:\tg\installer_files\env\python.exe"),
        (r"Spyder with C:\Users\me\anaconda3\envs\dl, torch", r"C:\Users\me\anaconda3\envs\dl\python.exe"),
        ("/home/u/tg/installer_files/env/lib/python3.11/site-packages", "/home/u/tg/installer_files/env/bin/python"),
        ("it runs /home/u/app/.venv/bin/python3 main.py", "/home/u/app/.venv/bin/python3"),
        ("AUTOMATIC1111 on Ubuntu 22.04", "venv/bin/python"),
        ("oobabooga, Windows 10", r"installer_files\env\python.exe"),
        ("ComfyUI portable, Windows 11", r".\python_embeded\python.exe"),
        ("InvokeAI, Windows 10", r".venv\Scripts\python.exe"),
        # A path decides, and the program's name only where none stands.
        (
            'Fooocus\n  File "C:\\Pack\\Fooocus - m1b\'s Edition\\venv\\lib\\site-packages\\torch\\x.py", line 1',
            r"C:\Pack\Fooocus - m1b's Edition\venv\Scripts\python.exe",
        ),
        ("Fooocus on Windows 11 by Stability Matrix", None),
        (
            r'File "D:\StabilityMatrix\Data\Packages\forge\launch.py"',
            r"D:\StabilityMatrix\Data\Packages\forge\venv\Scripts\python.exe",
        ),
        ("/home/u/StabilityMatrix/Packages/sd-ui/launch.py", "/home/u/StabilityMatrix/Packages/sd-ui/venv/bin/python"),
        (
            r'File "C:\pinokio\api\x.git\app\env\lib\site-packages\a.py"',
            r"C:\pinokio\api\x.git\app\env\Scripts\python.exe",
        ),
        ("AUTOMATIC1111 in Docker on Ubuntu", None),
        ("stable-diffusion-webui", None),
        ("see https://github.com/AUTOMATIC1111/stable-diffusion-webui/wiki", None),
    ],
)
def test_whose_python_it_is(text, executable):
    made = [one.sections["interpreter"] for one in parse_python_paths(plain(text)) if "interpreter" in one.sections]
    assert [one.executable for one in made] == ([executable] if executable else [])


def test_a_program_is_not_where_its_name_says_when_paths_tell_of_another_environment():
    text = (
        'Fooocus, Windows 11\n  File "\\\\nas\\apps\\conda\\envs\\f\\lib\\site-packages\\x.py"\n/miniconda3/envs/f/lib'
    )
    (made,) = [one.sections["interpreter"] for one in parse_python_paths(plain(text))]
    assert "python_embeded" not in made.executable
