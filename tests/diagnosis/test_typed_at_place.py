"""One command at one place: what is typed there in its stead, or that nothing is."""

import pytest

from gpudoctor.diagnosis.at_place import asked_at, at_place, line_of, said_at
from gpudoctor.diagnosis.commands_for import commands_for, for_cmd
from gpudoctor.diagnosis.place import Place
from gpudoctor.facts.fix import Ask, Run, SetEnv, run


def place(*words, frameworks=(), makers=(), **facts):
    return Place(words=frozenset(words), frameworks=frozenset(frameworks), makers=frozenset(makers), **facts)


HOSTED, CELL, ANYWHERE = place("at-hosted"), place("at-cell"), place()
UV, POETRY, DOTNET, NATIVE = place("at-uv"), place("at-poetry"), place("at-dotnet"), place("at-native")
PROJECT, JETSON = place("at-uv-project"), place("jetson")
POWERSHELL, CMD = place(system="windows"), place("at-cmd", system="windows")
PIP = "python3 -m pip"
#: It is typed as it stands.
SAME = object()


@pytest.mark.parametrize(
    ("command", "where", "typed"),
    [
        # Cells.
        (f"{PIP} install x", HOSTED, [f"!{PIP} install x"]),
        ("export A=1 B=2", CELL, ["%env A=1", "%env B=2"]),
        ("export A=1  # why", HOSTED, ["%env A=1"]),
        ("export A=1 PATH=/x:$PATH", CELL, ["%env A=1"]),
        ("export PATH=/x:$PATH", CELL, ["export PATH=/x:$PATH  # before Jupyter is started"]),
        ("export PATH=/x:$PATH", HOSTED, []),
        ("A=$(which x)", CELL, ["A=$(which x)  # before Jupyter is started"]),
        ("A=$(which x)", HOSTED, []),
        ("unset X_Y", HOSTED, ['import os; os.environ.pop("X_Y", None)']),
        ("X=1 python <your_program.py>", CELL, ["%env X=1  # in the first cell, after a restart of the runtime"]),
        ("X=1 pip list", CELL, ["!X=1 pip list"]),
        ("sudo apt install gcc g++", HOSTED, ["!apt-get install -y gcc g++"]),
        ("sudo apt install gcc g++", CELL, SAME),
        # The machine under a hosted notebook is not the user's.
        ("sudo apt install nvidia-driver-580", HOSTED, []),
        ("sudo apt install nvidia-driver-580", CELL, SAME),
        ("docker run x", HOSTED, []),
        ("docker run x", CELL, SAME),
        ("cd x && sudo make", HOSTED, []),
        ("source env/bin/activate", HOSTED, []),
        ("source env/bin/activate", CELL, SAME),
        ("nvidia-smi", HOSTED, ["!nvidia-smi"]),
        # Tools that stand for pip.
        (f"{PIP} install x", UV, ["uv pip install x"]),
        (f"{PIP} uninstall --yes x", UV, ["uv pip uninstall x"]),
        (f"{PIP} list", UV, ["uv pip list"]),
        (f"{PIP} install x", place("at-uv", "at-conda"), SAME),
        (f"{PIP} install x y", PROJECT, ["uv add x y"]),
        (f"{PIP} install x --index-url https://i", PROJECT, ["uv add x --index https://i"]),
        (f"{PIP} uninstall --yes x", PROJECT, ["uv remove x"]),
        (f"{PIP} list", PROJECT, SAME),
        (f"{PIP} install x", POETRY, ["poetry run python -m pip install x"]),
        ("nvidia-smi", POETRY, SAME),
        # A program without Python.
        (f"{PIP} install x", DOTNET, []),
        (f"{PIP} list", DOTNET, ["dotnet list package"]),
        (f"{PIP} list", NATIVE, []),
        ("nvidia-smi", NATIVE, SAME),
        # Another engine.
        ("docker run x", place("at-podman"), []),
        ("podman run x", place("at-podman"), SAME),
        ("sudo docker run x", place("at-podman", "at-docker"), SAME),
        ("docker run x", ANYWHERE, SAME),
        # Windows' two prompts.
        ("pip list | grep -i torch", POWERSHELL, ['pip list | findstr /i "torch"']),
        ("export A=1", POWERSHELL, ['$env:A = "1"']),
        ("export A=1", CMD, ["set A=1"]),
        ("A=1 python x.py", POWERSHELL, ['$env:A = "1"; python x.py']),
        ("A=1 python x.py", CMD, ['set "A=1" && python x.py']),
        ("unset A", CMD, ["set A="]),
        ("echo $A", CMD, ["echo %A%"]),
        ("python -c 'import x'", POWERSHELL, ['python -c "import x"']),
        (f"{PIP} install 'x<2'", CMD, [f'{PIP} install "x<2"']),
        ("nvidia-smi", CMD, SAME),
    ],
)
def test_a_command_as_it_is_typed_there(command, where, typed):
    assert list(at_place((command,), where)) == ([command] if typed is SAME else typed)


