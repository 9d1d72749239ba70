"""Environments with frameworks of a few lines: what they do at import is in a variable, so one serves all tests."""

import os
import sys
import venv
from pathlib import Path

from gpudoctor.facts.python import Framework, Frameworks, Interpreter
from gpudoctor.host.real import RealHost

#: jax does what FAKE_JAX says, torch what FAKE_TORCH says.
MODULE = "import os\nexec(os.environ.get('FAKE_{name}', ''))\n"


def fake_environment(folder: Path, *names: str) -> Interpreter:
    """A real virtual environment with these fake frameworks."""
    venv.create(folder, with_pip=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for name in names:
        (site / name).mkdir()
        (site / name / "__init__.py").write_text(MODULE.format(name=name.upper()))
    version = ".".join(map(str, sys.version_info[:3]))
    return Interpreter(executable=str(folder / "bin" / "python"), chosen_by="--python", version=version)


def fake_host(**codes: str) -> RealHost:
    """This machine, with the code that the fakes run at import."""
    variables = {f"FAKE_{name.upper()}": code for name, code in codes.items()}
    return RealHost(env={**os.environ, **variables})


def found(*names: str) -> Frameworks:
    return Frameworks(found=tuple(Framework(name=name, version="1.0", variant="cpu") for name in names))
