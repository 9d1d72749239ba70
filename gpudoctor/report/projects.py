"""Renders an install plan as requirements.txt, a uv project, a conda environment or a Dockerfile."""

import json
import re
from collections.abc import Callable

from gpudoctor.facts.fix import Run
from gpudoctor.facts.plan import InstallPlan
from gpudoctor.knowledge.frameworks import companions
from gpudoctor.knowledge.matrix.offer_types import BaseImage
from gpudoctor.plan.nvidia_libraries import link_steps
from gpudoctor.report.scripts import comment, plan_comments

#: Extras that no package index serves ready-made are built against the frameworks that are there already.
OPEN_BUILD = "--no-build-isolation"
#: The logins of package indexes, for one command and not for the image (docs.docker.com/build/building/secrets).
LOGINS = "--mount=type=secret,id=netrc,target=/root/.netrc"
#: Packages that PyTorch's own indexes serve in builds of the same CUDA.
OF_TORCH = ("torch", *companions())


def requirements_text(plan: InstallPlan, about: str) -> str:
    """A requirements file; what must be compiled afterwards is a comment."""
    options, requirements = _asked(plan)
    lines = [*comment(about), *plan_comments(plan)]
    if plan.index_url or plan.extra_index_urls:
        lines += comment("With uv: --index-strategy unsafe-best-match, as pip does by itself.")
    lines += [*options, *requirements]
    afterwards = _compiled(plan)
    lines += [f"# Afterwards: pip install {OPEN_BUILD} {' '.join(afterwards)}"] if afterwards else []
    return "\n".join(lines) + "\n"


def uv_text(plan: InstallPlan, about: str, platform: str | None) -> str:
    """A pyproject.toml for `uv sync`: builds of torch from an index that serves nothing else."""
    lines = [*comment(about), *plan_comments(plan), "[project]", 'name = "gpu-env"', 'version = "0"']
    if plan.place.version:
        lines.append(f"requires-python = {_toml(f'=={plan.place.version}.*')}")
    lines += ["dependencies = [", *(f"  {_toml(_plain(one, plan))}," for one in plan.requirements), "]"]
    lines += ["", "[tool.uv]", "package = false"]
    if platform in _UV_PLATFORMS:
        lines.append(f"environments = [{_toml(_UV_PLATFORMS[platform])}]")
    if compiled := _compiled(plan):
        names = [re.split(r"[=<>~!]", one)[0] for one in compiled]
        lines.append(f"no-build-isolation-package = [{', '.join(map(_toml, names))}]")
        lines[lines.index("]") : lines.index("]")] = [f"  {_toml(one)}," for one in compiled]
    url = _torch_index(plan)
    if url is not None:
        name = f"pytorch-{url.rstrip('/').rsplit('/', 1)[-1]}"
        lines += ["", "[[tool.uv.index]]", f"name = {_toml(name)}", f"url = {_toml(url)}", "explicit = true"]
        lines += ["", "[tool.uv.sources]"]
        lines += [f"{one} = {{ index = {_toml(name)} }}" for one in OF_TORCH if _asks_for(plan, one)]
    if plan.index_url is not None and plan.index_url != url:
        lines += ["", "[[tool.uv.index]]", f"url = {_toml(plan.index_url)}", "default = true"]
    return "\n".join(lines) + "\n"


def conda_text(plan: InstallPlan, about: str) -> str:
    """An environment.yml: Python from conda-forge, the frameworks by pip, as PyTorch and TensorFlow publish them.

    Without the word nodefaults: conda 26.7 takes it for a channel, and takes no other channels than those of the file.
    """
    options, requirements = _asked(plan)
    name = re.sub(r"[^A-Za-z0-9_-]", "-", plan.place.conda or "gpu-env")
    lines = [*comment(about), *plan_comments(plan), f"name: {_yaml(name)}", "channels:", "  - conda-forge"]
    lines += ["dependencies:", f"  - {_yaml(f'python={plan.place.version}' if plan.place.version else 'python')}"]
    lines += ["  - pip", "  - pip:", *(f"      - {_yaml(one)}" for one in (*options, *requirements))]
    afterwards = _compiled(plan)
    lines += [f"# Afterwards, in it: pip install {OPEN_BUILD} {' '.join(afterwards)}"] if afterwards else []
    return "\n".join(lines) + "\n"