ROCM, CUDA_INDEX = "rocminfo  # AMD", f"{PIP} install x --index-url https://download.pytorch.org/whl/cu124"


@pytest.mark.parametrize(
    ("command", "where", "framework", "is_typed"),
    [
        # Of the framework that the text is about, unless the cause is about another.
        (f"{PIP} install torch==2.6", place(frameworks=["torch"]), None, True),
        (f"{PIP} install tensorflow", place(frameworks=["torch"]), None, False),
        (f"{PIP} install tensorflow", place(frameworks=["torch", "tensorflow"]), None, True),
        (f"{PIP} install tensorflow", place(frameworks=["torch"]), "tensorflow", True),
        (f"{PIP} install tensorflow", ANYWHERE, None, True),
        ("TF_X=1 python a.py", place(frameworks=["torch"]), None, False),
        ("XLA_PYTHON_CLIENT=1 python a.py", place(frameworks=["jax"]), None, True),
        (f"{PIP} install torch", place(frameworks=["another"]), None, False),
        ("pip list | grep torch", place(frameworks=["jax"]), None, True),
        ("python -c 'import x'", place(frameworks=["torch"]), None, True),
        # Of the GPU's maker.
        (ROCM, place(makers=["amd"]), None, True),
        (ROCM, place(makers=["nvidia"]), None, False),
        (ROCM, place(makers=["nvidia", "amd"]), None, True),
        (ROCM, ANYWHERE, None, True),
        ("nvidia-smi", place(makers=["amd"]), None, False),
        ("nvidia-smi", place(makers=["amd", "nvidia"]), None, True),
        ("nvcc --version", place(makers=["intel"]), None, False),
        (CUDA_INDEX, place(makers=["amd"]), None, False),
        (CUDA_INDEX, place(makers=["nvidia"]), None, True),
        # A Jetson has its driver and its builds with JetPack.
        ("nvidia-smi", JETSON, None, False),
        (CUDA_INDEX, JETSON, None, False),
        ("pip install torch", JETSON, None, False),
        ("pip install torch --index-url https://pypi.jetson-ai-lab.io/jp6/cu126", JETSON, None, True),
        ("nvcc --version", JETSON, None, True),
        # AVX is of x86.
        ("grep avx2 /proc/cpuinfo", JETSON, None, False),
        ("grep avx2 /proc/cpuinfo", place(arch="aarch64"), None, False),
        ("grep avx2 /proc/cpuinfo", place(arch="arm64"), None, False),
        ("grep avx2 /proc/cpuinfo", place(arch="x86_64"), None, True),
    ],
)
def test_what_is_not_of_this_place_is_not_typed(command, where, framework, is_typed):
    assert at_place((command,), where, framework) == ((command,) if is_typed else ())


def test_what_hangs_on_a_command_that_is_left_out_is_left_out_too():
    commands = ("VERSION=$(rocm-smi)  # AMD", "echo $VERSION", "ls", "ls")
    assert at_place(commands, place(makers=["nvidia"])) == ("ls",)
    assert at_place(("FOLDER=$(which x)", "ls $FOLDER"), HOSTED) == ()


@pytest.mark.parametrize(
    ("parts", "where", "asked"),
    [
        (
            *(("python -V", "the whole log", "pip list | grep torch"), place(python="/v/bin/python")),
            ("/v/bin/python -V", "the whole log", "/v/bin/python -m pip list | grep torch"),
        ),
        (("sudo dmesg", "the whole log"), HOSTED, ("the whole log",)),
        (("python -V",), UV, ("python -V",)),
    ],
)
def test_a_question_keeps_its_words(parts, where, asked):
    assert asked_at(parts, where) == asked