def dockerfile_text(plan: InstallPlan, about: str, image: BaseImage) -> str:
    """A Dockerfile. Commands are arrays: no shell reads them. CUDA's libraries come with the frameworks.

    NVIDIA's container toolkit gives the driver at the start (docs.nvidia.com/datacenter/cloud-native, variables
    NVIDIA_VISIBLE_DEVICES and NVIDIA_DRIVER_CAPABILITIES): docker run --gpus all.
    """
    options = ["--index-url", plan.index_url] if plan.index_url else []
    options += [word for url in plan.extra_index_urls for word in ("--extra-index-url", url)]
    pip = ["python", "-m", "pip", "install", "--no-cache-dir"]
    lines = [*comment(about), *plan_comments(plan), f"FROM {image.image}"]
    if any(choice.cuda for choice in plan.choices):
        lines += ["ENV NVIDIA_VISIBLE_DEVICES=all", "ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility"]
    lines += [f"COPY {json.dumps([path, path])}" for path in plan.files]
    files = [word for path in plan.files for word in ("-r", path)]
    run = f"RUN {LOGINS} " if plan.logins else "RUN "
    lines += comment("Built with: docker build --secret id=netrc,src=$HOME/.netrc") if plan.logins else []
    lines.append(f"{run}{json.dumps([*pip, *plan.requirements, *files, *options])}")
    afterwards = _compiled(plan)
    if afterwards:
        lines += comment("The compiler of CUDA (nvcc) must be in the image for the next line.")
        lines.append(f"{run}{json.dumps([*pip, 'packaging', 'ninja', 'setuptools', 'wheel'])}")
        lines.append(f"{run}{json.dumps([*pip, OPEN_BUILD, *afterwards])}")
    packages = f"/usr/local/lib/python{image.python}/site-packages"
    links = (step for choice in plan.choices for step in link_steps(choice.links, packages))
    lines += [f"RUN {json.dumps(step.argv)}" for step in links if isinstance(step, Run)]
    return "\n".join(lines) + "\n"


_UV_PLATFORMS = {
    "linux-x86_64": "sys_platform == 'linux' and platform_machine == 'x86_64'",
    "linux-aarch64": "sys_platform == 'linux' and platform_machine == 'aarch64'",
    "windows-x86_64": "sys_platform == 'win32' and platform_machine == 'AMD64'",
    "macos-arm64": "sys_platform == 'darwin' and platform_machine == 'arm64'",
    "macos-x86_64": "sys_platform == 'darwin' and platform_machine == 'x86_64'",
}


def _asked(plan: InstallPlan) -> tuple[list[str], list[str]]:
    """The options and the requirements of a file that another tool, or another index, may be set up for.

    An index in the settings of uv or pip replaces that of the file, and would give another build without a word. So
    torch is named with its build, and its index stands beside the usual one.
    """
    url, main, extra = _torch_index(plan), plan.index_url, list(plan.extra_index_urls)
    requirements = list(plan.requirements)
    if url is not None and main == url:
        torch = next(choice for choice in plan.choices if choice.framework == "torch")
        plain = f"torch=={torch.version}"
        requirements = [f"{one}+{torch.variant}" if one == plain else one for one in requirements]
        main, extra = None, [url, *extra]
    options = [f"--index-url {main}"] if main else []
    options += [f"--extra-index-url {one}" for one in extra]
    return [*options, *(f"-r {path}" for path in plan.files)], requirements


def _compiled(plan: InstallPlan) -> tuple[str, ...]:
    """What is compiled against the frameworks, once they are there."""
    found = [getattr(step, "argv", ()) for step in plan.install]
    asked = (argv[argv.index(OPEN_BUILD) + 1 :] for argv in found if OPEN_BUILD in argv)
    return tuple(word for words in asked for word in words[:1])


def _torch_index(plan: InstallPlan) -> str | None:
    return next((choice.index_url for choice in plan.choices if choice.framework == "torch"), None)


def _plain(requirement: str, plan: InstallPlan) -> str:
    """Without the tag of the build: which one it is is said by the index."""
    torch = next((choice for choice in plan.choices if choice.framework == "torch"), None)
    return requirement.removesuffix(f"+{torch.variant}") if torch is not None else requirement


def _asks_for(plan: InstallPlan, name: str) -> bool:
    return any(one.startswith(f"{name}==") for one in plan.requirements)


def _toml(text: str) -> str:
    """A basic string of TOML; JSON's escapes are a part of TOML's, but for one."""
    return json.dumps(text).replace("\x7f", "\\u007f")


_yaml: Callable[[str], str] = json.dumps