@pytest.mark.parametrize(
    ("step", "system", "line"),
    [
        (run("pip", "install", "torch<2", "numpy"), "linux", "pip install 'torch<2' numpy"),
        (run("pip", "install", "torch<2", "numpy"), "windows", 'pip install "torch<2" numpy'),
        (run("x", "", "a b"), "windows", 'x "" "a b"'),
        (Run(argv=("x",), env={"A": "1"}), "linux", ""),
        (SetEnv(name="A", value="1"), "windows", '$env:A = "1"'),
        (SetEnv(name="A", value="1"), "linux", ""),
        (Ask(text="x"), "windows", ""),
    ],
)
def test_a_step_in_a_line(step, system, line):
    assert line_of(step, system) == line


@pytest.mark.parametrize(
    ("say", "said"),
    [
        ("PyTorch sees it. TensorFlow does not.", "PyTorch sees it."),
        ("Update it; TensorFlow needs X; PyTorch needs Y.", "Update it; PyTorch needs Y."),
        ("Do this: TensorFlow first; torch then.", "Do this: torch then."),
        # What a colon leads to hangs on it.
        ("With JAX: set X; with PyTorch: set Y.", ""),
        ("Restart. Keras asks for it", "Restart."),
        ("PyTorch and JAX agree.", "PyTorch and JAX agree."),
        ("Restart the machine", "Restart the machine"),
    ],
)
def test_what_is_said_of_other_frameworks_is_left_out(say, said):
    where = place(frameworks=["torch"])
    assert said_at(say, where) == said
    assert said_at(say, where, "tensorflow") == said_at(say, ANYWHERE) == say


@pytest.mark.parametrize(
    ("command", "typed"),
    [
        ('$env:A = "1"', "set A=1"),
        ('$env:A = "$env:B"; python x.py', 'set "A=%B%" && python x.py'),
        ("$x = python a", 'for /f "usebackq delims=" %i in (`python a`) do set x=%i'),
        ("Remove-Item Env:A", "set A="),
        ('Start-Process "C:\\x.exe"', 'start "" "C:\\x.exe"'),
        ("echo $env:A", "echo %A%"),
        ("Get-Item x", 'powershell -Command "Get-Item x"'),
        ('Get-Item "x"', r'powershell -Command "Get-Item \"x\""'),
        ("& python 'a b'", 'python "a b"'),
        ("python -c 'print(\"x\")'", r'python -c "print(\"x\")"'),
        ("dir  # look here", "dir & rem look here"),
        ("where.exe cl", "where.exe cl"),
    ],
)
def test_a_command_of_powershell_at_the_older_prompt(command, typed):
    assert for_cmd(command) == typed


@pytest.mark.parametrize(
    ("ask", "system", "asked"),
    [
        ("ls -l /dev/nvidia*; nvidia-smi", "windows", ("nvidia-smi",)),
        ("ls x; nvidia-smi", "windows", ("nvidia-smi",)),
        ("ls; free -h; nvidia-smi", "macos", ("ls",)),
        ("ls; free -h; nvidia-smi", "linux", ("ls", "free -h", "nvidia-smi")),
        ("python3 -c 'a; print(\"b\")' 2>&1 | tail -3", "windows", ("python3 -c \"a; print('b')\"",)),
        ("which -a python; gcc --version", "windows", ("where.exe python", "where.exe cl")),
        ("pip list | grep -iE 'torch|^jax$' | head", "windows", ('pip list | findstr /i "torch jax"',)),
        ("echo ${A}", "windows", ("echo $env:A",)),
        ("A=1 B=2 python x.py", "windows", ('$env:A = "1"; $env:B = "2"; python x.py',)),
        ('export A="x"', "windows", ('$env:A = "x"',)),
        ("unset A", "windows", ("Remove-Item Env:A",)),
        ("a 'b;c'; d \"e;f\"", "linux", ("a 'b;c'", 'd "e;f"')),
        ("time of day", "windows", ("time of day",)),
    ],
)
def test_a_question_for_another_system(ask, system, asked):
    assert commands_for(ask, system) == asked
